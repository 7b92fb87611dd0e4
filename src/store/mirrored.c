/* mirrored.c: the shared reduction.
 *
 * A range is cut into pieces that fit into a cache; the rows of a table are cut into parts of its keys. Each has three counters that only
 * ever grow: offers that arrived, pieces that were taken, pieces that are done. In step number s (from 0) of R replicas, a range of P
 * pieces may be reduced once (s + 1)·R offers have come. Its pieces then have the numbers s·P to (s + 1)·P − 1, and the next step may read
 * it when (s + 1)·P are done. No counter is ever set back, so a late replica cannot take a piece of another step.
 *
 * A replica that has offered all of a step stays in that last offer until all is reduced. The first replica to finish takes pieces of the
 * ranges that are complete while the others still compute, then of those that the others complete. So the replicas that would only wait do
 * the work. With clipping, which needs the norm of everything, the replica with the last offer of a step reduces all ranges and rows. */
#include "store/mirrored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/vector.h"
#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "graph/rule/rule.h"
#include "graph/store/key_map.h"
#include "store/merge.h"
#include "store/norm.h"
#include "store/store.h"
#include "store/table_rows.h"

#define PIECE ((size_t)8192) /* floats: three pieces of 32 kB fit into any second-level cache */

/* How far the update of a range or a table is. */
typedef struct {
    _Alignas(64) int64_t pieces;
    double *weight;                  /* [replicas] of each replica's last offer */
    atomic_int_fast64_t came;        /* offers of all replicas and steps */
    atomic_int_fast64_t taken, done; /* pieces of all steps */
} shared_work;

typedef struct {
    shared_work work;
    tri_range range;
} shared_range;

typedef struct {
    shared_work work;
    tri_table table;         /* the group owns it; the replicas' stores have the same pointer */
    tri__offered_rows *list; /* [replicas] each replica's last offer */
} shared_table;

typedef struct mirrored_store mirrored_store;

struct tri__mirrored_group {
    tri__mirrored_group_options options;
    float *parameters, *slot[TRI_RULE_SLOTS];
    mirrored_store **store; /* [replicas] */
    shared_range *range;    /* [ranges] in the order of the offers, once a plan has announced them */
    int ranges;
    shared_table *table;      /* [TRI_STORE_TABLES] */
    int tables;               /* how many tables there are */
    unsigned trained;         /* bit i: table i is offered in every step */
    double *weights;          /* [ranges][replicas] */
    atomic_int_fast64_t came; /* offers of all ranges and tables, with clipping only */
    bool arranged;
    atomic_bool stopped;
};

struct mirrored_store {
    tri_store store; /* its parameters, slots and tables are the group's */
    tri__mirrored_group *group;
    int replica;
    tri_step step;
    int64_t begun;                                                   /* how many steps have begun, this one included */
    int next;                                                        /* the range that is offered next */
    unsigned offered;                                                /* bit i: table i was offered in this step */
    tri__table_keys keys[TRI_STORE_TABLES], ahead[TRI_STORE_TABLES]; /* of this step and the next one; borrowed */
    tri__merge merge[TRI_STORE_TABLES];                              /* the part of a table that this replica adds up */
    tri__table_rows rows[TRI_STORE_TABLES];
    tri__store_times times;
    float sum[PIECE];
};

/* Ranges and tables are numbered together: tables behind the ranges. */
static shared_work *work_at(tri__mirrored_group *group, int item)
{
    return item < group->ranges ? &group->range[item].work : &group->table[item - group->ranges].work;
}

static bool is_trained(const tri__mirrored_group *group, int item)
{
    return item < group->ranges || (group->trained >> (item - group->ranges) & 1);
}

static int offers_of(const tri__mirrored_group *group)
{
    return group->ranges + __builtin_popcount(group->trained);
}

/* ---- reducing ---- */

static tri__update update_of(const mirrored_store *self, size_t first, size_t count, const float *gradient, double scale)
{
    const tri_range range = {first, count};
    tri__update update = tri__update_of(self->store.parameters, self->store.slot, range, gradient, scale, self->step);
    tri__update_mark_state(&update, &self->store.rule, range);
    return update;
}

