/* import.c: see import.h. Nodes are taken in the order of the file, in which inputs come before their readers. Each becomes a line, by a
 * function of its operator, found in the table below. Nodes that change nothing here (Cast, Dropout, Identity) become another name of
 * their input. */
#include "graph/onnx/import.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/model/model.h"
#include "graph/onnx/message.h"
#include "graph/onnx/read.h"

/* A line of the model, from which `name = verb(inputs, settings)` is printed. */
typedef struct {
    const char *name, *verb, *inputs, *settings;
    bool could_have_bias, has_bias;
} line;

/* What ONNX calls a value, and the line that computes it. */
typedef struct {
    const char *name;
    int line;
} known_value;

typedef struct {
    tri__arena *arena;
    tri__onnx_graph graph;
    tri__imported *out;
    line *lines;
    int64_t count, room;
    known_value *values;
    int64_t known, known_room;
    float scale, offset; /* of the input, where it is bytes */
    bool channels_first; /* the input's channels come first */
    const char *loss;    /* "softmax_loss", or what the last node says */
} importer;

typedef tri_status (*importing)(importer *self, const tri__onnx_node *node);

static tri_status unsupported(const tri__onnx_node *node, const char *why)
{
    return tri_fail(TRI_UNSUPPORTED, "node '%s' (%s): %s", node->name[0] ? node->name : node->output[0], node->op, why);
}

static tri_status no_memory(void)
{
    return tri_fail(TRI_NO_MEMORY, "out of memory for an imported model");
}

/* ---- values and lines ---- */

static int find_value(const importer *self, const char *name)
{
    for (int64_t i = self->known - 1; i >= 0; i--)
        if (strcmp(self->values[i].name, name) == 0)
            return self->values[i].line;
    return -1;
}

static int readers_of(const importer *self, const char *name)
{
    int readers = 0;
    for (int64_t i = 0; i < self->graph.nodes; i++)
        for (int k = 0; k < self->graph.node[i].inputs; k++)
            readers += strcmp(self->graph.node[i].input[k], name) == 0;
    for (int64_t i = 0; i < self->graph.outputs; i++)
        readers += strcmp(self->graph.output[i].name, name) == 0;
    return readers;
}

/* Whether nobody but the node that is being imported reads what the line computes, by any of its names: then the line may be changed. */
static bool is_read_once(const importer *self, int index)
{
    for (int64_t i = 0; i < self->known; i++)
        if (self->values[i].line == index && readers_of(self, self->values[i].name) > 1)
            return false;
    return true;
}

static tri_status know(importer *self, const char *name, int index)
{
    TRI_TRY(tri__grow(&self->values, &self->known_room, self->known + 1, sizeof *self->values, "an imported model"));
    self->values[self->known++] = (known_value){name, index};
    return NULL;
}

static bool is_free(const importer *self, const char *name)
{
    for (int64_t i = 0; i < self->count; i++)
        if (strcmp(self->lines[i].name, name) == 0)
            return false;
    return true;
}

/* ONNX's own name where a model file can have it, or one made of the verb. */
static const char *name_line(importer *self, const char *value, const char *verb)
{
    static const char *const reserved[] = {"x",    "image",  "labels", "weights",       "classes",
                                           "keys", "values", "logits", "probabilities", "input"};
    size_t length = strlen(value);
    bool usable = length > 0 && length < TRI_MODEL_NAME && isalpha((unsigned char)value[0]) && is_free(self, value);
    for (size_t i = 0; i < length; i++)
        usable = usable && (isalnum((unsigned char)value[i]) || value[i] == '_') && (unsigned char)value[i] < 128;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        usable = usable && strcmp(value, reserved[i]) != 0;
    if (usable)
        return value;
    for (int number = 1;; number++) {
        const char *made = tri__arena_format(self->arena, "%s_%d", verb, number);
        if (!made || is_free(self, made))
            return made;
    }
}

