/* import_operators.c: how a node of each ONNX operator becomes a line; a table at the end lists all. Nodes that change nothing for us
 * (Cast, Dropout, Identity) become another name of their input. */
#include "graph/onnx/import_operators.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "graph/onnx/message.h"

/* ---- attributes ---- */

static int64_t whole_of(const tri__onnx_node *node, const char *name, int64_t standard)
{
    const tri__onnx_attribute *attribute = tri__onnx_attribute_of(node, name);
    return attribute ? attribute->whole : standard;
}

static float number_of(const tri__onnx_node *node, const char *name, float standard)
{
    const tri__onnx_attribute *attribute = tri__onnx_attribute_of(node, name);
    return attribute ? attribute->number : standard;
}

/* Two numbers of a list: height and width; 1 where the list is not there. */
static void pair_of(const tri__onnx_node *node, const char *name, int64_t out[2])
{
    const tri__onnx_attribute *attribute = tri__onnx_attribute_of(node, name);
    for (int i = 0; i < 2; i++)
        out[i] = attribute && attribute->count >= 2 ? attribute->ints[i] : 1;
}

/* "stride=2x2, pad=1x1" of convolution and pooling. */
static tri_status window_of(tri__importer *self, const tri__onnx_node *node, const char **out)
{
    int64_t stride[2], dilation[2];
    const tri__onnx_attribute *pads = tri__onnx_attribute_of(node, "pads"), *automatic = tri__onnx_attribute_of(node, "auto_pad");
    pair_of(node, "strides", stride);
    pair_of(node, "dilations", dilation);
    char pad[64] = "";
    if (automatic && strcmp(automatic->text, "SAME_UPPER") == 0)
        snprintf(pad, sizeof pad, ", pad=same");
    else if (automatic && automatic->text[0] && strcmp(automatic->text, "NOTSET") != 0 && strcmp(automatic->text, "VALID") != 0)
        return tri__import_unsupported(node, "auto_pad may be SAME_UPPER, VALID or NOTSET");
    else if (pads && (pads->count != 4 || pads->ints[0] != pads->ints[2] || pads->ints[1] != pads->ints[3]))
        return tri__import_unsupported(node, "its padding differs on two sides (auto_pad SAME_UPPER can be read)");
    else if (pads)
        snprintf(pad, sizeof pad, ", pad=%" PRId64 "x%" PRId64, pads->ints[0], pads->ints[1]);
    const bool wide = dilation[0] != 1 || dilation[1] != 1;
    if (wide && strcmp(node->op, "Conv") != 0)
        return tri__import_unsupported(node, "dilation is for convolutions");
    const char *dilated = wide ? tri__arena_format(self->arena, ", dilation=%" PRId64 "x%" PRId64, dilation[0], dilation[1]) : "";
    *out = dilated ? tri__arena_format(self->arena, "stride=%" PRId64 "x%" PRId64 "%s%s", stride[0], stride[1], pad, dilated) : NULL;
    return *out ? NULL : tri__import_no_memory();
}

/* ---- parameters ---- */

/* Input number i of the node, which must be a tensor of floats of this rank. */
static tri_status tensor_at(const tri__importer *self, const tri__onnx_node *node, int i, int rank, const tri__onnx_tensor **out)
{
    const tri__onnx_tensor *tensor = i < node->inputs ? tri__onnx_tensor_of(&self->graph, node->input[i]) : NULL;
    if (!tensor || !tensor->floats || tensor->shape.rank != rank)
        return tri__import_unsupported(node, "its parameters must be float tensors in the file, of the usual shape");
    *out = tensor;
    return NULL;
}

