/* loss.c: losses that end a model. All are Σ over the batch of weight × loss, so that padded rows, of weight 0, do not count.
 *
 * Losses over classes take labels, or targets: the share that each class has in an example's label, where examples were mixed. */
#include "graph/nodes/operators/row.h"

#include "tensor/ref/ref.h"

/* Whether there are shares of classes, [n][classes], in place of labels, [n]. */
static bool are_shares(tri_type type, tri_shape shape)
{
    return type == TRI_F32 && shape.rank == 2;
}

/* Inputs first, first + 1 and first + 2 are logits, labels or shares of classes, and weights of the same n examples. */
static tri_status check_examples(const tri_node *node, int first, int64_t classes)
{
    const int64_t n = node->input[first]->shape.dim[0];
    const tri_node *labels = node->input[first + 1];
    if (are_shares(labels->type, labels->shape))
        TRI_TRY(tri__expect_shape(node, first + 1, "targets", TRI_F32, TRI_SHAPE(n, classes)));
    else
        TRI_TRY(tri__expect_shape(node, first + 1, "labels", TRI_I32, TRI_SHAPE(n)));
    return tri__expect_shape(node, first + 2, "weights", TRI_F32, TRI_SHAPE(n));
}

static tri_status check_softmax_loss(const tri_node *node, int first)
{
    TRI_TRY(tri__expect(node, first, "logits", TRI_F32, 2));
    if (node->input[first]->shape.dim[1] < 1)
        return tri__refuse(node, "logits are %s, expected at least one class", TRI_TEXT(node->input[first]->shape));
    return check_examples(node, first, node->input[first]->shape.dim[1]);
}

/* One logit for each example: [n] or [n][1]. */
static tri_status check_logistic_loss(const tri_node *node, int first)
{
    const tri_shape logits = node->input[first]->shape;
    TRI_TRY(tri__expect(node, first, "logits", TRI_F32, TRI_ANY_RANK));
    if (logits.rank != 1 && !(logits.rank == 2 && logits.dim[1] == 1))
        return tri__refuse(node, "logits ('%s') are %s, expected one an example", node->input[first]->name, TRI_TEXT(logits));
    return check_examples(node, first, 2);
}

/* Each example has as many targets as numbers. */
static tri_status check_mean_loss(const tri_node *node, int first)
{
    const tri_shape x = node->input[first]->shape;
    TRI_TRY(tri__expect(node, first, "outputs", TRI_F32, 2));
    TRI_TRY(tri__expect_shape(node, first + 1, "targets", TRI_F32, x));
    return tri__expect_shape(node, first + 2, "weights", TRI_F32, TRI_SHAPE(x.dim[0]));
}

typedef tri_status check_loss(const tri_node *node, int first);

static tri_status loss_shape(tri_node *node, check_loss *check, tri_type *type, tri_shape *shape)
{
    TRI_TRY(check(node, 0));
    return tri__give(node, (tri_shape){0}, type, shape);
}

static tri_status loss_grad_shape(tri_node *node, check_loss *check, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "dy", TRI_F32, 0));
    TRI_TRY(check(node, 1));
    return tri__give(node, node->input[1]->shape, type, shape);
}

static tri_status softmax_loss_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    const float smoothing = node->attributes.smoothing;
    if (!(smoothing >= 0 && smoothing < 1))
        return tri__refuse(node, "smoothing is %g, expected a share from 0 to below 1, such as 0.1", (double)smoothing);
    return loss_shape(node, check_softmax_loss, type, shape);
}

static tri_status softmax_loss_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return loss_grad_shape(node, check_softmax_loss, type, shape);
}

static tri_status logistic_loss_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return loss_shape(node, check_logistic_loss, type, shape);
}

static tri_status logistic_loss_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return loss_grad_shape(node, check_logistic_loss, type, shape);
}

static tri_status mean_loss_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return loss_shape(node, check_mean_loss, type, shape);
}

static tri_status mean_loss_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return loss_grad_shape(node, check_mean_loss, type, shape);
}

