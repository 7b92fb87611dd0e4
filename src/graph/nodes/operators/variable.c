/* variable.c: operators that change a variable, which is a parameter, or an input of a graph file. A node that reads the variable itself in
 * that run gets the value from before the run. The new value is the result of the operator's node; a plan writes it to the variable when
 * the run ends (graph/plan/plan.c). */
#include "graph/nodes/operators/row.h"

#include <string.h>

#include "tensor/ref/ref.h"

static tri_status assign_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    const tri_node *variable = node->input[0];
    if (!tri__node_is(variable, "parameter"))
        return tri__refuse(node, "'%s' (%s) is no variable; begin with the name of a parameter", variable->name, variable->op->name);
    TRI_TRY(tri__expect_shape(node, 1, "the value", TRI_F32, variable->shape));
    return tri__give(node, variable->shape, type, shape);
}

/* The new value is the second input. */
static void assign_forward(const tri__call *call)
{
    memcpy(call->out.data, call->in[1].data, (size_t)tri_shape_count(call->out.shape) * sizeof(float));
}

static void assign_add_forward(const tri__call *call)
{
    const int64_t count = tri_shape_count(call->out.shape);
    tri__ref_add(count, call->in[0].data, count, call->in[1].data, call->out.data);
}

static const tri_operator assign_row = {.name = "assign",
                                        .least = 2,
                                        .most = 2,
                                        .keys = "",
                                        .shape = assign_shape,
                                        .forward = assign_forward,
                                        .volatile_ = true,
                                        .assigns = true,
                                        .no_gradient = true};

static const tri_operator assign_add_row = {.name = "assign_add",
                                            .least = 2,
                                            .most = 2,
                                            .keys = "",
                                            .shape = assign_shape,
                                            .forward = assign_add_forward,
                                            .volatile_ = true,
                                            .assigns = true,
                                            .no_gradient = true};

const tri_operator *const tri__variable_operators[] = {&assign_row, &assign_add_row, NULL};
