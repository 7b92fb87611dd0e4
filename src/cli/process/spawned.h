/* spawned.h: a task that a supervisor started (train/job/watcher.h): it reports as JSON lines
 * (train/job/process_report.h), and does not outlive the supervisor. */
#ifndef TRI_CLI_PROCESS_SPAWNED_H
#define TRI_CLI_PROCESS_SPAWNED_H

#include "cli/process/session.h"
#include "train/run/run.h"

/* From now on, each byte that arrives on fd is a signal that this process sends to itself. At end of file it sends itself SIGTERM, and
 * exits some seconds later. */
TRI_MUST_CHECK tri_status tri__spawned_watch(int fd);

void tri__spawned_started(tri__session *session);                                 /* rank 0 reports that it runs */
void tri__spawned_began(tri__session *session);                                   /* rank 0 reports that all ranks are ready */
void tri__spawned_progress(tri__session *session, const tri__progress *progress); /* dropped while the last report has not been read */
TRI_MUST_CHECK tri_status tri__spawned_result(tri__session *session, const tri__run_result *result);
TRI_MUST_CHECK tri_status tri__spawned_conclude(tri__session *session, const tri__run_result *result); /* also waits until it is read */
void tri__spawned_failure(tri__session *session, tri_status failure);                                  /* main will not report it again */

/* For a rank other than 0, after a failure that all ranks share: rank 0 reports it, and fails. This rank exits with 0, because mpirun ends
 * all ranks when one fails, and rank 0 may not have reported yet. Takes failure, returns NULL. */
TRI_MUST_CHECK tri_status tri__spawned_leave_to_rank_0(tri__session *session, tri_status failure);

void tri__spawned_drain(tri__session *session); /* before an exit without tri__session_fini: waits until all is read */

#endif
