/* lower_onednn.c: which nodes oneDNN computes, and how; and kernels of ours that run on its layouts. Each operator has one function, which
 * the table at the end finds by name. */
#include "graph/plan/lower_onednn.h"

#include <string.h>

#include "graph/rewrite/rewrite.h"
#include "tensor/batch_norm.h"
#include "tensor/elementwise.h"
#include "tensor/narrow/narrow.h"

typedef tri_status (*lowering)(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered);

/* ---- convolution ---- */

static tri__onednn_convolution convolution_spec(const tri_node *node)
{
    const tri_attributes *a = &node->attributes;
    return (tri__onednn_convolution){
        .x = node->input[0]->shape,
        .w = node->input[1]->shape,
        .y = node->shape,
        .stride = {a->stride[0], a->stride[1]},
        .pad = {a->pad[0], a->pad[1]},
        .pad_more = {a->pad_more[0], a->pad_more[1]},
        .dilation = {a->dilation[0], a->dilation[1]},
        .groups = a->groups,
        .bias = node->inputs > 2,
        .relu = a->activation == TRI_ACTIVATION_RELU,
    };
}

static tri_status convolution(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    if (!tri__takes_activation(node))
        return NULL;
    const tri__onednn_convolution spec = convolution_spec(node);
    for (int i = 0; i < node->inputs; i++)
        lowered->input[i] = node->input[i];
    lowered->output[0] = node;
    return tri__onednn_convolution_forward(compiler->plan->onednn, &spec, &lowered->kernel);
}

static tri_status convolution_input(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    const tri__onednn_convolution spec = convolution_spec(node->forward);
    lowered->input[0] = node->input[0];
    lowered->input[1] = node->input[1];
    lowered->output[0] = node;
    return tri__onednn_convolution_input(compiler->plan->onednn, &spec, &lowered->kernel);
}

/* The gradient node of `forward` with the named operator, if it is not computed yet; NULL where there is none. */
static const tri_node *sibling(const tri__compiler *compiler, const tri_node *forward, const char *operator_name)
{
    for (int i = 0; i < compiler->graph->count; i++) {
        const tri_node *node = compiler->graph->node[i];
        if (node->forward == forward && tri__node_is(node, operator_name) && !compiler->covered[i])
            return node;
    }
    return NULL;
}

/* The kernel of tensor/narrow, where dy and x have the layouts that it needs, and it is faster. */
static tri_status convolution_weight_by_eights(tri__compiler *compiler, const tri_node *weight, bool bias, tri__kernel **out)
{
    const tri_node *dy = weight->input[0], *x = weight->input[1], *forward = weight->forward;
    const tri__tensor_layout *dy_layout = tri__compiler_layout(compiler, dy), *x_layout = tri__compiler_layout(compiler, x);
    const tri_attributes *a = &forward->attributes;
    const int threads = compiler->plan->options.threads;
    if ((compiler->plan->options.without & TRI_PLAN_NARROW) || !tri__has_plain_window(forward) ||
        tri__onednn_channel_block(dy_layout, dy->shape) != 8 || (x_layout && tri__onednn_channel_block(x_layout, x->shape) != 8))
        return NULL;
    const tri__narrow_weight spec = {
        .batch = x->shape.dim[0],
        .channels = x->shape.dim[1],
        .height = x->shape.dim[2],
        .width = x->shape.dim[3],
        .filters = dy->shape.dim[1],
        .kernel_h = weight->shape.dim[2],
        .kernel_w = weight->shape.dim[3],
        .stride_h = a->stride[0],
        .stride_w = a->stride[1],
        .pad_h = a->pad[0],
        .pad_w = a->pad[1],
        .bias = bias,
        .dy_layout = dy_layout,
        .x_layout = x_layout,
    };
    return tri__narrow_wins_weight(&spec, threads) ? tri__narrow_conv_weight(&spec, (tri__narrow_team){.threads = threads}, out) : NULL;
}

/* Weight and bias gradient in one kernel, whichever of the two comes first. */
static tri_status convolution_weight(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    const tri_node *weight = sibling(compiler, node->forward, "convolution_grad_weight");
    const tri_node *bias = sibling(compiler, node->forward, "bias_grad");
    if (!weight || !tri__node_is(node->forward, "convolution"))
        return NULL;
    tri__onednn_convolution spec = convolution_spec(node->forward);
    spec.bias = bias != NULL;
    lowered->node = weight;
    lowered->input[0] = weight->input[0];
    lowered->input[1] = weight->input[1];
    lowered->output[0] = weight;
    lowered->output[1] = bias;
    TRI_TRY(convolution_weight_by_eights(compiler, weight, bias != NULL, &lowered->kernel));
    if (lowered->kernel)
        return NULL;
    return tri__onednn_convolution_weight(compiler->plan->onednn, &spec, &lowered->kernel);
}

/* ---- pooling and normalisation ---- */

