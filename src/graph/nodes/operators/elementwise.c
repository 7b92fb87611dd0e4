/* elementwise.c: functions of one element at a time: activations, sums and products, dropout. Gradients of activations are written in
 * terms of their result y, so that x may be overwritten. */
#include "graph/nodes/operators/row.h"

#include "tensor/ref/ref.h"

tri_status tri__unary_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "x", TRI_F32, TRI_ANY_RANK));
    return tri__give(node, node->input[0]->shape, type, shape);
}

tri_status tri__binary_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__unary_shape(node, type, shape));
    return tri__expect_shape(node, 1, "the second input", TRI_F32, *shape);
}

static int64_t count_of(const tri__call *call)
{
    return tri_shape_count(call->out.shape);
}

/* ---- activations ---- */

static void relu_forward(const tri__call *call)
{
    tri__ref_relu(count_of(call), call->in[0].data, call->out.data);
}

static void relu_grad_forward(const tri__call *call)
{
    tri__ref_relu_grad(count_of(call), call->in[0].data, call->in[1].data, call->out.data);
}

static void tanh_forward(const tri__call *call)
{
    tri__ref_tanh(count_of(call), call->in[0].data, call->out.data);
}

static void tanh_grad_forward(const tri__call *call)
{
    tri__ref_tanh_grad(count_of(call), call->in[0].data, call->in[1].data, call->out.data);
}

static void sigmoid_forward(const tri__call *call)
{
    tri__ref_sigmoid(count_of(call), call->in[0].data, call->out.data);
}

static void sigmoid_grad_forward(const tri__call *call)
{
    tri__ref_sigmoid_grad(count_of(call), call->in[0].data, call->in[1].data, call->out.data);
}

static tri_status relu_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "relu_grad", NULL, node, &dx[0], dy, node, NULL, NULL) : NULL;
}

static tri_status tanh_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "tanh_grad", NULL, node, &dx[0], dy, node, NULL, NULL) : NULL;
}

static tri_status sigmoid_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "sigmoid_grad", NULL, node, &dx[0], dy, node, NULL, NULL) : NULL;
}

/* y = x where x > 0, else alpha·x. As alpha > 0, y has the sign of x. */
static tri_status leaky_relu_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    float *alpha = &node->attributes.alpha;
    *alpha = *alpha != 0 ? *alpha : 0.01f; /* PyTorch's */
    if (!(*alpha > 0 && *alpha < 1))
        return tri__refuse(node, "alpha is %g, expected a slope between 0 and 1, such as alpha=0.01", (double)*alpha);
    return tri__unary_shape(node, type, shape);
}

static void leaky_relu_forward(const tri__call *call)
{
    const float *x = call->in[0].data, alpha = call->node->attributes.alpha;
    float *y = call->out.data;
    for (int64_t i = 0; i < count_of(call); i++)
        y[i] = x[i] > 0 ? x[i] : alpha * x[i];
}

static tri_status leaky_relu_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "leaky_relu_grad", &node->attributes, node, &dx[0], dy, node, NULL, NULL) : NULL;
}

/* dx = dy where y > 0, else alpha·dy */
static void leaky_relu_grad_forward(const tri__call *call)
{
    const float *dy = call->in[0].data, *y = call->in[1].data, alpha = call->node->attributes.alpha;
    float *dx = call->out.data;
    for (int64_t i = 0; i < count_of(call); i++)
        dx[i] = y[i] > 0 ? dy[i] : alpha * dy[i];
}

static void gelu_forward(const tri__call *call)
{
    tri__ref_gelu(count_of(call), call->in[0].data, call->out.data);
}

static tri_status gelu_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "gelu_grad", NULL, node, &dx[0], dy, node->input[0], NULL, NULL) : NULL;
}

static void gelu_grad_forward(const tri__call *call)
{
    tri__ref_gelu_grad(count_of(call), call->in[0].data, call->in[1].data, call->out.data);
}

void tri__activate(tri_activation activation, tri_tensor y)
{
    static void (*const function[])(int64_t, const float *, float *) = {
        [TRI_ACTIVATION_RELU] = tri__ref_relu, [TRI_ACTIVATION_TANH] = tri__ref_tanh, [TRI_ACTIVATION_SIGMOID] = tri__ref_sigmoid};
    if (activation != TRI_ACTIVATION_NONE)
        function[activation](tri_shape_count(y.shape), y.data, y.data);
}

tri_status tri__activation_backward(tri_graph *graph, tri_node *node, tri_node *dy, tri_node **out)
{
    static const char *const gradient[] = {
        [TRI_ACTIVATION_RELU] = "relu_grad", [TRI_ACTIVATION_TANH] = "tanh_grad", [TRI_ACTIVATION_SIGMOID] = "sigmoid_grad"};
    *out = dy;
    if (node->attributes.activation == TRI_ACTIVATION_NONE)
        return NULL;
    return tri__graph_make(graph, gradient[node->attributes.activation], NULL, node, out, dy, node, NULL, NULL);
}

/* ---- sums and products: b has the shape of a, or is a scalar ---- */