/* sum = Σ gradients of [first, first + count), replica by replica */
TRI_FOR_EVERY_CPU static void add_up(const tri__mirrored_group *group, size_t first, size_t count, float *restrict sum)
{
    const float *restrict a = group->store[0]->store.gradient + first;
    int replicas = group->options.replicas;
    for (size_t i = 0; i < count; i++)
        sum[i] = a[i];
    for (int r = 1; r < replicas; r++) {
        const float *restrict b = group->store[r]->store.gradient + first;
        for (size_t i = 0; i < count; i++)
            sum[i] += b[i];
    }
}

static double weight_of(const tri__mirrored_group *group, const shared_work *work)
{
    double weight = 0;
    for (int r = 0; r < group->options.replicas; r++)
        weight += work->weight[r];
    return weight;
}

static void reduce_range(mirrored_store *self, const shared_range *range, int64_t piece)
{
    size_t first = (size_t)piece * PIECE, left = range->range.count - first, count = left < PIECE ? left : PIECE;
    double weight = weight_of(self->group, &range->work);
    if (weight == 0)
        return; /* a step of padding alone teaches nothing */
    add_up(self->group, range->range.first + first, count, self->sum);
    tri__update update = update_of(self, range->range.first + first, count, self->sum, 1 / weight);
    tri__rule_apply(&self->store.rule, &update);
}

/* Adds up part number `part` of the table's keys, which are divided into `parts`. */
static tri_status merge_rows(mirrored_store *self, int table, int64_t part, int64_t parts)
{
    const shared_table *shared = &self->group->table[table];
    const int64_t width = tri__offered_width(&self->store, shared->table.width);
    return tri__merge_rows(&self->merge[table], shared->list, self->group->options.replicas, width, (int)part, (int)parts);
}

/* Checkpoints are written from the first replica's store, so its row keeper must see the rows that change. */
static tri_status apply_rows(mirrored_store *self, int table, double scale)
{
    const tri__merge *merge = &self->merge[table];
    return tri__table_rows_apply(&self->rows[table], &self->group->store[0]->store, table, tri__merge_keys(merge), merge->sum, (float)scale,
                                 &self->step);
}

static tri_status reduce_rows(mirrored_store *self, int table, int64_t piece)
{
    const shared_work *work = &self->group->table[table].work;
    double weight = weight_of(self->group, work);
    if (weight == 0)
        return NULL;
    TRI_TRY(merge_rows(self, table, piece, work->pieces));
    return apply_rows(self, table, 1 / weight);
}

static bool complete(const shared_work *work, int64_t steps, int replicas)
{
    return atomic_load(&work->came) >= steps * replicas;
}

/* False: there is no piece to take now, or none is left. */
static bool take_piece(const mirrored_store *self, shared_work *work, int64_t *piece)
{
    int64_t steps = self->begun;
    if (self->store.rule.clip > 0 || !complete(work, steps, self->group->options.replicas))
        return false;
    int_fast64_t taken = atomic_load(&work->taken);
    do {
        if (taken >= steps * work->pieces)
            return false;
    } while (!atomic_compare_exchange_weak(&work->taken, &taken, taken + 1));
    *piece = taken % work->pieces;
    return true;
}

/* The trace shows an arrow from each other replica's offer to the first piece that uses it. */
static void trace_sum(const mirrored_store *self, int item, int64_t piece, int64_t start)
{
    tri__trace_lane *lane = self->store.lane;
    if (!lane)
        return;
    tri__trace_end(lane, TRI_SPAN_SUM, start, self->step.step);
    for (int i = 0; piece == 0 && i < self->group->options.replicas; i++)
        if (i != self->replica)
            tri__trace_add(lane, TRI_SPAN_GATHER, start + 1, start + 1, self->step.step, TRI_FLOW_RECEIVES,
                           tri__trace_message(TRI_SPAN_SUM, i, item, self->begun));
}

/* Takes a piece of this item in this step, if there is one, and reduces it. */
static tri_status help(mirrored_store *self, int item, bool *helped)
{
    tri__mirrored_group *group = self->group;
    shared_work *work = work_at(group, item);
    int64_t piece;
    *helped = take_piece(self, work, &piece);
    if (!*helped)
        return NULL;
    int64_t start = tri__clock_now();
    if (item < group->ranges)
        reduce_range(self, &group->range[item], piece);
    else
        TRI_TRY(reduce_rows(self, item - group->ranges, piece));
    self->times.update += tri__clock_now() - start;
    trace_sum(self, item, piece, start);
    if (atomic_fetch_add(&work->done, 1) + 1 == self->begun * work->pieces)
        tri__rendezvous_notify(group->options.rendezvous);
    return NULL;
}

