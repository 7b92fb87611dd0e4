/* exchange.c: values that cross from one task to another, where a graph is cut by place. A plan moves them
 * (graph/plan/lower_exchange.c). */
#include "graph/nodes/operators/row.h"

/* The result has the shape of the input: send has no other result, and receive gives the value that was expected. */
static tri_status passed_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    *type = node->input[0]->type;
    *shape = node->input[0]->shape;
    return NULL;
}

/* graph/placed/cut.c sets the type. */
static tri_status expected_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return tri__give(node, node->attributes.shape, type, shape);
}

static const tri_operator send_row = {.name = "send", .least = 1, .most = 1, .keys = "", .shape = passed_shape, .volatile_ = true};

/* Memory for a value of another task, ready to take it. */
static const tri_operator expect_row = {.name = "expect", .keys = "", .shape = expected_shape, .volatile_ = true};

static const tri_operator receive_row = {.name = "receive", .least = 1, .most = 1, .keys = "", .shape = passed_shape, .volatile_ = true};

const tri_operator *const tri__exchange_operators[] = {&send_row, &expect_row, &receive_row, NULL};
