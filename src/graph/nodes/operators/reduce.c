/* reduce.c: sums over dimensions, broadcasts, which are their gradients, and the bias, whose gradient is a sum. */
#include "graph/nodes/operators/row.h"

#include <inttypes.h>

#include "tensor/ref/ref.h"

/* A shape as [outer][length][inner] around the axis that is reduced; where all axes are, the whole shape is one axis. */
typedef struct {
    int64_t outer, length, inner;
} split;

static split split_at(tri_shape shape, int64_t axis)
{
    if (axis == TRI_AXIS_ALL)
        return (split){1, tri_shape_count(shape), 1};
    return (split){tri__dims_product(shape, 0, (int)axis), shape.dim[axis], tri__dims_product(shape, (int)axis + 1, shape.rank)};
}

static tri_shape without_axis(tri_shape shape, int64_t axis)
{
    tri_shape rest = {0};
    for (int i = 0; i < shape.rank && axis != TRI_AXIS_ALL; i++)
        if (i != axis)
            rest.dim[rest.rank++] = shape.dim[i];
    return rest;
}

static tri_status reduce_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "x", TRI_F32, TRI_ANY_RANK));
    const tri_shape x = node->input[0]->shape;
    const int64_t axis = node->attributes.axis;
    if (axis != TRI_AXIS_ALL && (axis < 0 || axis >= x.rank))
        return tri__refuse(node, "x is %s and has no axis %" PRId64 "; axes count from 0, and axis=-1 is all of them", TRI_TEXT(x), axis);
    return tri__give(node, without_axis(x, axis), type, shape);
}

static void sum_forward(const tri__call *call)
{
    const split s = split_at(call->in[0].shape, call->node->attributes.axis);
    tri__ref_sum(s.outer, s.length, s.inner, 1, call->in[0].data, call->out.data);
}

/* The mean of no elements is 0, so that an empty batch does not count. */
static float mean_scale(split s)
{
    return s.length > 0 ? (float)(1 / (double)s.length) : 1;
}

static void mean_forward(const tri__call *call)
{
    const split s = split_at(call->in[0].shape, call->node->attributes.axis);
    tri__ref_sum(s.outer, s.length, s.inner, mean_scale(s), call->in[0].data, call->out.data);
}

static tri_status sum_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    const tri_attributes spread = {.axis = node->attributes.axis, .scale = 1};
    return wanted[0] ? tri__graph_make(graph, "broadcast", &spread, node, &dx[0], dy, NULL, NULL, NULL) : NULL;
}

static tri_status mean_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    const float scale = mean_scale(split_at(node->input[0]->shape, node->attributes.axis));
    const tri_attributes spread = {.axis = node->attributes.axis, .scale = scale};
    return wanted[0] ? tri__graph_make(graph, "broadcast", &spread, node, &dx[0], dy, NULL, NULL, NULL) : NULL;
}

/* The result has the shape of the input that was summed. */
static tri_status broadcast_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    tri_shape x;
    TRI_TRY(tri__forward_input(node, 0, &x));
    TRI_TRY(tri__expect_shape(node, 0, "dy", TRI_F32, without_axis(x, node->attributes.axis)));
    if (node->attributes.scale == 0)
        node->attributes.scale = 1;
    return tri__give(node, x, type, shape);
}

static void broadcast_forward(const tri__call *call)
{
    const split s = split_at(call->out.shape, call->node->attributes.axis);
    tri__ref_broadcast(s.outer, s.length, s.inner, call->node->attributes.scale, call->in[0].data, call->out.data);
}

static tri_status expect_channels(const tri_node *node, const char *what)
{
    TRI_TRY(tri__expect(node, 0, what, TRI_F32, TRI_ANY_RANK));
    if (node->input[0]->shape.rank < 2)
        return tri__refuse(node, "%s is %s, expected a batch with channels: [n][c] or more", what, TRI_TEXT(node->input[0]->shape));
    return NULL;
}

/* x [n][c][…] + b [c] */
static tri_status bias_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(expect_channels(node, "x"));
    TRI_TRY(tri__expect_shape(node, 1, "b", TRI_F32, TRI_SHAPE(node->input[0]->shape.dim[1])));
    return tri__give(node, node->input[0]->shape, type, shape);
}

static void bias_forward(const tri__call *call)
{
    const split s = split_at(call->out.shape, 1);
    tri__ref_bias(s.outer, s.length, s.inner, call->in[0].data, call->in[1].data, call->out.data);
}

/* dx = dy, db = Σ over all axes but the channels of dy */
static tri_status bias_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    if (wanted[0])
        dx[0] = dy;
    return wanted[1] ? tri__graph_make(graph, "bias_grad", NULL, node, &dx[1], dy, NULL, NULL, NULL) : NULL;
}

static tri_status bias_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(expect_channels(node, "dy"));
    return tri__give(node, TRI_SHAPE(node->input[0]->shape.dim[1]), type, shape);
}

static void bias_grad_forward(const tri__call *call)
{
    const split s = split_at(call->in[0].shape, 1);
    tri__ref_bias_grad(s.outer, s.length, s.inner, call->in[0].data, call->out.data);
}

static const tri_operator sum_row = {
    .name = "sum", .least = 1, .most = 1, .keys = "axis", .shape = reduce_shape, .forward = sum_forward, .backward = sum_backward};

static const tri_operator mean_row = {
    .name = "mean", .least = 1, .most = 1, .keys = "axis", .shape = reduce_shape, .forward = mean_forward, .backward = mean_backward};

static const tri_operator broadcast_row = {
    .name = "broadcast", .least = 1, .most = 1, .keys = "axis scale", .shape = broadcast_shape, .forward = broadcast_forward};

static const tri_operator bias_row = {
    .name = "bias",
    .least = 2,
    .most = 2,
    .keys = "",
    .shape = bias_shape,
    .forward = bias_forward,
    .backward = bias_backward,
    .in_place = 1,
};

static const tri_operator bias_grad_row = {
    .name = "bias_grad", .least = 1, .most = 1, .keys = "", .shape = bias_grad_shape, .forward = bias_grad_forward};

const tri_operator *const tri__reduce_operators[] = {
    &sum_row, &mean_row, &broadcast_row, &bias_row, &bias_grad_row, NULL,
};