static double square(double x)
{
    return x * x;
}

/* With clipping: ‖Σ gradient / Σ weight‖ over all ranges and rows. The first replica's gradient has the sums of the ranges; this replica's
 * merges have the sums of the rows. */
static double mean_norm(const mirrored_store *self)
{
    const tri__mirrored_group *group = self->group;
    double squares = 0;
    for (int i = 0; i < group->ranges; i++) {
        const shared_range *range = &group->range[i];
        double weight = weight_of(group, &range->work);
        if (weight > 0)
            squares += tri__trained_squares(&self->store.rule, range->range, group->store[0]->store.gradient + range->range.first) /
                       square(weight);
    }
    for (int i = 0; i < group->tables; i++) {
        const tri__merge *merge = &self->merge[i];
        double weight = group->trained >> i & 1 ? weight_of(group, &group->table[i].work) : 0;
        if (weight > 0)
            squares += tri__table_rows_squares(&self->store, i, merge->sum, merge->distinct.count) / square(weight);
    }
    return sqrt(squares);
}

static tri_status add_up_all(mirrored_store *self)
{
    tri__mirrored_group *group = self->group;
    float *total = group->store[0]->store.gradient;
    for (int i = 0; i < group->ranges; i++) {
        tri_range range = group->range[i].range;
        for (size_t at = 0; at < range.count; at += PIECE) {
            size_t count = range.count - at < PIECE ? range.count - at : PIECE;
            add_up(group, range.first + at, count, self->sum);
            for (size_t k = 0; k < count; k++)
                total[range.first + at + k] = self->sum[k];
        }
    }
    for (int i = 0; i < group->tables; i++)
        if (group->trained >> i & 1)
            TRI_TRY(merge_rows(self, i, 0, 1));
    return NULL;
}

static tri_status reduce_all(mirrored_store *self)
{
    tri__mirrored_group *group = self->group;
    float *total = group->store[0]->store.gradient;
    TRI_TRY(add_up_all(self));
    double norm = mean_norm(self), clip = self->store.rule.clip, clipping = norm > clip ? clip / norm : 1;
    for (int i = 0; i < group->ranges + group->tables; i++) {
        double weight = is_trained(group, i) ? weight_of(group, work_at(group, i)) : 0;
        if (weight > 0 && i < group->ranges) {
            tri_range range = group->range[i].range;
            tri__rule_spare_state(&self->store.rule, range, total + range.first, clipping);
            tri__update update = update_of(self, range.first, range.count, total + range.first, clipping / weight);
            tri__rule_apply(&self->store.rule, &update);
        } else if (weight > 0) {
            TRI_TRY(apply_rows(self, i - group->ranges, clipping / weight));
        }
    }
    for (int i = 0; i < group->ranges + group->tables; i++)
        atomic_fetch_add(&work_at(group, i)->done, work_at(group, i)->pieces);
    tri__rendezvous_notify(group->options.rendezvous);
    return NULL;
}

/* ---- the calls of a store ---- */

static tri_status mirrored_begin(tri_store *store, const tri_step *step)
{
    mirrored_store *self = (mirrored_store *)store;
    if (self->begun && (self->next != self->group->ranges || self->offered != self->group->trained))
        return tri_fail(TRI_BAD_CALL, "replica %d begins a step before all of the last one was offered", self->replica);
    self->step = *step;
    self->begun++;
    self->next = 0;
    self->offered = 0;
    for (int i = 0; i < store->tables; i++)
        self->keys[i] = self->ahead[i];
    return NULL;
}

/* What a replica waits for: the item is done, or the replica can take a piece of it. */
typedef struct {
    const mirrored_store *self;
    const shared_work *work;
    int64_t steps;
} wanted;

static bool has_come(const void *context)
{
    const wanted *what = context;
    const shared_work *work = what->work;
    const tri__mirrored_group *group = what->self->group;
    int64_t goal = what->steps * work->pieces;
    if (atomic_load(&work->done) >= goal || atomic_load(&group->stopped))
        return true;
    return group->options.rule.clip == 0 && complete(work, what->steps, group->options.replicas) && atomic_load(&work->taken) < goal;
}

