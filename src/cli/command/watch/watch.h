/* watch.h: what the files of trireme watch share. */
#ifndef TRI_CLI_COMMAND_WATCH_WATCH_H
#define TRI_CLI_COMMAND_WATCH_WATCH_H

#include <signal.h>

#include "cli/table/option.h"
#include "watch/sample/run_view.h"

/* True where no process holds the run's lock, and its summary is as new as its samples. */
bool tri__watch_run_has_ended(const char *path, const tri__run_view *view);

/* TRI_BAD_CALL where options of the live page are given without it, or the live page without a run. */
TRI_MUST_CHECK tri_status tri__watch_check_web(const tri__arguments *arguments);

/* Serve the live page of the run that the arguments name, until *stop is not 0. every: nanoseconds between two readings of the run. */
TRI_MUST_CHECK tri_status tri__watch_web(tri__session *session, const tri__arguments *arguments, int64_t every,
                                         const volatile sig_atomic_t *stop);

/* TRI_BAD_CALL where options of a probe are given without a probe, or a probe with options that are not for it. */
TRI_MUST_CHECK tri_status tri__watch_check_probe(const tri__arguments *arguments);

/* probe: measure a link and print its rate. answer: answer such measurements until *stop is not 0. */
TRI_MUST_CHECK tri_status tri__watch_probe(tri__session *session, const tri__arguments *arguments, const volatile sig_atomic_t *stop);
TRI_MUST_CHECK tri_status tri__watch_answer(tri__session *session, const tri__arguments *arguments, const volatile sig_atomic_t *stop);

#endif
