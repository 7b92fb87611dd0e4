/* export.c: see export.h. Each node becomes one ONNX node or a few, by a function of its operator, found in the table at the end. A value
 * is called as its node is; what lies between, such as the parts of gelu, is called node/part. */
#include "graph/onnx/export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/memory.h"
#include "graph/nodes/operator.h"
#include "graph/onnx/message.h"

typedef struct {
    const tri_graph *graph;
    const float *parameters;
    tri__arena *arena;     /* names of values in between */
    tri__wire_buffer body; /* the GraphProto so far */
    bool *needed;          /* by node->id: the logits need it */
    bool *folded;          /* by node->id: its one reader, a bias, computes it too */
} exporter;

/* One NodeProto in the making. */
typedef struct {
    exporter *self;
    tri__wire_buffer message;
} onnx_node;

/* ---- nodes and attributes ---- */

static onnx_node begin(exporter *self, const char *operator_name)
{
    onnx_node node = {.self = self};
    tri__wire_put_string(&node.message, ONNX_NODE_OPERATOR, operator_name);
    return node;
}

static void put_input(onnx_node *node, const char *name)
{
    tri__wire_put_string(&node->message, ONNX_NODE_INPUT, name);
}

static void end(onnx_node *node, const char *output)
{
    tri__wire_put_string(&node->message, ONNX_NODE_OUTPUT, output);
    tri__wire_put_string(&node->message, ONNX_NODE_NAME, output);
    tri__wire_put_message(&node->self->body, ONNX_GRAPH_NODE, &node->message);
    tri__wire_fini(&node->message);
}

static void put_attribute(onnx_node *node, const char *name, uint64_t type, tri__wire_buffer *value)
{
    tri__wire_put_string(value, ONNX_ATTRIBUTE_NAME, name);
    tri__wire_put_varint(value, ONNX_ATTRIBUTE_TYPE, type);
    tri__wire_put_message(&node->message, ONNX_NODE_ATTRIBUTE, value);
    tri__wire_fini(value);
}

static void put_int(onnx_node *node, const char *name, int64_t number)
{
    tri__wire_buffer value = {0};
    tri__wire_put_varint(&value, ONNX_ATTRIBUTE_I, (uint64_t)number);
    put_attribute(node, name, ONNX_TYPE_INT, &value);
}

static void put_float(onnx_node *node, const char *name, float number)
{
    tri__wire_buffer value = {0};
    tri__wire_put_float(&value, ONNX_ATTRIBUTE_F, number);
    put_attribute(node, name, ONNX_TYPE_FLOAT, &value);
}

static void put_ints(onnx_node *node, const char *name, const int64_t *numbers, int count)
{
    tri__wire_buffer value = {0};
    for (int i = 0; i < count; i++)
        tri__wire_put_varint(&value, ONNX_ATTRIBUTE_INTS, (uint64_t)numbers[i]);
    put_attribute(node, name, ONNX_TYPE_INTS, &value);
}

/* output = operator(inputs), without attributes */
static void put_plain(exporter *self, const char *operator_name, const char *output, const char *a, const char *b)
{
    onnx_node node = begin(self, operator_name);
    put_input(&node, a);
    if (b)
        put_input(&node, b);
    end(&node, output);
}

/* ---- tensors ---- */

static void put_tensor(exporter *self, const char *name, uint64_t type, const int64_t *dims, int rank, const void *data, size_t bytes)
{
    tri__wire_buffer tensor = {0};
    for (int i = 0; i < rank; i++)
        tri__wire_put_varint(&tensor, ONNX_TENSOR_DIMS, (uint64_t)dims[i]);
    tri__wire_put_varint(&tensor, ONNX_TENSOR_TYPE, type);
    tri__wire_put_string(&tensor, ONNX_TENSOR_NAME, name);
    tri__wire_put_bytes(&tensor, ONNX_TENSOR_RAW, data, bytes);
    tri__wire_put_message(&self->body, ONNX_GRAPH_INITIALIZER, &tensor);
    tri__wire_fini(&tensor);
}

/* "node/part"; the arena's. Names that memory does not suffice for show as a failure of the whole. */
static const char *part(exporter *self, const tri_node *node, const char *what)
{
    const char *name = tri__arena_format(self->arena, "%s/%s", node->name, what);
    self->body.failed |= !name;
    return name ? name : "";
}

static const char *number(exporter *self, const tri_node *node, const char *what, float value)
{
    const char *name = part(self, node, what);
    put_tensor(self, name, ONNX_ELEMENT_FLOAT, NULL, 0, &value, sizeof value);
    return name;
}

