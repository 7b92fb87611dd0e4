/* companion.h: a process that goes with this one: started with it, started again when it dies, and ended with it. */
#ifndef TRI_CLI_PROCESS_COMPANION_H
#define TRI_CLI_PROCESS_COMPANION_H

#include "base/log.h"

typedef struct tri__companion tri__companion;

enum { TRI_COMPANION_FD = 3 }; /* in the companion: a pipe's reading end, which comes to its end when this process is gone */

/* Run a program; argv ends with NULL, and is copied. name is for messages, borrowed. farewell: the signal by which this process hears that
 * it is not started again. */
TRI_MUST_CHECK tri_status tri__companion_start(const char *name, const char *program, const char *const *argv, int farewell, tri__log *log,
                                               tri__companion **out);
void tri__companion_end(tri__companion *companion); /* it has some seconds to end by itself, and is made to; accepts NULL */

#endif