/* Add a bias to the line that was made last. */
static tri_status add_bias(tri__importer *self, const tri__onnx_node *node, int i, int64_t outputs)
{
    const tri__onnx_tensor *bias;
    tri__importer_last(self)->could_have_bias = true;
    if (node->inputs <= i || !node->input[i][0])
        return NULL;
    TRI_TRY(tensor_at(self, node, i, 1, &bias));
    if (bias->shape.dim[0] != outputs)
        return tri__import_unsupported(node, "its bias has another number of values than the result has channels");
    tri__importer_last(self)->has_bias = true;
    return tri__importer_add_tensor(self, tri__importer_last(self)->name, ".bias", bias->shape, bias->floats);
}

/* ---- operators ---- */

static tri_status conv(tri__importer *self, const tri__onnx_node *node)
{
    const tri__onnx_tensor *weight;
    const char *window;
    TRI_TRY(tensor_at(self, node, 1, 4, &weight));
    TRI_TRY(window_of(self, node, &window));
    const int64_t *w = weight->shape.dim;
    TRI_TRY(tri__importer_add(self, node, "conv", 1,
                              tri__arena_format(self->arena, "out=%" PRId64 ", kernel=%" PRId64 "x%" PRId64 ", %s, groups=%" PRId64, w[0],
                                                w[2], w[3], window, whole_of(node, "group", 1))));
    TRI_TRY(tri__importer_add_tensor(self, tri__importer_last(self)->name, ".weight", weight->shape, weight->floats));
    return add_bias(self, node, 2, w[0]);
}

/* [in][out] as [out][in] */
static tri_status turned(tri__importer *self, const tri__onnx_tensor *weight, const float **out)
{
    const int64_t rows = weight->shape.dim[0], columns = weight->shape.dim[1];
    float *data = tri__arena_alloc(self->arena, ((size_t)weight->count + 1) * sizeof *data);
    if (!data)
        return tri__import_no_memory();
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++)
            data[c * rows + r] = weight->floats[r * columns + c];
    *out = data;
    return NULL;
}

static tri_status dense(tri__importer *self, const tri__onnx_node *node)
{
    const tri__onnx_tensor *weight;
    const bool turn = !whole_of(node, "transB", 0);
    TRI_TRY(tensor_at(self, node, 1, 2, &weight));
    if (whole_of(node, "transA", 0) || number_of(node, "alpha", 1) != 1 || number_of(node, "beta", 1) != 1)
        return tri__import_unsupported(node, "transA, alpha and beta must be left out");
    const int64_t inputs = weight->shape.dim[turn ? 0 : 1], outputs = weight->shape.dim[turn ? 1 : 0];
    const float *data = weight->floats;
    if (turn)
        TRI_TRY(turned(self, weight, &data));
    TRI_TRY(tri__importer_add(self, node, "dense", 1, tri__arena_format(self->arena, "out=%" PRId64, outputs)));
    TRI_TRY(tri__importer_add_tensor(self, tri__importer_last(self)->name, ".weight", TRI_SHAPE(outputs, inputs), data));
    return add_bias(self, node, 2, outputs);
}

static tri_status pool(tri__importer *self, const tri__onnx_node *node)
{
    const char *window;
    int64_t kernel[2];
    const bool average = strcmp(node->op, "AveragePool") == 0;
    TRI_TRY(window_of(self, node, &window));
    pair_of(node, "kernel_shape", kernel);
    if (whole_of(node, "ceil_mode", 0))
        return tri__import_unsupported(node, "ceil_mode is not known here");
    if (average && strstr(window, "pad=") && !strstr(window, "pad=0x0") && !whole_of(node, "count_include_pad", 0))
        return tri__import_unsupported(node, "means here count padding (count_include_pad=1)");
    return tri__importer_add(self, node, average ? "avgpool" : "maxpool", 1,
                             tri__arena_format(self->arena, "kernel=%" PRId64 "x%" PRId64 ", %s", kernel[0], kernel[1], window));
}