static tri_status pair_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "a", TRI_F32, TRI_ANY_RANK));
    TRI_TRY(tri__expect(node, 1, "b", TRI_F32, TRI_ANY_RANK));
    const tri_shape a = node->input[0]->shape, b = node->input[1]->shape;
    if (!tri_shape_equal(a, b) && b.rank != 0)
        return tri__refuse(node, "a is %s and b is %s; b must be like a, or a scalar", TRI_TEXT(a), TRI_TEXT(b));
    return tri__give(node, a, type, shape);
}

/* A scalar is used at every element, so its gradient is the sum of the gradients at all elements. */
static tri_status gather_scalar(tri_graph *graph, tri_node *node, tri_node *everywhere, tri_node **out)
{
    const tri_attributes all = {.axis = TRI_AXIS_ALL};
    *out = everywhere;
    if (tri_shape_equal(node->input[0]->shape, node->input[1]->shape))
        return NULL;
    return tri__graph_make(graph, "sum", &all, node, out, everywhere, NULL, NULL, NULL);
}

static void add_forward(const tri__call *call)
{
    tri__ref_add(count_of(call), call->in[0].data, tri_shape_count(call->in[1].shape), call->in[1].data, call->out.data);
}

static tri_status add_n_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__unary_shape(node, type, shape));
    for (int i = 1; i < node->inputs; i++)
        TRI_TRY(tri__expect_shape(node, i, "an input", TRI_F32, *shape));
    return NULL;
}

/* y = Σ x, added up in double precision */
static void add_n_forward(const tri__call *call)
{
    const int64_t count = count_of(call);
    float *y = call->out.data;
    for (int64_t i = 0; i < count; i++) {
        double sum = 0;
        for (int k = 0; k < call->node->inputs; k++)
            sum += (double)((const float *)call->in[k].data)[i];
        y[i] = (float)sum;
    }
}

static tri_status add_n_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    (void)graph;
    for (int i = 0; i < node->inputs; i++)
        dx[i] = wanted[i] ? dy : NULL;
    return NULL;
}

/* da = dy, db = dy */
static tri_status add_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    if (wanted[0])
        dx[0] = dy;
    return wanted[1] ? gather_scalar(graph, node, dy, &dx[1]) : NULL;
}

/* With one input, the factor is the attribute scale. */
static tri_status multiply_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    if (node->inputs == 2)
        return pair_shape(node, type, shape);
    if (node->attributes.scale == 0)
        return tri__refuse(node, "needs a second input, or scale=NUMBER");
    return tri__unary_shape(node, type, shape);
}

static void multiply_forward(const tri__call *call)
{
    if (call->node->inputs == 1)
        tri__ref_multiply(count_of(call), call->in[0].data, 1, &call->node->attributes.scale, call->out.data);
    else
        tri__ref_multiply(count_of(call), call->in[0].data, tri_shape_count(call->in[1].shape), call->in[1].data, call->out.data);
}

/* da = dy · b, db = dy · a */
static tri_status multiply_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    if (node->inputs == 1)
        return wanted[0] ? tri__graph_make(graph, "multiply", &node->attributes, node, &dx[0], dy, NULL, NULL, NULL) : NULL;
    if (wanted[0])
        TRI_TRY(tri__graph_make(graph, "multiply", NULL, node, &dx[0], dy, node->input[1], NULL, NULL));
    if (!wanted[1])
        return NULL;
    tri_node *everywhere;
    TRI_TRY(tri__graph_make(graph, "multiply", NULL, node, &everywhere, dy, node->input[0], NULL, NULL));
    return gather_scalar(graph, node, everywhere, &dx[1]);
}

/* ---- dropout ---- */

static tri_status dropout_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    const float rate = node->attributes.rate;
    if (!(rate > 0 && rate < 1))
        return tri__refuse(node, "rate is %g, expected a share between 0 and 1, such as rate=0.5", (double)rate);
    return tri__unary_shape(node, type, shape);
}

/* Mask x by the stream of the named node. The mask of an example depends on its record number and epoch, not on its place in the batch;
 * a tensor whose rows are not examples is masked by row and step. */
static void mask(const tri__call *call, const char *name)
{
    const tri_shape shape = call->out.shape;
    const tri_batch *batch = call->moment->batch;
    const bool examples = batch && shape.rank > 0 && call->node->shape.dim[0] == batch->rows;
    const int64_t rows = shape.rank > 0 ? shape.dim[0] : 1;
    const tri__key key = tri__key_split_name(tri__key_of(call->seed), name);
    tri__ref_dropout(rows, tri__dims_product(shape, 1, shape.rank), call->node->attributes.rate, key,
                     examples ? batch->epoch : call->moment->step, call->row, examples ? batch->ids : NULL, call->in[0].data,
                     call->out.data);
}

static void dropout_forward(const tri__call *call)
{
    if (call->training)
        mask(call, call->node->name);
    else
        tri__copy_forward(call);
}

/* dx = dy with the mask of x */
static tri_status dropout_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "dropout_grad", &node->attributes, node, &dx[0], dy, NULL, NULL, NULL) : NULL;
}