static tri__onednn_pooling pooling_spec(const tri__compiler *compiler, const tri_node *node)
{
    const tri_attributes *a = &node->attributes;
    return (tri__onednn_pooling){
        .x = node->input[0]->shape,
        .y = node->shape,
        .kernel = {a->kernel[0], a->kernel[1]},
        .stride = {a->stride[0], a->stride[1]},
        .pad = {a->pad[0], a->pad[1]},
        .pad_more = {a->pad_more[0], a->pad_more[1]},
        .average = tri__node_is(node, "avgpool"),
        .training = compiler->plan->options.training,
        .layout = tri__compiler_layout(compiler, node->input[0]),
    };
}

static tri_status pooling(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    const tri__onednn_pooling spec = pooling_spec(compiler, node);
    if (tri__tensor_layout_kind_of(spec.layout) == TRI_LAYOUT_LANES)
        return NULL;
    lowered->input[0] = node->input[0];
    lowered->output[0] = node;
    lowered->keeps = spec.training && !spec.average ? node : NULL;
    return tri__onednn_pooling_forward(compiler->plan->onednn, &spec, &lowered->kernel);
}

static tri_status pooling_grad(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    const tri__onednn_pooling spec = pooling_spec(compiler, node->forward);
    bool has_places = compiler->workspace_of[node->forward->id] >= 0;
    if (tri__tensor_layout_kind_of(spec.layout) == TRI_LAYOUT_LANES || !(spec.average || has_places))
        return NULL;
    lowered->input[0] = node->input[0];
    lowered->output[0] = node;
    lowered->reads = spec.average ? NULL : node->forward;
    return tri__onednn_pooling_backward(compiler->plan->onednn, &spec, &lowered->kernel);
}

static tri__onednn_lrn lrn_spec(const tri__compiler *compiler, const tri_node *node)
{
    const tri_attributes *a = &node->attributes;
    return (tri__onednn_lrn){
        .x = node->input[0]->shape,
        .size = a->size,
        .alpha = a->alpha,
        .beta = a->beta,
        .bias = a->bias,
        .training = compiler->plan->options.training,
        .layout = tri__compiler_layout(compiler, node->input[0]),
    };
}

/* oneDNN centres the window, so a window of even size is not what the operator means. */
static bool lrn_fits(const tri__onednn_lrn *spec)
{
    return spec->size % 2 == 1 && tri__tensor_layout_kind_of(spec->layout) != TRI_LAYOUT_LANES;
}

static tri_status lrn(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    const tri__onednn_lrn spec = lrn_spec(compiler, node);
    if (!lrn_fits(&spec))
        return NULL;
    lowered->input[0] = node->input[0];
    lowered->output[0] = node;
    lowered->keeps = spec.training ? node : NULL;
    return tri__onednn_lrn_forward(compiler->plan->onednn, &spec, &lowered->kernel);
}

static tri_status lrn_grad(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    const tri__onednn_lrn spec = lrn_spec(compiler, node->forward);
    if (!lrn_fits(&spec) || compiler->workspace_of[node->forward->id] < 0)
        return NULL;
    lowered->input[0] = node->input[0];
    lowered->input[1] = node->forward->input[0];
    lowered->output[0] = node;
    lowered->reads = node->forward;
    return tri__onednn_lrn_backward(compiler->plan->onednn, &spec, &lowered->kernel);
}

/* ---- batch normalisation: a kernel of our own, on oneDNN's layouts ---- */

static tri__batch_norm batch_norm_spec(const tri__compiler *compiler, const tri_node *node)
{
    const tri_node *x = node->input[0];
    const tri__tensor_layout *layout = tri__compiler_layout(compiler, x);
    const int block = tri__onednn_channel_block(layout, x->shape);
    return (tri__batch_norm){
        .n = x->shape.dim[0],
        .c = x->shape.dim[1],
        .inner = x->shape.dim[1] && x->shape.dim[0] ? tri_shape_count(x->shape) / x->shape.dim[0] / x->shape.dim[1] : 0,
        .block = block ? block : 1,
        .epsilon = node->attributes.epsilon,
        .threads = compiler->plan->options.threads,
        .layout = block ? layout : NULL,
    };
}

static tri_status batch_norm(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    const bool training = compiler->plan->options.training;
    const tri__batch_norm spec = batch_norm_spec(compiler, node);
    if (spec.inner == 0)
        return NULL;
    for (int i = 0; i < node->inputs; i++)
        lowered->input[i] = node->input[i];
    lowered->output[0] = node;
    lowered->keeps = training ? node : NULL;
    return tri__batch_norm_forward(&spec, training, &lowered->kernel);
}

