/* normalise.c: softmax over classes, local response normalisation over channels. */
#include "graph/nodes/operators/row.h"

#include <inttypes.h>

#include "tensor/ref/ref.h"

static tri_status softmax_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "x", TRI_F32, 2));
    if (node->input[0]->shape.dim[1] < 1)
        return tri__refuse(node, "x is %s, expected at least one class", TRI_TEXT(node->input[0]->shape));
    return tri__unary_shape(node, type, shape);
}

static void softmax_forward(const tri__call *call)
{
    const int64_t *d = call->out.shape.dim;
    tri__ref_softmax(d[0], d[1], call->in[0].data, call->out.data);
}

static tri_status softmax_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "softmax_grad", NULL, node, &dx[0], dy, node, NULL, NULL) : NULL;
}

static tri_status softmax_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "dy", TRI_F32, 2));
    return tri__binary_shape(node, type, shape);
}

static void softmax_grad_forward(const tri__call *call)
{
    const int64_t *d = call->out.shape.dim;
    tri__ref_softmax_grad(d[0], d[1], call->in[0].data, call->in[1].data, call->out.data);
}

/* Defaults are PyTorch's, and AlexNet's window. */
static tri_status lrn_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    tri_attributes *a = &node->attributes;
    a->size = a->size ? a->size : 5;
    a->alpha = a->alpha != 0 ? a->alpha : 1e-4f;
    a->beta = a->beta != 0 ? a->beta : 0.75f;
    a->bias = a->bias != 0 ? a->bias : 1;
    TRI_TRY(tri__unary_shape(node, type, shape));
    if (shape->rank < 2)
        return tri__refuse(node, "x is %s, expected a batch with channels: [n][c] or more", TRI_TEXT(*shape));
    if (a->size < 1)
        return tri__refuse(node, "size is %" PRId64 ", expected at least 1 channel", a->size);
    return NULL;
}

static tri__ref_lrn_shape lrn_of(const tri__call *call)
{
    const tri_attributes *a = &call->node->attributes;
    const tri_shape x = call->out.shape;
    return (tri__ref_lrn_shape){
        .n = x.dim[0],
        .c = x.dim[1],
        .inner = tri__dims_product(x, 2, x.rank),
        .size = a->size,
        .alpha = a->alpha,
        .beta = a->beta,
        .bias = a->bias,
    };
}

static void lrn_forward(const tri__call *call)
{
    const tri__ref_lrn_shape s = lrn_of(call);
    tri__ref_lrn(&s, call->in[0].data, call->out.data);
}

static tri_status lrn_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "lrn_grad", &node->attributes, node, &dx[0], dy, node->input[0], NULL, NULL) : NULL;
}

static tri_status lrn_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(lrn_shape(node, type, shape));
    return tri__expect_shape(node, 1, "x", TRI_F32, *shape);
}

static void lrn_grad_forward(const tri__call *call)
{
    const tri__ref_lrn_shape s = lrn_of(call);
    tri__ref_lrn_grad(&s, call->in[0].data, call->in[1].data, call->out.data);
}

/* Normalises over all values of an example; scale and shift have the shape of an example. */
static tri_status layer_norm_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    tri_attributes *a = &node->attributes;
    a->epsilon = a->epsilon != 0 ? a->epsilon : 1e-5F;
    TRI_TRY(tri__expect(node, 0, "x", TRI_F32, TRI_ANY_RANK));
    const tri_shape x = node->input[0]->shape;
    if (x.rank < 2 || tri__dims_product(x, 1, x.rank) < 1)
        return tri__refuse(node, "x is %s, expected a batch with values: [n][features] or more", TRI_TEXT(x));
    if (!(a->epsilon > 0))
        return tri__refuse(node, "epsilon is %g, expected a number above 0", (double)a->epsilon);
    const tri_shape example = tri_shape_of(x.rank - 1, x.dim + 1);
    TRI_TRY(tri__expect_shape(node, 1, "scale", TRI_F32, example));
    TRI_TRY(tri__expect_shape(node, 2, "shift", TRI_F32, example));
    return tri__give(node, x, type, shape);
}

static int64_t width_of(tri_shape x)
{
    return tri__dims_product(x, 1, x.rank);
}