static tri_status dropout_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    tri_shape x;
    TRI_TRY(tri__forward_input(node, 0, &x));
    TRI_TRY(tri__expect_shape(node, 0, "dy", TRI_F32, x));
    return dropout_shape(node, type, shape);
}

static void dropout_grad_forward(const tri__call *call)
{
    if (call->training)
        mask(call, call->node->forward->name);
    else
        tri__copy_forward(call);
}

static const tri_operator relu_row = {
    .name = "relu",
    .least = 1,
    .most = 1,
    .keys = "",
    .shape = tri__unary_shape,
    .forward = relu_forward,
    .backward = relu_backward,
    .in_place = 1,
    .by_row = true,
};

static const tri_operator tanh_row = {
    .name = "tanh",
    .least = 1,
    .most = 1,
    .keys = "",
    .shape = tri__unary_shape,
    .forward = tanh_forward,
    .backward = tanh_backward,
    .in_place = 1,
    .by_row = true,
};

static const tri_operator sigmoid_row = {
    .name = "sigmoid",
    .least = 1,
    .most = 1,
    .keys = "",
    .shape = tri__unary_shape,
    .forward = sigmoid_forward,
    .backward = sigmoid_backward,
    .in_place = 1,
    .by_row = true,
};

static const tri_operator leaky_relu_row = {
    .name = "leaky_relu",
    .least = 1,
    .most = 1,
    .keys = "alpha",
    .shape = leaky_relu_shape,
    .forward = leaky_relu_forward,
    .backward = leaky_relu_backward,
    .in_place = 1,
    .by_row = true,
};

static const tri_operator leaky_relu_grad_row = {
    .name = "leaky_relu_grad",
    .least = 2,
    .most = 2,
    .keys = "alpha",
    .shape = tri__binary_shape,
    .forward = leaky_relu_grad_forward,
    .in_place = 1,
    .by_row = true,
};

static const tri_operator gelu_row = {
    .name = "gelu",
    .least = 1,
    .most = 1,
    .keys = "",
    .shape = tri__unary_shape,
    .forward = gelu_forward,
    .backward = gelu_backward,
    .in_place = 1,
    .by_row = true,
};

static const tri_operator gelu_grad_row = {
    .name = "gelu_grad",
    .least = 2,
    .most = 2,
    .keys = "",
    .shape = tri__binary_shape,
    .forward = gelu_grad_forward,
    .in_place = 1,
    .by_row = true,
};

static const tri_operator relu_grad_row = {.name = "relu_grad",
                                           .least = 2,
                                           .most = 2,
                                           .keys = "",
                                           .shape = tri__binary_shape,
                                           .forward = relu_grad_forward,
                                           .in_place = 1,
                                           .by_row = true};

static const tri_operator tanh_grad_row = {.name = "tanh_grad",
                                           .least = 2,
                                           .most = 2,
                                           .keys = "",
                                           .shape = tri__binary_shape,
                                           .forward = tanh_grad_forward,
                                           .in_place = 1,
                                           .by_row = true};

static const tri_operator sigmoid_grad_row = {.name = "sigmoid_grad",
                                              .least = 2,
                                              .most = 2,
                                              .keys = "",
                                              .shape = tri__binary_shape,
                                              .forward = sigmoid_grad_forward,
                                              .in_place = 1,
                                              .by_row = true};

static const tri_operator add_row = {
    .name = "add", .least = 2, .most = 2, .keys = "", .shape = pair_shape, .forward = add_forward, .backward = add_backward, .in_place = 1};

static const tri_operator add_n_row = {
    .name = "add_n",
    .least = 1,
    .most = TRI_MAX_INPUTS,
    .keys = "",
    .shape = add_n_shape,
    .forward = add_n_forward,
    .backward = add_n_backward,
    .in_place = 1,
};

static const tri_operator multiply_row = {
    .name = "multiply",
    .least = 1,
    .most = 2,
    .keys = "scale",
    .shape = multiply_shape,
    .forward = multiply_forward,
    .backward = multiply_backward,
    .in_place = 1,
};

static const tri_operator dropout_row = {
    .name = "dropout",
    .least = 1,
    .most = 1,
    .keys = "rate",
    .shape = dropout_shape,
    .forward = dropout_forward,
    .backward = dropout_backward,
    .volatile_ = true,
    .in_place = 1,
    .by_row = true,
};

static const tri_operator dropout_grad_row = {
    .name = "dropout_grad",
    .least = 1,
    .most = 1,
    .keys = "rate",
    .shape = dropout_grad_shape,
    .forward = dropout_grad_forward,
    .volatile_ = true,
    .in_place = 1,
    .by_row = true,
};

const tri_operator *const tri__elementwise_operators[] = {
    &relu_row,
    &leaky_relu_row,
    &leaky_relu_grad_row,
    &relu_grad_row,
    &tanh_row,
    &tanh_grad_row,
    &sigmoid_row,
    &gelu_row,
    &gelu_grad_row,
    &sigmoid_grad_row,
    &add_row,
    &add_n_row,
    &multiply_row,
    &dropout_row,
    &dropout_grad_row,
    NULL,
};
