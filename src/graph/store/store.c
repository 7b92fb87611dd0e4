/* store.c: the public calls of a store. They check arguments; the kind of store does the rest. */
#include "graph/store/store.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/rule/rule.h"
#include "graph/store/key_map.h"

void tri_store_destroy(tri_store *store)
{
    if (store)
        store->kind->destroy(store);
}

size_t tri_store_floats(const tri_store *store)
{
    return store->floats;
}

float *tri_store_parameters(tri_store *store)
{
    return store->parameters;
}

float *tri_store_gradient(tri_store *store)
{
    return store->gradient;
}

float *tri_store_slot(tri_store *store, int slot)
{
    return slot >= 0 && slot < TRI_RULE_SLOTS ? store->slot[slot] : NULL;
}

const tri_rule *tri_store_rule(const tri_store *store)
{
    return &store->rule;
}

float *tri__store_evaluated(tri_store *store)
{
    const int slot = tri__rule_average_slot(&store->rule);
    return slot < 0 ? store->parameters : store->slot[slot];
}

tri_store *tri__store_view_evaluated(tri_store *store, tri_store *view)
{
    static const tri__store_kind kind = {.name = "averages"};
    float *evaluated = tri__store_evaluated(store);
    if (evaluated == store->parameters)
        return store;
    *view = (tri_store){.kind = &kind, .step = store->step, .floats = store->floats, .parameters = evaluated};
    return view;
}

void tri_store_begin_averages(tri_store *store)
{
    float *evaluated = tri__store_evaluated(store);
    if (evaluated != store->parameters)
        memcpy(evaluated, store->parameters, store->floats * sizeof *evaluated);
}

static tri_status check_range(const tri_store *store, tri_range range)
{
    if (range.first <= store->floats && range.count <= store->floats - range.first)
        return NULL;
    return tri_fail(TRI_BAD_CALL, "%zu parameters from number %zu reach beyond the store, which has %zu", range.count, range.first,
                    store->floats);
}

tri_status tri_store_begin(tri_store *store, const tri_step *step)
{
    if (step->step < 0 || !isfinite(step->rate) || step->rate < 0)
        return tri_fail(TRI_BAD_CALL, "step %" PRId64 " at rate %g: neither may be negative, and the rate must be a number", step->step,
                        (double)step->rate);
    store->step = step->step;
    store->rate = step->rate;
    store->expected = store->ahead;
    store->ahead = false;
    return store->kind->begin(store, step);
}

tri_status tri_store_await(tri_store *store, tri_range range)
{
    TRI_TRY(check_range(store, range));
    return store->kind->await(store, range);
}

void tri_store_drop_gradient(tri_store *store)
{
    if (!store->droppable)
        return;
    tri__buffer_free(store->gradient);
    store->gradient = NULL;
}

tri_status tri_store_offer(tri_store *store, tri_range range, double weight)
{
    if (!store->gradient)
        return tri_fail(TRI_BAD_CALL, "the store has dropped its gradient: say where it is (tri_store_offer_from)");
    return tri_store_offer_from(store, range, store->gradient + range.first, weight);
}

tri_status tri_store_offer_from(tri_store *store, tri_range range, const float *gradient, double weight)
{
    TRI_TRY(check_range(store, range));
    if (!(weight >= 0) || isinf(weight))
        return tri_fail(TRI_BAD_CALL, "a gradient was offered with weight %g: it must be 0 or positive", weight);
    if (store->observer.offered)
        store->observer.offered(store->observer.context, range, store->parameters + range.first, gradient, weight);
    return store->kind->offer(store, range, gradient, weight);
}

tri_status tri_store_flush(tri_store *store)
{
    return store->kind->flush(store);
}

void tri__store_trace(tri_store *store, tri__trace *trace, tri__trace_lane *lane)
{
    store->lane = lane;
    if (store->kind->trace)
        store->kind->trace(store, trace);
}

