/* convolution.c: x [n][c][h][w] with w [o][c / groups][kernel][kernel] → y [n][o][oh][ow]. The weight's shape gives the kernel's size. */
#include "graph/nodes/operators/window.h"

#include <inttypes.h>

/* The kernel attribute may be left out; where it is given, it must fit the weight's shape. */
static tri_status take_kernel(tri_node *node, const int64_t *weight)
{
    int64_t *kernel = node->attributes.kernel;
    if (kernel[0] && (kernel[0] != weight[2] || (kernel[1] ? kernel[1] : kernel[0]) != weight[3]))
        return tri__refuse(node, "kernel is %" PRId64 "x%" PRId64 ", but the weight's is %" PRId64 "x%" PRId64, kernel[0],
                           kernel[1] ? kernel[1] : kernel[0], weight[2], weight[3]);
    kernel[0] = weight[2];
    kernel[1] = weight[3];
    return NULL;
}

static tri_status check_groups(tri_node *node, tri_shape x, tri_shape w)
{
    tri_attributes *a = &node->attributes;
    a->groups = a->groups ? a->groups : 1;
    if (a->groups < 1 || x.dim[1] % a->groups || w.dim[0] % a->groups)
        return tri__refuse(node, "%" PRId64 " groups: they must divide the %" PRId64 " channels of x and the %" PRId64 " of the result",
                           a->groups, x.dim[1], w.dim[0]);
    if (x.dim[1] / a->groups != w.dim[1])
        return tri__refuse(node, "x is %s and has %" PRId64 " channels%s, the weight %s is for %" PRId64, TRI_TEXT(x), x.dim[1] / a->groups,
                           a->groups > 1 ? " in each group" : "", TRI_TEXT(w), w.dim[1]);
    return NULL;
}

static tri_status convolution_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "x", TRI_F32, 4));
    TRI_TRY(tri__expect(node, 1, "weight", TRI_F32, 4));
    const tri_shape x = node->input[0]->shape, w = node->input[1]->shape;
    TRI_TRY(check_groups(node, x, w));
    if (node->inputs > 2)
        TRI_TRY(tri__expect_shape(node, 2, "bias", TRI_F32, TRI_SHAPE(w.dim[0])));
    int64_t out[2];
    TRI_TRY(take_kernel(node, w.dim));
    TRI_TRY(tri__window_check(node, x, (int64_t[]){1, 1}, out));
    return tri__give(node, TRI_SHAPE(x.dim[0], w.dim[0], out[0], out[1]), type, shape);
}

static void convolution_forward(const tri__call *call)
{
    const tri__ref_window s = tri__window_of(&call->node->attributes, call->in[0].shape, call->out.shape);
    const float *bias = call->node->inputs > 2 ? call->in[2].data : NULL;
    tri__ref_convolution(&s, call->in[0].data, call->in[1].data, bias, call->out.data);
    tri__activate(call->node->attributes.activation, call->out);
}

static tri_status convolution_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    tri_node *x = node->input[0], *w = node->input[1], *g;
    TRI_TRY(tri__activation_backward(graph, node, dy, &g));
    tri_attributes window = node->attributes;
    window.activation = TRI_ACTIVATION_NONE;
    if (wanted[0])
        TRI_TRY(tri__graph_make(graph, "convolution_grad_input", &window, node, &dx[0], g, w, NULL, NULL));
    if (wanted[1])
        TRI_TRY(tri__graph_make(graph, "convolution_grad_weight", &window, node, &dx[1], g, x, NULL, NULL));
    if (node->inputs > 2 && wanted[2])
        TRI_TRY(tri__graph_make(graph, "bias_grad", NULL, node, &dx[2], g, NULL, NULL, NULL));
    return NULL;
}

/* The gradient of a convolution by input `by`. It reads dy and the other input (weight or x), which messages call `what`. */
static tri_status grad_shape(const tri_node *node, int by, const char *what, tri_type *type, tri_shape *shape)
{
    tri_shape result;
    TRI_TRY(tri__forward_input(node, by, &result));
    TRI_TRY(tri__expect_shape(node, 0, "dy", TRI_F32, node->forward->shape));
    TRI_TRY(tri__expect_shape(node, 1, what, TRI_F32, node->forward->input[1 - by]->shape));
    return tri__give(node, result, type, shape);
}

static tri_status grad_input_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return grad_shape(node, 0, "weight", type, shape);
}

static tri_status grad_weight_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return grad_shape(node, 1, "x", type, shape);
}

static void grad_input_forward(const tri__call *call)
{
    const tri__ref_window s = tri__window_of(&call->node->attributes, call->out.shape, call->in[0].shape);
    tri__ref_convolution_grad_input(&s, call->in[0].data, call->in[1].data, call->out.data);
}

static void grad_weight_forward(const tri__call *call)
{
    const tri__ref_window s = tri__window_of(&call->node->attributes, call->in[1].shape, call->in[0].shape);
    tri__ref_convolution_grad_weight(&s, call->in[0].data, call->in[1].data, call->out.data);
}

static const tri_operator convolution_row = {
    .name = "convolution",
    .least = 2,
    .most = 3,
    .keys = "kernel stride pad groups dilation",
    .shape = convolution_shape,
    .forward = convolution_forward,
    .backward = convolution_backward,
};

static const tri_operator convolution_grad_input_row = {
    .name = "convolution_grad_input",
    .least = 2,
    .most = 2,
    .keys = "kernel stride pad groups dilation",
    .shape = grad_input_shape,
    .forward = grad_input_forward,
};

static const tri_operator convolution_grad_weight_row = {
    .name = "convolution_grad_weight",
    .least = 2,
    .most = 2,
    .keys = "kernel stride pad groups dilation",
    .shape = grad_weight_shape,
    .forward = grad_weight_forward,
};

const tri_operator *const tri__convolution_operators[] = {
    &convolution_row,
    &convolution_grad_input_row,
    &convolution_grad_weight_row,
    NULL,
};