static tri_status huber_loss_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    float *delta = &node->attributes.delta;
    *delta = *delta == 0 ? 1 : *delta;
    if (!(*delta > 0))
        return tri__refuse(node, "delta is %g, expected a number above 0: the error from which on the loss is linear", (double)*delta);
    return mean_loss_shape(node, type, shape);
}

/* Smoothing is for training only: evaluation reports the loss by the labels themselves. */
static float smoothing_of(const tri__call *call)
{
    return call->training ? call->node->attributes.smoothing : 0;
}

static void softmax_loss_forward(const tri__call *call)
{
    const int64_t *d = call->in[0].shape.dim;
    const tri_tensor *in = call->in;
    if (are_shares(in[1].type, in[1].shape))
        tri__ref_softmax_loss_of_shares(d[0], d[1], smoothing_of(call), in[0].data, in[1].data, in[2].data, call->out.data);
    else
        tri__ref_softmax_loss(d[0], d[1], smoothing_of(call), in[0].data, in[1].data, in[2].data, call->out.data);
}

static void softmax_loss_grad_forward(const tri__call *call)
{
    const int64_t *d = call->in[1].shape.dim;
    const tri_tensor *in = call->in;
    const float s = smoothing_of(call);
    if (are_shares(in[2].type, in[2].shape))
        tri__ref_softmax_loss_of_shares_grad(d[0], d[1], s, in[0].data, in[1].data, in[2].data, in[3].data, call->out.data);
    else
        tri__ref_softmax_loss_grad(d[0], d[1], s, in[0].data, in[1].data, in[2].data, in[3].data, call->out.data);
}

static void logistic_loss_forward(const tri__call *call)
{
    const tri_tensor *in = call->in;
    if (are_shares(in[1].type, in[1].shape))
        tri__ref_logistic_loss_of_shares(in[0].shape.dim[0], in[0].data, in[1].data, in[2].data, call->out.data);
    else
        tri__ref_logistic_loss(in[0].shape.dim[0], in[0].data, in[1].data, in[2].data, call->out.data);
}

static void logistic_loss_grad_forward(const tri__call *call)
{
    const tri_tensor *in = call->in;
    const int64_t n = in[1].shape.dim[0];
    if (are_shares(in[2].type, in[2].shape))
        tri__ref_logistic_loss_of_shares_grad(n, in[0].data, in[1].data, in[2].data, in[3].data, call->out.data);
    else
        tri__ref_logistic_loss_grad(n, in[0].data, in[1].data, in[2].data, in[3].data, call->out.data);
}

static void mean_loss(tri__element_rule *rule, const tri__call *call)
{
    const int64_t *d = call->in[0].shape.dim;
    const tri_tensor *in = call->in;
    tri__ref_mean_loss(rule, d[0], d[1], call->node->attributes.delta, in[0].data, in[1].data, in[2].data, call->out.data);
}

static void mean_loss_grad(tri__element_rule *rule, const tri__call *call)
{
    const int64_t *d = call->in[1].shape.dim;
    const tri_tensor *in = call->in;
    tri__ref_mean_loss_grad(rule, d[0], d[1], call->node->attributes.delta, in[0].data, in[1].data, in[2].data, in[3].data, call->out.data);
}

static void mse_loss_forward(const tri__call *call)
{
    mean_loss(tri__ref_squared, call);
}

static void mse_loss_grad_forward(const tri__call *call)
{
    mean_loss_grad(tri__ref_squared, call);
}

static void huber_loss_forward(const tri__call *call)
{
    mean_loss(tri__ref_huber, call);
}

static void huber_loss_grad_forward(const tri__call *call)
{
    mean_loss_grad(tri__ref_huber, call);
}

static void sigmoid_loss_forward(const tri__call *call)
{
    mean_loss(tri__ref_log_odds, call);
}

static void sigmoid_loss_grad_forward(const tri__call *call)
{
    mean_loss_grad(tri__ref_log_odds, call);
}

static tri_status loss_backward(tri_graph *graph, tri_node *node, const char *gradient, tri_node *dy, const bool *wanted, tri_node **dx)
{
    TRI_TRY(tri__untrained(node, 2, "weights", wanted));
    if (!wanted[0])
        return NULL;
    return tri__graph_make(graph, gradient, &node->attributes, node, &dx[0], dy, node->input[0], node->input[1], node->input[2]);
}

