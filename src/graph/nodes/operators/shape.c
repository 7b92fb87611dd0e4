/* shape.c: the same elements in another shape. In a plan these operators cost nothing: the result is the input's memory. */
#include "graph/nodes/operators/row.h"

#include <inttypes.h>
#include <string.h>

void tri__copy_forward(const tri__call *call)
{
    if (call->out.data != call->in[0].data)
        memcpy(call->out.data, call->in[0].data, (size_t)tri_shape_count(call->out.shape) * sizeof(float));
}

/* [n][…] → [n][the rest] */
static tri_status flatten_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "x", TRI_F32, TRI_ANY_RANK));
    const tri_shape x = node->input[0]->shape;
    if (x.rank < 1)
        return tri__refuse(node, "x is a scalar, expected a batch: [n] or more");
    return tri__give(node, TRI_SHAPE(x.dim[0], tri__dims_product(x, 1, x.rank)), type, shape);
}

/* A first dimension of 0 stands for the input's first dimension, so that the same attributes fit every batch. */
static tri_status reshape_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "x", TRI_F32, TRI_ANY_RANK));
    const tri_shape x = node->input[0]->shape;
    tri_shape y = node->attributes.shape;
    const bool keeps_batch = y.rank > 0 && y.dim[0] == 0 && x.rank > 0;
    if (keeps_batch)
        y.dim[0] = x.dim[0];
    TRI_TRY(tri__give(node, y, type, shape));
    const int64_t from = tri__dims_product(x, keeps_batch, x.rank), to = tri__dims_product(y, keeps_batch, y.rank);
    if (from != to)
        return tri__refuse(node, "%s cannot be seen as %s: %" PRId64 " elements%s are not %" PRId64, TRI_TEXT(x), TRI_TEXT(y), from,
                           keeps_batch ? " an example" : "", to);
    return NULL;
}

/* dx is dy in the shape of x. Where the forward node kept the batch, so does this one. */
static tri_status view_backward(tri_graph *graph, tri_node *node, bool keeps_batch, tri_node *dy, tri_node **dx)
{
    tri_attributes back = {.shape = node->input[0]->shape};
    if (keeps_batch)
        back.shape.dim[0] = 0;
    return tri__graph_make(graph, "reshape", &back, node, &dx[0], dy, NULL, NULL, NULL);
}

static tri_status flatten_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? view_backward(graph, node, true, dy, dx) : NULL;
}

static tri_status reshape_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    const tri_shape asked = node->attributes.shape;
    const bool keeps_batch = asked.rank > 0 && asked.dim[0] == 0 && node->input[0]->shape.rank > 0;
    return wanted[0] ? view_backward(graph, node, keeps_batch, dy, dx) : NULL;
}

static const tri_operator flatten_row = {
    .name = "flatten",
    .least = 1,
    .most = 1,
    .keys = "",
    .shape = flatten_shape,
    .forward = tri__copy_forward,
    .backward = flatten_backward,
    .view = true,
};

static const tri_operator reshape_row = {
    .name = "reshape",
    .least = 1,
    .most = 1,
    .keys = "shape",
    .shape = reshape_shape,
    .forward = tri__copy_forward,
    .backward = reshape_backward,
    .view = true,
};

const tri_operator *const tri__shape_operators[] = {
    &flatten_row,
    &reshape_row,
    NULL,
};
