/* allreduce.c: buckets and rows of tables, and the thread that adds them up.
 *
 * A bucket's state is three counters of steps: in how many steps all its floats were offered, were summed, and were applied. The plan's
 * thread moves offered and applied, the adding thread moves summed; each waits for the other. The rows of a table are such an item, too:
 * they come after the buckets, in the order of the tables, and summed means that every rank has every rank's rows (rank_rows.c). They are
 * applied at the next begin, since the plan uses keys and gradient until then. */
#include "store/allreduce.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "base/thread/rendezvous.h"
#include "graph/rule/rule.h"
#include "graph/store/key_map.h"
#include "store/norm.h"
#include "store/rank_rows.h"
#include "store/store.h"
#include "store/table_rows.h"

#define BUCKET_FLOATS ((size_t)1 << 22)
#define SMALL_FLOATS  ((size_t)1 << 19) /* offers are joined up to this size, so the last bucket, which is awaited first, is small */

enum { WEIGHT, DAMAGED, LEAVING, HEAD }; /* the floats that travel with a step's first bucket */

typedef struct {
    tri_range range;
    size_t filled; /* floats offered in this step */
    atomic_int_fast64_t offered, summed;
    int64_t applied;
} bucket;

typedef struct {
    tri_store store; /* its gradient has HEAD floats more than the parameters */
    tri__allreduce_options options;
    tri_step step, last;
    int64_t begun;   /* how many steps have begun, this one included */
    tri_range *cuts; /* [made] buckets of this rank's own plan, until rank 0's are known; room for `room` */
    int64_t made, room;
    bucket *buckets;
    int count;
    bucket rows[TRI_STORE_TABLES]; /* the state of the tables' rows; range is not used */
    tri__rank_rows exchange[TRI_STORE_TABLES];
    tri__table_rows table_rows[TRI_STORE_TABLES];
    tri__table_keys keys[TRI_STORE_TABLES], ahead[TRI_STORE_TABLES]; /* of this step and the next one; borrowed */
    int turn;                                                        /* without a thread: the item of this step that is added up next */
    double weights[2];   /* Σ of all ranks, by step & 1: the next step's may come while this step's is still used */
    int64_t damaged[2];  /* damaged records of all ranks, by step & 1 */
    int64_t own_damaged; /* damaged records of this rank in the step to come */
    tri__store_times times;

    tri__rendezvous rendezvous;
    pthread_t adder; /* if there are several buckets */
    bool threaded;
    tri__trace_lane *lane; /* of the adder; set before anything is offered */
    atomic_bool over;      /* no more steps will come */
    atomic_bool left;      /* a rank leaves: nothing will be added up any more */
    tri_status failure;    /* of the adder, which writes it before left */
} allreduce_store;

/* ---- adding up ---- */

static float *head_of(allreduce_store *self)
{
    return self->store.gradient + self->store.floats;
}

/* Adds up the first bucket of a step and the head: in one sum if they are adjacent. */
static tri_status add_first(allreduce_store *self, tri_range range)
{
    tri__ranks *ranks = self->options.ranks;
    float *gradient = self->store.gradient;
    if (range.first + range.count == self->store.floats)
        return tri__ranks_sum(ranks, gradient + range.first, range.count + HEAD);
    TRI_TRY(tri__ranks_sum(ranks, head_of(self), HEAD));
    return head_of(self)[LEAVING] > 0 ? NULL : tri__ranks_sum(ranks, gradient + range.first, range.count);
}

/* Begins the sums of buckets that have been offered, in their order, up to number `end`. They travel after the bucket that is awaited. */
static tri_status begin_sums(allreduce_store *self, int end, int64_t step, int *begun)
{
    for (; *begun < self->count && *begun < end && atomic_load(&self->buckets[*begun].offered) > step; ++*begun) {
        tri_range range = self->buckets[*begun].range;
        TRI_TRY(tri__ranks_begin_sum(self->options.ranks, self->store.gradient + range.first, range.count));
    }
    return NULL;
}

/* Buckets and tables are numbered together: tables behind the buckets. */
static int items_of(const allreduce_store *self)
{
    return self->count + self->store.tables;
}

