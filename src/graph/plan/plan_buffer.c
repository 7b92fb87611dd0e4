/* plan_buffer.c: one buffer for all operands, packed by lifetime.
 *
 * An operand lives from the first call that touches it to the last; the value of an output lives to the end, and a gradient that is lent to
 * the store lives until it is offered. When lifetimes are known, a result may overwrite an input that no later call reads, where the kernel
 * allows that. Then, one after another, each operand goes to the lowest offset at which it overlaps no operand that was packed before it
 * and lives at the same time. Which order packs best depends on the graph (largest first is seldom bad), so several are tried and the best
 * is taken. */
#include "graph/plan/plan_buffer.h"

#include <stdlib.h>

#include "base/memory/memory.h"

static void touch(tri_plan *plan, int operand, int call)
{
    tri__operand *root = &plan->operand[plan->operand[operand].root];
    if (root->first < 0)
        root->first = call;
    if (root->last < call)
        root->last = call;
}

void tri__plan_find_lifetimes(tri_plan *plan)
{
    for (int c = 0; c < plan->calls; c++)
        for (int s = 0; s < tri__kernel_arguments(plan->call[c].kernel); s++)
            touch(plan, plan->call[c].operand[s], c);
    for (int i = 0; i < plan->graph->outputs; i++)
        touch(plan, plan->output_operand[i], plan->calls);
    for (int c = 0; c < plan->calls; c++)
        for (int g = plan->call[c].guard; g >= 0; g = plan->guard[g].outer)
            if (plan->guard[g].operand >= 0)
                touch(plan, plan->guard[g].operand, c);
    for (int i = 0; i < plan->assignments; i++)
        touch(plan, plan->assignment[i].operand, plan->calls);
}

/* Let a call write its result over an input that no later call reads. */
static void share_in_place(tri_plan *plan)
{
    for (int c = 0; c < plan->calls; c++) {
        const tri__plan_call *call = &plan->call[c];
        if (!call->kernel->in_place)
            continue;
        tri__operand *out = &plan->operand[call->operand[call->kernel->inputs]];
        tri__operand *in = &plan->operand[plan->operand[call->operand[call->kernel->in_place - 1]].root];
        bool own = out == &plan->operand[out->root];
        if (!own || out->where != TRI_IN_BUFFER || in->where != TRI_IN_BUFFER || in->last != c || in->bytes < out->bytes)
            continue;
        in->last = out->last;
        int from = out->root, to = in->root;
        for (int v = 0; v < plan->operands; v++)
            if (plan->operand[v].root == from)
                plan->operand[v].root = to;
    }
}

/* An operand to be packed, with what the orders compare. */
typedef struct {
    int operand;
    size_t bytes;
    int first, calls; /* the first call of its life, and how many calls it lives for */
} entry;

static int larger_first(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->operand - y->operand;
}

static int longer_first(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->calls != y->calls ? y->calls - x->calls : larger_first(a, b);
}

static int larger_for_longer_first(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    const double p = (double)x->bytes * x->calls, q = (double)y->bytes * y->calls;
    return p < q ? 1 : p > q ? -1 : larger_first(a, b);
}

static int earlier_first(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->first != y->first ? x->first - y->first : larger_first(a, b);
}

static int (*const orders[])(const void *, const void *) = {larger_first, longer_first, larger_for_longer_first, earlier_first};

static size_t aligned(size_t bytes)
{
    return (bytes + TRI_ALIGNMENT - 1) / TRI_ALIGNMENT * TRI_ALIGNMENT;
}

static bool live_together(const tri__operand *a, const tri__operand *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* The lowest offset at which operand overlaps none of those packed so far: after each overlap it moves up, and looks at all of them
 * again. */
static size_t lowest_offset(const tri_plan *plan, const tri__operand *operand, const entry *packed, int count)
{
    size_t offset = 0;
    for (int i = 0; i < count; i++) {
        const tri__operand *other = &plan->operand[packed[i].operand];
        bool apart = offset + operand->bytes <= other->offset || other->offset + other->bytes <= offset;
        if (apart || !live_together(operand, other))
            continue;
        offset = aligned(other->offset + other->bytes);
        i = -1;
    }
    return offset;
}

/* Pack all operands in this order; returns the bytes that they take. */
static size_t pack_in_order(tri_plan *plan, const entry *list, int count)
{
    size_t bytes = 0;
    for (int i = 0; i < count; i++) {
        tri__operand *operand = &plan->operand[list[i].operand];
        operand->offset = lowest_offset(plan, operand, list, i);
        if (operand->offset + operand->bytes > bytes)
            bytes = operand->offset + operand->bytes;
    }
    return bytes;
}

static int list_entries(const tri_plan *plan, entry *list)
{
    int count = 0;
    for (int v = 0; v < plan->operands; v++) {
        const tri__operand *operand = &plan->operand[v];
        if (operand->root == v && operand->where == TRI_IN_BUFFER && operand->first >= 0)
            list[count++] = (entry){v, operand->bytes, operand->first, operand->last - operand->first + 1};
    }
    return count;
}

tri_status tri__plan_pack_buffer(tri_plan *plan)
{
    if (!(plan->options.without & TRI_PLAN_IN_PLACE))
        share_in_place(plan);
    entry *list;
    TRI_TRY(tri__allocate((size_t)plan->operands + 1, sizeof *list, "a plan", &list));
    const int count = list_entries(plan, list), last = sizeof orders / sizeof *orders;
    int best = 0;
    plan->bytes = SIZE_MAX;
    for (int i = 0; i <= last; i++) { /* at the end once more, in the best order */
        qsort(list, (size_t)count, sizeof *list, orders[i < last ? i : best]);
        const size_t bytes = pack_in_order(plan, list, count);
        if (bytes < plan->bytes) {
            plan->bytes = bytes;
            best = i;
        }
    }
    free(list);
    return tri__buffer_allocate(plan->bytes ? plan->bytes : 1, "a plan's activations", &plan->buffer);
}
