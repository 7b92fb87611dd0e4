/* place.c: one buffer for all values, laid out by lifetime.
 *
 * Largest first: each value goes to the lowest offset at which it overlaps no value that was placed before it and lives at the same time. */
#include <stdlib.h>

#include "base/memory.h"
#include "graph/plan.h"

typedef struct {
    int value;
    size_t bytes;
} sized;

static int larger_first(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->value - y->value;
}

static size_t aligned(size_t bytes)
{
    return (bytes + TRI_ALIGNMENT - 1) / TRI_ALIGNMENT * TRI_ALIGNMENT;
}

static bool live_together(const tri__value *a, const tri__value *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* The lowest offset from `offset` on at which value clashes with none of the placed; moves up past each clash until there is none. */
static size_t lowest_offset(const tri_plan *plan, const tri__value *value, const sized *placed, int count)
{
    size_t offset = 0;
    for (int i = 0; i < count; i++) {
        const tri__value *other = &plan->value[placed[i].value];
        bool apart = offset + value->bytes <= other->offset || other->offset + other->bytes <= offset;
        if (apart || !live_together(value, other))
            continue;
        offset = aligned(other->offset + other->bytes);
        i = -1;
    }
    return offset;
}

tri_status tri__plan_place(tri_plan *plan)
{
    sized *order;
    int count = 0;
    TRI_TRY(tri__allocate((size_t)plan->values + 1, sizeof *order, "a plan", &order));
    for (int v = 0; v < plan->values; v++)
        if (plan->value[v].root == v && plan->value[v].where == TRI_IN_BUFFER && plan->value[v].first >= 0)
            order[count++] = (sized){v, plan->value[v].bytes};
    qsort(order, (size_t)count, sizeof *order, larger_first);
    for (int i = 0; i < count; i++) {
        tri__value *value = &plan->value[order[i].value];
        value->offset = lowest_offset(plan, value, order, i);
        if (value->offset + value->bytes > plan->bytes)
            plan->bytes = value->offset + value->bytes;
    }
    free(order);
    return tri__buffer_allocate(plan->bytes ? plan->bytes : 1, "a plan's activations", &plan->buffer);
}
