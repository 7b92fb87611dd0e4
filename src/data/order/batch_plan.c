/* batch_plan.c: which batches come next. */
#include "data/order/batch_plan.h"

#include <inttypes.h>

void tri__batch_plan_init(tri__batch_plan *plan, tri__shard shard, bool assigned)
{
    *plan = (tri__batch_plan){.shard = shard, .assigned = assigned};
}

static tri__slice *slice_at(tri__batch_plan *plan, int i)
{
    return &plan->line[(plan->first + i) % TRI_MOST_ASSIGNED];
}

/* Plan one more batch. False at the end, or if batches are assigned. */
static bool lengthen(tri__batch_plan *plan)
{
    if (plan->assigned || plan->unplanned == plan->shard.end)
        return false;
    tri__slice slice = tri__shard_slice(&plan->shard, plan->unplanned);
    *slice_at(plan, plan->count++) = slice;
    plan->unplanned = slice.after;
    return true;
}

const tri__slice *tri__batch_plan_find(tri__batch_plan *plan, int i)
{
    while (plan->count <= i)
        if (!lengthen(plan))
            return NULL;
    return slice_at(plan, i);
}

void tri__batch_plan_take(tri__batch_plan *plan)
{
    const tri__slice *slice = slice_at(plan, 0);
    plan->position = plan->assigned ? slice->position : slice->after;
    plan->first = (plan->first + 1) % TRI_MOST_ASSIGNED;
    plan->count--;
}

void tri__batch_plan_seek(tri__batch_plan *plan, int64_t position)
{
    plan->count = 0;
    plan->position = plan->unplanned = position;
}

tri_status tri__batch_plan_assign(tri__batch_plan *plan, int64_t position, int worker, int workers)
{
    tri__shard shard = plan->shard;
    int64_t step;
    if (position < 0 || position >= shard.end)
        return tri_fail(TRI_BAD_CALL, "position %" PRId64 " is outside the %" PRId64 " examples of the whole run", position, shard.end);
    if (worker < 0 || worker >= workers || __builtin_mul_overflow(shard.batch, workers, &step))
        return tri_fail(TRI_BAD_CALL, "worker %d of %d with a batch of %" PRId64 ": there is no such worker", worker, workers, shard.batch);
    if (plan->count == TRI_MOST_ASSIGNED)
        return tri_fail(TRI_BAD_CALL, "%d batches are assigned and not taken: take some before more are assigned", plan->count);
    shard.worker = worker;
    shard.workers = workers;
    *slice_at(plan, plan->count++) = tri__shard_slice(&shard, position);
    return NULL;
}

void tri__batch_plan_revoke(tri__batch_plan *plan)
{
    plan->count = 0;
}
