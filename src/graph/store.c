/* store.c: the public calls of a store: arguments are checked here, the rest is done by the kind of store. */
#include "graph/store.h"

#include <inttypes.h>
#include <math.h>

#include "base/memory.h"

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
    return store->kind->offer(store, range, gradient, weight);
}

tri_status tri_store_flush(tri_store *store)
{
    return store->kind->flush(store);
}

tri__store_times tri__store_take_times(tri_store *store)
{
    return store->kind->times ? store->kind->times(store) : (tri__store_times){0};
}

tri_status tri__store_arrange(tri_store *store, const tri_range *ranges, int count)
{
    return store->kind->arrange ? store->kind->arrange(store, ranges, count) : NULL;
}