static tri_status batch_norm(tri__importer *self, const tri__onnx_node *node)
{
    static const char *const parts[] = {"", ".weight", ".bias", ".running_mean", ".running_var"};
    const tri__onnx_tensor *tensor;
    TRI_TRY(tri__importer_add(self, node, "batch_norm", 1,
                              tri__arena_format(self->arena, "epsilon=%.9g", (double)number_of(node, "epsilon", 1e-5F))));
    for (int i = 1; i < 5; i++) {
        TRI_TRY(tensor_at(self, node, i, 1, &tensor));
        TRI_TRY(tri__importer_add_tensor(self, tri__importer_last(self)->name, parts[i], tensor->shape, tensor->floats));
    }
    return NULL;
}

/* Over all values of an example: axis 1, or the last axis of a row. Whether the shapes fit is checked when the model is built. */
static tri_status layer_norm(tri__importer *self, const tri__onnx_node *node)
{
    const tri__onnx_tensor *scale = node->inputs > 1 ? tri__onnx_tensor_of(&self->graph, node->input[1]) : NULL;
    const tri__onnx_tensor *shift = node->inputs > 2 ? tri__onnx_tensor_of(&self->graph, node->input[2]) : NULL;
    const int64_t axis = whole_of(node, "axis", -1);
    if (!scale || !shift || !scale->floats || !shift->floats || (axis != 1 && axis != -scale->shape.rank))
        return tri__import_unsupported(node, "it must go over all values of an example, with scale and bias in the file");
    TRI_TRY(tri__importer_add(self, node, "layer_norm", 1,
                              tri__arena_format(self->arena, "epsilon=%.9g", (double)number_of(node, "epsilon", 1e-5F))));
    TRI_TRY(tri__importer_add_tensor(self, tri__importer_last(self)->name, ".weight", scale->shape, scale->floats));
    return tri__importer_add_tensor(self, tri__importer_last(self)->name, ".bias", shift->shape, shift->floats);
}

static tri_status leaky_relu(tri__importer *self, const tri__onnx_node *node)
{
    return tri__importer_add(self, node, "leaky_relu", 1,
                             tri__arena_format(self->arena, "alpha=%.9g", (double)number_of(node, "alpha", 0.01F)));
}

static tri_status lrn(tri__importer *self, const tri__onnx_node *node)
{
    const int64_t size = whole_of(node, "size", 0);
    if (size % 2 == 0)
        return tri__import_unsupported(node, "its window must have an odd number of channels");
    return tri__importer_add(self, node, "lrn", 1,
                             tri__arena_format(self->arena, "size=%" PRId64 ", alpha=%.9g, beta=%.9g, bias=%.9g", size,
                                               (double)number_of(node, "alpha", 1e-4F), (double)number_of(node, "beta", 0.75F),
                                               (double)number_of(node, "bias", 1)));
}

static tri_status flatten(tri__importer *self, const tri__onnx_node *node)
{
    return whole_of(node, "axis", 1) == 1 ? tri__importer_add(self, node, "flatten", 1, "")
                                          : tri__import_unsupported(node, "axis must be 1");
}

/* Only to one row for each example: with other shapes, the result would depend on the order of dimensions, which differs between ONNX and
 * us. */
static tri_status reshape(tri__importer *self, const tri__onnx_node *node)
{
    const tri__onnx_tensor *shape = node->inputs > 1 ? tri__onnx_tensor_of(&self->graph, node->input[1]) : NULL;
    if (!shape || !shape->ints || shape->count != 2)
        return tri__import_unsupported(node, "only [N][values] can be read: the shape must be in the file and have two numbers");
    return tri__importer_add(self, node, "flatten", 1, "");
}

static tri_status concat(tri__importer *self, const tri__onnx_node *node)
{
    if (whole_of(node, "axis", 1) != 1 || node->inputs > TRI_MAX_INPUTS)
        return tri__import_unsupported(node, "channels of up to 12 values can be joined: axis must be 1");
    return tri__importer_add(self, node, "concat", node->inputs, "");
}

