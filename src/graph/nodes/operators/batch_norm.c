/* batch_norm.c: batch normalisation, x [n][c]… → y, by the statistics of each channel.
 *
 * In training these are the statistics of the batch, over the examples whose weight is not 0; otherwise the running statistics, which are
 * state of the store. In place of a gradient the running statistics get Σ weight · statistic of the batch: the store moves them towards its
 * mean. */
#include "graph/nodes/operators/row.h"

#include "tensor/ref/ref.h"

enum { X, SCALE, SHIFT, MEAN, VARIANCE, WEIGHTS };

#define DEFAULT_EPSILON 1e-5F /* PyTorch's */

/* Input i must be [n][c] or more, and epsilon above 0. */
static tri_status check_channels(tri_node *node, int i, const char *what)
{
    tri_attributes *a = &node->attributes;
    a->epsilon = a->epsilon != 0 ? a->epsilon : DEFAULT_EPSILON;
    TRI_TRY(tri__expect(node, i, what, TRI_F32, TRI_ANY_RANK));
    if (node->input[i]->shape.rank < 2)
        return tri__refuse(node, "%s is %s, expected a batch with channels: [n][c] or more", what, TRI_TEXT(node->input[i]->shape));
    return a->epsilon > 0 ? NULL : tri__refuse(node, "epsilon is %g, expected a number above 0", (double)a->epsilon);
}

static tri_status batch_norm_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    static const char *const names[] = {"x", "scale", "shift", "mean", "variance"};
    TRI_TRY(check_channels(node, X, names[X]));
    const tri_shape x = node->input[X]->shape;
    for (int i = SCALE; i <= VARIANCE; i++)
        TRI_TRY(tri__expect_shape(node, i, names[i], TRI_F32, TRI_SHAPE(x.dim[1])));
    TRI_TRY(tri__expect_shape(node, WEIGHTS, "weights", TRI_F32, TRI_SHAPE(x.dim[0])));
    return tri__give(node, x, type, shape);
}

static tri__ref_batch_shape shape_of(const tri__call *call, tri_shape x)
{
    return (tri__ref_batch_shape){
        .n = x.dim[0],
        .c = x.dim[1],
        .inner = tri__dims_product(x, 2, x.rank),
        .epsilon = call->node->attributes.epsilon,
    };
}

static void batch_norm_forward(const tri__call *call)
{
    const tri__ref_batch_shape s = shape_of(call, call->out.shape);
    const tri_tensor *in = call->in;
    tri__ref_batch_norm(&s, in[X].data, in[SCALE].data, in[SHIFT].data, in[MEAN].data, in[VARIANCE].data,
                        call->training ? in[WEIGHTS].data : NULL, call->out.data);
}

static tri_status batch_norm_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    const tri_attributes *a = &node->attributes;
    tri_node *x = node->input[X], *weights = node->input[WEIGHTS];
    TRI_TRY(tri__untrained(node, WEIGHTS, "weights", wanted));
    if (wanted[X])
        TRI_TRY(tri__graph_make(graph, "batch_norm_grad", a, node, &dx[X], dy, x, node->input[SCALE], weights));
    if (wanted[SCALE])
        TRI_TRY(tri__graph_make(graph, "batch_norm_grad_scale", a, node, &dx[SCALE], dy, x, weights, NULL));
    if (wanted[SHIFT])
        TRI_TRY(tri__graph_make(graph, "bias_grad", NULL, node, &dx[SHIFT], dy, NULL, NULL, NULL));
    if (wanted[MEAN])
        TRI_TRY(tri__graph_make(graph, "batch_mean", a, node, &dx[MEAN], x, weights, NULL, NULL));
    return wanted[VARIANCE] ? tri__graph_make(graph, "batch_variance", a, node, &dx[VARIANCE], x, weights, NULL, NULL) : NULL;
}

static tri_status grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(check_channels(node, 0, "dy"));
    TRI_TRY(tri__expect_shape(node, 1, "x", TRI_F32, node->input[0]->shape));
    return tri__give(node, node->input[0]->shape, type, shape);
}

static void grad_forward(const tri__call *call)
{
    const tri__ref_batch_shape s = shape_of(call, call->out.shape);
    const tri_tensor *in = call->in;
    tri__ref_batch_norm_grad(&s, in[0].data, in[1].data, in[2].data, in[3].data, call->out.data);
}

/* The result has one number for each channel of input 0. */
static tri_status channels_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(check_channels(node, 0, "x"));
    return tri__give(node, TRI_SHAPE(node->input[0]->shape.dim[1]), type, shape);
}

static void grad_scale_forward(const tri__call *call)
{
    const tri__ref_batch_shape s = shape_of(call, call->in[0].shape);
    tri__ref_batch_norm_grad_scale(&s, call->in[0].data, call->in[1].data, call->in[2].data, call->out.data);
}

static void mean_forward(const tri__call *call)
{
    const tri__ref_batch_shape s = shape_of(call, call->in[0].shape);
    tri__ref_batch_mean(&s, call->in[0].data, call->in[1].data, call->out.data);
}

static void variance_forward(const tri__call *call)
{
    const tri__ref_batch_shape s = shape_of(call, call->in[0].shape);
    tri__ref_batch_variance(&s, call->in[0].data, call->in[1].data, call->out.data);
}

static const tri_operator batch_norm_row = {
    .name = "batch_norm",
    .least = 6,
    .most = 6,
    .keys = "epsilon",
    .shape = batch_norm_shape,
    .forward = batch_norm_forward,
    .backward = batch_norm_backward,
};

static const tri_operator grad_row = {
    .name = "batch_norm_grad", .least = 4, .most = 4, .keys = "epsilon", .shape = grad_shape, .forward = grad_forward};

static const tri_operator grad_scale_row = {
    .name = "batch_norm_grad_scale", .least = 3, .most = 3, .keys = "epsilon", .shape = channels_shape, .forward = grad_scale_forward};

static const tri_operator mean_row = {
    .name = "batch_mean", .least = 2, .most = 2, .keys = "epsilon", .shape = channels_shape, .forward = mean_forward};

static const tri_operator variance_row = {
    .name = "batch_variance", .least = 2, .most = 2, .keys = "epsilon", .shape = channels_shape, .forward = variance_forward};

const tri_operator *const tri__batch_norm_operators[] = {
    &batch_norm_row, &grad_row, &grad_scale_row, &mean_row, &variance_row, NULL,
};
