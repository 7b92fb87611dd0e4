/* exchange.c: values that cross from one task to another, where a graph is cut by place. A plan moves them (placed/lower_exchange.c). */
#include "graph/operators/row.h"

static tri_status send_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    *type = node->input[0]->type;
    *shape = node->input[0]->shape;
    return NULL;
}

/* The cut puts in the type. */
static tri_status receive_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return tri__give(node, node->attributes.shape, type, shape);
}

static const tri_operator send_row = {.name = "send", .least = 1, .most = 1, .keys = "", .shape = send_shape, .volatile_ = true};

static const tri_operator receive_row = {.name = "receive", .keys = "", .shape = receive_shape, .volatile_ = true};

const tri_operator *const tri__exchange_operators[] = {&send_row, &receive_row, NULL};