/* The line's inputs are those of the node's that are values, up to `most`. settings: the arena's, or a literal. */
static tri_status add_line(importer *self, const tri__onnx_node *node, const char *verb, int most, const char *settings)
{
    const char *inputs = "";
    for (int i = 0; i < node->inputs && i < most && inputs; i++) {
        const int from = find_value(self, node->input[i]);
        if (from < 0)
            return unsupported(node, "reads a value that no node before it computes");
        inputs = tri__arena_format(self->arena, "%s%s%s", inputs, i ? ", " : "", self->lines[from].name);
    }
    const char *name = name_line(self, node->output[0], verb);
    if (!inputs || !name || !settings)
        return no_memory();
    if (self->count >= TRI_MODEL_STATEMENTS)
        return tri_fail(TRI_UNSUPPORTED, "a model has at most %d lines", TRI_MODEL_STATEMENTS);
    TRI_TRY(tri__grow(&self->lines, &self->room, self->count + 1, sizeof *self->lines, "an imported model"));
    self->lines[self->count] = (line){.name = name, .verb = verb, .inputs = inputs, .settings = settings};
    return know(self, node->output[0], (int)self->count++);
}

static line *last_line(const importer *self)
{
    return &self->lines[self->count - 1];
}

static tri_status same_value(importer *self, const tri__onnx_node *node)
{
    const int from = node->inputs ? find_value(self, node->input[0]) : -1;
    return from < 0 ? unsupported(node, "reads a value that no node before it computes") : know(self, node->output[0], from);
}

/* ---- parameters ---- */

static tri_status add_tensor(importer *self, const char *layer, const char *part, tri_shape shape, const float *data)
{
    tri__imported *out = self->out;
    const char *name = tri__arena_format(self->arena, "%s%s", layer, part);
    if (!name)
        return no_memory();
    TRI_TRY(tri__grow(&out->tensor, &out->room, out->tensors + 1, sizeof *out->tensor, "an imported model"));
    out->tensor[out->tensors++] = (tri__imported_tensor){name, shape, data};
    return NULL;
}

/* Input number i of the node as a tensor of floats, of that rank. */
static tri_status tensor_at(const importer *self, const tri__onnx_node *node, int i, int rank, const tri__onnx_tensor **out)
{
    const tri__onnx_tensor *tensor = i < node->inputs ? tri__onnx_tensor_of(&self->graph, node->input[i]) : NULL;
    if (!tensor || !tensor->floats || tensor->shape.rank != rank)
        return unsupported(node, "its parameters must be float tensors in the file, of the usual shape");
    *out = tensor;
    return NULL;
}

/* A bias, for the line that was made last. */
static tri_status add_bias(importer *self, const tri__onnx_node *node, int i, int64_t outputs)
{
    const tri__onnx_tensor *bias;
    last_line(self)->could_have_bias = true;
    if (node->inputs <= i || !node->input[i][0])
        return NULL;
    TRI_TRY(tensor_at(self, node, i, 1, &bias));
    if (bias->shape.dim[0] != outputs)
        return unsupported(node, "its bias has another number of values than the result has channels");
    last_line(self)->has_bias = true;
    return add_tensor(self, last_line(self)->name, ".bias", bias->shape, bias->floats);
}

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

/* Two numbers of a list: height and width. */
static void pair_of(const tri__onnx_node *node, const char *name, int64_t standard, int64_t out[2])
{
    const tri__onnx_attribute *attribute = tri__onnx_attribute_of(node, name);
    for (int i = 0; i < 2; i++)
        out[i] = attribute && attribute->count >= 2 ? attribute->ints[i] : standard;
}