static tri_status softmax_loss_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return loss_backward(graph, node, "softmax_loss_grad", dy, wanted, dx);
}

static tri_status logistic_loss_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return loss_backward(graph, node, "logistic_loss_grad", dy, wanted, dx);
}

static tri_status mse_loss_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return loss_backward(graph, node, "mse_loss_grad", dy, wanted, dx);
}

static tri_status huber_loss_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return loss_backward(graph, node, "huber_loss_grad", dy, wanted, dx);
}

static tri_status sigmoid_loss_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return loss_backward(graph, node, "sigmoid_loss_grad", dy, wanted, dx);
}

static const tri_operator softmax_loss_row = {
    .name = "softmax_loss",
    .least = 3,
    .most = 3,
    .keys = "smoothing",
    .is_loss = true,
    .shape = softmax_loss_shape,
    .forward = softmax_loss_forward,
    .backward = softmax_loss_backward,
};

static const tri_operator softmax_loss_grad_row = {
    .name = "softmax_loss_grad",
    .least = 4,
    .most = 4,
    .keys = "smoothing",
    .shape = softmax_loss_grad_shape,
    .forward = softmax_loss_grad_forward,
};

static const tri_operator logistic_loss_row = {
    .name = "logistic_loss",
    .least = 3,
    .most = 3,
    .keys = "",
    .is_loss = true,
    .shape = logistic_loss_shape,
    .forward = logistic_loss_forward,
    .backward = logistic_loss_backward,
};

static const tri_operator logistic_loss_grad_row = {
    .name = "logistic_loss_grad",
    .least = 4,
    .most = 4,
    .keys = "",
    .shape = logistic_loss_grad_shape,
    .forward = logistic_loss_grad_forward,
};

static const tri_operator mse_loss_row = {
    .name = "mse_loss",
    .least = 3,
    .most = 3,
    .keys = "",
    .is_loss = true,
    .labels = TRI_LABEL_NUMBERS,
    .shape = mean_loss_shape,
    .forward = mse_loss_forward,
    .backward = mse_loss_backward,
};

static const tri_operator mse_loss_grad_row = {
    .name = "mse_loss_grad",
    .least = 4,
    .most = 4,
    .keys = "",
    .shape = mean_loss_grad_shape,
    .forward = mse_loss_grad_forward,
};

static const tri_operator huber_loss_row = {
    .name = "huber_loss",
    .least = 3,
    .most = 3,
    .keys = "delta",
    .is_loss = true,
    .labels = TRI_LABEL_NUMBERS,
    .shape = huber_loss_shape,
    .forward = huber_loss_forward,
    .backward = huber_loss_backward,
};

static const tri_operator huber_loss_grad_row = {
    .name = "huber_loss_grad",
    .least = 4,
    .most = 4,
    .keys = "delta",
    .shape = mean_loss_grad_shape,
    .forward = huber_loss_grad_forward,
};

static const tri_operator sigmoid_loss_row = {
    .name = "sigmoid_loss",
    .least = 3,
    .most = 3,
    .keys = "",
    .is_loss = true,
    .labels = TRI_LABEL_SET,
    .shape = mean_loss_shape,
    .forward = sigmoid_loss_forward,
    .backward = sigmoid_loss_backward,
};

static const tri_operator sigmoid_loss_grad_row = {
    .name = "sigmoid_loss_grad",
    .least = 4,
    .most = 4,
    .keys = "",
    .shape = mean_loss_grad_shape,
    .forward = sigmoid_loss_grad_forward,
};

const tri_operator *const tri__loss_operators[] = {
    &softmax_loss_row, &softmax_loss_grad_row, &logistic_loss_row, &logistic_loss_grad_row, &mse_loss_row, &mse_loss_grad_row,
    &huber_loss_row,   &huber_loss_grad_row,   &sigmoid_loss_row,  &sigmoid_loss_grad_row,  NULL,
};
