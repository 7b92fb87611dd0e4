/* loss.c: losses that end a model. Both are Σ over the batch of weight × loss, so that padded rows, of weight 0, count nothing. */
#include "graph/nodes/operators/row.h"

#include "tensor/ref/ref.h"

/* Inputs first, first + 1 and first + 2 are logits, labels and weights of the same n examples. */
static tri_status check_examples(const tri_node *node, int first)
{
    const tri_shape n = TRI_SHAPE(node->input[first]->shape.dim[0]);
    TRI_TRY(tri__expect_shape(node, first + 1, "labels", TRI_I32, n));
    return tri__expect_shape(node, first + 2, "weights", TRI_F32, n);
}

static tri_status check_softmax_loss(const tri_node *node, int first)
{
    TRI_TRY(tri__expect(node, first, "logits", TRI_F32, 2));
    if (node->input[first]->shape.dim[1] < 1)
        return tri__refuse(node, "logits are %s, expected at least one class", TRI_TEXT(node->input[first]->shape));
    return check_examples(node, first);
}

/* One logit an example: [n] or [n][1]. */
static tri_status check_logistic_loss(const tri_node *node, int first)
{
    const tri_shape logits = node->input[first]->shape;
    TRI_TRY(tri__expect(node, first, "logits", TRI_F32, TRI_ANY_RANK));
    if (logits.rank != 1 && !(logits.rank == 2 && logits.dim[1] == 1))
        return tri__refuse(node, "logits ('%s') are %s, expected one an example", node->input[first]->name, TRI_TEXT(logits));
    return check_examples(node, first);
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

/* Evaluation tells the loss by the labels alone. */
static float smoothing_of(const tri__call *call)
{
    return call->training ? call->node->attributes.smoothing : 0;
}

static void softmax_loss_forward(const tri__call *call)
{
    const int64_t *d = call->in[0].shape.dim;
    tri__ref_softmax_loss(d[0], d[1], smoothing_of(call), call->in[0].data, call->in[1].data, call->in[2].data, call->out.data);
}

static void softmax_loss_grad_forward(const tri__call *call)
{
    const int64_t *d = call->in[1].shape.dim;
    const tri_tensor *in = call->in;
    tri__ref_softmax_loss_grad(d[0], d[1], smoothing_of(call), in[0].data, in[1].data, in[2].data, in[3].data, call->out.data);
}

static void logistic_loss_forward(const tri__call *call)
{
    tri__ref_logistic_loss(call->in[0].shape.dim[0], call->in[0].data, call->in[1].data, call->in[2].data, call->out.data);
}

static void logistic_loss_grad_forward(const tri__call *call)
{
    const tri_tensor *in = call->in;
    tri__ref_logistic_loss_grad(in[1].shape.dim[0], in[0].data, in[1].data, in[2].data, in[3].data, call->out.data);
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

static const tri_operator softmax_loss_row = {
    .name = "softmax_loss",
    .least = 3,
    .most = 3,
    .keys = "smoothing",
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

const tri_operator *const tri__loss_operators[] = {
    &softmax_loss_row, &softmax_loss_grad_row, &logistic_loss_row, &logistic_loss_grad_row, NULL,
};
