/* gather.c: gathers the parts of a sync step.
 *
 * A chunk's step is gathered in one buffer: the first part is copied there, the others are added in the order of their tasks. A part that
 * comes before its turn is held. */
#include "store/ps/stretch/gather.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "graph/rule/rule.h"
#include "store/norm.h"
#include "store/ps/stretch/stretch_inside.h"

/* ---- held parts ---- */

static size_t held_bytes(const tri__stretch_chunk *chunk, const tri__row_part *rows)
{
    return rows ? tri__row_part_bytes(rows, chunk->shard->width) : TRI_CHUNK_BYTES;
}

/* Takes the part *at out of the chunk's list, and frees it. */
static void release(tri__stretch *stretch, const tri__stretch_chunk *chunk, tri__held_part **at)
{
    tri__held_part *part = *at;
    *at = part->next;
    stretch->held[part->task] -= held_bytes(chunk, part->rows);
    tri__stretch_reclaim(stretch, part->gradient);
    free(part->rows);
    free(part);
}

void tri__gather_drop(tri__stretch *stretch, tri__stretch_chunk *chunk)
{
    while (chunk->held)
        release(stretch, chunk, &chunk->held);
}

static bool is_held(const tri__stretch_chunk *chunk, int task)
{
    for (const tri__held_part *part = chunk->held; part; part = part->next)
        if (part->task == task)
            return true;
    return false;
}

static tri_status hold(tri__stretch *stretch, tri__stretch_chunk *chunk, const tri__push *push)
{
    tri__held_part *part;
    TRI_TRY(tri__allocate(1, sizeof *part, "a held gradient", &part));
    *part = (tri__held_part){chunk->held, push->task, push->weight, push->rows ? NULL : push->gradient, push->rows};
    chunk->held = part;
    stretch->held[push->task] += held_bytes(chunk, push->rows);
    return NULL;
}

void tri__gather_begin(tri__stretch_chunk *chunk)
{
    chunk->next = chunk->parts = 0;
    chunk->weight = 0;
    chunk->whole = false;
    if (chunk->shard)
        tri__table_shard_begin(chunk->shard);
}

/* ---- who makes up a step ---- */

static const tri__task_order *order_of(const tri__stretch *stretch, const tri__stretch_chunk *chunk)
{
    return tri__task_orders_find(stretch->order, chunk->step, stretch->settings.backup > 0);
}

static tri_status add_order(tri__stretch *stretch, int64_t step, const int *tasks, int count)
{
    TRI_TRY(tri__task_orders_add(&stretch->order, step, tasks, count));
    tri__task_orders_forget(&stretch->order, tri__stretch_lowest(stretch), stretch->settings.backup > 0);
    return NULL;
}

tri_status tri__stretch_view(tri__stretch *stretch, int64_t step, const int *tasks, int count)
{
    for (int i = 0; i < count; i++) /* a task that left before the step and came back for it takes part in it */
        if (stretch->left[tasks[i]] >= step)
            stretch->left[tasks[i]] = step - 1;
    return stretch->settings.backup ? NULL : add_order(stretch, step, tasks, count);
}

/* Frees the held parts of tasks that take no part in the step. */
static void drop_others(tri__stretch *stretch, tri__stretch_chunk *chunk, const tri__task_order *order)
{
    for (tri__held_part **at = &chunk->held; *at;) {
        if (tri__task_order_position(order, (*at)->task) >= 0) {
            at = &(*at)->next;
            continue;
        }
        tri__stretch_count_stale(stretch, (*at)->task, chunk->step);
        release(stretch, chunk, at);
    }
}

tri_status tri__stretch_choose(tri__stretch *stretch, int64_t step, const int *tasks, int count)
{
    TRI_TRY(add_order(stretch, step, tasks, count));
    for (uint32_t i = 0; i < stretch->chunks; i++)
        if (stretch->chunk[i].step == step)
            drop_others(stretch, &stretch->chunk[i], stretch->order);
    return NULL;
}

/* ---- adding ---- */

