/* stretch.c: a server's stretch of the model, and what becomes of a push.
 *
 * Whatever the number of workers, a server needs memory for parameters, state and one gathered gradient, and for the few parts that are
 * held (gather.c). Memory of parts that are no longer held is used again for the next gradients. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory/memory.h"
#include "graph/rule/rule.h"
#include "store/ps/stretch/gradient_check.h"
#include "store/ps/stretch/stretch_inside.h"

static tri_status allocate(tri__stretch *stretch, const tri__layout *layout)
{
    size_t bytes = (stretch->range.count ? stretch->range.count : 1) * sizeof(float);
    int tables = layout->tables.count, server = tri__layout_server(layout, stretch->first);
    TRI_TRY(tri__buffer_allocate(bytes, "a server's parameters", &stretch->parameters));
    for (int i = 0; i < tri_rule_slots(&stretch->rule); i++)
        TRI_TRY(tri__buffer_allocate(bytes, "a server's state of the update rule", &stretch->slot[i]));
    if (tri__stretch_is_sync(stretch))
        TRI_TRY(tri__buffer_allocate(bytes, "a server's gathered gradient", &stretch->gathered));
    if (tri__stretch_is_sync(stretch) && stretch->settings.replicas == 2)
        TRI_TRY(tri__undo_create(stretch));
    TRI_TRY(tri__allocate(stretch->chunks, sizeof *stretch->chunk, "a server's chunks", &stretch->chunk));
    for (uint32_t i = 0; i < stretch->chunks; i++) {
        tri_range range = tri__layout_chunk(layout, stretch->first + i);
        stretch->chunk[i].range = (tri_range){range.first - stretch->range.first, range.count};
    }
    for (int i = 0; i < tables; i++) {
        TRI_TRY(tri__table_shard_init(&stretch->shard[i], tri__layout_rows(layout, server, i), layout->tables.table[i].width,
                                      tri_rule_slots(&stretch->rule)));
        stretch->chunk[tri__layout_table_chunk(layout, server, i) - stretch->first].shard = &stretch->shard[i];
    }
    return tri__grown_create(stretch, layout);
}

tri_status tri__stretch_create(const tri__layout *layout, int server, const tri_rule *rule, const tri__ps_settings *settings,
                               tri__stretch **out)
{
    tri__stretch *stretch;
    TRI_TRY(tri__allocate(1, sizeof *stretch, "a server's stretch", &stretch));
    stretch->range = tri__layout_stretch(layout, server);
    stretch->first = tri__layout_first(layout, server);
    stretch->chunks = tri__layout_first(layout, server + 1) - stretch->first;
    stretch->rule = *rule;
    stretch->settings = *settings;
    tri_status status = tri__rule_complete(&stretch->rule);
    if (!status)
        status = allocate(stretch, layout);
    if (status) {
        tri__stretch_destroy(stretch);
        return status;
    }
    tri__stretch_reset(stretch, 0);
    *out = stretch;
    return NULL;
}

/* ---- memory of gradients ---- */

tri_status tri__stretch_lend(tri__stretch *stretch, float **gradient)
{
    if (stretch->spares == 0)
        return tri__allocate(1, TRI_CHUNK_BYTES, "a worker's gradient", gradient);
    *gradient = stretch->spare[--stretch->spares];
    return NULL;
}

void tri__stretch_reclaim(tri__stretch *stretch, float *gradient)
{
    if (gradient && stretch->spares < TRI_MOST_SPARE)
        stretch->spare[stretch->spares++] = gradient;
    else
        free(gradient);
}

static void free_spare(tri__stretch *stretch)
{
    while (stretch->spares > 0)
        free(stretch->spare[--stretch->spares]);
}

void tri__stretch_destroy(tri__stretch *stretch)
{
    if (!stretch)
        return;
    for (uint32_t i = 0; stretch->chunk && i < stretch->chunks; i++)
        tri__gather_drop(stretch, &stretch->chunk[i]);
    free_spare(stretch);
    for (int i = 0; i < TRI_MOST_TASKS; i++)
        free(stretch->pushed[i]);
    tri__task_orders_free(&stretch->order);
    tri__undo_destroy(stretch);
    tri__grown_destroy(stretch);
    free(stretch->chunk);
    for (int i = 0; i < TRI_LAYOUT_TABLES; i++)
        tri__table_shard_fini(&stretch->shard[i]);
    tri__buffer_free(stretch->parameters);
    for (int i = 0; i < TRI_RULE_SLOTS; i++)
        tri__buffer_free(stretch->slot[i]);
    tri__buffer_free(stretch->gathered);
    free(stretch);
}

/* ---- what is where ---- */

tri_range tri__stretch_range(const tri__stretch *stretch)
{
    return stretch->range;
}

uint32_t tri__stretch_first(const tri__stretch *stretch)
{
    return stretch->first;
}

uint32_t tri__stretch_chunks(const tri__stretch *stretch)
{
    return stretch->chunks;
}