static bucket *item_at(allreduce_store *self, int index)
{
    return index < self->count ? &self->buckets[index] : &self->rows[index - self->count];
}

/* Adds up one item. Sets left if a rank leaves. */
static tri_status add_item(allreduce_store *self, int index, int64_t step)
{
    bucket *next = item_at(self, index);
    if (index >= self->count)
        TRI_TRY(tri__rank_rows_exchange(&self->exchange[index - self->count], self->options.ranks));
    else if (index > 0)
        TRI_TRY(tri__ranks_end_sum(self->options.ranks, self->store.gradient + next->range.first, next->range.count));
    else {
        TRI_TRY(add_first(self, next->range));
        self->weights[step & 1] = (double)head_of(self)[WEIGHT];
        self->damaged[step & 1] = (int64_t)head_of(self)[DAMAGED];
        if (head_of(self)[LEAVING] > 0)
            atomic_store(&self->left, true);
    }
    atomic_fetch_add(&next->summed, 1);
    return NULL;
}

/* Every rank's part reaches every rank. The trace shows arrows only between rank 0 and each other rank: there, and back. step is the same
 * on all ranks. */
static void trace_sum(const allreduce_store *self, int index, int64_t step, int64_t begin)
{
    tri__trace_lane *lane = self->threaded ? self->lane : self->store.lane;
    if (!lane)
        return;
    const int64_t end = tri__clock_now();
    const int own = tri__ranks_rank(self->options.ranks), ranks = tri__ranks_size(self->options.ranks);
    tri__trace_add(lane, TRI_SPAN_SUM, begin, end, -1, TRI_FLOW_NONE, 0);
    for (int rank = 1; rank < ranks; rank++) {
        const uint64_t there = tri__trace_message(TRI_SPAN_SUM, rank, index, step),
                       back = tri__trace_message(TRI_SPAN_ANSWER, rank, index, step);
        if (own != 0 && own != rank)
            continue;
        tri__trace_add(lane, TRI_SPAN_PUSH, begin + 1, begin + 1, -1, TRI_FLOW_SENDS, own == 0 ? back : there);
        tri__trace_add(lane, TRI_SPAN_RECEIVE, end, end, -1, TRI_FLOW_RECEIVES, own == 0 ? there : back);
    }
}

static tri_status add_up(allreduce_store *self, int index, int64_t step)
{
    const tri__trace_lane *lane = self->threaded ? self->lane : self->store.lane;
    const int64_t begin = tri__trace_begin(lane);
    TRI_TRY(add_item(self, index, step));
    trace_sum(self, index, step, begin);
    return NULL;
}

typedef struct {
    allreduce_store *self;
    bucket *next;
    int64_t steps;
} wanted;

static bool is_offered(const void *context)
{
    const wanted *what = context;
    return atomic_load(&what->next->offered) >= what->steps || atomic_load(&what->self->over);
}

/* The first bucket is summed alone: if it says that a rank leaves, no rank sums the others. */
static tri_status add_step(allreduce_store *self, int64_t step, bool *more)
{
    for (int i = 0, begun = 1; i < items_of(self) && *more; i++) {
        const wanted what = {self, item_at(self, i), step + 1};
        while (!tri__rendezvous_wait(&self->rendezvous, is_offered, &what, tri__clock_now() + self->options.timeout))
            continue; /* a long step, or an evaluation */
        *more = atomic_load(&what.next->offered) > step;
        if (!*more)
            return NULL;
        if (i > 0 && i < self->count)
            TRI_TRY(begin_sums(self, i + TRI__RANKS_SUMS, step, &begun));
        TRI_TRY(add_up(self, i, step));
        *more = !atomic_load(&self->left);
        tri__rendezvous_notify(&self->rendezvous);
    }
    return NULL;
}

static void *add_all(void *context)
{
    allreduce_store *self = context;
    bool more = true;
    for (int64_t step = 0; more && !self->failure; step++)
        self->failure = add_step(self, step, &more);
    if (self->failure)
        atomic_store(&self->left, true);
    tri__rendezvous_notify(&self->rendezvous);
    return NULL;
}

