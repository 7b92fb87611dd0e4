/* timed.c: a store around another store: it hands every call on and measures the time of updates. An offer reads the clock twice, which
 * takes some 50 ns. */
#include "train/step/timed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "graph/store/store.h"

typedef struct {
    tri_store store; /* its buffers are inner's */
    tri_store *inner;
    tri__store_times times;
} timed_store;

static void count(timed_store *timed, int64_t start)
{
    timed->times.update += tri__clock_now() - start;
    tri__trace_end(timed->store.lane, TRI_SPAN_UPDATE, start, timed->store.step);
}

/* Hand on what callers set in the fields of a store. */
static tri_store *inner_of(tri_store *store)
{
    tri_store *inner = ((timed_store *)store)->inner;
    inner->sightings = store->sightings;
    memcpy(inner->keeper, store->keeper, sizeof inner->keeper);
    return inner;
}

static tri_status timed_begin(tri_store *store, const tri_step *step)
{
    return tri_store_begin(inner_of(store), step);
}

static tri_status timed_await(tri_store *store, tri_range range)
{
    return tri_store_await(((timed_store *)store)->inner, range);
}

static tri_status timed_offer(tri_store *store, tri_range range, const float *gradient, double weight)
{
    timed_store *timed = (timed_store *)store;
    int64_t start = tri__clock_now();
    tri_status status = tri_store_offer_from(timed->inner, range, gradient, weight);
    count(timed, start);
    return status;
}

static tri_status timed_expect(tri_store *store, int table, tri_when when, const int32_t *keys, int64_t count)
{
    return tri_store_expect(((timed_store *)store)->inner, table, when, keys, count);
}

static tri_status timed_await_rows(tri_store *store, int table, float *rows)
{
    return tri_store_await_rows(((timed_store *)store)->inner, table, rows);
}

static tri_status timed_offer_rows(tri_store *store, int table, const float *gradient, double weight)
{
    timed_store *timed = (timed_store *)store;
    int64_t start = tri__clock_now();
    tri_status status = tri_store_offer_rows(inner_of(store), table, gradient, weight);
    count(timed, start);
    return status;
}

static tri_status timed_flush(tri_store *store)
{
    timed_store *timed = (timed_store *)store;
    int64_t start = tri__clock_now();
    tri_status status = tri_store_flush(inner_of(store));
    count(timed, start);
    return status;
}

static tri__store_times timed_times(tri_store *store)
{
    timed_store *timed = (timed_store *)store;
    tri__store_times times = timed->times;
    timed->times = (tri__store_times){0};
    return times;
}

static void timed_destroy(tri_store *store)
{
    tri_store_destroy(((timed_store *)store)->inner);
    free(store);
}

static const tri__store_kind timed_kind = {
    .name = "timed",
    .begin = timed_begin,
    .await = timed_await,
    .offer = timed_offer,
    .flush = timed_flush,
    .expect = timed_expect,
    .await_rows = timed_await_rows,
    .offer_rows = timed_offer_rows,
    .times = timed_times,
    .destroy = timed_destroy,
};

tri_status tri__timed_store_create(tri_store *inner, tri_store **out)
{
    timed_store *timed;
    tri_status status = tri__allocate(1, sizeof *timed, "a store", &timed);
    if (status) {
        tri_store_destroy(inner);
        return status;
    }
    timed->store = *inner;
    timed->store.kind = &timed_kind;
    timed->inner = inner;
    *out = &timed->store;
    return NULL;
}