tri__store_times tri__store_take_times(tri_store *store)
{
    return store->kind->times ? store->kind->times(store) : (tri__store_times){0};
}

tri_status tri__store_arrange(tri_store *store, const tri_range *ranges, int count, unsigned tables)
{
    store->trained = tables;
    return store->kind->arrange ? store->kind->arrange(store, ranges, count) : NULL;
}

/* ---- tables ---- */

int64_t tri__table_stride(int64_t floats)
{
    enum { LINE = TRI_ALIGNMENT / sizeof(float) }; /* floats of a cache line */
    if (floats > LINE)
        return (floats + LINE / 2 - 1) / (LINE / 2) * (LINE / 2);
    int64_t stride = 1;
    while (stride < floats)
        stride *= 2;
    return stride;
}

tri_status tri_store_add_table(tri_store *store, int64_t rows, int64_t width)
{
    if (!store->kind->add_table)
        return tri_fail(TRI_UNSUPPORTED, "a store of the kind '%s' has no tables", store->kind->name);
    if (store->tables == TRI_STORE_TABLES)
        return tri_fail(TRI_BAD_CALL, "a model has more than %d tables", TRI_STORE_TABLES);
    if (store->rule.average > 0)
        return tri_fail(TRI_UNSUPPORTED,
                        "the rule keeps averages of the parameters, and of rows of tables there are none (leave .average out)");
    TRI_TRY(store->kind->add_table(store, rows, width));
    store->tables++;
    return NULL;
}

bool tri_store_grows(const tri_store *store, tri_growth *out)
{
    const tri__key_map *map = store->map;
    if (map)
        *out = (tri_growth){map->used, map->capacity, map->left_rare, map->left_full};
    return map != NULL;
}

int tri_store_tables(const tri_store *store)
{
    return store->tables;
}

const tri_table *tri_store_table(tri_store *store, int table)
{
    return table >= 0 && table < store->tables ? &store->table[table] : NULL;
}

void tri_store_lend_tables(tri_store *store)
{
    store->lends = !store->map && tri__rule_is_linear(&store->rule);
}

bool tri_store_lends_tables(const tri_store *store)
{
    return store->lends;
}

static tri_status check_table(const tri_store *store, int table)
{
    if (table >= 0 && table < store->tables)
        return NULL;
    return tri_fail(TRI_BAD_CALL, "the store has %d tables, there is no number %d", store->tables, table);
}

tri_status tri_store_expect(tri_store *store, int table, tri_when when, const int32_t *keys, int64_t count)
{
    TRI_TRY(check_table(store, table));
    uint32_t most = 0;
    for (int64_t i = 0; i < count; i++)
        most = (uint32_t)keys[i] > most ? (uint32_t)keys[i] : most;
    const int64_t rows = store->map ? store->map->features : store->table[table].rows;
    if (count > 0 && most >= rows)
        return tri_fail(TRI_BAD_CALL, "key %" PRIu32 " was expected of a table of %" PRId64 " rows", most, rows);
    TRI_TRY(store->kind->expect(store, table, when, keys, count));
    *(when == TRI_NOW ? &store->expected : &store->ahead) = true;
    return NULL;
}

static tri_status check_expected(const tri_store *store, int table)
{
    TRI_TRY(check_table(store, table));
    return store->expected ? NULL : tri_fail(TRI_BAD_CALL, "nobody said which rows of table %d this step reads (tri_store_expect)", table);
}

tri_status tri_store_await_rows(tri_store *store, int table, float *rows)
{
    TRI_TRY(check_expected(store, table));
    return store->kind->await_rows(store, table, rows);
}

tri_status tri_store_offer_rows(tri_store *store, int table, const float *gradient, double weight)
{
    TRI_TRY(check_expected(store, table));
    if (!(weight >= 0) || isinf(weight))
        return tri_fail(TRI_BAD_CALL, "a gradient was offered with weight %g: it must be 0 or positive", weight);
    return store->kind->offer_rows(store, table, gradient, weight);
}