/* A Pad node that pads by 0, as PyTorch puts before AveragePool. */
static tri_status pad(tri__importer *self, const tri__onnx_node *node)
{
    const tri__onnx_tensor *pads = node->inputs > 1 ? tri__onnx_tensor_of(&self->graph, node->input[1]) : NULL;
    for (int64_t i = 0; pads && pads->ints && i < pads->count; i++)
        if (pads->ints[i] != 0)
            return tri__import_unsupported(node, "padding must be a convolution's or a pooling's own");
    return pads && pads->ints ? tri__importer_alias(self, node) : tri__import_unsupported(node, "its sizes must be in the file");
}

/* Nothing to do: nodes that read the constant find its tensor. */
static tri_status constant(tri__importer *self, const tri__onnx_node *node)
{
    return tri__onnx_tensor_of(&self->graph, node->output[0]) ? NULL : tri__import_unsupported(node, "its value must be a tensor");
}

/* The mean over height and width. */
static tri_status reduce_mean(tri__importer *self, const tri__onnx_node *node)
{
    const tri__onnx_attribute *axes = tri__onnx_attribute_of(node, "axes");
    const tri__onnx_tensor *given = node->inputs > 1 ? tri__onnx_tensor_of(&self->graph, node->input[1]) : NULL;
    const int64_t *list = axes ? axes->ints : given ? given->ints : NULL, count = axes ? axes->count : given ? given->count : 0;
    const bool images = list && count == 2 && ((list[0] == 2 && list[1] == 3) || (list[0] == -2 && list[1] == -1));
    return images ? tri__importer_add(self, node, "global_avgpool", 1, "")
                  : tri__import_unsupported(node, "only the mean over height and width can be read");
}

/* The number in a tensor of one element; false where the node's input i is no such tensor of the file. */
static bool is_number(const tri__importer *self, const tri__onnx_node *node, int i, float *out)
{
    const tri__onnx_tensor *tensor = tri__onnx_tensor_of(&self->graph, node->input[i]);
    if (!tensor || !tensor->floats || tensor->count != 1)
        return false;
    *out = tensor->floats[0];
    return true;
}

/* Whether the node reads the model's input directly, while it is bytes: then scale and offset belong to the input. */
static bool is_bare_input(const tri__importer *self, const tri__onnx_node *node)
{
    return self->out->input.type == TRI_U8 && tri__importer_find(self, node->input[0]) == 0;
}

static tri_status scale_input(tri__importer *self, const tri__onnx_node *node, float scale, float offset)
{
    if (!tri__importer_is_read_once(self, 0))
        return tri__import_unsupported(node, "the input's bytes can be scaled and shifted only where no other node reads them");
    self->scale *= scale;
    self->offset = self->offset * scale + offset;
    return tri__importer_alias(self, node);
}

static tri_status multiply(tri__importer *self, const tri__onnx_node *node)
{
    float number;
    if (node->inputs == 2 && is_number(self, node, 1, &number)) {
        if (is_bare_input(self, node))
            return scale_input(self, node, number, 0);
        return number == 1 ? tri__importer_alias(self, node)
                           : tri__importer_add(self, node, "multiply", 1, tri__arena_format(self->arena, "scale=%.9g", (double)number));
    }
    return tri__importer_add(self, node, "multiply", 2, "");
}

/* Whether the tensor has one number for each channel: [C][1][1] behind a convolution, [C] behind a dense layer, or either with a 1 before
 * it. */
static bool is_of_channels(const tri__onnx_tensor *tensor, const tri__import_line *product)
{
    const int behind = strcmp(product->verb, "conv") == 0 ? 2 : 0, channels = tensor->shape.rank - 1 - behind;
    return tensor->floats && tensor->count > 0 && (channels == 0 || channels == 1) && tensor->shape.dim[channels] == tensor->count;
}

