/* autodiff.c: the chain rule, from the loss backwards.
 *
 * First mark the nodes through which a wanted node reaches the loss; then walk them in reverse order of making (an order in which
 * every user of a node comes before it), let each operator's row turn dy into its dx, and sum where a node has several users. */
#include "graph/rewrite/autodiff.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/nodes/operator.h"
#include "graph/rewrite/guard.h"

/* Wanted are parameters that are not frozen, float inputs where asked for, and all nodes that are computed from these. */
static void mark_wanted(const tri_graph *graph, bool inputs, bool *wanted)
{
    for (int i = 0; i < graph->count; i++) {
        const tri_node *node = graph->node[i];
        wanted[i] = (tri__node_is(node, "parameter") && !node->frozen) || node->table >= 0 ||
                    (inputs && tri__node_is(node, "input") && node->type == TRI_F32);
        for (int k = 0; k < node->inputs; k++)
            wanted[i] |= node->type == TRI_F32 && wanted[node->input[k]->id];
    }
}

/* Add dx to the gradient that other users of the node gave so far. */
static tri_status accumulate(tri_graph *graph, tri_node **total, tri_node *dx)
{
    if (*total)
        return tri__graph_make(graph, "add", NULL, NULL, total, *total, dx, NULL, NULL);
    *total = dx;
    return NULL;
}

/* Only one operator may read a table: its gradient node writes the gradient where the rows are. */
static tri_status add_gradient(tri_graph *graph, const tri_node *input, tri_node *dx, tri_node **gradient)
{
    if (input->table >= 0 && gradient[input->id])
        return tri_fail(TRI_BAD_CALL, "two operators read the table '%s'; give each a table of its own", input->name);
    return accumulate(graph, &gradient[input->id], dx);
}

/* A gradient that leaves a branch of a cond is dx where the branch was taken, and zeros where it was not. */
static tri_status leave_branches(tri_graph *graph, const tri__guard *from, const tri__guard *to, tri_node **dx)
{
    tri_node *zero;
    for (; from != to; from = from->outer) {
        TRI_TRY(tri__graph_make(graph, "constant", &(tri_attributes){.shape = (*dx)->shape}, NULL, &zero, NULL, NULL, NULL, NULL));
        TRI_TRY(tri__graph_make(graph, "cond", NULL, NULL, dx, from->predicate, from->taken ? *dx : zero, from->taken ? zero : *dx, NULL));
    }
    return NULL;
}

static tri_status differentiate(tri_graph *graph, tri_node *node, const bool *wanted, const tri__guard *const *guard, tri_node **gradient)
{
    bool want[TRI_MAX_INPUTS] = {false};
    bool any = false;
    for (int i = 0; i < node->inputs; i++)
        any |= want[i] = wanted[node->input[i]->id];
    if (!any)
        return NULL;
    if (!node->op->backward)
        return tri_fail(TRI_BAD_CALL, "'%s' (%s) has no derivative, but a parameter lies behind it", node->name, node->op->name);
    tri_node *dx[TRI_MAX_INPUTS] = {NULL};
    TRI_TRY(node->op->backward(graph, node, gradient[node->id], want, dx));
    for (int i = 0; i < node->inputs; i++)
        if (want[i] && dx[i]) {
            TRI_TRY(leave_branches(graph, guard[node->id], tri__guard_common(guard[node->id], guard[node->input[i]->id]), &dx[i]));
            TRI_TRY(add_gradient(graph, node->input[i], dx[i], gradient));
        }
    return NULL;
}

/* Whether the node has memory of its own, and is no other parameter's gradient, so that it can be written straight into the gradient
 * buffer. */
static bool is_own_result(const tri_node *node)
{
    return node->inputs > 0 && !node->op->view && !node->parameter;
}

/* Mark each parameter's gradient. Where the node is not its own result (one dy may be the gradient of two parameters), mark a copy of
 * it. */
static tri_status mark_parameters(tri_graph *graph, int count, tri_node **gradient)
{
    const tri_attributes once = {.scale = 1.0f};
    for (int i = 0; i < count; i++) {
        const tri_node *node = graph->node[i];
        if (!gradient[i] || node->frozen || !(tri__node_is(node, "parameter") || node->table >= 0))
            continue;
        if (!is_own_result(gradient[i]))
            TRI_TRY(tri__graph_make(graph, "multiply", &once, NULL, &gradient[i], gradient[i], NULL, NULL, NULL));
        gradient[i]->parameter = graph->node[i];
    }
    return NULL;
}

static tri_status walk(tri_graph *graph, tri_node *loss, const bool *wanted, const tri__guard *const *guard, int count, tri_node **gradient)
{
    tri_attributes one = {.value = 1.0f};
    TRI_TRY(tri__graph_make(graph, "constant", &one, NULL, &gradient[loss->id], NULL, NULL, NULL, NULL));
    for (int i = loss->id; i >= 0; i--)
        if (gradient[i] && wanted[i])
            TRI_TRY(differentiate(graph, graph->node[i], wanted, guard, gradient));
    return mark_parameters(graph, count, gradient);
}

tri_status tri__graph_gradients(tri_graph *graph, tri_node *loss, bool inputs, tri_node **gradient)
{
    if (loss->shape.rank != 0 || loss->type != TRI_F32)
        return tri_fail(TRI_BAD_CALL, "the loss '%s' must be a scalar to be differentiated", loss->name);
    int count = graph->count;
    bool *wanted;
    const tri__guard **guard;
    int guards;
    TRI_TRY(tri__allocate((size_t)count + 1, sizeof(tri__guard *), "differentiation", &guard));
    tri_status status = tri__allocate((size_t)count, sizeof *wanted, "differentiation", &wanted);
    if (!status)
        status = tri__graph_find_guards(graph, guard, &guards);
    if (status) {
        free(guard);
        return status;
    }
    memset(gradient, 0, (size_t)count * sizeof *gradient);
    mark_wanted(graph, inputs, wanted);
    status = walk(graph, loss, wanted, guard, count, gradient);
    free(wanted);
    free(guard);
    return status;
}