static const char *numbers(exporter *self, const tri_node *node, const char *what, const int64_t *values, int count)
{
    const char *name = part(self, node, what);
    put_tensor(self, name, ONNX_ELEMENT_INT64, (int64_t[]){count}, 1, values, (size_t)count * sizeof *values);
    return name;
}

/* ---- operators ---- */

typedef tri_status (*exporting)(exporter *self, const tri_node *node);

static tri_status parameter(exporter *self, const tri_node *node)
{
    put_tensor(self, node->name, ONNX_ELEMENT_FLOAT, node->shape.dim, node->shape.rank, self->parameters + node->range.first,
               node->range.count * sizeof(float));
    return NULL;
}

static tri_status constant(exporter *self, const tri_node *node)
{
    float *values;
    const int64_t count = tri_shape_count(node->shape);
    TRI_TRY(tri__allocate((size_t)count, sizeof *values, "a constant", &values));
    for (int64_t i = 0; i < count; i++)
        values[i] = node->data ? ((const float *)node->data)[i] : node->attributes.value;
    put_tensor(self, node->name, ONNX_ELEMENT_FLOAT, node->shape.dim, node->shape.rank, values, (size_t)count * sizeof *values);
    free(values);
    return NULL;
}

/* Bytes or floats, channels last, to floats, channels first: x · scale + offset */
static tri_status image(exporter *self, const tri_node *node)
{
    const char *at = part(self, node, "cast"), *next;
    onnx_node cast = begin(self, "Cast");
    put_input(&cast, node->input[0]->name);
    put_int(&cast, "to", ONNX_ELEMENT_FLOAT);
    end(&cast, at);
    if (node->shape.rank == 4) {
        onnx_node turn = begin(self, "Transpose");
        put_input(&turn, at);
        put_ints(&turn, "perm", (int64_t[]){0, 3, 1, 2}, 4);
        end(&turn, at = part(self, node, "channels_first"));
    }
    put_plain(self, "Mul", next = part(self, node, "scaled"), at, number(self, node, "scale", node->attributes.scale));
    put_plain(self, "Add", node->name, next, number(self, node, "offset", node->attributes.offset));
    return NULL;
}

/* a · b, each transposed where it is said so, plus bias. name: of the result */
static void put_gemm(exporter *self, const tri_node *node, const char *bias, const char *name)
{
    onnx_node gemm = begin(self, "Gemm");
    put_input(&gemm, node->input[0]->name);
    put_input(&gemm, node->input[1]->name);
    if (bias)
        put_input(&gemm, bias);
    put_int(&gemm, "transA", node->attributes.transpose_a);
    put_int(&gemm, "transB", node->attributes.transpose_b);
    end(&gemm, name);
}

static void put_window(onnx_node *node, const tri_attributes *a)
{
    put_ints(node, "kernel_shape", a->kernel, 2);
    put_ints(node, "strides", a->stride, 2);
    put_ints(node, "pads", (int64_t[]){a->pad[0], a->pad[1], a->pad[0] + a->pad_more[0], a->pad[1] + a->pad_more[1]}, 4);
}

static void put_convolution(exporter *self, const tri_node *node, const char *bias, const char *name)
{
    onnx_node conv = begin(self, "Conv");
    put_input(&conv, node->input[0]->name);
    put_input(&conv, node->input[1]->name);
    if (bias)
        put_input(&conv, bias);
    put_window(&conv, &node->attributes);
    put_ints(&conv, "dilations", node->attributes.dilation, 2);
    put_int(&conv, "group", node->attributes.groups);
    end(&conv, name);
}

static void put_product(exporter *self, const tri_node *node, const char *bias, const char *name)
{
    if (tri__node_is(node, "matmul"))
        put_gemm(self, node, bias, name);
    else
        put_convolution(self, node, bias, name);
}

static tri_status product(exporter *self, const tri_node *node)
{
    if (!self->folded[node->id])
        put_product(self, node, node->inputs > 2 ? node->input[2]->name : NULL, node->name);
    return NULL;
}

/* A bias behind a product is its third input; elsewhere it is added along the channels. */
static tri_status bias(exporter *self, const tri_node *node)
{
    const tri_node *x = node->input[0], *b = node->input[1];
    if (self->folded[x->id]) {
        put_product(self, x, b->name, node->name);
        return NULL;
    }
    int64_t shape[TRI_MAX_RANK] = {-1};
    for (int i = 1; i < node->shape.rank - 1; i++)
        shape[i] = 1;
    const char *seen = part(self, node, "channels");
    put_plain(self, "Reshape", seen, b->name, numbers(self, node, "shape", shape, node->shape.rank - 1));
    put_plain(self, "Add", node->name, x->name, seen);
    return NULL;
}