/* "stride=2x2, pad=1x1" of convolution and pooling. */
static tri_status window_of(importer *self, const tri__onnx_node *node, const char **out)
{
    int64_t stride[2], dilation[2];
    const tri__onnx_attribute *pads = tri__onnx_attribute_of(node, "pads"), *automatic = tri__onnx_attribute_of(node, "auto_pad");
    pair_of(node, "strides", 1, stride);
    pair_of(node, "dilations", 1, dilation);
    char pad[64] = "";
    if (automatic && strcmp(automatic->text, "SAME_UPPER") == 0)
        snprintf(pad, sizeof pad, ", pad=same");
    else if (automatic && automatic->text[0] && strcmp(automatic->text, "NOTSET") != 0 && strcmp(automatic->text, "VALID") != 0)
        return unsupported(node, "auto_pad may be SAME_UPPER, VALID or NOTSET");
    else if (pads && (pads->count != 4 || pads->ints[0] != pads->ints[2] || pads->ints[1] != pads->ints[3]))
        return unsupported(node, "its padding differs on two sides (auto_pad SAME_UPPER can be read)");
    else if (pads)
        snprintf(pad, sizeof pad, ", pad=%" PRId64 "x%" PRId64, pads->ints[0], pads->ints[1]);
    const bool wide = dilation[0] != 1 || dilation[1] != 1;
    if (wide && strcmp(node->op, "Conv") != 0)
        return unsupported(node, "dilation is for convolutions");
    const char *dilated = wide ? tri__arena_format(self->arena, ", dilation=%" PRId64 "x%" PRId64, dilation[0], dilation[1]) : "";
    *out = dilated ? tri__arena_format(self->arena, "stride=%" PRId64 "x%" PRId64 "%s%s", stride[0], stride[1], pad, dilated) : NULL;
    return *out ? NULL : no_memory();
}

/* ---- operators ---- */

static tri_status conv(importer *self, const tri__onnx_node *node)
{
    const tri__onnx_tensor *weight;
    const char *window;
    TRI_TRY(tensor_at(self, node, 1, 4, &weight));
    TRI_TRY(window_of(self, node, &window));
    const int64_t *w = weight->shape.dim;
    TRI_TRY(add_line(self, node, "conv", 1,
                     tri__arena_format(self->arena, "out=%" PRId64 ", kernel=%" PRId64 "x%" PRId64 ", %s, groups=%" PRId64, w[0], w[2],
                                       w[3], window, whole_of(node, "group", 1))));
    TRI_TRY(add_tensor(self, last_line(self)->name, ".weight", weight->shape, weight->floats));
    return add_bias(self, node, 2, w[0]);
}

/* [in][out] as [out][in] */
static tri_status turned(importer *self, const tri__onnx_tensor *weight, const float **out)
{
    const int64_t rows = weight->shape.dim[0], columns = weight->shape.dim[1];
    float *data = tri__arena_alloc(self->arena, ((size_t)weight->count + 1) * sizeof *data);
    if (!data)
        return no_memory();
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++)
            data[c * rows + r] = weight->floats[r * columns + c];
    *out = data;
    return NULL;
}

static tri_status dense(importer *self, const tri__onnx_node *node)
{
    const tri__onnx_tensor *weight;
    const bool turn = !whole_of(node, "transB", 0);
    TRI_TRY(tensor_at(self, node, 1, 2, &weight));
    if (whole_of(node, "transA", 0) || number_of(node, "alpha", 1) != 1 || number_of(node, "beta", 1) != 1)
        return unsupported(node, "transA, alpha and beta must be left out");
    const int64_t inputs = weight->shape.dim[turn ? 0 : 1], outputs = weight->shape.dim[turn ? 1 : 0];
    const float *data = weight->floats;
    if (turn)
        TRI_TRY(turned(self, weight, &data));
    TRI_TRY(add_line(self, node, "dense", 1, tri__arena_format(self->arena, "out=%" PRId64, outputs)));
    TRI_TRY(add_tensor(self, last_line(self)->name, ".weight", TRI_SHAPE(outputs, inputs), data));
    return add_bias(self, node, 2, outputs);
}

static tri_status pool(importer *self, const tri__onnx_node *node)
{
    const char *window;
    int64_t kernel[2];
    const bool average = strcmp(node->op, "AveragePool") == 0;
    TRI_TRY(window_of(self, node, &window));
    pair_of(node, "kernel_shape", 1, kernel);
    if (whole_of(node, "ceil_mode", 0))
        return unsupported(node, "ceil_mode is not known here");
    if (average && strstr(window, "pad=") && !strstr(window, "pad=0x0") && !whole_of(node, "count_include_pad", 0))
        return unsupported(node, "means here count padding (count_include_pad=1)");
    return add_line(self, node, average ? "avgpool" : "maxpool", 1,
                    tri__arena_format(self->arena, "kernel=%" PRId64 "x%" PRId64 ", %s", kernel[0], kernel[1], window));
}

