/* prefetch.h: threads that read and decode batches before the caller asks for them.
 *
 * The plan and the record order alone decide what a batch holds. Threads only share the work, so their number changes no result. One
 * thread calls these functions. */
#ifndef TRI_DATA_BATCH_PREFETCH_H
#define TRI_DATA_BATCH_PREFETCH_H

#include "data/batch/batch.h"
#include "data/batch/cache.h"
#include "data/order/batch_plan.h"
#include "data/order/record_order.h"
#include "data/photo/augment.h"

typedef struct tri__prefetch tri__prefetch;

/* Threads start with the first batch. The prefetch holds the source (tri__source_hold), as a thread whose read hangs may outlive the
 * caller. options->mixed_classes: 0 means that labels get no shares; options->augment is ignored. */
TRI_MUST_CHECK tri_status tri__prefetch_create(tri_source *source, const tri_dataset_options *options, const tri__augment *augment,
                                               tri__prefetch **out);
void tri__prefetch_destroy(
    tri__prefetch *prefetch); /* does not wait for a thread that hangs: it cleans up when its read returns. Accepts NULL */

/* Queue the batches of the plan that are not queued yet, as far as there is room. The plan's first batches must be those queued already. */
void tri__prefetch_plan(tri__prefetch *prefetch, tri__batch_plan *plan);

/* Take the first planned batch, and wait until it is complete; there must be one. It is borrowed until the next call of this function. A
 * record that cannot be read is a failure of its row, not of the call. The message of TRI_TIMEOUT names the file that hangs. */
TRI_MUST_CHECK tri_status tri__prefetch_next(tri__prefetch *prefetch, tri__batch_buffer **out);

/* The batch that the next tri__prefetch_next will give, if it is complete already; otherwise NULL. Never waits for a batch. It is borrowed
 * until the next call of tri__prefetch_next or tri__prefetch_clear. */
const tri_batch *tri__prefetch_peek(tri__prefetch *prefetch);

/* Forget all planned batches. Returns false if a thread hangs: then destroy the prefetch and create another. */
TRI_MUST_CHECK bool tri__prefetch_clear(tri__prefetch *prefetch);

const tri__shard *tri__prefetch_shard(const tri__prefetch *prefetch);
int tri__prefetch_depth(tri__prefetch *prefetch);                     /* how many batches should be planned now */
double tri__prefetch_cpu_seconds(tri__prefetch *prefetch);            /* CPU time of reading and decoding, of all threads */
const tri__cache *tri__prefetch_cache(const tri__prefetch *prefetch); /* NULL where there is none */

#endif