/* ---- applying ---- */

static tri_status stopped(allreduce_store *self)
{
    tri_status failure = self->failure;
    self->failure = NULL;
    return failure ? failure : tri_fail(TRI_STOPPED, "another rank has ended the run");
}

static bool is_summed(const void *context)
{
    const wanted *what = context;
    return atomic_load(&what->next->summed) >= what->steps || atomic_load(&what->self->left);
}

static tri_status wait_until(allreduce_store *self, tri__ready *ready, const wanted *what)
{
    int64_t start = tri__clock_now();
    while (!tri__rendezvous_wait(&self->rendezvous, ready, what, tri__clock_now() + self->options.timeout))
        continue; /* the ranks have their own timeout, which names the missing ones */
    self->times.peers += tri__clock_now() - start;
    tri__trace_end(self->store.lane, TRI_SPAN_PEERS, start, self->step.step);
    return atomic_load(&self->left) ? stopped(self) : NULL;
}

static tri_status wait_for(allreduce_store *self, bucket *next, int64_t steps)
{
    return wait_until(self, is_summed, &(wanted){self, next, steps});
}

static void apply(allreduce_store *self, bucket *next, int64_t step, double clipping)
{
    tri_store *store = &self->store;
    double weight = self->weights[step & 1];
    float *gradient = store->gradient + next->range.first;
    next->applied++;
    if (weight == 0)
        return;
    int64_t start = tri__clock_now();
    const tri_step now = step + 1 == self->begun ? self->step : self->last;
    tri__rule_spare_state(&store->rule, next->range, gradient, clipping);
    tri__update update = tri__update_of(store->parameters, store->slot, next->range, gradient, clipping / weight, now);
    tri__update_mark_state(&update, &store->rule, next->range);
    tri__rule_apply(&store->rule, &update);
    self->times.update += tri__clock_now() - start;
    tri__trace_end(store->lane, TRI_SPAN_UPDATE, start, now.step);
}

static tri_status apply_rows(allreduce_store *self, int table, int64_t step, double clipping)
{
    double weight = self->weights[step & 1];
    self->rows[table].applied++;
    if (weight == 0)
        return NULL;
    int64_t start = tri__clock_now();
    const tri__merge *merge = &self->exchange[table].merge;
    tri_status status = tri__table_rows_apply(&self->table_rows[table], &self->store, table, tri__merge_keys(merge), merge->sum,
                                              (float)(clipping / weight), step + 1 == self->begun ? &self->step : &self->last);
    self->times.update += tri__clock_now() - start;
    return status;
}

/* Waits for the rows of all ranks, and adds them up. */
static tri_status sum_rows(allreduce_store *self, int table, int64_t steps)
{
    TRI_TRY(wait_for(self, &self->rows[table], steps));
    return tri__rank_rows_merge(&self->exchange[table]);
}

static double sum_squares(const allreduce_store *self, int table)
{
    const tri__merge *merge = &self->exchange[table].merge;
    return tri__table_rows_squares(&self->store, table, merge->sum, merge->distinct.count);
}

/* With clipping: the norm needs every bucket, and the rows. */
static tri_status apply_clipped(allreduce_store *self, int64_t steps)
{
    double squares = 0, clip = self->store.rule.clip;
    for (int i = 0; i < self->count; i++)
        TRI_TRY(wait_for(self, &self->buckets[i], steps));
    for (int i = 0; i < self->store.tables; i++)
        TRI_TRY(sum_rows(self, i, steps));
    double weight = self->weights[(steps - 1) & 1];
    for (int i = 0; i < self->store.tables && weight > 0; i++)
        squares += sum_squares(self, i) / (weight * weight);
    for (int i = 0; i < self->count && weight > 0; i++)
        squares += tri__trained_squares(&self->store.rule, self->buckets[i].range, self->store.gradient + self->buckets[i].range.first) /
                   (weight * weight);
    double norm = sqrt(squares), clipping = norm > clip ? clip / norm : 1;
    for (int i = 0; i < self->count; i++)
        apply(self, &self->buckets[i], steps - 1, clipping);
    for (int i = 0; i < self->store.tables; i++)
        TRI_TRY(apply_rows(self, i, steps - 1, clipping));
    return NULL;
}

