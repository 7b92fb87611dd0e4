/* agenda.c: which batches come next. */
#include "data/agenda.h"

#include <inttypes.h>

void tri__agenda_init(tri__agenda *agenda, tri__shard shard, bool assigned)
{
    *agenda = (tri__agenda){.shard = shard, .assigned = assigned};
}

static tri__slice *place(tri__agenda *agenda, int i)
{
    return &agenda->line[(agenda->first + i) % TRI_MOST_ASSIGNED];
}

/* One batch more that goes its own way. False at the end. */
static bool lengthen(tri__agenda *agenda)
{
    if (agenda->assigned || agenda->unplanned == agenda->shard.end)
        return false;
    tri__slice slice = tri__shard_slice(&agenda->shard, agenda->unplanned);
    *place(agenda, agenda->count++) = slice;
    agenda->unplanned = slice.after;
    return true;
}

const tri__slice *tri__agenda_find(tri__agenda *agenda, int i)
{
    while (agenda->count <= i)
        if (!lengthen(agenda))
            return NULL;
    return place(agenda, i);
}

void tri__agenda_take(tri__agenda *agenda)
{
    const tri__slice *slice = place(agenda, 0);
    agenda->position = agenda->assigned ? slice->position : slice->after;
    agenda->first = (agenda->first + 1) % TRI_MOST_ASSIGNED;
    agenda->count--;
}

void tri__agenda_seek(tri__agenda *agenda, int64_t position)
{
    agenda->count = 0;
    agenda->position = agenda->unplanned = position;
}

tri_status tri__agenda_assign(tri__agenda *agenda, int64_t position, int worker, int workers)
{
    tri__shard shard = agenda->shard;
    int64_t step;
    if (position < 0 || position >= shard.end)
        return tri_fail(TRI_BAD_CALL, "position %" PRId64 " is outside the %" PRId64 " examples of the whole run", position, shard.end);
    if (worker < 0 || worker >= workers || __builtin_mul_overflow(shard.batch, workers, &step))
        return tri_fail(TRI_BAD_CALL, "worker %d of %d with a batch of %" PRId64 ": there is no such worker", worker, workers, shard.batch);
    if (agenda->count == TRI_MOST_ASSIGNED)
        return tri_fail(TRI_BAD_CALL, "%d batches are assigned and not taken: take some before more are assigned", agenda->count);
    shard.worker = worker;
    shard.workers = workers;
    *place(agenda, agenda->count++) = tri__shard_slice(&shard, position);
    return NULL;
}

void tri__agenda_revoke(tri__agenda *agenda)
{
    agenda->count = 0;
}