static tri_status missing(const mirrored_store *self, int item)
{
    const tri__mirrored_group *group = self->group;
    double seconds = tri__clock_seconds(group->options.timeout);
    if (item >= group->ranges)
        return tri_fail(TRI_TIMEOUT, "replica %d waited %g s for the other replicas' rows of table %d (--timeout)", self->replica, seconds,
                        item - group->ranges);
    tri_range range = group->range[item].range;
    return tri_fail(TRI_TIMEOUT, "replica %d waited %g s for the other replicas' gradient of %zu parameters from number %zu (--timeout)",
                    self->replica, seconds, range.count, range.first);
}

static tri_status wait_for(mirrored_store *self, int item, int64_t steps)
{
    tri__mirrored_group *group = self->group;
    const wanted what = {self, work_at(group, item), steps};
    int64_t start = tri__clock_now();
    bool come = tri__rendezvous_wait(group->options.rendezvous, has_come, &what, start + group->options.timeout);
    self->times.peers += tri__clock_now() - start;
    tri__trace_end(self->store.lane, TRI_SPAN_PEERS, start, self->step.step);
    if (atomic_load(&group->stopped))
        return tri_fail(TRI_STOPPED, "another replica has stopped");
    return come ? NULL : missing(self, item);
}

/* Returns when `steps` updates of the item have been applied. */
static tri_status settle(mirrored_store *self, int item, int64_t steps)
{
    const shared_work *work = work_at(self->group, item);
    while (atomic_load(&work->done) < steps * work->pieces) {
        bool helped;
        TRI_TRY(help(self, item, &helped));
        if (!helped)
            TRI_TRY(wait_for(self, item, steps));
    }
    return NULL;
}

/* Returns when all of this step was applied. Items are settled in the order in which they were offered. */
static tri_status settle_all(mirrored_store *self)
{
    const tri__mirrored_group *group = self->group;
    for (int i = 0; i < group->ranges + group->tables; i++)
        if (is_trained(group, i))
            TRI_TRY(settle(self, i, self->begun));
    return NULL;
}

static bool overlap(tri_range a, tri_range b)
{
    return a.first < b.first + b.count && b.first < a.first + a.count;
}

static tri_status mirrored_await(tri_store *store, tri_range range)
{
    mirrored_store *self = (mirrored_store *)store;
    tri__mirrored_group *group = self->group;
    for (int i = 0; i < group->ranges; i++)
        if (overlap(group->range[i].range, range))
            TRI_TRY(settle(self, i, self->begun - 1));
    return NULL;
}

static tri_status check_offer(const mirrored_store *self, tri_range range, const float *gradient)
{
    const tri__mirrored_group *group = self->group;
    const tri_range *next = self->next < group->ranges ? &group->range[self->next].range : NULL;
    if (!next || next->first != range.first || next->count != range.count)
        return tri_fail(TRI_BAD_CALL, "replica %d offers %zu parameters from number %zu, which no plan announced as the next",
                        self->replica, range.count, range.first);
    if (gradient != self->store.gradient + range.first)
        return tri_fail(TRI_BAD_CALL, "a replica offers its gradient where its store keeps it");
    return NULL;
}

/* Counts an offer. A replica that has offered everything stays here until all is reduced. */
static tri_status arrive(mirrored_store *self, int item, double weight)
{
    tri__mirrored_group *group = self->group;
    shared_work *work = work_at(group, item);
    int replicas = group->options.replicas;
    const int64_t now = tri__trace_begin(self->store.lane);
    if (self->store.lane)
        tri__trace_add(self->store.lane, TRI_SPAN_PUSH, now, now, self->step.step, TRI_FLOW_SENDS,
                       tri__trace_message(TRI_SPAN_SUM, self->replica, item, self->begun));
    work->weight[self->replica] = weight;
    if (atomic_fetch_add(&work->came, 1) + 1 == self->begun * replicas)
        tri__rendezvous_notify(group->options.rendezvous);
    if (self->store.rule.clip > 0 && atomic_fetch_add(&group->came, 1) + 1 == self->begun * replicas * offers_of(group))
        TRI_TRY(reduce_all(self));
    bool all = self->next == group->ranges && self->offered == group->trained;
    return all && (self->store.rule.clip == 0 || group->tables) ? settle_all(self) : NULL;
}