/* A bucket whose update number `steps` can be applied; NULL: none yet. */
static bucket *summed_one(const allreduce_store *self, int64_t steps)
{
    for (int i = 0; i < self->count; i++)
        if (self->buckets[i].applied < steps && atomic_load(&self->buckets[i].summed) >= steps)
            return &self->buckets[i];
    return NULL;
}

static bool one_is_summed(const void *context)
{
    const wanted *what = context;
    return summed_one(what->self, what->steps) || atomic_load(&what->self->left);
}

/* Returns when `steps` updates of the bucket have been applied. While it waits, it applies other buckets: the bucket that a step needs
 * first was offered last by the backward pass. */
static tri_status settle(allreduce_store *self, bucket *next, int64_t steps)
{
    if (next->applied < steps && self->store.rule.clip > 0)
        return apply_clipped(self, steps);
    while (next->applied < steps) {
        bool come = atomic_load(&next->summed) >= steps;
        bucket *ready = come ? next : summed_one(self, steps);
        if (atomic_load(&self->left)) /* the first bucket of the step, which may be this one, said so */
            return stopped(self);
        if (ready)
            apply(self, ready, steps - 1, 1);
        else
            TRI_TRY(wait_until(self, one_is_summed, &(wanted){self, next, steps}));
    }
    return NULL;
}

/* Returns when all rows of `steps` steps have been applied. */
static tri_status settle_rows(allreduce_store *self, int64_t steps)
{
    for (int i = 0; i < self->store.tables; i++) {
        if (self->rows[i].applied >= steps)
            continue;
        if (self->store.rule.clip > 0)
            return apply_clipped(self, steps);
        TRI_TRY(sum_rows(self, i, steps));
        TRI_TRY(apply_rows(self, i, steps - 1, 1));
    }
    return NULL;
}

/* ---- the calls of a store ---- */

static void allreduce_trace(tri_store *store, tri__trace *trace)
{
    allreduce_store *self = (allreduce_store *)store;
    if (self->threaded)
        self->lane = tri__trace_lane_add(trace, "sums");
}

static tri_status allreduce_begin(tri_store *store, const tri_step *step)
{
    allreduce_store *self = (allreduce_store *)store;
    if (atomic_load(&self->left))
        return stopped(self);
    TRI_TRY(settle_rows(self, self->begun));
    self->last = self->step;
    self->step = *step;
    self->begun++;
    self->turn = 0;
    for (int i = 0; i < self->count; i++)
        self->buckets[i].filled = 0;
    for (int i = 0; i < store->tables; i++)
        self->keys[i] = self->ahead[i];
    return NULL;
}

static size_t common(tri_range a, tri_range b)
{
    size_t first = a.first > b.first ? a.first : b.first, a_end = a.first + a.count, b_end = b.first + b.count;
    size_t end = a_end < b_end ? a_end : b_end;
    return end > first ? end - first : 0;
}

static tri_status allreduce_await(tri_store *store, tri_range range)
{
    allreduce_store *self = (allreduce_store *)store;
    for (int i = 0; i < self->count; i++)
        if (common(self->buckets[i].range, range))
            TRI_TRY(settle(self, &self->buckets[i], self->begun - 1));
    return NULL;
}

/* Without a thread: adds up what was offered, in the order that all ranks share. An item waits for those before it. */
static tri_status add_offered(allreduce_store *self)
{
    int64_t start = tri__clock_now();
    for (; self->turn < items_of(self) && atomic_load(&item_at(self, self->turn)->offered) >= self->begun; self->turn++) {
        TRI_TRY(add_up(self, self->turn, self->begun - 1));
        if (atomic_load(&self->left))
            return stopped(self);
    }
    self->times.peers += tri__clock_now() - start;
    return NULL;
}