/* All gradients in one kernel, whichever of them comes first. */
static tri_status batch_norm_grad(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    const tri_node *forward = node->forward;
    if (!forward || !tri__node_is(forward, "batch_norm") || compiler->workspace_of[forward->id] < 0)
        return NULL;
    const tri_node *dx = sibling(compiler, forward, "batch_norm_grad"), *scale = sibling(compiler, forward, "batch_norm_grad_scale");
    const tri_node *shift = sibling(compiler, forward, "bias_grad");
    if (!scale || !shift)
        return NULL;
    const tri__batch_norm spec = batch_norm_spec(compiler, forward);
    lowered->node = forward;
    lowered->input[0] = node->input[0];
    lowered->input[1] = forward->input[0];
    lowered->input[2] = forward->input[1];
    lowered->input[3] = forward->input[5];
    lowered->output[0] = scale;
    lowered->output[1] = shift;
    lowered->output[2] = dx;
    lowered->reads = forward;
    return tri__batch_norm_backward(&spec, dx != NULL, &lowered->kernel);
}

/* Both running statistics in one kernel. */
static tri_status batch_statistics(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    const tri_node *forward = node->forward;
    const tri_node *mean = sibling(compiler, forward, "batch_mean"), *variance = sibling(compiler, forward, "batch_variance");
    if (!mean || !variance || compiler->workspace_of[forward->id] < 0)
        return NULL;
    const tri__batch_norm spec = batch_norm_spec(compiler, forward);
    lowered->node = mean;
    lowered->input[0] = forward->input[5];
    lowered->output[0] = mean;
    lowered->output[1] = variance;
    lowered->reads = forward;
    return tri__batch_norm_statistics(&spec, &lowered->kernel);
}

static tri_status bias_grad(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    if (!node->forward)
        return NULL;
    return tri__node_is(node->forward, "batch_norm") ? batch_norm_grad(compiler, node, lowered)
                                                     : convolution_weight(compiler, node, lowered);
}

/* ---- matrix products ---- */

/* Whether no other input of the node lies in this one's memory. */
static bool has_own_memory(const tri__compiler *compiler, const tri_node *node, int input)
{
    const tri__operand *operand = compiler->plan->operand;
    const int root = operand[compiler->operand_of[node->input[input]->id]].root;
    for (int i = 0; i < node->inputs; i++)
        if (i != input && operand[compiler->operand_of[node->input[i]->id]].root == root)
            return false;
    return true;
}

static tri_status matmul(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    const bool adds = tri__matmul_adds(node);
    if (!tri__takes_activation(node))
        return NULL;
    const tri_attributes *a = &node->attributes;
    const tri__onednn_matmul spec = {
        .m = node->shape.dim[0],
        .n = node->shape.dim[1],
        .k = node->input[0]->shape.dim[a->transpose_a ? 0 : 1],
        .transpose_a = a->transpose_a,
        .transpose_b = a->transpose_b,
        .bias = node->inputs > 2 && !adds,
        .adds = adds,
        .in_place = adds && has_own_memory(compiler, node, 2),
        .relu = a->activation == TRI_ACTIVATION_RELU,
    };
    if (spec.k == 0)
        return NULL;
    for (int i = 0; i < node->inputs; i++)
        lowered->input[i] = node->input[i];
    lowered->output[0] = node;
    return tri__onednn_matmul_create(&spec, &lowered->kernel);
}

/* ---- one element at a time, in the layout of the large activation (the last input) ---- */

static tri_status elementwise(tri__compiler *compiler, const tri_node *node, tri__elementwise kind, tri__lowered *lowered)
{
    for (int i = 0; i < node->inputs; i++) {
        if (!tri_shape_equal(node->input[i]->shape, node->shape))
            return NULL;
        lowered->input[i] = node->input[i];
    }
    const tri_node *last = node->input[node->inputs - 1];
    const tri__operand *operand = &compiler->plan->operand[compiler->operand_of[last->id]];
    lowered->output[0] = node;
    return tri__elementwise_create(kind, operand->layout, operand->bytes, &lowered->kernel);
}

static tri_status relu(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    return elementwise(compiler, node, TRI_ELEMENTWISE_RELU, lowered);
}

static tri_status relu_grad(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    return elementwise(compiler, node, TRI_ELEMENTWISE_RELU_GRAD, lowered);
}

static tri_status add(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    return elementwise(compiler, node, TRI_ELEMENTWISE_ADD, lowered);
}

/* ---- the table ---- */

static const struct {
    const char *name;
    lowering lower;
} table[] = {
    {"convolution", convolution},
    {"convolution_grad_input", convolution_input},
    {"convolution_grad_weight", convolution_weight},
    {"bias_grad", bias_grad},
    {"maxpool", pooling},
    {"avgpool", pooling},
    {"maxpool_grad", pooling_grad},
    {"avgpool_grad", pooling_grad},
    {"lrn", lrn},
    {"lrn_grad", lrn_grad},
    {"batch_norm", batch_norm},
    {"batch_norm_grad", batch_norm_grad},
    {"batch_norm_grad_scale", batch_norm_grad},
    {"batch_mean", batch_statistics},
    {"batch_variance", batch_statistics},
    {"matmul", matmul},
    {"relu", relu},
    {"relu_grad", relu_grad},
    {"add", add},
};

tri_status tri__lower_onednn(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(node->op->name, table[i].name) == 0)
            return table[i].lower(compiler, node, lowered);
    return NULL;
}