static void add_range(tri__stretch *stretch, const tri__stretch_chunk *chunk, const float *gradient)
{
    float *sum = stretch->gathered + chunk->range.first;
    size_t count = chunk->range.count;
    if (chunk->parts == 0)
        memcpy(sum, gradient, count * sizeof *sum);
    else
        for (size_t i = 0; i < count; i++)
            sum[i] += gradient[i];
}

/* rows: if the chunk is a table, instead of the gradient */
static void add_part(tri__stretch *stretch, tri__stretch_chunk *chunk, const float *gradient, const tri__row_part *rows, double weight)
{
    if (rows)
        tri__table_shard_add(chunk->shard, rows);
    else
        add_range(stretch, chunk, gradient);
    chunk->parts++;
    chunk->weight += weight;
    chunk->next++;
}

/* Adds the task's part if it is held; false: it is not. */
static bool add_held(tri__stretch *stretch, tri__stretch_chunk *chunk, int task)
{
    for (tri__held_part **at = &chunk->held; *at; at = &(*at)->next) {
        if ((*at)->task != task)
            continue;
        add_part(stretch, chunk, (*at)->gradient, (*at)->rows, (*at)->weight);
        release(stretch, chunk, at);
        return true;
    }
    return false;
}

/* Adds the held parts whose turn it is, and skips tasks that have left. True: the step is whole. */
static bool advance(tri__stretch *stretch, tri__stretch_chunk *chunk)
{
    const tri__task_order *order = order_of(stretch, chunk);
    if (!order || chunk->whole)
        return false;
    while (chunk->next < order->count) {
        int task = order->task[chunk->next];
        if (add_held(stretch, chunk, task))
            continue;
        if (chunk->step > stretch->left[task])
            return false;
        chunk->next++;
    }
    return true;
}

/* One divided by the weight of all parts; with settings.sum, by one worker's mean weight. */
static double scale_of(const tri__stretch *stretch, const tri__stretch_chunk *chunk)
{
    return (stretch->settings.sum ? chunk->parts : 1) / chunk->weight;
}

static void finish_step(tri__stretch *stretch, tri__stretch_chunk *chunk, double clipping)
{
    const tri_step step = {.step = chunk->step, .rate = chunk->rate};
    float *gradient = stretch->gathered + chunk->range.first;
    double scale = chunk->weight > 0 ? clipping * scale_of(stretch, chunk) : 0;
    tri__row_part rows = chunk->shard ? tri__table_shard_sum(chunk->shard) : (tri__row_part){0};
    tri__undo_keep(stretch, chunk, chunk->shard && chunk->weight > 0 ? &rows : NULL);
    if (chunk->weight > 0 && !chunk->shard)
        tri__rule_spare_state(&stretch->rule, tri__stretch_range_of(stretch, chunk), gradient,
                              clipping * (stretch->settings.sum ? chunk->parts : 1));
    if (chunk->weight > 0 && chunk->shard)
        tri__table_shard_apply(chunk->shard, &stretch->rule, scale, &step);
    else if (chunk->weight > 0)
        tri__stretch_apply(stretch, chunk, gradient, scale, chunk->step, chunk->rate);
    chunk->waited = chunk->parts ? tri__clock_now() - chunk->since : 0;
    tri__stretch_tell(stretch, chunk,
                      (tri__applied){.task = -1,
                                     .step = chunk->step,
                                     .rate = chunk->rate,
                                     .scale = (float)scale,
                                     .gradient = gradient,
                                     .rows = chunk->shard ? &rows : NULL});
    chunk->step++;
    tri__gather_drop(stretch, chunk); /* parts of tasks that took no part in the step */
    tri__gather_begin(chunk);
}

/* The step is whole: applies it, or with clipping waits for the norm. True: it was applied. */
static bool complete(tri__stretch *stretch, tri__stretch_chunk *chunk)
{
    bool known = stretch->clip.steps == chunk->step + 1;
    if (stretch->rule.clip == 0 || known) {
        finish_step(stretch, chunk, known ? stretch->clip.factor : 1);
        return true;
    }
    chunk->whole = true;
    stretch->whole++;
    return false;
}

/* Does the step lack this task's part? No, if the task takes no part in it or has left. No, if another process of the same task has pushed
 * it already: a step has one part of each task. */
