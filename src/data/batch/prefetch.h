/* prefetch.h: batches read and decoded before they are asked for, by threads.
 *
 * The plan and the record order alone decide what a batch holds; threads only share the work, so their number changes no result. One
 * thread calls. */
#ifndef TRI_DATA_BATCH_PREFETCH_H
#define TRI_DATA_BATCH_PREFETCH_H

#include "data/batch/batch.h"
#include "data/batch/batch_plan.h"
#include "data/batch/cache.h"
#include "data/batch/record_order.h"

typedef struct tri__prefetch tri__prefetch;

/* Threads start with the first batch. The source is held, not only borrowed: a thread whose read hangs may outlive everybody. */
TRI_MUST_CHECK tri_status tri__prefetch_create(tri_source *source, const tri_dataset_options *options, tri__prefetch **out);
void tri__prefetch_destroy(
    tri__prefetch *prefetch); /* leaves alone a thread that hangs; it cleans up itself when its read returns. Accepts NULL */

/* Plan the batches of the plan's line as far as there is room for them; of those that are planned already nothing has changed. */
void tri__prefetch_plan(tri__prefetch *prefetch, tri__batch_plan *plan);

/* The first batch that is planned; there is one. It is borrowed until the next call of this. A record that cannot be read is a failure of
 * its row, not of the call. TRI_TIMEOUT names the file that hangs. */
TRI_MUST_CHECK tri_status tri__prefetch_next(tri__prefetch *prefetch, tri__batch_buffer **out);

/* The batch that the next call of tri__prefetch_next will give, where it is whole already; NULL elsewhere. Never waits. It is borrowed
 * until the next call of either, or of clear. */
const tri_batch *tri__prefetch_peek(tri__prefetch *prefetch);

/* Forget all that is planned. False where a thread hangs: then destroy it and make another. */
TRI_MUST_CHECK bool tri__prefetch_clear(tri__prefetch *prefetch);

const tri__shard *tri__prefetch_shard(const tri__prefetch *prefetch);
int tri__prefetch_depth(tri__prefetch *prefetch);                     /* how many planned batches are of use now */
double tri__prefetch_cpu_seconds(tri__prefetch *prefetch);            /* that reading and decoding has taken of all CPUs */
const tri__cache *tri__prefetch_cache(const tri__prefetch *prefetch); /* NULL where none was asked for */

#endif
