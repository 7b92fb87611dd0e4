/* stretch.c: gathering and applying.
 *
 * A chunk's step is gathered in one buffer: the first part is copied there, the others are added in their order. So whatever the number
 * of workers, a server needs memory for parameters, state and one gradient, and for the few parts that are held. Their memory goes round:
 * what was held is lent to the next gradient that comes. */
#include "store/ps/server/stretch.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/vector.h"
#include "graph/rule.h"
#include "store/norm.h"

enum { MOST_SPARE = 64 }; /* 16 MB */

typedef struct held_part {
    struct held_part *next;
    int task;
    double weight;
    float *gradient;
    tri__row_part *rows; /* of a table, instead of the gradient; NULL otherwise */
} held_part;

typedef struct {
    tri_range range; /* in the stretch's own buffers */
    int64_t step;    /* updates so far; what is gathered is for the next one */
    int next;        /* place in the order of tasks whose part is to be added next */
    int parts;       /* added so far … */
    double weight;   /* … and their Σ weight */
    float rate;
    int64_t since; /* when the step's first part came */
    int64_t waited;
    held_part *held;
    bool whole;              /* with clipping: all parts are in */
    tri__table_shard *shard; /* the rows of a table that this chunk is; NULL: it is a range */
} chunk_state;

/* Which tasks make up a step, in order. */
typedef struct task_order {
    struct task_order *next; /* an earlier one */
    int64_t step;            /* from this one on; with backup workers: of this one */
    int count;
    int task[];
} task_order;

struct tri__stretch {
    tri_range range;
    uint32_t first, chunks;
    tri_rule rule;
    tri__ps_settings settings;
    float *parameters, *slot[TRI_RULE_SLOTS];
    float *gathered; /* sync only */
    chunk_state *chunk;
    tri__table_shard shard[TRI_LAYOUT_TABLES];
    int64_t *pushed[TRI_MOST_TASKS]; /* [chunks] the serial of the last push that was taken, −1 where none; NULL where it never came */
    int64_t left[TRI_MOST_TASKS];    /* nothing is expected of a task up to this step; −1: it has not left */
    int64_t stale[TRI_MOST_TASKS];   /* the step of its last gradient that was dropped; −1: none */
    size_t held[TRI_MOST_TASKS];
    float *spare[MOST_SPARE]; /* memory of parts that are no longer held */
    int spares;
    task_order *order; /* the latest first. This server may be several steps behind ps:0, whose choices it hears at once */
    uint32_t whole;    /* with clipping: chunks all of whose parts are in */
    uint32_t settled;  /* where settle goes on looking */
    int64_t dropped;
    void (*applied)(void *context, const tri__applied *update); /* NULL: nobody asks */
    void *watcher;
};

static bool is_sync(const tri__stretch *stretch)
{
    return stretch->settings.mode == TRI_PS_SYNC;
}

