/* control.c: cond, which chooses one of two values, and loops. A plan skips nodes that only the other value needs (graph/rewrite/guard.h),
 * and makes a plan of its own for the body of a loop (graph/plan/lower_loop.c). */
#include "graph/nodes/operators/row.h"

#include <math.h>
#include <string.h>

#include "graph/nodes/loop.h"

static tri_status cond_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "the condition", TRI_F32, TRI_ANY_RANK));
    TRI_TRY(tri__expect(node, 1, "the value above 0", TRI_F32, TRI_ANY_RANK));
    if (tri_shape_count(node->input[0]->shape) != 1)
        return tri__refuse(node, "the condition ('%s') is %s, expected one number", node->input[0]->name, TRI_TEXT(node->input[0]->shape));
    TRI_TRY(tri__expect_shape(node, 2, "the value otherwise", TRI_F32, node->input[1]->shape));
    return tri__give(node, node->input[1]->shape, type, shape);
}

/* y = a where p > 0, else b; NaN where p is NaN */
static void cond_forward(const tri__call *call)
{
    const float *p = call->in[0].data;
    const int64_t count = tri_shape_count(call->out.shape);
    float *y = call->out.data;
    if (count == 0)
        return;
    memcpy(y, *p > 0 ? call->in[1].data : call->in[2].data, (size_t)count * sizeof *y);
    for (int64_t i = 0; i < count && isnan(*p); i++)
        y[i] = *p;
}

/* The branch that is taken gets dy, the other one zeros. The derivative by the condition is 0; where the condition changes sign there is
 * none. */
static tri_status cond_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    tri_node *zero;
    TRI_TRY(tri__graph_make(graph, "constant", &(tri_attributes){.shape = node->shape}, NULL, &zero, NULL, NULL, NULL, NULL));
    if (wanted[0])
        TRI_TRY(
            tri__graph_make(graph, "constant", &(tri_attributes){.shape = node->input[0]->shape}, NULL, &dx[0], NULL, NULL, NULL, NULL));
    if (wanted[1])
        TRI_TRY(tri__graph_make(graph, "cond", NULL, node, &dx[1], node->input[0], dy, zero, NULL));
    if (wanted[2])
        TRI_TRY(tri__graph_make(graph, "cond", NULL, node, &dx[2], node->input[0], zero, dy, NULL));
    return NULL;
}

static const tri_operator cond_row = {
    .name = "cond",
    .least = 3,
    .most = 3,
    .keys = "",
    .shape = cond_shape,
    .forward = cond_forward,
    .backward = cond_backward,
};

/* The result is all carried values, one after another. */
static tri_status while_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    const tri_graph *body = node->attributes.body;
    const tri_node *again = body->output[0].node, *value;
    if (tri_shape_count(again->shape) != 1)
        return tri__refuse(node, "'%s', which says whether there is another round, is %s, expected one number", again->name,
                           TRI_TEXT(again->shape));
    for (int i = 0; (value = tri__loop_input(body, i)) || i < node->inputs; i++) {
        if (!value || i >= node->inputs)
            return tri__refuse(node, "it has %d inputs, and its body another number of parameters", node->inputs);
        TRI_TRY(tri__expect_shape(node, i, value->name, TRI_F32, value->shape));
    }
    if (!tri__loop_carried(body, 0))
        return tri__refuse(node, "it carries nothing from round to round, and so would never end");
    return tri__give(node, TRI_SHAPE(tri__loop_offset(body, node->inputs)), type, shape);
}

static tri_status carried_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return tri__give(node, tri__loop_carried(node->input[0]->attributes.body, (int)node->attributes.index)->shape, type, shape);
}

static void carried_forward(const tri__call *call)
{
    const tri_node *node = call->node;
    const int64_t first = tri__loop_offset(node->input[0]->attributes.body, (int)node->attributes.index);
    memcpy(call->out.data, (const float *)call->in[0].data + first, (size_t)tri_shape_count(call->out.shape) * sizeof(float));
}

static const tri_operator while_row = {
    .name = "while",
    .least = 1,
    .most = TRI_MAX_INPUTS,
    .keys = "most",
    .shape = while_shape,
    .volatile_ = true,
    .no_gradient = true,
};

static const tri_operator carried_row = {
    .name = "carried",
    .least = 1,
    .most = 1,
    .keys = "",
    .shape = carried_shape,
    .forward = carried_forward,
    .no_gradient = true,
};

const tri_operator *const tri__control_operators[] = {&cond_row, &while_row, &carried_row, NULL};