static tri_status mirrored_offer(tri_store *store, tri_range at, const float *gradient, double weight)
{
    mirrored_store *self = (mirrored_store *)store;
    TRI_TRY(check_offer(self, at, gradient));
    return arrive(self, self->next++, weight);
}

/* The first replica makes a table, the others share it. */
static tri_status mirrored_add_table(tri_store *store, int64_t rows, int64_t width)
{
    tri__mirrored_group *group = ((mirrored_store *)store)->group;
    int index = store->tables;
    if (!group->table)
        TRI_TRY(tri__buffer_allocate(TRI_STORE_TABLES * sizeof *group->table, "the tables of replicas", &group->table));
    shared_table *shared = &group->table[index];
    if (index == group->tables) {
        size_t replicas = (size_t)group->options.replicas;
        TRI_TRY(tri__table_init(&shared->table, rows, width, tri_rule_slots(&group->options.rule)));
        group->tables++;
        shared->work.pieces = store->map ? 1 : group->options.replicas; /* where tables grow, one replica gives out all rows, in order */
        TRI_TRY(tri__allocate(replicas, sizeof *shared->work.weight, "the weights of replicas", &shared->work.weight));
        TRI_TRY(tri__allocate(replicas, sizeof *shared->list, "the rows of replicas", &shared->list));
    }
    if (shared->table.rows != rows || shared->table.width != width)
        return tri_fail(TRI_INTERNAL, "two replicas' tables have different shapes");
    store->table[index] = shared->table;
    return NULL;
}

static tri_status mirrored_expect(tri_store *store, int table, tri_when when, const int32_t *keys, int64_t count)
{
    mirrored_store *self = (mirrored_store *)store;
    *(when == TRI_NOW ? &self->keys[table] : &self->ahead[table]) = (tri__table_keys){keys, count};
    return NULL;
}

static tri_status mirrored_await_rows(tri_store *store, int table, float *rows)
{
    mirrored_store *self = (mirrored_store *)store;
    TRI_TRY(settle(self, self->group->ranges + table, self->begun - 1));
    return tri__table_rows_gather(&self->rows[table], store, table, self->keys[table], rows);
}

static tri_status mirrored_offer_rows(tri_store *store, int table, const float *gradient, double weight)
{
    mirrored_store *self = (mirrored_store *)store;
    shared_table *shared = &self->group->table[table];
    if (!(self->group->trained >> table & 1) || self->offered >> table & 1)
        return tri_fail(TRI_BAD_CALL, "replica %d offers rows of table %d, which no plan announced, or twice", self->replica, table);
    const float *offered;
    TRI_TRY(tri__table_rows_offer(&self->rows[table], store, table, self->keys[table], gradient, &offered));
    self->offered |= 1U << table;
    shared->list[self->replica] = (tri__offered_rows){self->keys[table].keys, offered, self->keys[table].count};
    return arrive(self, self->group->ranges + table, weight);
}

static tri_status mirrored_flush(tri_store *store)
{
    return settle_all((mirrored_store *)store);
}

static tri__store_times mirrored_times(tri_store *store)
{
    mirrored_store *self = (mirrored_store *)store;
    tri__store_times times = self->times;
    self->times = (tri__store_times){0};
    return times;
}

static tri_status compare_ranges(const tri__mirrored_group *group, const tri_range *ranges, int count, unsigned tables)
{
    bool same = count == group->ranges && tables == group->trained;
    for (int i = 0; same && i < count; i++)
        same = ranges[i].first == group->range[i].range.first && ranges[i].count == group->range[i].range.count;
    return same ? NULL : tri_fail(TRI_INTERNAL, "two replicas' plans offer their gradients in different orders");
}

