/* shard.h: which examples a worker's next batch holds. They follow from the position alone.
 *
 * A position is the number of examples that all workers together have consumed since the very start. A step takes the next workers ×
 * batch examples of the epoch's order, or the rest of the epoch if that is less. Each worker takes a slice of them; slices differ by one
 * example at most. So the number of workers may change between two steps, and no example is used twice or skipped. */
#ifndef TRI_DATA_ORDER_SHARD_H
#define TRI_DATA_ORDER_SHARD_H

#include <stdint.h>

typedef struct {
    int64_t batch;    /* examples that one worker takes in a step */
    int64_t worker;   /* the number of this worker, from 0 */
    int64_t workers;  /* how many workers there are */
    int64_t examples; /* in one epoch */
    int64_t end;      /* the position after the last example */
} tri__shard;

typedef struct {
    int64_t position; /* of the step */
    int64_t epoch;
    int64_t first, count; /* places in the epoch's order; count is 0 if a short step has no example for this worker */
    int64_t after;        /* the position of the next step; at the end, equal to position */
} tri__slice;

tri__slice tri__shard_slice(const tri__shard *shard, int64_t position);

#endif
