/* place.c: one buffer for all values, laid out by lifetime.
 *
 * A value lives from the first call that touches it to the last; what an output shows lives to the end, and a gradient that is lent to
 * the store until it is offered. Then a result may take the place
 * of an input that ends with its call, where the kernel allows that. Then, largest first, each value goes to the lowest offset at which it
 * overlaps no value that was placed before it and lives at the same time. */
#include <stdlib.h>

#include "base/memory.h"
#include "graph/plan.h"

static void touch(tri_plan *plan, int value, int call)
{
    tri__value *root = &plan->value[plan->value[value].root];
    if (root->first < 0)
        root->first = call;
    if (root->last < call)
        root->last = call;
}

void tri__plan_lifetimes(tri_plan *plan)
{
    for (int c = 0; c < plan->calls; c++)
        for (int s = 0; s < tri__kernel_slots(plan->call[c].kernel); s++)
            touch(plan, plan->call[c].value[s], c);
    for (int i = 0; i < plan->graph->outputs; i++)
        touch(plan, plan->output_value[i], plan->calls);
}

/* Let a call write its result over an input that nobody reads afterwards. */
static void share_in_place(tri_plan *plan)
{
    for (int c = 0; c < plan->calls; c++) {
        const tri__plan_call *call = &plan->call[c];
        if (!call->kernel->in_place)
            continue;
        tri__value *out = &plan->value[call->value[call->kernel->inputs]];
        tri__value *in = &plan->value[plan->value[call->value[call->kernel->in_place - 1]].root];
        bool own = out == &plan->value[out->root];
        if (!own || out->where != TRI_IN_BUFFER || in->where != TRI_IN_BUFFER || in->last != c || in->bytes < out->bytes)
            continue;
        in->last = out->last;
        int from = out->root, to = in->root;
        for (int v = 0; v < plan->values; v++)
            if (plan->value[v].root == from)
                plan->value[v].root = to;
    }
}

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

/* The lowest offset at which value clashes with none of the placed: past each clash it moves up and looks at all of them again. */
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
    if (!(plan->options.without & TRI_PLAN_IN_PLACE))
        share_in_place(plan);
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
