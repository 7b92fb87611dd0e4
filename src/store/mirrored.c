/* mirrored.c: the shared reduction.
 *
 * A range is cut into pieces that fit into a cache. Its state is three counters that only ever grow: offers that arrived, pieces that were
 * taken, pieces that are done. In the step number s (from 0) of R replicas, a range of P pieces may be reduced once (s + 1)·R offers have
 * come; its pieces are the numbers s·P to (s + 1)·P − 1, and it is there for the next step when (s + 1)·P are done. No counter is ever set
 * back, so a late replica cannot take a piece of another step.
 *
 * A replica that has offered all of a step stays in that offer until all of it is reduced: the first replica to finish takes pieces of the
 * ranges that are complete while the others still compute, then of those that the others complete. So the replicas that would only wait do
 * the work. With clipping, which needs the norm of everything, the last offer of a step reduces all ranges. */
#include "store/mirrored.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/vector.h"
#include "graph/rule.h"
#include "store/norm.h"
#include "store/store.h"

#define PIECE ((size_t)8192) /* floats: three pieces of 32 kB fit into any second-level cache */

typedef struct {
    _Alignas(64) tri_range range;
    int64_t pieces;
    double *weight;           /* [replicas], of the offers that arrived last */
    atomic_int_fast64_t came; /* offers, of all replicas and steps */
    atomic_int_fast64_t taken, done;
} shared_range;

typedef struct mirrored_store mirrored_store;

struct tri__mirrored_group {
    tri__mirrored_group_options options;
    float *parameters, *slot[TRI_RULE_SLOTS];
    mirrored_store **store; /* [replicas] */
    shared_range *range;    /* [ranges] in the order of the offers, once a plan has announced them */
    int ranges;
    double *weights;          /* [ranges][replicas] */
    atomic_int_fast64_t came; /* offers of all ranges, with clipping only */
    atomic_bool stopped;
};

struct mirrored_store {
    tri_store store; /* its parameters and slots are the group's */
    tri__mirrored_group *group;
    int replica;
    tri_step step;
    int64_t begun; /* steps, this one included */
    int next;      /* range to be offered */
    tri__store_times times;
    float sum[PIECE];
};

/* ---- reducing ---- */

static tri__update update_of(const mirrored_store *self, size_t first, size_t count, const float *gradient, double scale)
{
    float *const *slot = self->store.slot;
    return (tri__update){
        .parameters = self->store.parameters + first,
        .gradient = gradient,
        .slot = {slot[0] ? slot[0] + first : NULL, slot[1] ? slot[1] + first : NULL},
        .count = count,
        .scale = (float)scale,
        .step = self->step,
    };
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

static double weight_of(const tri__mirrored_group *group, const shared_range *range)
{
    double weight = 0;
    for (int r = 0; r < group->options.replicas; r++)
        weight += range->weight[r];
    return weight;
}

static void reduce_piece(mirrored_store *self, const shared_range *range, int64_t piece)
{
    size_t first = (size_t)piece * PIECE, left = range->range.count - first, count = left < PIECE ? left : PIECE;
    double weight = weight_of(self->group, range);
    if (weight == 0)
        return; /* a step of padding alone teaches nothing */
    add_up(self->group, range->range.first + first, count, self->sum);
    tri__update update = update_of(self, range->range.first + first, count, self->sum, 1 / weight);
    tri__rule_apply(&self->store.rule, &update);
}

static bool complete(const shared_range *range, int64_t steps, int replicas)
{
    return atomic_load(&range->came) >= steps * replicas;
}

/* Take a piece of the range in this step and reduce it. False where there is none to take now, or none left. */
static bool help(mirrored_store *self, shared_range *range)
{
    tri__mirrored_group *group = self->group;
    int64_t steps = self->begun;
    if (self->store.rule.clip > 0 || !complete(range, steps, group->options.replicas))
        return false;
    int_fast64_t taken = atomic_load(&range->taken);
    do {
        if (taken >= steps * range->pieces)
            return false;
    } while (!atomic_compare_exchange_weak(&range->taken, &taken, taken + 1));
    int64_t start = tri__clock_now();
    reduce_piece(self, range, taken % range->pieces);
    self->times.update += tri__clock_now() - start;
    if (atomic_fetch_add(&range->done, 1) + 1 == steps * range->pieces)
        tri__rendezvous_notify(group->options.rendezvous);
    return true;
}

/* With clipping: ‖Σ gradient / Σ weight‖ over all ranges, whose sums have been put into the first replica's gradient. */
static double mean_norm(const tri__mirrored_group *group)
{
    double squares = 0;
    for (int i = 0; i < group->ranges; i++) {
        const shared_range *range = &group->range[i];
        double weight = weight_of(group, range);
        if (weight > 0)
            squares += tri__sum_of_squares(group->store[0]->store.gradient + range->range.first, range->range.count) / (weight * weight);
    }
    return sqrt(squares);
}

static void reduce_all(mirrored_store *self)
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
    double norm = mean_norm(group), clip = self->store.rule.clip, clipping = norm > clip ? clip / norm : 1;
    for (int i = 0; i < group->ranges; i++) {
        shared_range *range = &group->range[i];
        double weight = weight_of(group, range);
        tri__update update = update_of(self, range->range.first, range->range.count, total + range->range.first, clipping / weight);
        if (weight > 0)
            tri__rule_apply(&self->store.rule, &update);
    }
    for (int i = 0; i < group->ranges; i++)
        atomic_fetch_add(&group->range[i].done, group->range[i].pieces);
    tri__rendezvous_notify(group->options.rendezvous);
}