static tri_status mirrored_arrange(tri_store *store, const tri_range *ranges, int count)
{
    tri__mirrored_group *group = ((mirrored_store *)store)->group;
    size_t replicas = (size_t)group->options.replicas;
    if (group->arranged)
        return compare_ranges(group, ranges, count, store->trained);
    TRI_TRY(tri__allocate((size_t)count * replicas + 1, sizeof(double), "the weights of replicas", &group->weights));
    TRI_TRY(tri__buffer_allocate((size_t)(count + 1) * sizeof *group->range, "the ranges of replicas", &group->range));
    group->ranges = count;
    group->trained = store->trained;
    group->arranged = true;
    for (int i = 0; i < count; i++) {
        shared_range *range = &group->range[i];
        range->range = ranges[i];
        range->work.pieces = (int64_t)((ranges[i].count + PIECE - 1) / PIECE);
        range->work.weight = group->weights + (size_t)i * replicas;
    }
    return NULL;
}

static void mirrored_destroy(tri_store *store)
{
    mirrored_store *self = (mirrored_store *)store;
    self->group->store[self->replica] = NULL;
    tri__buffer_free(store->gradient);
    for (int i = 0; i < TRI_STORE_TABLES; i++) {
        tri__merge_fini(&self->merge[i]);
        tri__table_rows_fini(&self->rows[i]);
    }
    if (self->replica == 0)
        tri__key_map_destroy(store->map);
    free(self);
}

static const tri__store_kind mirrored_kind = {
    .name = "mirrored",
    .begin = mirrored_begin,
    .await = mirrored_await,
    .offer = mirrored_offer,
    .flush = mirrored_flush,
    .add_table = mirrored_add_table,
    .expect = mirrored_expect,
    .await_rows = mirrored_await_rows,
    .offer_rows = mirrored_offer_rows,
    .times = mirrored_times,
    .arrange = mirrored_arrange,
    .destroy = mirrored_destroy,
};

/* ---- the group ---- */

static tri_status allocate(tri__mirrored_group *group)
{
    size_t bytes, floats = group->options.floats;
    if (!tri__size_multiply(floats, sizeof(float), &bytes))
        return tri_fail(TRI_BAD_CALL, "a store of %zu parameters is larger than memory can be", floats);
    TRI_TRY(tri__allocate((size_t)group->options.replicas, sizeof(mirrored_store *), "the stores of replicas", &group->store));
    TRI_TRY(tri__buffer_allocate(bytes, "the parameters", &group->parameters));
    for (int i = 0; i < tri_rule_slots(&group->options.rule); i++)
        TRI_TRY(tri__buffer_allocate(bytes, "the state of the update rule", &group->slot[i]));
    return NULL;
}

tri_status tri__mirrored_group_create(const tri__mirrored_group_options *options, tri__mirrored_group **out)
{
    tri__mirrored_group *group;
    TRI_TRY(tri__allocate(1, sizeof *group, "a group", &group));
    group->options = *options;
    tri_status status = tri__rule_complete(&group->options.rule);
    if (!status)
        status = allocate(group);
    if (status) {
        tri__mirrored_group_destroy(group);
        return status;
    }
    *out = group;
    return NULL;
}

void tri__mirrored_group_destroy(tri__mirrored_group *group)
{
    if (!group)
        return;
    tri__buffer_free(group->parameters);
    for (int i = 0; i < TRI_RULE_SLOTS; i++)
        tri__buffer_free(group->slot[i]);
    tri__buffer_free(group->range);
    for (int i = 0; i < group->tables; i++) {
        tri__table_fini(&group->table[i].table);
        free(group->table[i].work.weight);
        free(group->table[i].list);
    }
    tri__buffer_free(group->table);
    free(group->weights);
    free(group->store);
    free(group);
}

tri_status tri__mirrored_store_create(tri__mirrored_group *group, int replica, tri_store **out)
{
    mirrored_store *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a replica's store", &self));
    self->group = group;
    self->replica = replica;
    self->store = (tri_store){
        .kind = &mirrored_kind,
        .rule = group->options.rule,
        .floats = group->options.floats,
        .parameters = group->parameters,
    };
    memcpy(self->store.slot, group->slot, sizeof self->store.slot);
    tri_status status = tri__buffer_allocate(group->options.floats * sizeof(float), "a replica's gradient", &self->store.gradient);
    if (status) {
        free(self);
        return status;
    }
    group->store[replica] = self;
    *out = &self->store;
    return NULL;
}

void tri__mirrored_group_stop(tri__mirrored_group *group)
{
    atomic_store(&group->stopped, true);
    tri__rendezvous_notify(group->options.rendezvous);
}