static tri_status batch_norm(importer *self, const tri__onnx_node *node)
{
    static const char *const parts[] = {"", ".weight", ".bias", ".running_mean", ".running_var"};
    const tri__onnx_tensor *tensor;
    TRI_TRY(
        add_line(self, node, "batch_norm", 1, tri__arena_format(self->arena, "epsilon=%.9g", (double)number_of(node, "epsilon", 1e-5F))));
    for (int i = 1; i < 5; i++) {
        TRI_TRY(tensor_at(self, node, i, 1, &tensor));
        TRI_TRY(add_tensor(self, last_line(self)->name, parts[i], tensor->shape, tensor->floats));
    }
    return NULL;
}

/* Over all values of an example: axis 1, or the last one of a row. That the shapes fit is found out when the model is built. */
static tri_status layer_norm(importer *self, const tri__onnx_node *node)
{
    const tri__onnx_tensor *scale = node->inputs > 1 ? tri__onnx_tensor_of(&self->graph, node->input[1]) : NULL;
    const tri__onnx_tensor *shift = node->inputs > 2 ? tri__onnx_tensor_of(&self->graph, node->input[2]) : NULL;
    const int64_t axis = whole_of(node, "axis", -1);
    if (!scale || !shift || !scale->floats || !shift->floats || (axis != 1 && axis != -scale->shape.rank))
        return unsupported(node, "it must go over all values of an example, with scale and bias in the file");
    TRI_TRY(
        add_line(self, node, "layer_norm", 1, tri__arena_format(self->arena, "epsilon=%.9g", (double)number_of(node, "epsilon", 1e-5F))));
    TRI_TRY(add_tensor(self, last_line(self)->name, ".weight", scale->shape, scale->floats));
    return add_tensor(self, last_line(self)->name, ".bias", shift->shape, shift->floats);
}

static tri_status leaky_relu(importer *self, const tri__onnx_node *node)
{
    return add_line(self, node, "leaky_relu", 1, tri__arena_format(self->arena, "alpha=%.9g", (double)number_of(node, "alpha", 0.01F)));
}

static tri_status lrn(importer *self, const tri__onnx_node *node)
{
    const int64_t size = whole_of(node, "size", 0);
    if (size % 2 == 0)
        return unsupported(node, "its window must have an odd number of channels");
    return add_line(self, node, "lrn", 1,
                    tri__arena_format(self->arena, "size=%" PRId64 ", alpha=%.9g, beta=%.9g, bias=%.9g", size,
                                      (double)number_of(node, "alpha", 1e-4F), (double)number_of(node, "beta", 0.75F),
                                      (double)number_of(node, "bias", 1)));
}

static tri_status flatten(importer *self, const tri__onnx_node *node)
{
    return whole_of(node, "axis", 1) == 1 ? add_line(self, node, "flatten", 1, "") : unsupported(node, "axis must be 1");
}

/* To one row an example; other shapes would depend on the order of dimensions there and here. */
static tri_status reshape(importer *self, const tri__onnx_node *node)
{
    const tri__onnx_tensor *shape = node->inputs > 1 ? tri__onnx_tensor_of(&self->graph, node->input[1]) : NULL;
    if (!shape || !shape->ints || shape->count != 2)
        return unsupported(node, "only [N][values] can be read: the shape must be in the file and have two numbers");
    return add_line(self, node, "flatten", 1, "");
}

static tri_status concat(importer *self, const tri__onnx_node *node)
{
    if (whole_of(node, "axis", 1) != 1 || node->inputs > TRI_MAX_INPUTS)
        return unsupported(node, "channels of up to 12 values can be joined: axis must be 1");
    return add_line(self, node, "concat", node->inputs, "");
}

/* A node of its own that pads by nothing, as PyTorch puts before AveragePool. */
static tri_status pad(importer *self, const tri__onnx_node *node)
{
    const tri__onnx_tensor *pads = node->inputs > 1 ? tri__onnx_tensor_of(&self->graph, node->input[1]) : NULL;
    for (int64_t i = 0; pads && pads->ints && i < pads->count; i++)
        if (pads->ints[i] != 0)
            return unsupported(node, "padding must be a convolution's or a pooling's own");
    return pads && pads->ints ? same_value(self, node) : unsupported(node, "its sizes must be in the file");
}