static tri_status pool(exporter *self, const tri_node *node)
{
    bool average = tri__node_is(node, "avgpool");
    onnx_node pooling = begin(self, average ? "AveragePool" : "MaxPool");
    put_input(&pooling, node->input[0]->name);
    put_window(&pooling, &node->attributes);
    if (average)
        put_int(&pooling, "count_include_pad", 1);
    end(&pooling, node->name);
    return NULL;
}

static tri_status leaky_relu(exporter *self, const tri_node *node)
{
    onnx_node leaky = begin(self, "LeakyRelu");
    put_input(&leaky, node->input[0]->name);
    put_float(&leaky, "alpha", node->attributes.alpha);
    end(&leaky, node->name);
    return NULL;
}

/* x / 2 · (1 + erf(x / √2)): the operator of that name came with a later version */
static tri_status gelu(exporter *self, const tri_node *node)
{
    const char *x = node->input[0]->name, *small = part(self, node, "small"), *erf = part(self, node, "erf"),
               *sum = part(self, node, "sum");
    const char *half = part(self, node, "half");
    put_plain(self, "Mul", small, x, number(self, node, "root", (float)M_SQRT1_2));
    put_plain(self, "Erf", erf, small, NULL);
    put_plain(self, "Add", sum, erf, number(self, node, "one", 1));
    put_plain(self, "Mul", half, x, number(self, node, "point_five", 0.5F));
    put_plain(self, "Mul", node->name, half, sum);
    return NULL;
}

static tri_status lrn(exporter *self, const tri_node *node)
{
    const tri_attributes *a = &node->attributes;
    if (a->size % 2 == 0)
        return tri_fail(TRI_UNSUPPORTED, "'%s' (lrn) has a window of %lld channels: ONNX puts the odd one on the other side", node->name,
                        (long long)a->size);
    onnx_node made = begin(self, "LRN");
    put_input(&made, node->input[0]->name);
    put_int(&made, "size", a->size);
    put_float(&made, "alpha", a->alpha);
    put_float(&made, "beta", a->beta);
    put_float(&made, "bias", a->bias);
    end(&made, node->name);
    return NULL;
}

static tri_status batch_norm(exporter *self, const tri_node *node)
{
    onnx_node made = begin(self, "BatchNormalization");
    for (int i = 0; i < 5; i++)
        put_input(&made, node->input[i]->name);
    put_float(&made, "epsilon", node->attributes.epsilon);
    end(&made, node->name);
    return NULL;
}

static tri_status layer_norm(exporter *self, const tri_node *node)
{
    onnx_node made = begin(self, "LayerNormalization");
    for (int i = 0; i < 3; i++)
        put_input(&made, node->input[i]->name);
    put_int(&made, "axis", 1);
    put_float(&made, "epsilon", node->attributes.epsilon);
    end(&made, node->name);
    return NULL;
}

static void put_with_axis(exporter *self, const char *operator_name, const tri_node *node, int64_t axis)
{
    onnx_node made = begin(self, operator_name);
    for (int i = 0; i < node->inputs; i++)
        put_input(&made, node->input[i]->name);
    put_int(&made, "axis", axis);
    end(&made, node->name);
}

static tri_status flatten(exporter *self, const tri_node *node)
{
    put_with_axis(self, "Flatten", node, 1);
    return NULL;
}

static tri_status concat(exporter *self, const tri_node *node)
{
    put_with_axis(self, "Concat", node, 1);
    return NULL;
}

static tri_status softmax(exporter *self, const tri_node *node)
{
    put_with_axis(self, "Softmax", node, 1);
    return NULL;
}

static tri_status transpose(exporter *self, const tri_node *node)
{
    put_plain(self, "Transpose", node->name, node->input[0]->name, NULL);
    return NULL;
}

/* A first 0 keeps the batch, here and there. */
static tri_status reshape(exporter *self, const tri_node *node)
{
    const tri_shape shape = node->attributes.shape;
    put_plain(self, "Reshape", node->name, node->input[0]->name, numbers(self, node, "shape", shape.dim, shape.rank));
    return NULL;
}

static tri_status multiply(exporter *self, const tri_node *node)
{
    const char *other = node->inputs > 1 ? node->input[1]->name : number(self, node, "scale", node->attributes.scale);
    put_plain(self, "Mul", node->name, node->input[0]->name, other);
    return NULL;
}

