/* relay.h: what a task says on its way to the supervisor: kept here, and written by a thread.
 *
 * A supervisor may be stopped (Ctrl-Z) and read nothing for hours. Its tasks must not wait for it in the middle of a step: whoever has
 * something to say leaves it here and goes on. What may be lost is lost beyond a bound; results and failures are kept, and the process ends
 * when they have been read, or can be read by nobody. */
#ifndef TRI_CLI_PROCESS_RELAY_H
#define TRI_CLI_PROCESS_RELAY_H

#include <stdbool.h>
#include <stdio.h>

#include "trireme/status.h"

typedef struct tri__relay tri__relay;

TRI_MUST_CHECK tri_status tri__relay_create(tri__relay **out);

/* A stream to fd, whose writer never waits: what is flushed is kept and written in turn. lossy: where too much is waiting already, it is
 * left out, and that is told once something can be written. Close it before the relay is destroyed. NULL: no memory. */
FILE *tri__relay_open(tri__relay *relay, int fd, bool lossy);

bool tri__relay_is_behind(tri__relay *relay); /* something waits to be written: what is worth nothing later need not be said */
void tri__relay_drain(tri__relay *relay);     /* wait until all is written, or nobody can read it any more */
void tri__relay_destroy(tri__relay *relay);   /* drains it; accepts NULL */

#endif