/* Its readers find the tensor. */
static tri_status constant(importer *self, const tri__onnx_node *node)
{
    return tri__onnx_tensor_of(&self->graph, node->output[0]) ? NULL : unsupported(node, "its value must be a tensor");
}

/* The mean over height and width. */
static tri_status reduce_mean(importer *self, const tri__onnx_node *node)
{
    const tri__onnx_attribute *axes = tri__onnx_attribute_of(node, "axes");
    const tri__onnx_tensor *given = node->inputs > 1 ? tri__onnx_tensor_of(&self->graph, node->input[1]) : NULL;
    const int64_t *list = axes ? axes->ints : given ? given->ints : NULL, count = axes ? axes->count : given ? given->count : 0;
    const bool images = list && count == 2 && ((list[0] == 2 && list[1] == 3) || (list[0] == -2 && list[1] == -1));
    return images ? add_line(self, node, "global_avgpool", 1, "") : unsupported(node, "only the mean over height and width can be read");
}

/* The one number of a tensor in the file; false where the node's input i is none. */
static bool is_number(const importer *self, const tri__onnx_node *node, int i, float *out)
{
    const tri__onnx_tensor *tensor = tri__onnx_tensor_of(&self->graph, node->input[i]);
    if (!tensor || !tensor->floats || tensor->count != 1)
        return false;
    *out = tensor->floats[0];
    return true;
}

/* The input as it came, while it is bytes: scale and offset are its own. */
static bool is_bare_input(const importer *self, const tri__onnx_node *node)
{
    return self->out->input.type == TRI_U8 && find_value(self, node->input[0]) == 0;
}

static tri_status scale_input(importer *self, const tri__onnx_node *node, float scale, float offset)
{
    if (!is_read_once(self, 0))
        return unsupported(node, "the input's bytes can be scaled and shifted only where no other node reads them");
    self->scale *= scale;
    self->offset = self->offset * scale + offset;
    return same_value(self, node);
}

static tri_status multiply(importer *self, const tri__onnx_node *node)
{
    float number;
    if (node->inputs == 2 && is_number(self, node, 1, &number)) {
        if (is_bare_input(self, node))
            return scale_input(self, node, number, 0);
        return number == 1 ? same_value(self, node)
                           : add_line(self, node, "multiply", 1, tri__arena_format(self->arena, "scale=%.9g", (double)number));
    }
    return add_line(self, node, "multiply", 2, "");
}

/* Whether it is one number a channel: [C][1][1] behind a convolution, [C] behind a dense layer, or either with a 1 before it. */
static bool is_of_channels(const tri__onnx_tensor *tensor, const line *product)
{
    const int behind = strcmp(product->verb, "conv") == 0 ? 2 : 0, channels = tensor->shape.rank - 1 - behind;
    return tensor->floats && tensor->count > 0 && (channels == 0 || channels == 1) && tensor->shape.dim[channels] == tensor->count;
}

/* A line without a bias may get one from an Add behind it. */
static tri_status add_bias_behind(importer *self, const tri__onnx_node *node, int value, const tri__onnx_tensor *bias)
{
    line *product = &self->lines[value];
    if (!product->could_have_bias || product->has_bias)
        return unsupported(node, "a tensor of the file can be added to what a layer without a bias gives, and nowhere else");
    if (!is_of_channels(bias, product))
        return unsupported(node, "a tensor that is added must be floats, [C][1][1] behind a convolution or [C] behind a dense layer");
    if (!is_read_once(self, value))
        return unsupported(node, "what it adds a tensor to is read by other nodes too, without the tensor");
    product->has_bias = true;
    TRI_TRY(add_tensor(self, product->name, ".bias", TRI_SHAPE(bias->count), bias->floats));
    return know(self, node->output[0], value);
}

static tri_status add(importer *self, const tri__onnx_node *node)
{
    float number;
    if (node->inputs != 2)
        return unsupported(node, "it must have two inputs");
    if (is_number(self, node, 1, &number) && (number == 0 || is_bare_input(self, node)))
        return number == 0 ? same_value(self, node) : scale_input(self, node, 1, number);
    for (int i = 0; i < 2; i++) {
        const tri__onnx_tensor *tensor = tri__onnx_tensor_of(&self->graph, node->input[i]);
        const int value = find_value(self, node->input[1 - i]);
        if (tensor && value >= 0)
            return add_bias_behind(self, node, value, tensor);
    }
    return add_line(self, node, "add", 2, "");
}