/* A line without a bias may get one from an Add behind it. */
static tri_status add_bias_behind(tri__importer *self, const tri__onnx_node *node, int value, const tri__onnx_tensor *bias)
{
    tri__import_line *product = &self->lines[value];
    if (!product->could_have_bias || product->has_bias)
        return tri__import_unsupported(node, "a tensor of the file can be added to what a layer without a bias gives, and nowhere else");
    if (!is_of_channels(bias, product))
        return tri__import_unsupported(node,
                                       "a tensor that is added must be floats, [C][1][1] behind a convolution or [C] behind a dense layer");
    if (!tri__importer_is_read_once(self, value))
        return tri__import_unsupported(node, "what it adds a tensor to is read by other nodes too, without the tensor");
    product->has_bias = true;
    TRI_TRY(tri__importer_add_tensor(self, product->name, ".bias", TRI_SHAPE(bias->count), bias->floats));
    return tri__importer_know(self, node->output[0], value);
}

static tri_status add(tri__importer *self, const tri__onnx_node *node)
{
    float number;
    if (node->inputs != 2)
        return tri__import_unsupported(node, "it must have two inputs");
    if (is_number(self, node, 1, &number) && (number == 0 || is_bare_input(self, node)))
        return number == 0 ? tri__importer_alias(self, node) : scale_input(self, node, 1, number);
    for (int i = 0; i < 2; i++) {
        const tri__onnx_tensor *tensor = tri__onnx_tensor_of(&self->graph, node->input[i]);
        const int value = tri__importer_find(self, node->input[1 - i]);
        if (tensor && value >= 0)
            return add_bias_behind(self, node, value, tensor);
    }
    return tri__importer_add(self, node, "add", 2, "");
}

static tri_status sum(tri__importer *self, const tri__onnx_node *node)
{
    return node->inputs <= TRI_MAX_INPUTS ? tri__importer_add(self, node, "add_n", node->inputs, "")
                                          : tri__import_unsupported(node, "it has too many inputs");
}

/* A Transpose that moves the channels of the input to the front. */
static tri_status transpose(tri__importer *self, const tri__onnx_node *node)
{
    const tri__onnx_attribute *order = tri__onnx_attribute_of(node, "perm");
    static const int64_t to_front[] = {0, 3, 1, 2};
    if (tri__importer_find(self, node->input[0]) != 0 || self->channels_first || !order || order->count != 4 ||
        memcmp(order->ints, to_front, sizeof to_front) != 0)
        return tri__import_unsupported(node, "only the input's channels can be moved, to the front");
    if (!tri__importer_is_read_once(self, 0))
        return tri__import_unsupported(node, "other nodes read the input as it was before");
    self->channels_first = true;
    return tri__importer_alias(self, node);
}

static bool is_output(const tri__importer *self, const char *name)
{
    for (int64_t i = 0; i < self->graph.outputs; i++)
        if (strcmp(self->graph.output[i].name, name) == 0)
            return true;
    return false;
}

/* Whether the node's result is the output that the model is made for: the first one. */
static bool is_first_output(const tri__importer *self, const tri__onnx_node *node)
{
    return strcmp(self->graph.output[0].name, node->output[0]) == 0;
}

/* A softmax or sigmoid at the end becomes a part of the loss that it stands for: the logits are what this node reads. */
static tri_status give_to_loss(tri__importer *self, const tri__onnx_node *node, const char *loss)
{
    if (tri__importer_readers(self, node->output[0]) > 1)
        return tri__import_unsupported(node, "it is the model's output, and other nodes read it too");
    if (is_first_output(self, node) || !self->guess)
        self->guess = loss;
    return tri__importer_alias(self, node);
}

/* Whether the model may end in that loss: the caller or the file says it, or neither says any. */
static bool may_end_in(const tri__importer *self, const char *loss)
{
    return !self->loss || strcmp(self->loss, loss) == 0;
}

/* Whether a softmax or sigmoid is a layer: in the middle always, and at the end if it is no part of the loss. An output beside the first
 * one is no layer, as the model does without it. */
static bool is_layer(const tri__importer *self, const tri__onnx_node *node, bool is_in_loss)
{
    return !is_output(self, node->output[0]) || (is_first_output(self, node) && !is_in_loss);
}

