/* replay.c: applies another server's updates. */
#include "store/ps/stretch/replay.h"

#include <inttypes.h>
#include <math.h>

#include "store/ps/stretch/stretch_inside.h"

tri_status tri__stretch_replay(tri__stretch *stretch, const tri__applied *update)
{
    tri__stretch_chunk *chunk = tri__stretch_at(stretch, update->chunk);
    if (tri__stretch_is_sync(stretch) ? update->task >= 0 || update->step != chunk->step : update->task < 0)
        return tri_fail(TRI_BAD_DATA, "an update for step %" PRId64 " of chunk %u, which stands at step %" PRId64, update->step,
                        update->chunk, chunk->step);
    if (!isfinite(update->scale) || !isfinite(update->rate))
        return tri_fail(TRI_BAD_DATA, "an update with scale %g and rate %g", (double)update->scale, (double)update->rate);
    if (update->scale > 0 && !chunk->shard != !update->rows)
        return tri_fail(TRI_BAD_DATA, "an update of chunk %u, which is another kind of chunk", update->chunk);
    if (update->scale > 0 && chunk->shard)
        TRI_TRY(tri__table_shard_reserve_alone(chunk->shard, update->rows->count));
    if (update->task >= 0) {
        TRI_TRY(tri__stretch_know_task(stretch, update->task));
        stretch->pushed[update->task][update->chunk - stretch->first] = update->serial;
    }
    if (update->task >= 0 && update->scale > 0)
        tri__grown_take(stretch, chunk, update);
    tri__undo_keep(stretch, chunk, update->scale > 0 ? update->rows : NULL);
    if (update->scale > 0 && chunk->shard)
        tri__table_shard_apply_part(chunk->shard, update->rows, &stretch->rule, (double)update->scale,
                                    &(tri_step){.step = update->step, .rate = update->rate});
    else if (update->scale > 0)
        tri__stretch_apply(stretch, chunk, update->gradient, (double)update->scale, update->step, update->rate);
    chunk->step++;
    return NULL;
}

void tri__stretch_stand(tri__stretch *stretch, uint32_t number, int64_t step)
{
    tri__stretch_chunk *chunk = tri__stretch_at(stretch, number);
    tri__gather_drop(stretch, chunk);
    tri__gather_begin(chunk);
    chunk->step = step;
    if (stretch->undo.steps)
        stretch->undo.steps[number - stretch->first] = 0;
}

tri_status tri__stretch_know(tri__stretch *stretch, uint32_t chunk, int task, int64_t serial)
{
    TRI_TRY(tri__stretch_know_task(stretch, task));
    stretch->pushed[task][chunk - stretch->first] = serial;
    tri__grown_know(stretch, tri__stretch_at(stretch, chunk), task, serial);
    return NULL;
}

tri_status tri__stretch_learn_order(tri__stretch *stretch, int64_t step, const int *tasks, int count)
{
    return tri__task_orders_insert(&stretch->order, step, tasks, count);
}

void tri__stretch_learn_left(tri__stretch *stretch, int task, int64_t step)
{
    if (stretch->left[task] < 0)
        stretch->left[task] = step;
}

tri_status tri__stretch_learn_keys(tri__stretch *stretch, int server, int servers, int64_t position, const tri__key_cell *cell,
                                   int64_t count)
{
    tri__undo_forget_keys(stretch);
    return tri__key_cells_restore(stretch->grown.store.map, server, servers, position, cell, count);
}

void tri__stretch_learn_counted_step(tri__stretch *stretch, int64_t step)
{
    stretch->grown.store.map->counted = step;
}

void tri__stretch_learn_counted(tri__stretch *stretch, int task, int64_t serial)
{
    stretch->grown.counted[task] = serial;
}

int64_t tri__stretch_counted_step(const tri__stretch *stretch)
{
    return stretch->grown.store.map->counted;
}

int64_t tri__stretch_counted(const tri__stretch *stretch, int task)
{
    return stretch->grown.counted[task];
}

int64_t tri__stretch_known(const tri__stretch *stretch, uint32_t chunk, int task)
{
    return stretch->pushed[task] ? stretch->pushed[task][chunk - stretch->first] : -1;
}

int64_t tri__stretch_left(const tri__stretch *stretch, int task)
{
    return stretch->left[task];
}

bool tri__stretch_order(const tri__stretch *stretch, int index, int64_t *step, const int **tasks, int *count)
{
    const tri__task_order *order = stretch->order;
    while (order && index-- > 0)
        order = order->next;
    if (!order)
        return false;
    *step = order->step;
    *tasks = order->task;
    *count = order->count;
    return true;
}