static tri_status sum(importer *self, const tri__onnx_node *node)
{
    return node->inputs <= TRI_MAX_INPUTS ? add_line(self, node, "add_n", node->inputs, "") : unsupported(node, "it has too many inputs");
}

/* Channels of the input to the front. */
static tri_status transpose(importer *self, const tri__onnx_node *node)
{
    const tri__onnx_attribute *order = tri__onnx_attribute_of(node, "perm");
    static const int64_t to_front[] = {0, 3, 1, 2};
    if (find_value(self, node->input[0]) != 0 || self->channels_first || !order || order->count != 4 ||
        memcmp(order->ints, to_front, sizeof to_front) != 0)
        return unsupported(node, "only the input's channels can be moved, to the front");
    if (!is_read_once(self, 0))
        return unsupported(node, "other nodes read the input as it was before");
    self->channels_first = true;
    return same_value(self, node);
}

static bool is_output(const importer *self, const char *name)
{
    for (int64_t i = 0; i < self->graph.outputs; i++)
        if (strcmp(self->graph.output[i].name, name) == 0)
            return true;
    return false;
}

/* A node at the end belongs to the loss, whose logits are what the node reads. */
static tri_status give_to_loss(importer *self, const tri__onnx_node *node)
{
    if (readers_of(self, node->output[0]) > 1)
        return unsupported(node, "it is the model's output, and other nodes read it too");
    return same_value(self, node);
}

static tri_status softmax(importer *self, const tri__onnx_node *node)
{
    const int64_t axis = whole_of(node, "axis", -1);
    if (axis != 1 && axis != -1)
        return unsupported(node, "axis must be 1 or -1");
    return is_output(self, node->output[0]) ? give_to_loss(self, node) : add_line(self, node, "softmax", 1, "");
}

static tri_status log_softmax(importer *self, const tri__onnx_node *node)
{
    return is_output(self, node->output[0]) ? softmax(self, node) : unsupported(node, "it can be read as the model's output only");
}

static tri_status sigmoid(importer *self, const tri__onnx_node *node)
{
    if (!is_output(self, node->output[0]))
        return add_line(self, node, "sigmoid", 1, "");
    self->loss = "logistic_loss";
    return give_to_loss(self, node);
}

static tri_status gelu(importer *self, const tri__onnx_node *node)
{
    const tri__onnx_attribute *approximate = tri__onnx_attribute_of(node, "approximate");
    if (approximate && approximate->text[0] && strcmp(approximate->text, "none") != 0)
        return unsupported(node, "it is computed exactly here: approximate must be none");
    return add_line(self, node, "gelu", 1, "");
}

static tri_status cast(importer *self, const tri__onnx_node *node)
{
    return whole_of(node, "to", 0) == ONNX_ELEMENT_FLOAT ? same_value(self, node)
                                                         : unsupported(node, "values are floats here: to must be float");
}

static const struct {
    const char *op;
    importing import;
    const char *verb; /* of operators without attributes: what it is called here */
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
    {"Identity", same_value, NULL},
    {"Dropout", same_value, NULL},
};

static tri_status import_node(importer *self, const tri__onnx_node *node)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(node->op, table[i].op) == 0) {
            if (node->inputs < 1 && table[i].import != constant)
                return unsupported(node, "it has no input");
            return table[i].import ? table[i].import(self, node) : add_line(self, node, table[i].verb, 1, "");
        }
    return unsupported(node, "there is no such operator here (docs/models.md lists those there are)");
}

/* ---- the whole ---- */