static tri_status add_n(exporter *self, const tri_node *node)
{
    onnx_node sum = begin(self, "Sum");
    for (int i = 0; i < node->inputs; i++)
        put_input(&sum, node->input[i]->name);
    end(&sum, node->name);
    return NULL;
}

static tri_status reduce(exporter *self, const tri_node *node)
{
    const int64_t axis = node->attributes.axis;
    const bool mean = tri__node_is(node, "mean"), all = axis == TRI_AXIS_ALL;
    const char *axes = mean || all ? NULL : numbers(self, node, "axes", &axis, 1);
    onnx_node made = begin(self, mean ? "ReduceMean" : "ReduceSum");
    put_input(&made, node->input[0]->name);
    if (axes)
        put_input(&made, axes);
    if (mean && !all)
        put_ints(&made, "axes", &axis, 1);
    put_int(&made, "keepdims", 0);
    end(&made, node->name);
    return NULL;
}

static tri_status nothing(exporter *self, const tri_node *node)
{
    (void)self;
    (void)node;
    return NULL;
}

static const struct {
    const char *name;
    exporting put;
    const char *plain; /* of operators without attributes: what ONNX calls it */
} table[] = {
    {"input", nothing, NULL},
    {"parameter", parameter, NULL},
    {"constant", constant, NULL},
    {"image", image, NULL},
    {"matmul", product, NULL},
    {"convolution", product, NULL},
    {"bias", bias, NULL},
    {"maxpool", pool, NULL},
    {"avgpool", pool, NULL},
    {"relu", NULL, "Relu"},
    {"tanh", NULL, "Tanh"},
    {"sigmoid", NULL, "Sigmoid"},
    {"dropout", NULL, "Identity"},
    {"add", NULL, "Add"},
    {"leaky_relu", leaky_relu, NULL},
    {"gelu", gelu, NULL},
    {"lrn", lrn, NULL},
    {"batch_norm", batch_norm, NULL},
    {"layer_norm", layer_norm, NULL},
    {"flatten", flatten, NULL},
    {"concat", concat, NULL},
    {"softmax", softmax, NULL},
    {"transpose", transpose, NULL},
    {"reshape", reshape, NULL},
    {"multiply", multiply, NULL},
    {"add_n", add_n, NULL},
    {"sum", reduce, NULL},
    {"mean", reduce, NULL},
};

static tri_status put_node(exporter *self, const tri_node *node)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (tri__node_is(node, table[i].name)) {
            if (table[i].put)
                return table[i].put(self, node);
            put_plain(self, table[i].plain, node->name, node->input[0]->name, node->inputs > 1 ? node->input[1]->name : NULL);
            return NULL;
        }
    return tri_fail(TRI_UNSUPPORTED, "'%s' (%s) has no operator in ONNX: the model cannot be exported", node->name, node->op->name);
}

/* ---- the whole ---- */

static int users_of(const exporter *self, const tri_node *node)
{
    int count = 0;
    for (int i = 0; i < self->graph->count; i++)
        for (int k = 0; self->needed[i] && k < self->graph->node[i]->inputs; k++)
            count += self->graph->node[i]->input[k] == node;
    return count;
}

/* What the logits are computed from; and products that only a bias reads. */
static void mark(exporter *self, const tri_node *logits)
{
    const tri_graph *graph = self->graph;
    self->needed[logits->id] = true;
    for (int i = logits->id; i >= 0; i--)
        for (int k = 0; self->needed[i] && k < graph->node[i]->inputs; k++)
            self->needed[graph->node[i]->input[k]->id] = true;
    for (int i = 0; i < graph->count; i++) {
        const tri_node *x = self->needed[i] && tri__node_is(graph->node[i], "bias") ? graph->node[i]->input[0] : NULL;
        if (x && x->inputs == 2 && (tri__node_is(x, "matmul") || tri__node_is(x, "convolution")))
            self->folded[x->id] = users_of(self, x) == 1;
    }
}