/* Tables that no plan trains are offered, without rows, together with the first item of a step. */
static void offer_untrained(allreduce_store *self)
{
    for (int i = 0; i < self->store.tables; i++)
        if (!(self->store.trained >> i & 1) && atomic_load(&self->rows[i].offered) < self->begun)
            atomic_fetch_add(&self->rows[i].offered, 1);
}

static tri_status complete(allreduce_store *self, int index)
{
    bucket *full = item_at(self, index);
    offer_untrained(self);
    atomic_fetch_add(&full->offered, 1);
    if (self->threaded) {
        tri__rendezvous_notify(&self->rendezvous);
        return NULL;
    }
    TRI_TRY(add_offered(self));
    bool waits = index >= self->count || (self->store.tables && self->store.rule.clip > 0); /* it is applied at the next begin */
    return waits ? NULL : settle(self, full, self->begun);
}

static void write_head(allreduce_store *self, double weight)
{
    head_of(self)[WEIGHT] = (float)weight;
    head_of(self)[DAMAGED] = (float)self->own_damaged;
    head_of(self)[LEAVING] = 0;
}

/* The head of a step is written before its first bucket is complete, and read until that bucket is summed: no other step overlaps. */
static tri_status allreduce_offer(tri_store *store, tri_range range, const float *gradient, double weight)
{
    allreduce_store *self = (allreduce_store *)store;
    if (gradient != store->gradient + range.first)
        return tri_fail(TRI_BAD_CALL, "a rank offers its gradient where its store keeps it");
    if (atomic_load(&self->left))
        return stopped(self);
    for (int i = 0; i < self->count; i++) {
        bucket *part = &self->buckets[i];
        size_t floats = common(part->range, range);
        if (!floats)
            continue;
        part->filled += floats;
        if (i == 0)
            write_head(self, weight);
        if (part->filled == part->range.count)
            TRI_TRY(complete(self, i));
    }
    return NULL;
}

/* ---- tables ---- */

static tri_status allreduce_add_table(tri_store *store, int64_t rows, int64_t width)
{
    allreduce_store *self = (allreduce_store *)store;
    TRI_TRY(tri__store_add_table(store, rows, width));
    tri__rank_rows_init(&self->exchange[store->tables], store->map ? store->map->features : rows, tri__offered_width(store, width));
    return NULL;
}

static tri_status allreduce_expect(tri_store *store, int table, tri_when when, const int32_t *keys, int64_t count)
{
    allreduce_store *self = (allreduce_store *)store;
    *(when == TRI_NOW ? &self->keys[table] : &self->ahead[table]) = (tri__table_keys){keys, count};
    return NULL;
}

static tri_status allreduce_await_rows(tri_store *store, int table, float *rows)
{
    allreduce_store *self = (allreduce_store *)store;
    if (atomic_load(&self->left))
        return stopped(self);
    return tri__table_rows_gather(&self->table_rows[table], store, table, self->keys[table], rows);
}

/* A model whose parameters are all in tables has one empty bucket, for the head. */
static tri_status allreduce_offer_rows(tri_store *store, int table, const float *gradient, double weight)
{
    allreduce_store *self = (allreduce_store *)store;
    if (atomic_load(&self->left))
        return stopped(self);
    if (self->buckets[0].range.count == 0 && atomic_load(&self->buckets[0].offered) < self->begun) {
        write_head(self, weight);
        TRI_TRY(complete(self, 0));
    }
    const float *offered;
    TRI_TRY(tri__table_rows_offer(&self->table_rows[table], store, table, self->keys[table], gradient, &offered));
    tri__rank_rows_offer(&self->exchange[table], (tri__offered_rows){self->keys[table].keys, offered, self->keys[table].count});
    return complete(self, self->count + table);
}

static tri_status allreduce_flush(tri_store *store)
{
    allreduce_store *self = (allreduce_store *)store;
    TRI_TRY(settle_rows(self, self->begun));
    for (int i = 0; i < self->count; i++)
        TRI_TRY(settle(self, &self->buckets[i], self->begun));
    return NULL;
}

static tri__store_times allreduce_times(tri_store *store)
{
    allreduce_store *self = (allreduce_store *)store;
    tri__store_times times = self->times;
    self->times = (tri__store_times){0};
    return times;
}