/* The graph's one input that is no tensor of the file. It is line 0. */
static tri_status import_input(importer *self)
{
    const tri__onnx_value *x = NULL;
    for (int64_t i = 0; i < self->graph.inputs; i++) {
        if (tri__onnx_tensor_of(&self->graph, self->graph.input[i].name))
            continue;
        if (x)
            return tri_fail(TRI_UNSUPPORTED, "the model has two inputs, '%s' and '%s': one can be read", x->name,
                            self->graph.input[i].name);
        x = &self->graph.input[i];
    }
    if (!x || (x->element != ONNX_ELEMENT_FLOAT && x->element != ONNX_ELEMENT_UINT8) || (x->shape.rank != 2 && x->shape.rank != 4))
        return tri_fail(TRI_UNSUPPORTED, "the model's input must be floats or bytes of [N][channels][height][width] or [N][features]");
    for (int i = 1; i < x->shape.rank; i++)
        if (x->shape.dim[i] < 1)
            return tri_fail(TRI_UNSUPPORTED, "the model's input '%s' leaves its height, width, channels or features open", x->name);
    self->out->input.type = x->element == ONNX_ELEMENT_UINT8 ? TRI_U8 : TRI_F32;
    self->out->input.shape = tri_shape_of(x->shape.rank - 1, x->shape.dim + 1);
    TRI_TRY(tri__grow(&self->lines, &self->room, 1, sizeof *self->lines, "an imported model"));
    self->lines[self->count++] = (line){.name = "input", .verb = "input", .inputs = "", .settings = ""};
    return know(self, x->name, 0);
}

/* Files here have channels last. */
static void settle_shape(const importer *self)
{
    tri_shape *shape = &self->out->input.shape;
    if (shape->rank == 3 && !self->channels_first)
        *shape = TRI_SHAPE(shape->dim[1], shape->dim[2], shape->dim[0]);
}

static void print_line(FILE *stream, const line *one)
{
    fprintf(stream, "%s = %s(%s%s%s%s)\n", one->name, one->verb, one->inputs, one->inputs[0] && one->settings[0] ? ", " : "", one->settings,
            one->could_have_bias && !one->has_bias ? ", bias=no" : "");
}

/* The loss reads the logits. */
static tri_status print_text(importer *self, int logits)
{
    char shape[128], *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return no_memory();
    fprintf(stream, "# made of an ONNX model\n\ninput(%s", tri_shape_text(self->out->input.shape, shape, sizeof shape));
    if (self->out->input.type == TRI_U8)
        fprintf(stream, ", scale=%.9g, offset=%.9g", (double)self->scale, (double)self->offset);
    fprintf(stream, ")\n");
    for (int64_t i = 1; i < self->count; i++)
        print_line(stream, &self->lines[i]);
    fprintf(stream, "%s(%s)\n", self->loss, self->lines[logits].name);
    if (fclose(stream) != 0) {
        free(text);
        return no_memory();
    }
    self->out->text = tri__arena_copy(self->arena, text);
    free(text);
    return self->out->text ? NULL : no_memory();
}

/* As many classes as the last layer has outputs; a logit alone has two. */
static int64_t classes_of(const importer *self, int logits)
{
    const char *out = strstr(self->lines[logits].settings, "out=");
    const int64_t outputs = out ? strtoll(out + strlen("out="), NULL, 10) : 0;
    return strcmp(self->loss, "logistic_loss") == 0 ? 2 : outputs;
}

static tri_status import_all(importer *self)
{
    TRI_TRY(import_input(self));
    for (int64_t i = 0; i < self->graph.nodes; i++)
        TRI_TRY(import_node(self, &self->graph.node[i]));
    const int logits = find_value(self, self->graph.output[0].name);
    if (logits < 1)
        return tri_fail(TRI_BAD_DATA, "no node computes the model's output '%s'", self->graph.output[0].name);
    settle_shape(self);
    self->out->input.classes = classes_of(self, logits);
    return print_text(self, logits);
}

tri_status tri__onnx_import(const uint8_t *data, size_t size, tri__arena *arena, tri__imported *out)
{
    importer self = {.arena = arena, .out = out, .scale = 1, .loss = "softmax_loss"};
    *out = (tri__imported){0};
    tri_status status = tri__onnx_read(data, size, arena, &self.graph);
    if (!status)
        status = import_all(&self);
    free(self.lines);
    free(self.values);
    return status;
}

void tri__imported_fini(tri__imported *imported)
{
    free(imported->tensor);
    *imported = (tri__imported){0};
}
