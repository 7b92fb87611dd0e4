/* schedule.c: where a plan calls the store.
 *
 * A parameter is awaited before the first call that reads it, and offered after the last call that reads it or touches its gradient.
 * Neighbours in the flat buffer that are awaited or offered at the same call are joined, unless their gradients stand apart in the plan's
 * buffer. */
#include "graph/plan/schedule.h"

#include <stdlib.h>

#include "base/memory/memory.h"
#include "graph/rewrite/rewrite.h"
#include "graph/store/store.h"

/* By call, then by address. */
static int in_order(const void *a, const void *b)
{
    const tri__store_call *x = a, *y = b;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    if (x->table != y->table)
        return x->table < y->table ? -1 : 1;
    return (x->range.first > y->range.first) - (x->range.first < y->range.first);
}

/* Sort, and join neighbouring ranges of the same call. Returns how many are left. */
static int join(tri__store_call *list, int count)
{
    qsort(list, (size_t)count, sizeof *list, in_order);
    int joined = 0;
    for (int i = 0; i < count; i++) {
        tri__store_call *last = joined ? &list[joined - 1] : NULL;
        if (last && last->call == list[i].call && last->gradient < 0 && last->table < 0 && list[i].table < 0 &&
            last->range.first + last->range.count == list[i].range.first)
            last->range.count += list[i].range.count;
        else
            list[joined++] = list[i];
    }
    return joined;
}

/* A parameter's range up to the next parameter, alignment included. Together these ranges are the whole buffer. */
static tri_range whole_range(const tri_graph *graph, const tri_node *parameter)
{
    size_t end = graph->parameter_floats;
    for (int i = 0; i < graph->count; i++) {
        const tri_node *other = graph->node[i];
        if (tri__node_is(other, "parameter") && other->range.first > parameter->range.first && other->range.first < end)
            end = other->range.first;
    }
    return (tri_range){parameter->range.first, end - parameter->range.first};
}

/* First and last call that touch memory of the store; −1 where none does. */
static void find_touches(const tri_plan *plan, const void *data, int *first, int *last)
{
    *first = *last = -1;
    for (int v = 0; v < plan->operands; v++) {
        const tri__operand *operand = &plan->operand[v];
        if (operand->where != TRI_FIXED || operand->fixed != data || operand->root != v || operand->first < 0)
            continue;
        *first = *first < 0 || operand->first < *first ? operand->first : *first;
        *last = operand->last > *last ? operand->last : *last;
    }
}

/* The operand in the plan's buffer that is the parameter's gradient; −1 where the store has it, or there is none. */
static int lent_gradient(const tri_plan *plan, const tri_node *parameter)
{
    for (int v = 0; v < plan->operands; v++)
        if (plan->operand[v].offered && plan->operand[v].node->parameter == parameter)
            return v;
    return -1;
}

/* Where the store has the gradient. A parameter that nothing reads is offered last, because stores rely on every range. */
static void offer_kept(tri_plan *plan, const tri_node *node, int read_last)
{
    int first, last;
    find_touches(plan, tri_store_gradient(plan->store) + node->range.first, &first, &last);
    last = last > read_last ? last : read_last;
    plan->offer[plan->offers++] = (tri__store_call){last < 0 ? plan->calls - 1 : last, whole_range(plan->graph, node), -1, -1};
}

/* Where the plan has the gradient: it keeps it until the parameter was read for the last time. A parameter without a gradient is not
 * offered. */
static void offer_lent(tri_plan *plan, const tri_node *node, int read_last)
{
    int gradient = lent_gradient(plan, node);
    if (gradient < 0)
        return;
    tri__operand *root = &plan->operand[plan->operand[gradient].root];
    root->last = root->last > read_last ? root->last : read_last;
    plan->offer[plan->offers++] = (tri__store_call){root->last, node->range, gradient, -1};
}

/* A parameter that nothing reads is awaited first. */
static void schedule_parameter(tri_plan *plan, const tri_node *node)
{
    int read_first, read_last;
    find_touches(plan, tri_store_parameters(plan->store) + node->range.first, &read_first, &read_last);
    plan->await[plan->awaits++] = (tri__store_call){read_first < 0 ? 0 : read_first, whole_range(plan->graph, node), -1, -1};
    if (tri_store_gradient(plan->store))
        offer_kept(plan, node, read_last);
    else
        offer_lent(plan, node, read_last);
}

/* A table's rows are awaited before the first call that reads them, and offered after the last call that reads them or their gradient. A
 * table that the loss does not depend on is neither awaited nor offered. */
static void schedule_table(tri_plan *plan, const tri_node *node)
{
    int first = -1, last = -1;
    bool trained = false;
    for (int v = 0; v < plan->operands; v++) {
        const tri__operand *operand = &plan->operand[v];
        if (operand->where != TRI_IN_TABLE || operand->first < 0 || (operand->node != node && operand->node->parameter != node))
            continue;
        trained |= operand->node->parameter == node;
        first = first < 0 || operand->first < first ? operand->first : first;
        last = operand->last > last ? operand->last : last;
    }
    if (!trained)
        return;
    plan->await[plan->awaits++] = (tri__store_call){.call = first, .gradient = -1, .table = node->table};
    plan->offer[plan->offers++] = (tri__store_call){.call = last, .gradient = -1, .table = node->table};
}

static tri_status arrange_store(const tri_plan *plan)
{
    tri_range *ranges;
    if (!plan->offers)
        return NULL;
    TRI_TRY(tri__allocate((size_t)plan->offers, sizeof *ranges, "a plan", &ranges));
    int count = 0;
    unsigned tables = 0;
    for (int i = 0; i < plan->offers; i++)
        if (plan->offer[i].table < 0)
            ranges[count++] = plan->offer[i].range;
        else
            tables |= 1U << plan->offer[i].table;
    tri_status status = tri__store_arrange(plan->store, ranges, count, tables);
    free(ranges);
    return status;
}

tri_status tri__plan_schedule(tri_plan *plan)
{
    size_t most = (size_t)plan->graph->count + 1;
    TRI_TRY(tri__allocate(most, sizeof *plan->await, "a plan", &plan->await));
    TRI_TRY(tri__allocate(most, sizeof *plan->offer, "a plan", &plan->offer));
    if (!plan->options.training)
        return NULL;
    for (int i = 0; i < plan->graph->count; i++)
        if (tri__node_is(plan->graph->node[i], "parameter"))
            schedule_parameter(plan, plan->graph->node[i]);
        else if (plan->graph->node[i]->table >= 0)
            schedule_table(plan, plan->graph->node[i]);
    plan->awaits = join(plan->await, plan->awaits);
    plan->offers = join(plan->offer, plan->offers);
    return arrange_store(plan);
}