/* ---- buckets ---- */

/* Joins small offers that touch, and cuts offers that are larger than a bucket. */
static int cut(const tri_range *ranges, int count, size_t most, tri_range *out)
{
    size_t small = most < SMALL_FLOATS ? most : SMALL_FLOATS;
    int cuts = 0;
    for (int i = 0; i < count; i++) {
        tri_range next = ranges[i], *last = cuts ? &out[cuts - 1] : NULL;
        bool fits = last && last->count + next.count <= small;
        if (fits && next.first + next.count == last->first)
            *last = (tri_range){next.first, next.count + last->count};
        else if (fits && last->first + last->count == next.first)
            last->count += next.count;
        else
            for (size_t at = 0; at < next.count; at += most)
                out[cuts++] = (tri_range){next.first + at, next.count - at < most ? next.count - at : most};
    }
    return cuts;
}

static tri_status start_adder(allreduce_store *self)
{
    int threads = (omp_get_max_threads() + 1) * tri__ranks_here(self->options.ranks);
    tri__rendezvous_init(&self->rendezvous, threads, omp_get_num_procs());
    self->count = (int)self->made;
    self->threaded = self->count > 1;
    if (self->threaded && pthread_create(&self->adder, NULL, add_all, self)) {
        self->threaded = false;
        return tri_fail(TRI_NO_MEMORY, "no thread to add up gradients");
    }
    return NULL;
}

/* Ranks may run on different machines, and their plans may have other orders. So all ranks use rank 0's buckets. */
static tri_status share_buckets(allreduce_store *self)
{
    tri__ranks *ranks = self->options.ranks;
    TRI_TRY(tri__ranks_broadcast(ranks, &self->made, sizeof self->made));
    if (self->made < 1 || self->made > self->room)
        return tri_fail(TRI_BAD_DATA, "rank 0 cuts the gradient into %lld buckets, which cannot be", (long long)self->made);
    TRI_TRY(tri__ranks_broadcast(ranks, self->cuts, (size_t)self->made * sizeof *self->cuts));
    for (int64_t i = 0; i < self->made; i++)
        self->buckets[i].range = self->cuts[i];
    return NULL;
}

static tri_status allreduce_arrange(tri_store *store, const tri_range *ranges, int count)
{
    allreduce_store *self = (allreduce_store *)store;
    size_t most = self->options.bucket_floats, room = store->floats / most + 2 * (size_t)count + 2;
    TRI_TRY(tri__allocate(room, sizeof *self->cuts, "buckets", &self->cuts));
    TRI_TRY(tri__allocate(room, sizeof *self->buckets, "buckets", &self->buckets));
    self->room = (int64_t)room;
    self->made = cut(ranges, count, most, self->cuts);
    if (self->made == 0)
        self->cuts[self->made++] = (tri_range){store->floats, 0}; /* an empty bucket, for the head */
    return NULL;
}

/* ---- from beginning to end ---- */

static void stop_adder(allreduce_store *self)
{
    if (!self->threaded)
        return;
    atomic_store(&self->over, true);
    tri__rendezvous_notify(&self->rendezvous);
    pthread_join(self->adder, NULL);
    self->threaded = false;
}

/* Completes a step that was interrupted, with the gradients there are: the other ranks wait for its buckets. */
static tri_status finish_step(allreduce_store *self)
{
    const int items = self->count ? items_of(self) : 0;
    for (int i = 0; i < items && !atomic_load(&self->left); i++)
        if (atomic_load(&item_at(self, i)->offered) < self->begun)
            TRI_TRY(complete(self, i));
    for (int i = 0; i < items && self->threaded && !atomic_load(&self->left); i++)
        TRI_TRY(wait_for(self, item_at(self, i), self->begun));
    return NULL;
}

tri_status tri__allreduce_store_leave(tri_store *store)
{
    allreduce_store *self = (allreduce_store *)store;
    tri_status status = finish_step(self);
    stop_adder(self);
    if (tri_status_code(status) == TRI_STOPPED) {
        tri_status_free(status);
        status = NULL;
    }
    if (status || atomic_load(&self->left) || !self->count)
        return status;
    head_of(self)[WEIGHT] = 0;
    head_of(self)[DAMAGED] = 0;
    head_of(self)[LEAVING] = 1;
    atomic_store(&self->left, true);
    return add_first(self, self->buckets[0].range);
}

