/* plan_parts.c: parts of a batch, and the sum of their gradients. */
#include "graph/plan/plan_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes/vector.h"
#include "base/memory/memory.h"

tri_status tri__plan_parts_init(tri_plan *plan)
{
    if (plan->sparse)
        return tri_fail(TRI_UNSUPPORTED, "a step of a sparse model is not computed in parts: its memory hardly depends on the batch, so a "
                                         "larger batch does the same");
    return tri__buffer_allocate(tri_store_floats(plan->store) * sizeof *plan->sum, "the gradients of a step's parts", &plan->sum);
}

tri_status tri__plan_parts_check(const tri_plan *plan, const tri_batch *batch)
{
    const int64_t rows = plan->options.batch * plan->options.parts;
    if (!batch || batch->rows == rows)
        return NULL;
    return tri_fail(TRI_BAD_CALL, "a batch has %" PRId64 " rows, the plan was made for %" PRId64 " parts of %" PRId64, batch->rows,
                    plan->options.parts, plan->options.batch);
}

int64_t tri__plan_parts_of(const tri_plan *plan, const tri_batch *batch)
{
    if (!plan->sum || !batch)
        return plan->sum ? plan->options.parts : 1;
    const int64_t parts = (batch->count + plan->options.batch - 1) / plan->options.batch;
    return parts < 1 ? 1 : parts;
}

static size_t example_bytes(const tri_plan *plan)
{
    for (int i = 0; i < plan->graph->count; i++) {
        const tri_node *node = plan->graph->node[i];
        if (tri__node_is(node, "input") && !strcmp(node->name, "x"))
            return tri__node_bytes(node) / (size_t)plan->options.batch;
    }
    return 0;
}

tri_batch tri__plan_part(const tri_plan *plan, const tri_batch *batch, int64_t number)
{
    if (!batch)
        return (tri_batch){0};
    tri_batch part = *batch;
    if (!plan->sum)
        return part;
    const int64_t rows = plan->options.batch, first = number * rows, left = batch->count - first;
    part.rows = rows;
    part.count = left < 0 ? 0 : left < rows ? left : rows;
    part.x = batch->x ? (const char *)batch->x + (size_t)first * example_bytes(plan) : NULL;
    part.at = batch->at ? batch->at + first : NULL;
    part.labels = batch->labels ? batch->labels + first : NULL;
    part.targets = batch->targets ? batch->targets + first * batch->outputs : NULL;
    part.weights = batch->weights ? batch->weights + first : NULL;
    part.ids = batch->ids ? batch->ids + first : NULL;
    return part;
}

/* to ← to + from */
TRI_FOR_EVERY_CPU static void add(float *restrict to, const float *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

bool tri__plan_parts_add(tri_plan *plan, const tri__store_call *offer, tri__part part)
{
    if (!plan->sum || (part.first && part.last))
        return true;
    float *sum = plan->sum + offer->range.first;
    float *gradient = offer->gradient < 0 ? tri_store_gradient(plan->store) + offer->range.first
                                          : (float *)((char *)plan->buffer + plan->operand[plan->operand[offer->gradient].root].offset);
    if (part.first)
        memcpy(sum, gradient, offer->range.count * sizeof *sum);
    else
        add(part.last ? gradient : sum, part.last ? sum : gradient, offer->range.count);
    return part.last;
}