static tri_status allocate(tri__stretch *stretch, const tri__layout *layout)
{
    size_t bytes = (stretch->range.count ? stretch->range.count : 1) * sizeof(float);
    int tables = layout->tables.count, server = tri__layout_server(layout, stretch->first);
    TRI_TRY(tri__buffer_allocate(bytes, "a server's parameters", &stretch->parameters));
    for (int i = 0; i < tri_rule_slots(&stretch->rule); i++)
        TRI_TRY(tri__buffer_allocate(bytes, "a server's state of the update rule", &stretch->slot[i]));
    if (is_sync(stretch))
        TRI_TRY(tri__buffer_allocate(bytes, "a server's gathered gradient", &stretch->gathered));
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
    return NULL;
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

static size_t held_bytes(const chunk_state *chunk, const tri__row_part *rows)
{
    return rows ? tri__row_part_bytes(rows, chunk->shard->table.width) : TRI_CHUNK_BYTES;
}

/* Take a part out of the chunk's list, in which *at points to it. */
static void release(tri__stretch *stretch, const chunk_state *chunk, held_part **at)
{
    held_part *part = *at;
    *at = part->next;
    stretch->held[part->task] -= held_bytes(chunk, part->rows);
    if (!part->rows && stretch->spares < MOST_SPARE)
        stretch->spare[stretch->spares++] = part->gradient;
    else
        free(part->gradient);
    free(part->rows);
    free(part);
}

static void drop_held(tri__stretch *stretch, chunk_state *chunk)
{
    while (chunk->held)
        release(stretch, chunk, &chunk->held);
}

tri_status tri__stretch_lend(tri__stretch *stretch, float **gradient)
{
    if (stretch->spares == 0)
        return tri__allocate(1, TRI_CHUNK_BYTES, "a worker's gradient", gradient);
    *gradient = stretch->spare[--stretch->spares];
    return NULL;
}

static void free_spare(tri__stretch *stretch)
{
    while (stretch->spares > 0)
        free(stretch->spare[--stretch->spares]);
}

static void free_orders(task_order **at)
{
    while (*at) {
        task_order *order = *at;
        *at = order->next;
        free(order);
    }
}

void tri__stretch_destroy(tri__stretch *stretch)
{
    if (!stretch)
        return;
    for (uint32_t i = 0; stretch->chunk && i < stretch->chunks; i++)
        drop_held(stretch, &stretch->chunk[i]);
    free_spare(stretch);
    for (int i = 0; i < TRI_MOST_TASKS; i++)
        free(stretch->pushed[i]);
    free_orders(&stretch->order);
    free(stretch->chunk);
    for (int i = 0; i < TRI_LAYOUT_TABLES; i++)
        tri__table_shard_fini(&stretch->shard[i]);
    tri__buffer_free(stretch->parameters);
    tri__buffer_free(stretch->slot[0]);
    tri__buffer_free(stretch->slot[1]);
    tri__buffer_free(stretch->gathered);
    free(stretch);
}

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

static chunk_state *state_of(const tri__stretch *stretch, uint32_t chunk)
{
    return &stretch->chunk[chunk - stretch->first];
}

float *tri__stretch_floats(tri__stretch *stretch, uint32_t chunk, int slot, size_t *count)
{
    tri_range range = state_of(stretch, chunk)->range;
    if (state_of(stretch, chunk)->shard) {
        *count = 0;
        return NULL;
    }
    float *buffer = slot == 0 ? stretch->parameters : stretch->slot[slot - 1];
    *count = range.count;
    return buffer ? buffer + range.first : NULL;
}

tri_table *tri__stretch_table(tri__stretch *stretch, uint32_t chunk)
{
    tri__table_shard *shard = state_of(stretch, chunk)->shard;
    return shard ? &shard->table : NULL;
}

int tri__stretch_slots(const tri__stretch *stretch)
{
    return 1 + tri_rule_slots(&stretch->rule);
}

int64_t tri__stretch_step(const tri__stretch *stretch, uint32_t chunk)
{
    return state_of(stretch, chunk)->step;
}

int64_t tri__stretch_waited(const tri__stretch *stretch, uint32_t chunk)
{
    return state_of(stretch, chunk)->waited;
}

int64_t tri__stretch_lowest(const tri__stretch *stretch)
{
    int64_t lowest = INT64_MAX;
    for (uint32_t i = 0; i < stretch->chunks; i++)
        if (stretch->chunk[i].step < lowest)
            lowest = stretch->chunk[i].step;
    return lowest;
}

static void begin_step(chunk_state *chunk)
{
    chunk->next = chunk->parts = 0;
    chunk->weight = 0;
    chunk->whole = false;
    if (chunk->shard)
        tri__table_shard_begin(chunk->shard);
}

static void forget_pushes(tri__stretch *stretch, int task)
{
    stretch->stale[task] = -1;
    for (uint32_t i = 0; stretch->pushed[task] && i < stretch->chunks; i++)
        stretch->pushed[task][i] = -1;
}

void tri__stretch_reset(tri__stretch *stretch, int64_t step)
{
    for (uint32_t i = 0; i < stretch->chunks; i++) {
        chunk_state *chunk = &stretch->chunk[i];
        drop_held(stretch, chunk);
        begin_step(chunk);
        chunk->step = step;
    }
    for (int task = 0; task < TRI_MOST_TASKS; task++) {
        forget_pushes(stretch, task);
        stretch->left[task] = -1;
    }
    free_orders(&stretch->order);
    stretch->whole = 0;
}

void tri__stretch_welcome(tri__stretch *stretch, int task)
{
    forget_pushes(stretch, task);
}

/* Let go of orders of steps that all chunks have behind them. */
static void forget_orders(tri__stretch *stretch)
{
    int64_t lowest = tri__stretch_lowest(stretch), until = stretch->settings.backup ? lowest - 1 : lowest;
    task_order **at = &stretch->order;
    while (*at && (*at)->step > until)
        at = &(*at)->next;
    if (*at && !stretch->settings.backup)
        at = &(*at)->next; /* it is that of the lowest step */
    free_orders(at);
}

static tri_status add_order(tri__stretch *stretch, int64_t step, const int *tasks, int count)
{
    task_order *order;
    TRI_TRY(tri__allocate(1, sizeof *order + (size_t)count * sizeof *order->task, "the tasks of a step", &order));
    *order = (task_order){.next = stretch->order, .step = step, .count = count};
    memcpy(order->task, tasks, (size_t)count * sizeof *order->task);
    stretch->order = order;
    forget_orders(stretch);
    return NULL;
}

tri_status tri__stretch_view(tri__stretch *stretch, int64_t step, const int *tasks, int count)
{
    for (int i = 0; i < count; i++) /* who left before the step and came back for it takes part in it */
        if (stretch->left[tasks[i]] >= step)
            stretch->left[tasks[i]] = step - 1;
    return stretch->settings.backup ? NULL : add_order(stretch, step, tasks, count);
}

/* The order of the chunk's present step; NULL where it is not known yet. */
static const task_order *order_of(const tri__stretch *stretch, const chunk_state *chunk)
{
    const task_order *order = stretch->order;
    while (order && order->step > chunk->step)
        order = order->next;
    return order && stretch->settings.backup && order->step < chunk->step ? NULL : order;
}

/* Its place in the order; −1: it has none. */
static int place_of(const task_order *order, int task)
{
    for (int i = 0; i < order->count; i++)
        if (order->task[i] == task)
            return i;
    return -1;
}

static bool is_held(const chunk_state *chunk, int task)
{
    for (const held_part *part = chunk->held; part; part = part->next)
        if (part->task == task)
            return true;
    return false;
}

/* A gradient is dropped in all chunks alike, and is one gradient. */
static void count_stale(tri__stretch *stretch, int task, int64_t step)
{
    stretch->dropped += stretch->stale[task] != step;
    stretch->stale[task] = step;
}

/* Let go of held parts that are not part of the step. */
static void drop_others(tri__stretch *stretch, chunk_state *chunk, const task_order *order)
{
    for (held_part **at = &chunk->held; *at;) {
        if (place_of(order, (*at)->task) >= 0) {
            at = &(*at)->next;
            continue;
        }
        count_stale(stretch, (*at)->task, chunk->step);
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

static void apply(tri__stretch *stretch, const chunk_state *chunk, const float *gradient, double scale, int64_t step, float rate)
{
    size_t first = chunk->range.first;
    tri__rule_apply(&stretch->rule,
                    &(tri__update){
                        .parameters = stretch->parameters + first,
                        .gradient = gradient,
                        .slot = {stretch->slot[0] ? stretch->slot[0] + first : NULL, stretch->slot[1] ? stretch->slot[1] + first : NULL},
                        .count = chunk->range.count,
                        .scale = (float)scale,
                        .step = {.step = step, .rate = rate},
                    });
}

/* Dividing by one worker's weight where the sum was asked for. */
static double scale_of(const tri__stretch *stretch, const chunk_state *chunk)
{
    return (stretch->settings.sum ? chunk->parts : 1) / chunk->weight;
}

static void tell_applied(const tri__stretch *stretch, const chunk_state *chunk, tri__applied update)
{
    update.chunk = stretch->first + (uint32_t)(chunk - stretch->chunk);
    if (stretch->applied)
        stretch->applied(stretch->watcher, &update);
}

static void finish_step(tri__stretch *stretch, chunk_state *chunk, double clipping)
{
    const tri_step step = {.step = chunk->step, .rate = chunk->rate};
    const float *gradient = stretch->gathered + chunk->range.first;
    double scale = chunk->weight > 0 ? clipping * scale_of(stretch, chunk) : 0;
    if (chunk->weight > 0 && chunk->shard)
        tri__table_shard_apply(chunk->shard, &stretch->rule, scale, &step);
    else if (chunk->weight > 0)
        apply(stretch, chunk, gradient, scale, chunk->step, chunk->rate);
    chunk->waited = chunk->parts ? tri__clock_now() - chunk->since : 0;
    tell_applied(stretch, chunk,
                 (tri__applied){.task = -1, .step = chunk->step, .rate = chunk->rate, .scale = (float)scale, .gradient = gradient});
    chunk->step++;
    drop_held(stretch, chunk); /* of those that took no part in it: the next step is not theirs either */
    begin_step(chunk);
}

static void add_range(tri__stretch *stretch, const chunk_state *chunk, const float *gradient)
{
    float *sum = stretch->gathered + chunk->range.first;
    size_t count = chunk->range.count;
    if (chunk->parts == 0)
        memcpy(sum, gradient, count * sizeof *sum);
    else
        for (size_t i = 0; i < count; i++)
            sum[i] += gradient[i];
}

/* rows: of a table, instead of the gradient */
static void add_part(tri__stretch *stretch, chunk_state *chunk, const float *gradient, const tri__row_part *rows, double weight)
{
    if (rows)
        tri__table_shard_add(chunk->shard, rows);
    else
        add_range(stretch, chunk, gradient);
    chunk->parts++;
    chunk->weight += weight;
    chunk->next++;
}

/* Add the task's part where it is held; false where it is not. */
static bool add_held(tri__stretch *stretch, chunk_state *chunk, int task)
{
    for (held_part **at = &chunk->held; *at; at = &(*at)->next) {
        if ((*at)->task != task)
            continue;
        add_part(stretch, chunk, (*at)->gradient, (*at)->rows, (*at)->weight);
        release(stretch, chunk, at);
        return true;
    }
    return false;
}

/* Add what is held and has its turn now, pass over who has left. True when the step is whole. */
static bool advance(tri__stretch *stretch, chunk_state *chunk)
{
    const task_order *order = order_of(stretch, chunk);
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

/* The step is whole: apply it, or with clipping wait for the norm. True where it was applied. */
static bool complete(tri__stretch *stretch, chunk_state *chunk)
{
    if (stretch->rule.clip == 0) {
        finish_step(stretch, chunk, 1);
        return true;
    }
    chunk->whole = true;
    stretch->whole++;
    return false;
}

static tri_status hold(tri__stretch *stretch, chunk_state *chunk, const tri__push *push)
{
    held_part *part;
    TRI_TRY(tri__allocate(1, sizeof *part, "a held gradient", &part));
    *part = (held_part){chunk->held, push->task, push->weight, push->rows ? NULL : push->gradient, push->rows};
    chunk->held = part;
    stretch->held[push->task] += held_bytes(chunk, push->rows);
    return NULL;
}

/* Does the step lack this task's part? Not where the task takes no part in it or has left, and not where another process of the same task
 * has pushed it already: a step has one part of each. */
static bool is_lacking(const tri__stretch *stretch, const chunk_state *chunk, const task_order *order, int task)
{
    bool is_past = order && place_of(order, task) < chunk->next;
    return !is_past && !is_held(chunk, task) && chunk->step > stretch->left[task];
}

static tri_status gather(tri__stretch *stretch, chunk_state *chunk, const tri__push *push, tri__push_outcome *out)
{
    const task_order *order = order_of(stretch, chunk);
    if (!is_lacking(stretch, chunk, order, push->task)) {
        count_stale(stretch, push->task, push->step);
        *out = TRI_PUSH_TAKEN; /* answered with the others */
        return NULL;
    }
    if (push->rows)
        TRI_TRY(tri__table_shard_reserve(chunk->shard, push->rows->count));
    if (chunk->parts == 0 && !chunk->held)
        chunk->since = tri__clock_now();
    chunk->rate = push->rate;
    advance(stretch, chunk); /* past those that have left */
    if (!order || order->task[chunk->next] != push->task) {
        *out = TRI_PUSH_HELD;
        return hold(stretch, chunk, push);
    }
    add_part(stretch, chunk, push->gradient, push->rows, push->weight);
    *out = advance(stretch, chunk) && complete(stretch, chunk) ? TRI_PUSH_APPLIED : TRI_PUSH_TAKEN;
    return NULL;
}

static tri_status check_push(const tri__stretch *stretch, const tri__push *push)
{
    if (!(push->weight >= 0) || isinf(push->weight) || !isfinite(push->rate) || push->rate < 0)
        return tri_fail(TRI_BAD_DATA, "a gradient with weight %g and rate %g", push->weight, (double)push->rate);
    if (push->step < 0 || (is_sync(stretch) && !stretch->gathered) ||
        (is_sync(stretch) && push->step > state_of(stretch, push->chunk)->step))
        return tri_fail(TRI_BAD_DATA, "a gradient for step %" PRId64 ", which has not begun", push->step);
    return NULL;
}

/* The bits of |x|, as an integer, rise with |x|; those of infinity and of what is no number are above all others. */
static uint32_t magnitude(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & UINT32_C(0x7fffffff);
}

/* One comparison of integers a value: a fraction of what applying it costs, and it brings the values into the cache. */
TRI_FOR_EVERY_CPU static uint32_t largest_magnitude(const float *x, size_t count)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = magnitude(x[i]) > largest ? magnitude(x[i]) : largest;
    return largest;
}

static tri_status check_gradient(const chunk_state *chunk, const tri__push *push)
{
    const uint32_t most = magnitude(TRI_GRADIENT_MOST);
    const float *values = push->rows ? push->rows->values : push->gradient;
    size_t count = push->rows ? (size_t)(push->rows->count * chunk->shard->table.width) : chunk->range.count;
    if (largest_magnitude(values, count) <= most)
        return NULL;
    size_t at = 0;
    while (magnitude(values[at]) <= most)
        at++;
    return tri_fail(TRI_DIVERGED,
                    "the gradient of worker:%d for step %" PRId64 " has the value %g (number %zu of chunk %u): it has diverged (try a "
                    "smaller --rate or --clip 1), or its data or memory is damaged",
                    push->task, push->step, (double)values[at], at, push->chunk);
}

static void apply_alone(tri__stretch *stretch, chunk_state *chunk, const tri__push *push)
{
    const tri_step step = {.step = push->step, .rate = push->rate};
    if (push->rows)
        tri__table_shard_apply_part(chunk->shard, push->rows, &stretch->rule, 1 / push->weight, &step);
    else
        apply(stretch, chunk, push->gradient, 1 / push->weight, push->step, push->rate);
}

/* Room for what a task has pushed. */
static tri_status know_task(tri__stretch *stretch, int task)
{
    if (stretch->pushed[task])
        return NULL;
    TRI_TRY(tri__allocate(stretch->chunks, sizeof(int64_t), "what a worker has pushed", &stretch->pushed[task]));
    forget_pushes(stretch, task);
    return NULL;
}

tri_status tri__stretch_push(tri__stretch *stretch, const tri__push *push, tri__push_outcome *out)
{
    TRI_TRY(check_push(stretch, push));
    chunk_state *chunk = state_of(stretch, push->chunk);
    assert(!push->rows == !chunk->shard);
    TRI_TRY(know_task(stretch, push->task));
    int64_t *pushed = &stretch->pushed[push->task][push->chunk - stretch->first];
    if (is_sync(stretch) && push->step < chunk->step) {
        if (*pushed < push->serial) /* what was applied and is only resent is not stale */
            count_stale(stretch, push->task, push->step);
        *out = TRI_PUSH_STALE;
        return NULL;
    }
    if (push->serial <= *pushed) {
        *out = is_sync(stretch) ? TRI_PUSH_KNOWN : TRI_PUSH_STALE;
        return NULL;
    }
    TRI_TRY(check_gradient(chunk, push));
    *pushed = push->serial;
    if (is_sync(stretch))
        return gather(stretch, chunk, push, out);
    if (push->weight > 0)
        apply_alone(stretch, chunk, push);
    tell_applied(stretch, chunk,
                 (tri__applied){.task = push->task,
                                .step = push->step,
                                .serial = push->serial,
                                .rate = push->rate,
                                .scale = push->weight > 0 ? (float)(1 / push->weight) : 0,
                                .gradient = push->gradient});
    chunk->step++;
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
    return last >= 0 && last == state_of(stretch, chunk)->step - 1;
}

void tri__stretch_leave(tri__stretch *stretch, int task, int64_t step)
{
    stretch->left[task] = step;
    stretch->settled = 0;
}

bool tri__stretch_settle(tri__stretch *stretch, uint32_t *chunk)
{
    if (!is_sync(stretch))
        return false;
    for (; stretch->settled < stretch->chunks; stretch->settled++) {
        chunk_state *state = &stretch->chunk[stretch->settled];
        if (!advance(stretch, state) || !complete(stretch, state))
            continue;
        *chunk = stretch->first + stretch->settled; /* which is looked at again: it may have been several steps behind */
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
        const chunk_state *chunk = &stretch->chunk[i];
        double scale = chunk->weight > 0 ? scale_of(stretch, chunk) : 0;
        *squares += scale * scale *
                    (chunk->shard ? tri__table_shard_squares(chunk->shard)
                                  : tri__sum_of_squares(stretch->gathered + chunk->range.first, chunk->range.count));
    }
    return true;
}

void tri__stretch_scale(tri__stretch *stretch, double factor)
{
    for (uint32_t i = 0; i < stretch->chunks; i++)
        finish_step(stretch, &stretch->chunk[i], factor);
    stretch->whole = 0;
}

bool tri__stretch_lacks(const tri__stretch *stretch, int task)
{
    const int64_t *pushed = stretch->pushed[task];
    for (uint32_t i = 0; i < stretch->chunks; i++) {
        const chunk_state *chunk = &stretch->chunk[i];
        if (chunk->step > stretch->left[task] && (!pushed || pushed[i] < chunk->step))
            return true;
    }
    return false;
}

void tri__stretch_close(tri__stretch *stretch)
{
    tri__stretch_reset(stretch, tri__stretch_lowest(stretch));
    free_spare(stretch);
    tri__buffer_free(stretch->gathered);
    stretch->gathered = NULL;
}

/* ---- two servers with the same range ---- */

void tri__stretch_watch(tri__stretch *stretch, void (*applied)(void *context, const tri__applied *update), void *context)
{
    stretch->applied = applied;
    stretch->watcher = context;
}

tri_status tri__stretch_replay(tri__stretch *stretch, const tri__applied *update)
{
    chunk_state *chunk = state_of(stretch, update->chunk);
    if (is_sync(stretch) ? update->task >= 0 || update->step != chunk->step : update->task < 0)
        return tri_fail(TRI_BAD_DATA, "an update for step %" PRId64 " of chunk %u, which stands at step %" PRId64, update->step,
                        update->chunk, chunk->step);
    if (!isfinite(update->scale) || !isfinite(update->rate))
        return tri_fail(TRI_BAD_DATA, "an update with scale %g and rate %g", (double)update->scale, (double)update->rate);
    if (update->task >= 0)
        TRI_TRY(tri__stretch_know(stretch, update->chunk, update->task, update->serial));
    if (update->scale > 0)
        apply(stretch, chunk, update->gradient, (double)update->scale, update->step, update->rate);
    chunk->step++;
    return NULL;
}

void tri__stretch_stand(tri__stretch *stretch, uint32_t number, int64_t step)
{
    chunk_state *chunk = state_of(stretch, number);
    drop_held(stretch, chunk);
    begin_step(chunk);
    chunk->step = step;
}

tri_status tri__stretch_know(tri__stretch *stretch, uint32_t chunk, int task, int64_t serial)
{
    TRI_TRY(know_task(stretch, task));
    stretch->pushed[task][chunk - stretch->first] = serial;
    return NULL;
}

/* Orders stand by their steps, the latest first. One of the same step that is here came later. */
tri_status tri__stretch_learn_order(tri__stretch *stretch, int64_t step, const int *tasks, int count)
{
    task_order **at = &stretch->order, *order;
    while (*at && (*at)->step > step)
        at = &(*at)->next;
    if (*at && (*at)->step == step)
        return NULL;
    TRI_TRY(tri__allocate(1, sizeof *order + (size_t)count * sizeof *order->task, "the tasks of a step", &order));
    *order = (task_order){.next = *at, .step = step, .count = count};
    memcpy(order->task, tasks, (size_t)count * sizeof *order->task);
    *at = order;
    return NULL;
}

void tri__stretch_learn_left(tri__stretch *stretch, int task, int64_t step)
{
    if (stretch->left[task] < 0)
        stretch->left[task] = step;
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
    const task_order *order = stretch->order;
    while (order && index-- > 0)
        order = order->next;
    if (!order)
        return false;
    *step = order->step;
    *tasks = order->task;
    *count = order->count;
    return true;
}

size_t tri__stretch_held(const tri__stretch *stretch, int task)
{
    return stretch->held[task];
}

int64_t tri__stretch_dropped(const tri__stretch *stretch)
{
    return stretch->dropped;
}