bool tri__stretch_has(const tri__stretch *stretch, uint32_t chunk)
{
    return chunk >= stretch->first && chunk - stretch->first < stretch->chunks;
}

float *tri__stretch_floats(tri__stretch *stretch, uint32_t chunk, int slot, size_t *count)
{
    tri_range range = tri__stretch_at(stretch, chunk)->range;
    if (tri__stretch_at(stretch, chunk)->shard) {
        *count = 0;
        return NULL;
    }
    float *buffer = slot == 0 ? stretch->parameters : stretch->slot[slot - 1];
    *count = range.count;
    return buffer ? buffer + range.first : NULL;
}

tri__table_shard *tri__stretch_shard(tri__stretch *stretch, uint32_t chunk)
{
    return tri__stretch_at(stretch, chunk)->shard;
}

tri_table *tri__stretch_table(tri__stretch *stretch, uint32_t chunk)
{
    tri__table_shard *shard = tri__stretch_shard(stretch, chunk);
    return shard ? &shard->table : NULL;
}

int tri__stretch_slots(const tri__stretch *stretch)
{
    return 1 + tri_rule_slots(&stretch->rule);
}

int64_t tri__stretch_step(const tri__stretch *stretch, uint32_t chunk)
{
    return tri__stretch_at(stretch, chunk)->step;
}

int64_t tri__stretch_waited(const tri__stretch *stretch, uint32_t chunk)
{
    return tri__stretch_at(stretch, chunk)->waited;
}

int64_t tri__stretch_lowest(const tri__stretch *stretch)
{
    int64_t lowest = INT64_MAX;
    for (uint32_t i = 0; i < stretch->chunks; i++)
        if (stretch->chunk[i].step < lowest)
            lowest = stretch->chunk[i].step;
    return lowest;
}

int64_t tri__stretch_highest(const tri__stretch *stretch)
{
    int64_t highest = 0;
    for (uint32_t i = 0; i < stretch->chunks; i++)
        if (stretch->chunk[i].step > highest)
            highest = stretch->chunk[i].step;
    return highest;
}

/* ---- beginning anew ---- */

static void forget_pushes(tri__stretch *stretch, int task)
{
    stretch->stale[task] = -1;
    tri__grown_forget(stretch, task);
    for (uint32_t i = 0; stretch->pushed[task] && i < stretch->chunks; i++)
        stretch->pushed[task][i] = -1;
}

void tri__stretch_reset(tri__stretch *stretch, int64_t step)
{
    for (uint32_t i = 0; i < stretch->chunks; i++) {
        tri__stretch_chunk *chunk = &stretch->chunk[i];
        tri__gather_drop(stretch, chunk);
        tri__gather_begin(chunk);
        chunk->step = step;
        if (stretch->undo.steps)
            stretch->undo.steps[i] = 0;
    }
    for (int task = 0; task < TRI_MOST_TASKS; task++) {
        forget_pushes(stretch, task);
        stretch->left[task] = -1;
    }
    tri__grown_reset(stretch);
    tri__undo_forget_keys(stretch);
    tri__task_orders_free(&stretch->order);
    stretch->whole = 0;
    stretch->clip = (tri__clip_factor){0};
}

void tri__stretch_welcome(tri__stretch *stretch, int task)
{
    forget_pushes(stretch, task);
}

void tri__stretch_close(tri__stretch *stretch)
{
    tri__stretch_reset(stretch, tri__stretch_lowest(stretch));
    free_spare(stretch);
    tri__buffer_free(stretch->gathered);
    stretch->gathered = NULL;
}

/* ---- applying ---- */

tri_range tri__stretch_range_of(const tri__stretch *stretch, const tri__stretch_chunk *chunk)
{
    return (tri_range){stretch->range.first + chunk->range.first, chunk->range.count};
}

void tri__stretch_apply(tri__stretch *stretch, const tri__stretch_chunk *chunk, const float *gradient, double scale, int64_t step,
                        float rate)
{
    const tri_step now = {.step = step, .rate = rate};
    tri__update update = tri__update_of(stretch->parameters, stretch->slot, chunk->range, gradient, scale, now);
    update.updates = chunk->step;
    tri__update_mark_state(&update, &stretch->rule, tri__stretch_range_of(stretch, chunk));
    tri__rule_apply(&stretch->rule, &update);
}

void tri__stretch_on_applied(tri__stretch *stretch, void (*applied)(void *context, const tri__applied *update), void *context)
{
    stretch->applied = applied;
    stretch->applied_context = context;
}

void tri__stretch_tell(const tri__stretch *stretch, const tri__stretch_chunk *chunk, tri__applied update)
{
    update.chunk = stretch->first + (uint32_t)(chunk - stretch->chunk);
    if (stretch->applied)
        stretch->applied(stretch->applied_context, &update);
}

static void apply_alone(tri__stretch *stretch, tri__stretch_chunk *chunk, const tri__push *push, const tri__applied *update)
{
    const tri_step step = {.step = push->step, .rate = push->rate};
    tri__grown_take(stretch, chunk, update);
    if (push->rows)
        tri__table_shard_apply_part(chunk->shard, push->rows, &stretch->rule, 1 / push->weight, &step);
    else
        tri__stretch_apply(stretch, chunk, push->gradient, 1 / push->weight, push->step, push->rate);
}