/* ---- the calls of a store ---- */

static tri_status mirrored_begin(tri_store *store, const tri_step *step)
{
    mirrored_store *self = (mirrored_store *)store;
    if (self->next != (self->begun ? self->group->ranges : 0))
        return tri_fail(TRI_BAD_CALL, "replica %d begins a step before all of the last one was offered", self->replica);
    self->step = *step;
    self->begun++;
    self->next = 0;
    return NULL;
}

/* What a replica waits for: a range that is done, or that it can do a piece of. */
typedef struct {
    const mirrored_store *self;
    const shared_range *range;
    int64_t steps;
} wanted;

static bool has_come(const void *context)
{
    const wanted *what = context;
    const shared_range *range = what->range;
    const tri__mirrored_group *group = what->self->group;
    int64_t goal = what->steps * range->pieces;
    if (atomic_load(&range->done) >= goal || atomic_load(&group->stopped))
        return true;
    return group->options.rule.clip == 0 && complete(range, what->steps, group->options.replicas) && atomic_load(&range->taken) < goal;
}

static tri_status missing(const mirrored_store *self, const shared_range *range)
{
    return tri_fail(TRI_TIMEOUT, "replica %d waited %g s for the other replicas' gradient of %zu parameters from number %zu (--timeout)",
                    self->replica, tri__clock_seconds(self->group->options.timeout), range->range.count, range->range.first);
}

static tri_status wait_for(mirrored_store *self, shared_range *range, int64_t steps)
{
    tri__mirrored_group *group = self->group;
    const wanted what = {self, range, steps};
    int64_t start = tri__clock_now();
    bool come = tri__rendezvous_wait(group->options.rendezvous, has_come, &what, start + group->options.timeout);
    self->times.peers += tri__clock_now() - start;
    if (atomic_load(&group->stopped))
        return tri_fail(TRI_STOPPED, "another replica has stopped");
    return come ? NULL : missing(self, range);
}

/* Until `steps` updates of the range have been applied. */
static tri_status settle(mirrored_store *self, shared_range *range, int64_t steps)
{
    while (atomic_load(&range->done) < steps * range->pieces)
        if (!help(self, range))
            TRI_TRY(wait_for(self, range, steps));
    return NULL;
}

/* All of this step, in the order in which it was offered. */
static tri_status settle_all(mirrored_store *self)
{
    for (int i = 0; i < self->group->ranges; i++)
        TRI_TRY(settle(self, &self->group->range[i], self->begun));
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
            TRI_TRY(settle(self, &group->range[i], self->begun - 1));
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

static tri_status mirrored_offer(tri_store *store, tri_range at, const float *gradient, double weight)
{
    mirrored_store *self = (mirrored_store *)store;
    tri__mirrored_group *group = self->group;
    TRI_TRY(check_offer(self, at, gradient));
    shared_range *range = &group->range[self->next++];
    range->weight[self->replica] = weight;
    if (atomic_fetch_add(&range->came, 1) + 1 == self->begun * group->options.replicas)
        tri__rendezvous_notify(group->options.rendezvous);
    if (store->rule.clip > 0) {
        if (atomic_fetch_add(&group->came, 1) + 1 == self->begun * group->options.replicas * group->ranges)
            reduce_all(self);
        return NULL;
    }
    return self->next == group->ranges ? settle_all(self) : NULL;
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

static tri_status compare_ranges(const tri__mirrored_group *group, const tri_range *ranges, int count)
{
    bool same = count == group->ranges;
    for (int i = 0; same && i < count; i++)
        same = ranges[i].first == group->range[i].range.first && ranges[i].count == group->range[i].range.count;
    return same ? NULL : tri_fail(TRI_INTERNAL, "two replicas' plans offer their gradients in different orders");
}

static tri_status mirrored_arrange(tri_store *store, const tri_range *ranges, int count)
{
    tri__mirrored_group *group = ((mirrored_store *)store)->group;
    size_t replicas = (size_t)group->options.replicas;
    if (group->range)
        return compare_ranges(group, ranges, count);
    TRI_TRY(tri__allocate((size_t)count * replicas, sizeof(double), "the weights of replicas", &group->weights));
    TRI_TRY(tri__buffer_allocate((size_t)count * sizeof *group->range, "the ranges of replicas", &group->range));
    group->ranges = count;
    for (int i = 0; i < count; i++) {
        shared_range *range = &group->range[i];
        range->range = ranges[i];
        range->pieces = (int64_t)((ranges[i].count + PIECE - 1) / PIECE);
        range->weight = group->weights + (size_t)i * replicas;
    }
    return NULL;
}

static void mirrored_destroy(tri_store *store)
{
    mirrored_store *self = (mirrored_store *)store;
    self->group->store[self->replica] = NULL;
    tri__buffer_free(store->gradient);
    free(self);
}

static const tri__store_kind mirrored_kind = {
    .name = "mirrored",
    .begin = mirrored_begin,
    .await = mirrored_await,
    .offer = mirrored_offer,
    .flush = mirrored_flush,
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
    for (int i = 0; i < 2; i++)
        tri__buffer_free(group->slot[i]);
    tri__buffer_free(group->range);
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
        .slot = {group->slot[0], group->slot[1]},
    };
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