/* An input or output of the model: [N][…] */
static void put_value(exporter *self, uint32_t field, const char *name, tri_type type, tri_shape shape)
{
    tri__wire_buffer dims = {0}, tensor = {0}, kind = {0}, value = {0};
    for (int i = 0; i < shape.rank; i++) {
        tri__wire_buffer dim = {0};
        if (i == 0)
            tri__wire_put_string(&dim, ONNX_DIM_PARAMETER, "N");
        else
            tri__wire_put_varint(&dim, ONNX_DIM_VALUE, (uint64_t)shape.dim[i]);
        tri__wire_put_message(&dims, ONNX_SHAPE_DIM, &dim);
        tri__wire_fini(&dim);
    }
    tri__wire_put_varint(&tensor, ONNX_VALUE_ELEMENT, type == TRI_U8 ? ONNX_ELEMENT_UINT8 : ONNX_ELEMENT_FLOAT);
    tri__wire_put_message(&tensor, ONNX_VALUE_SHAPE, &dims);
    tri__wire_put_message(&kind, ONNX_VALUE_TENSOR, &tensor);
    tri__wire_put_string(&value, ONNX_VALUE_NAME, name);
    tri__wire_put_message(&value, ONNX_VALUE_TYPE, &kind);
    tri__wire_put_message(&self->body, field, &value);
    tri__wire_fini(&dims);
    tri__wire_fini(&tensor);
    tri__wire_fini(&kind);
    tri__wire_fini(&value);
}

/* The running statistics of batch_norm are read, the weights of the batch's examples are not. */
static bool is_left_out(const tri_node *node)
{
    return tri__node_is(node, "input") && strcmp(node->name, "x") != 0;
}

static tri_status put_graph(exporter *self, const tri_node *logits, const char *name)
{
    const tri_graph *graph = self->graph;
    const tri_node *x = tri_graph_find(graph, "x"), *loss = tri_graph_find_output(graph, "loss");
    mark(self, logits);
    tri__wire_put_string(&self->body, ONNX_GRAPH_NAME, name);
    for (int i = 0; i < graph->count; i++)
        if (self->needed[i] && !is_left_out(graph->node[i]))
            TRI_TRY(put_node(self, graph->node[i]));
    put_plain(self, "Identity", "logits", logits->name, NULL);
    const bool logistic = loss && tri__node_is(loss, "logistic_loss");
    onnx_node last = begin(self, logistic ? "Sigmoid" : "Softmax");
    put_input(&last, logits->name);
    if (!logistic)
        put_int(&last, "axis", 1);
    end(&last, "probabilities");
    put_value(self, ONNX_GRAPH_INPUT, "x", x->type, x->shape);
    put_value(self, ONNX_GRAPH_OUTPUT, "logits", TRI_F32, logits->shape);
    put_value(self, ONNX_GRAPH_OUTPUT, "probabilities", TRI_F32, logits->shape);
    return self->body.failed ? tri_fail(TRI_NO_MEMORY, "out of memory for an ONNX model") : NULL;
}

static void put_model(const exporter *self, tri__wire_buffer *out)
{
    tri__wire_buffer opset = {0};
    tri__wire_put_string(&opset, ONNX_OPSET_DOMAIN, "");
    tri__wire_put_varint(&opset, ONNX_OPSET_VERSION, TRI_ONNX_OPSET);
    tri__wire_put_varint(out, ONNX_MODEL_IR_VERSION, TRI_ONNX_IR);
    tri__wire_put_string(out, ONNX_MODEL_PRODUCER, "trireme");
    tri__wire_put_message(out, ONNX_MODEL_OPSET, &opset);
    tri__wire_put_message(out, ONNX_MODEL_GRAPH, &self->body);
    tri__wire_fini(&opset);
}

static tri_status check(const tri_graph *graph, const tri_node *logits)
{
    if (tri_graph_tables(graph) > 0 || !tri_graph_find(graph, "x"))
        return tri_fail(TRI_UNSUPPORTED, "the model takes sparse examples, for which ONNX has no operators: dense models can be exported");
    if (!logits || tri_graph_find(graph, "logits") || tri_graph_find(graph, "probabilities"))
        return tri_fail(TRI_BAD_CALL, "the graph has no output 'logits', or a line of that name or 'probabilities': rename it");
    return NULL;
}

tri_status tri__onnx_export(const tri_graph *graph, const float *parameters, const char *name, tri__wire_buffer *out)
{
    const tri_node *logits = tri_graph_find_output(graph, "logits");
    TRI_TRY(check(graph, logits));
    exporter self = {.graph = graph, .parameters = parameters};
    TRI_TRY(tri__arena_create(&self.arena));
    tri_status status = tri__allocate((size_t)graph->count, sizeof *self.needed, "an ONNX model", &self.needed);
    if (!status)
        status = tri__allocate((size_t)graph->count, sizeof *self.folded, "an ONNX model", &self.folded);
    if (!status)
        status = put_graph(&self, logits, name);
    if (!status)
        put_model(&self, out);
    if (!status && out->failed)
        status = tri_fail(TRI_NO_MEMORY, "out of memory for an ONNX model");
    free(self.needed);
    free(self.folded);
    tri__wire_fini(&self.body);
    tri__arena_destroy(self.arena);
    return status;
}