/* ---- pushes ---- */

/* A gradient that is dropped in several chunks counts once. */
void tri__stretch_count_stale(tri__stretch *stretch, int task, int64_t step)
{
    stretch->dropped += stretch->stale[task] != step;
    stretch->stale[task] = step;
}

static tri_status check_push(const tri__stretch *stretch, const tri__push *push)
{
    if (!(push->weight >= 0) || isinf(push->weight) || !isfinite(push->rate) || push->rate < 0)
        return tri_fail(TRI_BAD_DATA, "a gradient with weight %g and rate %g", push->weight, (double)push->rate);
    if (push->step < 0 || (tri__stretch_is_sync(stretch) && !stretch->gathered) ||
        (tri__stretch_is_sync(stretch) && push->step > tri__stretch_at(stretch, push->chunk)->step))
        return tri_fail(TRI_BAD_DATA, "a gradient for step %" PRId64 ", which has not begun", push->step);
    return NULL;
}

static tri_status check_gradient(const tri__stretch_chunk *chunk, const tri__push *push)
{
    const float *values = push->rows ? push->rows->values : push->gradient;
    size_t count = push->rows ? (size_t)(push->rows->count * chunk->shard->width) : chunk->range.count, at;
    if (tri__gradient_is_sound(values, count, &at))
        return NULL;
    return tri_fail(TRI_DIVERGED,
                    "the gradient of worker:%d for step %" PRId64 " has the value %g (number %zu of chunk %u): it has diverged (try a "
                    "smaller --rate or --clip 1), or its data or memory is damaged",
                    push->task, push->step, (double)values[at], at, push->chunk);
}

tri_status tri__stretch_know_task(tri__stretch *stretch, int task)
{
    if (stretch->pushed[task])
        return NULL;
    TRI_TRY(tri__allocate(stretch->chunks, sizeof(int64_t), "what a worker has pushed", &stretch->pushed[task]));
    for (uint32_t i = 0; i < stretch->chunks; i++)
        stretch->pushed[task][i] = -1;
    return NULL;
}

/* Async: the push is an update by itself. */
static void take_alone(tri__stretch *stretch, tri__stretch_chunk *chunk, const tri__push *push)
{
    const tri__applied update = {.task = push->task,
                                 .step = push->step,
                                 .serial = push->serial,
                                 .rate = push->rate,
                                 .scale = push->weight > 0 ? (float)(1 / push->weight) : 0,
                                 .gradient = push->gradient,
                                 .rows = push->rows};
    if (push->weight > 0)
        apply_alone(stretch, chunk, push, &update);
    tri__stretch_tell(stretch, chunk, update);
    chunk->step++;
}

tri_status tri__stretch_push(tri__stretch *stretch, const tri__push *push, tri__push_outcome *out)
{
    TRI_TRY(check_push(stretch, push));
    tri__stretch_chunk *chunk = tri__stretch_at(stretch, push->chunk);
    assert(!push->rows == !chunk->shard);
    TRI_TRY(tri__stretch_know_task(stretch, push->task));
    int64_t *pushed = &stretch->pushed[push->task][push->chunk - stretch->first];
    if (tri__stretch_is_sync(stretch) && push->step < chunk->step) {
        if (*pushed < push->serial) /* a push that was applied and is only resent is not stale */
            tri__stretch_count_stale(stretch, push->task, push->step);
        *out = TRI_PUSH_STALE;
        return NULL;
    }
    if (push->serial <= *pushed) {
        *out = tri__stretch_is_sync(stretch) ? TRI_PUSH_KNOWN : TRI_PUSH_STALE;
        return NULL;
    }
    TRI_TRY(check_gradient(chunk, push));
    if (push->rows && !tri__stretch_is_sync(stretch)) /* in sync, gather.c makes room */
        TRI_TRY(tri__table_shard_reserve_alone(chunk->shard, push->rows->count));
    *pushed = push->serial;
    if (tri__stretch_is_sync(stretch))
        return tri__gather_push(stretch, chunk, push, out);
    take_alone(stretch, chunk, push);
    *out = TRI_PUSH_APPLIED;
    return NULL;
}

int64_t tri__stretch_pushed(const tri__stretch *stretch, uint32_t chunk, int task)
{
    const int64_t *pushed = stretch->pushed[task];
    return pushed && pushed[chunk - stretch->first] > 0 ? pushed[chunk - stretch->first] : 0;
}

bool tri__stretch_owes(const tri__stretch *stretch, uint32_t chunk, int task)
{
    const int64_t *pushed = stretch->pushed[task];
    int64_t last = pushed ? pushed[chunk - stretch->first] : -1;
    return last >= 0 && last == tri__stretch_at(stretch, chunk)->step - 1;
}

int64_t tri__stretch_dropped(const tri__stretch *stretch)
{
    return stretch->dropped;
}