static tri_status softmax(tri__importer *self, const tri__onnx_node *node)
{
    const int64_t axis = whole_of(node, "axis", -1);
    if (axis != 1 && axis != -1)
        return tri__import_unsupported(node, "axis must be 1 or -1");
    if (is_layer(self, node, may_end_in(self, "softmax_loss")))
        return tri__importer_add(self, node, "softmax", 1, "");
    return give_to_loss(self, node, "softmax_loss");
}

static tri_status log_softmax(tri__importer *self, const tri__onnx_node *node)
{
    return is_layer(self, node, may_end_in(self, "softmax_loss"))
               ? tri__import_unsupported(node, "it can be read as the model's output only, where the loss is softmax")
               : softmax(self, node);
}

/* At the end, one output is the odds of class 1; several say which labels an example has. */
static tri_status sigmoid(tri__importer *self, const tri__onnx_node *node)
{
    if (is_layer(self, node, may_end_in(self, "logistic_loss") || may_end_in(self, "sigmoid_loss")))
        return tri__importer_add(self, node, "sigmoid", 1, "");
    const int logits = tri__importer_find(self, node->input[0]);
    return give_to_loss(self, node, tri__importer_outputs(self, logits) > 1 ? "sigmoid_loss" : "logistic_loss");
}

static tri_status gelu(tri__importer *self, const tri__onnx_node *node)
{
    const tri__onnx_attribute *approximate = tri__onnx_attribute_of(node, "approximate");
    if (approximate && approximate->text[0] && strcmp(approximate->text, "none") != 0)
        return tri__import_unsupported(node, "it is computed exactly here: approximate must be none");
    return tri__importer_add(self, node, "gelu", 1, "");
}

static tri_status cast(tri__importer *self, const tri__onnx_node *node)
{
    return whole_of(node, "to", 0) == ONNX_ELEMENT_FLOAT ? tri__importer_alias(self, node)
                                                         : tri__import_unsupported(node, "values are floats here: to must be float");
}

static const struct {
    const char *op;
    tri_status (*import)(tri__importer *self, const tri__onnx_node *node);
    const char *verb; /* for operators without attributes: our name */
} table[] = {
    {"Conv", conv, NULL},
    {"Gemm", dense, NULL},
    {"MatMul", dense, NULL},
    {"MaxPool", pool, NULL},
    {"AveragePool", pool, NULL},
    {"GlobalAveragePool", NULL, "global_avgpool"},
    {"GlobalMaxPool", NULL, "global_maxpool"},
    {"ReduceMean", reduce_mean, NULL},
    {"BatchNormalization", batch_norm, NULL},
    {"LayerNormalization", layer_norm, NULL},
    {"LRN", lrn, NULL},
    {"Relu", NULL, "relu"},
    {"LeakyRelu", leaky_relu, NULL},
    {"Tanh", NULL, "tanh"},
    {"Gelu", gelu, NULL},
    {"Sigmoid", sigmoid, NULL},
    {"Softmax", softmax, NULL},
    {"LogSoftmax", log_softmax, NULL},
    {"Flatten", flatten, NULL},
    {"Reshape", reshape, NULL},
    {"Concat", concat, NULL},
    {"Add", add, NULL},
    {"Sum", sum, NULL},
    {"Mul", multiply, NULL},
    {"Transpose", transpose, NULL},
    {"Pad", pad, NULL},
    {"Constant", constant, NULL},
    {"Cast", cast, NULL},
    {"Identity", tri__importer_alias, NULL},
    {"Dropout", tri__importer_alias, NULL},
};

tri_status tri__import_node(tri__importer *self, const tri__onnx_node *node)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(node->op, table[i].op) == 0) {
            if (node->inputs < 1 && table[i].import != constant)
                return tri__import_unsupported(node, "it has no input");
            return table[i].import ? table[i].import(self, node) : tri__importer_add(self, node, table[i].verb, 1, "");
        }
    return tri__import_unsupported(node, "there is no such operator here (docs/models.md lists those there are)");
}
