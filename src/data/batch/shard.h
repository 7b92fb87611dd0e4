/* shard.h: which examples a worker's next batch holds: a function of the position alone.
 *
 * A position is the number of examples that all workers together have consumed since the very start. A step takes the next workers ×
 * batch examples of the epoch's order (what is left of the epoch, where that is less), and each worker a slice of them, equal but for
 * one example. So the number of workers may change between two steps, and nothing is seen twice or skipped. */
#ifndef TRI_DATA_BATCH_SHARD_H
#define TRI_DATA_BATCH_SHARD_H

#include <stdint.h>

typedef struct {
    int64_t batch;    /* of one worker */
    int64_t worker;   /* this one, from 0 … */
    int64_t workers;  /* … of so many */
    int64_t examples; /* in one epoch */
    int64_t end;      /* the position after the last example */
} tri__shard;

typedef struct {
    int64_t position; /* of the step */
    int64_t epoch;
    int64_t first, count; /* places in the epoch's order; count is 0 where a short step has nothing for this worker */
    int64_t after;        /* the position of the next step; the same one at the end */
} tri__slice;

tri__slice tri__shard_slice(const tri__shard *shard, int64_t position);

#endif
