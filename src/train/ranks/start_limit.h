/* start_limit.h: how long mpirun may take to start its processes. Ranks watch each other only after they have started, and mpirun itself
 * waits for a silent host for as long as it takes. */
#ifndef TRI_TRAIN_RANKS_START_LIMIT_H
#define TRI_TRAIN_RANKS_START_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t patience; /* nanoseconds from the beginning */
    int64_t deadline; /* INT64_MAX: they have started, or the limit has been noticed */
} tri__start_limit;

void tri__start_limit_begin(tri__start_limit *limit, int64_t timeout); /* processes may take 10 s, however short the timeout is */
void tri__start_limit_lift(tri__start_limit *limit);                   /* they have started */
bool tri__start_limit_passed(tri__start_limit *limit);                 /* true once */

#endif