static void layer_norm_forward(const tri__call *call)
{
    const tri_shape x = call->out.shape;
    tri__ref_layer_norm(x.dim[0], width_of(x), call->node->attributes.epsilon, call->in[0].data, call->in[1].data, call->in[2].data,
                        call->out.data);
}

static tri_status layer_norm_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    const tri_attributes *a = &node->attributes;
    tri_node *x = node->input[0], *scale = node->input[1];
    if (wanted[0])
        TRI_TRY(tri__graph_make(graph, "layer_norm_grad", a, node, &dx[0], dy, x, scale, NULL));
    if (wanted[1])
        TRI_TRY(tri__graph_make(graph, "layer_norm_grad_scale", a, node, &dx[1], dy, x, NULL, NULL));
    return wanted[2] ? tri__graph_make(graph, "sum", &(tri_attributes){.axis = 0}, NULL, &dx[2], dy, NULL, NULL, NULL) : NULL;
}

static tri_status layer_norm_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect_shape(node, 1, "x", TRI_F32, node->input[0]->shape));
    return tri__give(node, node->input[0]->shape, type, shape);
}

static void layer_norm_grad_forward(const tri__call *call)
{
    const tri_shape x = call->out.shape;
    tri__ref_layer_norm_grad(x.dim[0], width_of(x), call->node->attributes.epsilon, call->in[0].data, call->in[1].data, call->in[2].data,
                             call->out.data);
}

static tri_status layer_norm_grad_scale_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    const tri_shape x = node->input[0]->shape;
    TRI_TRY(tri__expect_shape(node, 1, "x", TRI_F32, x));
    return tri__give(node, tri_shape_of(x.rank - 1, x.dim + 1), type, shape);
}

static void layer_norm_grad_scale_forward(const tri__call *call)
{
    const tri_shape x = call->in[0].shape;
    tri__ref_layer_norm_grad_scale(x.dim[0], width_of(x), call->node->attributes.epsilon, call->in[0].data, call->in[1].data,
                                   call->out.data);
}

static const tri_operator layer_norm_row = {
    .name = "layer_norm",
    .least = 3,
    .most = 3,
    .keys = "epsilon",
    .shape = layer_norm_shape,
    .forward = layer_norm_forward,
    .backward = layer_norm_backward,
};

static const tri_operator layer_norm_grad_row = {.name = "layer_norm_grad",
                                                 .least = 3,
                                                 .most = 3,
                                                 .keys = "epsilon",
                                                 .shape = layer_norm_grad_shape,
                                                 .forward = layer_norm_grad_forward};

static const tri_operator layer_norm_grad_scale_row = {.name = "layer_norm_grad_scale",
                                                       .least = 2,
                                                       .most = 2,
                                                       .keys = "epsilon",
                                                       .shape = layer_norm_grad_scale_shape,
                                                       .forward = layer_norm_grad_scale_forward};

static const tri_operator softmax_row = {
    .name = "softmax",
    .least = 1,
    .most = 1,
    .keys = "",
    .shape = softmax_shape,
    .forward = softmax_forward,
    .backward = softmax_backward,
    .in_place = 1,
    .by_row = true,
};

static const tri_operator softmax_grad_row = {
    .name = "softmax_grad",
    .least = 2,
    .most = 2,
    .keys = "",
    .shape = softmax_grad_shape,
    .forward = softmax_grad_forward,
    .in_place = 1,
    .by_row = true,
};

static const tri_operator lrn_row = {
    .name = "lrn",
    .least = 1,
    .most = 1,
    .keys = "size alpha beta bias",
    .shape = lrn_shape,
    .forward = lrn_forward,
    .backward = lrn_backward,
    .by_row = true,
};

static const tri_operator lrn_grad_row = {
    .name = "lrn_grad",
    .least = 2,
    .most = 2,
    .keys = "size alpha beta bias",
    .shape = lrn_grad_shape,
    .forward = lrn_grad_forward,
    .by_row = true,
};

const tri_operator *const tri__normalise_operators[] = {
    &softmax_row, &softmax_grad_row, &lrn_row, &lrn_grad_row, &layer_norm_row, &layer_norm_grad_row, &layer_norm_grad_scale_row, NULL,
};
