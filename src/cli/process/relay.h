/* relay.h: carries the output of a task to its supervisor: a thread writes it, so that the task never waits.
 *
 * A supervisor may be stopped (Ctrl-Z) and read nothing for hours. Its tasks must not wait for it in the middle of a step: a task puts its
 * output into the relay and continues. When too much is queued, lines of a lossy stream are dropped. Results and failures are kept: the
 * process ends only after the supervisor has read them, or is gone. */
#ifndef TRI_CLI_PROCESS_RELAY_H
#define TRI_CLI_PROCESS_RELAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trireme/status.h"

typedef struct tri__relay tri__relay;

TRI_MUST_CHECK tri_status tri__relay_create(tri__relay **out);

/* A stream to fd that never waits: what is flushed is queued, and the thread writes it. lossy: when too much is queued, lines are dropped,
 * and a later line says how many. Close the stream before the relay is destroyed. NULL: no memory. */
FILE *tri__relay_open(tri__relay *relay, int fd, bool lossy);

bool tri__relay_is_behind(tri__relay *relay);                 /* something is queued: skip a line that would be useless later */
void tri__relay_drain(tri__relay *relay);                     /* wait until all is written, or the reader is gone */
void tri__relay_drain_until(tri__relay *relay, int64_t time); /* the same, at most until tri__clock_now is `time` */
void tri__relay_destroy(tri__relay *relay);                   /* drains it; accepts NULL */

#endif