static bool is_lacking(const tri__stretch *stretch, const tri__stretch_chunk *chunk, const tri__task_order *order, int task)
{
    bool is_past = order && tri__task_order_position(order, task) < chunk->next;
    return !is_past && !is_held(chunk, task) && chunk->step > stretch->left[task];
}

tri_status tri__gather_push(tri__stretch *stretch, tri__stretch_chunk *chunk, const tri__push *push, tri__push_outcome *out)
{
    const tri__task_order *order = order_of(stretch, chunk);
    if (!is_lacking(stretch, chunk, order, push->task)) {
        tri__stretch_count_stale(stretch, push->task, push->step);
        *out = TRI_PUSH_TAKEN; /* it is answered with the others */
        return NULL;
    }
    if (push->rows)
        TRI_TRY(tri__table_shard_reserve(chunk->shard, push->rows->count));
    if (chunk->parts == 0 && !chunk->held)
        chunk->since = tri__clock_now();
    chunk->rate = push->rate;
    advance(stretch, chunk); /* skips tasks that have left */
    if (!order || order->task[chunk->next] != push->task) {
        *out = TRI_PUSH_HELD;
        return hold(stretch, chunk, push);
    }
    add_part(stretch, chunk, push->gradient, push->rows, push->weight);
    *out = advance(stretch, chunk) && complete(stretch, chunk) ? TRI_PUSH_APPLIED : TRI_PUSH_TAKEN;
    return NULL;
}

/* ---- what makes steps whole without a push ---- */

void tri__stretch_leave(tri__stretch *stretch, int task, int64_t step)
{
    stretch->left[task] = step;
    stretch->settled = 0;
}

bool tri__stretch_settle(tri__stretch *stretch, uint32_t *chunk)
{
    if (!tri__stretch_is_sync(stretch))
        return false;
    for (; stretch->settled < stretch->chunks; stretch->settled++) {
        tri__stretch_chunk *state = &stretch->chunk[stretch->settled];
        if (!advance(stretch, state) || !complete(stretch, state))
            continue;
        *chunk = stretch->first + stretch->settled; /* the next call looks at it again: it may be several steps behind */
        return true;
    }
    stretch->settled = 0;
    return false;
}

bool tri__stretch_gathered(const tri__stretch *stretch, double *squares)
{
    if (stretch->rule.clip == 0 || stretch->whole < stretch->chunks)
        return false;
    *squares = 0;
    for (uint32_t i = 0; i < stretch->chunks; i++) {
        const tri__stretch_chunk *chunk = &stretch->chunk[i];
        double scale = chunk->weight > 0 ? scale_of(stretch, chunk) : 0;
        *squares += scale * scale *
                    (chunk->shard ? tri__table_shard_squares(chunk->shard)
                                  : tri__trained_squares(&stretch->rule, tri__stretch_range_of(stretch, chunk),
                                                         stretch->gathered + chunk->range.first));
    }
    return true;
}

bool tri__stretch_scale(tri__stretch *stretch, tri__clip_factor clip)
{
    bool moved = false;
    stretch->clip = clip;
    for (uint32_t i = 0; i < stretch->chunks; i++) {
        tri__stretch_chunk *chunk = &stretch->chunk[i];
        if (!chunk->whole || chunk->step + 1 != clip.steps)
            continue;
        finish_step(stretch, chunk, clip.factor);
        stretch->whole--;
        moved = true;
    }
    return moved;
}

tri__clip_factor tri__stretch_clip(const tri__stretch *stretch)
{
    return stretch->clip;
}

bool tri__stretch_lacks(const tri__stretch *stretch, int task)
{
    const int64_t *pushed = stretch->pushed[task];
    for (uint32_t i = 0; i < stretch->chunks; i++) {
        const tri__stretch_chunk *chunk = &stretch->chunk[i];
        if (chunk->step > stretch->left[task] && (!pushed || pushed[i] < chunk->step))
            return true;
    }
    return false;
}

size_t tri__stretch_held(const tri__stretch *stretch, int task)
{
    return stretch->held[task];
}
