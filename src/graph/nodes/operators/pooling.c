/* pooling.c: the largest element, or the mean, of each window. x [n][c][h][w] → y [n][c][oh][ow].
 * The mean counts padding as zeros (PyTorch's count_include_pad=True, oneDNN's avg_include_padding). */
#include "graph/nodes/operators/window.h"

static tri_status pool_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "x", TRI_F32, 4));
    const tri_shape x = node->input[0]->shape;
    const int64_t *kernel = node->attributes.kernel, *pad = node->attributes.pad;
    if (kernel[0] == 0)
        return tri__refuse(node, "kernel is not given; kernel=2 halves height and width");
    int64_t out[2];
    TRI_TRY(tri__window_check(node, x, (int64_t[]){kernel[0], kernel[1] ? kernel[1] : kernel[0]}, out));
    if (pad[0] >= kernel[0] || pad[1] >= kernel[1])
        return tri__refuse(node, "pad must be smaller than the kernel, or windows would lie in the padding alone");
    return tri__give(node, TRI_SHAPE(x.dim[0], x.dim[1], out[0], out[1]), type, shape);
}

static tri_status pool_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    tri_shape x;
    TRI_TRY(tri__forward_input(node, 0, &x));
    TRI_TRY(tri__expect_shape(node, 0, "dy", TRI_F32, node->forward->shape));
    if (node->inputs > 1)
        TRI_TRY(tri__expect_shape(node, 1, "x", TRI_F32, x));
    return tri__give(node, x, type, shape);
}

static void maxpool_forward(const tri__call *call)
{
    const tri__ref_window s = tri__window_of(&call->node->attributes, call->in[0].shape, call->out.shape);
    tri__ref_maxpool(&s, call->in[0].data, call->out.data);
}

static void maxpool_grad_forward(const tri__call *call)
{
    const tri__ref_window s = tri__window_of(&call->node->attributes, call->out.shape, call->in[0].shape);
    tri__ref_maxpool_grad(&s, call->in[0].data, call->in[1].data, call->out.data);
}

static tri_status maxpool_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "maxpool_grad", &node->attributes, node, &dx[0], dy, node->input[0], NULL, NULL) : NULL;
}

static void avgpool_forward(const tri__call *call)
{
    const tri__ref_window s = tri__window_of(&call->node->attributes, call->in[0].shape, call->out.shape);
    tri__ref_avgpool(&s, call->in[0].data, call->out.data);
}

static void avgpool_grad_forward(const tri__call *call)
{
    const tri__ref_window s = tri__window_of(&call->node->attributes, call->out.shape, call->in[0].shape);
    tri__ref_avgpool_grad(&s, call->in[0].data, call->out.data);
}

static tri_status avgpool_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "avgpool_grad", &node->attributes, node, &dx[0], dy, NULL, NULL, NULL) : NULL;
}

static const tri_operator maxpool_row = {
    .name = "maxpool",
    .least = 1,
    .most = 1,
    .keys = "kernel stride pad",
    .shape = pool_shape,
    .forward = maxpool_forward,
    .backward = maxpool_backward,
    .by_row = true,
};

static const tri_operator maxpool_grad_row = {
    .name = "maxpool_grad",
    .least = 2,
    .most = 2,
    .keys = "kernel stride pad",
    .shape = pool_grad_shape,
    .forward = maxpool_grad_forward,
    .by_row = true,
};

static const tri_operator avgpool_row = {
    .name = "avgpool",
    .least = 1,
    .most = 1,
    .keys = "kernel stride pad",
    .shape = pool_shape,
    .forward = avgpool_forward,
    .backward = avgpool_backward,
    .by_row = true,
};

static const tri_operator avgpool_grad_row = {
    .name = "avgpool_grad",
    .least = 1,
    .most = 1,
    .keys = "kernel stride pad",
    .shape = pool_grad_shape,
    .forward = avgpool_grad_forward,
    .by_row = true,
};

const tri_operator *const tri__pooling_operators[] = {
    &maxpool_row, &maxpool_grad_row, &avgpool_row, &avgpool_grad_row, NULL,
};