void tri__allreduce_store_tell_damaged(tri_store *store, int64_t damaged)
{
    ((allreduce_store *)store)->own_damaged = damaged;
}

int64_t tri__allreduce_store_damaged(const tri_store *store)
{
    const allreduce_store *self = (const allreduce_store *)store;
    return self->damaged[self->begun & 1];
}

void tri__allreduce_store_traffic(const tri_store *store, int64_t *sent, int64_t *received)
{
    const allreduce_store *self = (const allreduce_store *)store;
    const int64_t ranks = tri__ranks_size(self->options.ranks);
    int64_t floats = 0;
    for (int i = 0; i < self->count; i++)
        floats += atomic_load(&self->buckets[i].summed) * (int64_t)(self->buckets[i].range.count + (i == 0 ? (size_t)HEAD : 0));
    *sent = *received = floats * (int64_t)sizeof(float) * 2 * (ranks - 1) / ranks;
    for (int i = 0; i < store->tables; i++) {
        *sent += self->exchange[i].sent_bytes;
        *received += self->exchange[i].received_bytes;
    }
}

tri_status tri__allreduce_store_share(tri_store *store)
{
    allreduce_store *self = (allreduce_store *)store;
    size_t bytes = store->floats * sizeof(float);
    TRI_TRY(share_buckets(self));
    TRI_TRY(tri__ranks_broadcast(self->options.ranks, store->parameters, bytes));
    for (int i = 0; i < tri_rule_slots(&store->rule); i++)
        TRI_TRY(tri__ranks_broadcast(self->options.ranks, store->slot[i], bytes));
    for (int i = 0; i < store->tables; i++)
        TRI_TRY(tri__rank_rows_share(&store->table[i], self->options.ranks));
    if (store->map)
        TRI_TRY(tri__rank_rows_share_keys(store->map, self->options.ranks));
    return start_adder(self);
}

static void allreduce_destroy(tri_store *store)
{
    allreduce_store *self = (allreduce_store *)store;
    stop_adder(self);
    if (self->count)
        tri__rendezvous_fini(&self->rendezvous);
    tri_status_free(self->failure);
    for (int i = 0; i < store->tables; i++)
        tri__rank_rows_fini(&self->exchange[i]);
    for (int i = 0; i < store->tables; i++)
        tri__table_rows_fini(&self->table_rows[i]);
    tri__store_fini(store);
    free(self->buckets);
    free(self->cuts);
    free(self);
}

static const tri__store_kind allreduce_kind = {
    .name = "allreduce",
    .begin = allreduce_begin,
    .await = allreduce_await,
    .offer = allreduce_offer,
    .flush = allreduce_flush,
    .add_table = allreduce_add_table,
    .expect = allreduce_expect,
    .await_rows = allreduce_await_rows,
    .offer_rows = allreduce_offer_rows,
    .times = allreduce_times,
    .trace = allreduce_trace,
    .arrange = allreduce_arrange,
    .destroy = allreduce_destroy,
};

static tri_status make_room_for_head(tri_store *store)
{
    tri__buffer_free(store->gradient);
    store->gradient = NULL;
    return tri__buffer_allocate((store->floats + HEAD) * sizeof(float), "the gradient", &store->gradient);
}

tri_status tri__allreduce_store_create(const tri__allreduce_options *options, tri_store **out)
{
    allreduce_store *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a store", &self));
    self->options = *options;
    if (!self->options.bucket_floats)
        self->options.bucket_floats = BUCKET_FLOATS;
    tri_status status = tri__store_init(&self->store, &allreduce_kind, options->floats, &options->rule);
    if (status) {
        free(self);
        return status;
    }
    status = make_room_for_head(&self->store);
    if (status) {
        tri__store_fini(&self->store);
        free(self);
        return status;
    }
    *out = &self->store;
    return NULL;
}
