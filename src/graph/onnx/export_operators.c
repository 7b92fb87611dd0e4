/* export_operators.c: how a node of each operator becomes ONNX nodes; a table at the end lists all. A value has the name of its node;
 * intermediate values, such as the parts of gelu, are called node/part. */
#include "graph/onnx/export_operators.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory/memory.h"
#include "graph/nodes/operator.h"
#include "graph/onnx/message.h"

static tri_status parameter(tri__exporter *self, const tri_node *node)
{
    tri__onnx_put_tensor(&self->writer, node->name, ONNX_ELEMENT_FLOAT, node->shape.dim, node->shape.rank,
                         self->parameters + node->range.first, node->range.count * sizeof(float));
    return NULL;
}

static tri_status constant(tri__exporter *self, const tri_node *node)
{
    float *values;
    const int64_t count = tri_shape_count(node->shape);
    TRI_TRY(tri__allocate((size_t)count, sizeof *values, "a constant", &values));
    for (int64_t i = 0; i < count; i++)
        values[i] = node->data ? ((const float *)node->data)[i] : node->attributes.value;
    tri__onnx_put_tensor(&self->writer, node->name, ONNX_ELEMENT_FLOAT, node->shape.dim, node->shape.rank, values,
                         (size_t)count * sizeof *values);
    free(values);
    return NULL;
}

/* Bytes or floats, channels last, to floats, channels first: x · scale + offset */
static tri_status image(tri__exporter *self, const tri_node *node)
{
    const char *at = tri__onnx_part(&self->writer, node, "cast"), *next;
    tri__onnx_new_node cast = tri__onnx_begin_node(&self->writer, "Cast");
    tri__onnx_put_input(&cast, node->input[0]->name);
    tri__onnx_put_int(&cast, "to", ONNX_ELEMENT_FLOAT);
    tri__onnx_end_node(&cast, at);
    if (node->shape.rank == 4) {
        tri__onnx_new_node turn = tri__onnx_begin_node(&self->writer, "Transpose");
        tri__onnx_put_input(&turn, at);
        tri__onnx_put_ints(&turn, "perm", (int64_t[]){0, 3, 1, 2}, 4);
        tri__onnx_end_node(&turn, at = tri__onnx_part(&self->writer, node, "channels_first"));
    }
    tri__onnx_put_plain(&self->writer, "Mul", next = tri__onnx_part(&self->writer, node, "scaled"), at,
                        tri__onnx_put_number(&self->writer, node, "scale", node->attributes.scale));
    tri__onnx_put_plain(&self->writer, "Add", node->name, next,
                        tri__onnx_put_number(&self->writer, node, "offset", node->attributes.offset));
    return NULL;
}

/* a · b, each transposed where the attributes say so, plus bias. name: of the result */
static void put_gemm(tri__exporter *self, const tri_node *node, const char *bias, const char *name)
{
    tri__onnx_new_node gemm = tri__onnx_begin_node(&self->writer, "Gemm");
    tri__onnx_put_input(&gemm, node->input[0]->name);
    tri__onnx_put_input(&gemm, node->input[1]->name);
    if (bias)
        tri__onnx_put_input(&gemm, bias);
    tri__onnx_put_int(&gemm, "transA", node->attributes.transpose_a);
    tri__onnx_put_int(&gemm, "transB", node->attributes.transpose_b);
    tri__onnx_end_node(&gemm, name);
}

static void put_window(tri__onnx_new_node *node, const tri_attributes *a)
{
    tri__onnx_put_ints(node, "kernel_shape", a->kernel, 2);
    tri__onnx_put_ints(node, "strides", a->stride, 2);
    tri__onnx_put_ints(node, "pads", (int64_t[]){a->pad[0], a->pad[1], a->pad[0] + a->pad_more[0], a->pad[1] + a->pad_more[1]}, 4);
}

static void put_convolution(tri__exporter *self, const tri_node *node, const char *bias, const char *name)
{
    tri__onnx_new_node conv = tri__onnx_begin_node(&self->writer, "Conv");
    tri__onnx_put_input(&conv, node->input[0]->name);
    tri__onnx_put_input(&conv, node->input[1]->name);
    if (bias)
        tri__onnx_put_input(&conv, bias);
    put_window(&conv, &node->attributes);
    tri__onnx_put_ints(&conv, "dilations", node->attributes.dilation, 2);
    tri__onnx_put_int(&conv, "group", node->attributes.groups);
    tri__onnx_end_node(&conv, name);
}

static void put_product(tri__exporter *self, const tri_node *node, const char *bias, const char *name)
{
    if (tri__node_is(node, "matmul"))
        put_gemm(self, node, bias, name);
    else
        put_convolution(self, node, bias, name);
}

static tri_status product(tri__exporter *self, const tri_node *node)
{
    if (!self->folded[node->id])
        put_product(self, node, node->inputs > 2 ? node->input[2]->name : NULL, node->name);
    return NULL;
}

/* A bias behind a product becomes the product's third input; any other bias is added along the channels. */
static tri_status bias(tri__exporter *self, const tri_node *node)
{
    const tri_node *x = node->input[0], *b = node->input[1];
    if (self->folded[x->id]) {
        put_product(self, x, b->name, node->name);
        return NULL;
    }
    int64_t shape[TRI_MAX_RANK] = {-1};
    for (int i = 1; i < node->shape.rank - 1; i++)
        shape[i] = 1;
    const char *seen = tri__onnx_part(&self->writer, node, "channels");
    tri__onnx_put_plain(&self->writer, "Reshape", seen, b->name,
                        tri__onnx_put_numbers(&self->writer, node, "shape", shape, node->shape.rank - 1));
    tri__onnx_put_plain(&self->writer, "Add", node->name, x->name, seen);
    return NULL;
}

static tri_status pool(tri__exporter *self, const tri_node *node)
{
    bool average = tri__node_is(node, "avgpool");
    tri__onnx_new_node pooling = tri__onnx_begin_node(&self->writer, average ? "AveragePool" : "MaxPool");
    tri__onnx_put_input(&pooling, node->input[0]->name);
    put_window(&pooling, &node->attributes);
    if (average)
        tri__onnx_put_int(&pooling, "count_include_pad", 1);
    tri__onnx_end_node(&pooling, node->name);
    return NULL;
}

static tri_status leaky_relu(tri__exporter *self, const tri_node *node)
{
    tri__onnx_new_node leaky = tri__onnx_begin_node(&self->writer, "LeakyRelu");
    tri__onnx_put_input(&leaky, node->input[0]->name);
    tri__onnx_put_float(&leaky, "alpha", node->attributes.alpha);
    tri__onnx_end_node(&leaky, node->name);
    return NULL;
}

/* x / 2 · (1 + erf(x / √2)): only later versions of ONNX have the operator Gelu */
static tri_status gelu(tri__exporter *self, const tri_node *node)
{
    const char *x = node->input[0]->name, *small = tri__onnx_part(&self->writer, node, "small"),
               *erf = tri__onnx_part(&self->writer, node, "erf"), *sum = tri__onnx_part(&self->writer, node, "sum");
    const char *half = tri__onnx_part(&self->writer, node, "half");
    tri__onnx_put_plain(&self->writer, "Mul", small, x, tri__onnx_put_number(&self->writer, node, "root", (float)M_SQRT1_2));
    tri__onnx_put_plain(&self->writer, "Erf", erf, small, NULL);
    tri__onnx_put_plain(&self->writer, "Add", sum, erf, tri__onnx_put_number(&self->writer, node, "one", 1));
    tri__onnx_put_plain(&self->writer, "Mul", half, x, tri__onnx_put_number(&self->writer, node, "point_five", 0.5F));
    tri__onnx_put_plain(&self->writer, "Mul", node->name, half, sum);
    return NULL;
}

static tri_status lrn(tri__exporter *self, const tri_node *node)
{
    const tri_attributes *a = &node->attributes;
    if (a->size % 2 == 0)
        return tri_fail(TRI_UNSUPPORTED, "'%s' (lrn) has a window of %lld channels: ONNX puts the odd one on the other side", node->name,
                        (long long)a->size);
    tri__onnx_new_node made = tri__onnx_begin_node(&self->writer, "LRN");
    tri__onnx_put_input(&made, node->input[0]->name);
    tri__onnx_put_int(&made, "size", a->size);
    tri__onnx_put_float(&made, "alpha", a->alpha);
    tri__onnx_put_float(&made, "beta", a->beta);
    tri__onnx_put_float(&made, "bias", a->bias);
    tri__onnx_end_node(&made, node->name);
    return NULL;
}

static tri_status batch_norm(tri__exporter *self, const tri_node *node)
{
    tri__onnx_new_node made = tri__onnx_begin_node(&self->writer, "BatchNormalization");
    for (int i = 0; i < 5; i++)
        tri__onnx_put_input(&made, node->input[i]->name);
    tri__onnx_put_float(&made, "epsilon", node->attributes.epsilon);
    tri__onnx_end_node(&made, node->name);
    return NULL;
}

static tri_status layer_norm(tri__exporter *self, const tri_node *node)
{
    tri__onnx_new_node made = tri__onnx_begin_node(&self->writer, "LayerNormalization");
    for (int i = 0; i < 3; i++)
        tri__onnx_put_input(&made, node->input[i]->name);
    tri__onnx_put_int(&made, "axis", 1);
    tri__onnx_put_float(&made, "epsilon", node->attributes.epsilon);
    tri__onnx_end_node(&made, node->name);
    return NULL;
}

/* An operator along the channels: ONNX counts the batch as axis 0. */
static void put_by_channel(tri__exporter *self, const char *operator_name, const tri_node *node)
{
    tri__onnx_new_node made = tri__onnx_begin_node(&self->writer, operator_name);
    for (int i = 0; i < node->inputs; i++)
        tri__onnx_put_input(&made, node->input[i]->name);
    tri__onnx_put_int(&made, "axis", 1);
    tri__onnx_end_node(&made, node->name);
}

static tri_status flatten(tri__exporter *self, const tri_node *node)
{
    put_by_channel(self, "Flatten", node);
    return NULL;
}

static tri_status concat(tri__exporter *self, const tri_node *node)
{
    put_by_channel(self, "Concat", node);
    return NULL;
}

static tri_status softmax(tri__exporter *self, const tri_node *node)
{
    put_by_channel(self, "Softmax", node);
    return NULL;
}

static tri_status transpose(tri__exporter *self, const tri_node *node)
{
    tri__onnx_put_plain(&self->writer, "Transpose", node->name, node->input[0]->name, NULL);
    return NULL;
}

/* A first dimension of 0 keeps the batch, in our files and in ONNX. */
static tri_status reshape(tri__exporter *self, const tri_node *node)
{
    const tri_shape shape = node->attributes.shape;
    tri__onnx_put_plain(&self->writer, "Reshape", node->name, node->input[0]->name,
                        tri__onnx_put_numbers(&self->writer, node, "shape", shape.dim, shape.rank));
    return NULL;
}

static tri_status multiply(tri__exporter *self, const tri_node *node)
{
    const char *other =
        node->inputs > 1 ? node->input[1]->name : tri__onnx_put_number(&self->writer, node, "scale", node->attributes.scale);
    tri__onnx_put_plain(&self->writer, "Mul", node->name, node->input[0]->name, other);
    return NULL;
}

static tri_status add_n(tri__exporter *self, const tri_node *node)
{
    tri__onnx_new_node sum = tri__onnx_begin_node(&self->writer, "Sum");
    for (int i = 0; i < node->inputs; i++)
        tri__onnx_put_input(&sum, node->input[i]->name);
    tri__onnx_end_node(&sum, node->name);
    return NULL;
}

static tri_status reduce(tri__exporter *self, const tri_node *node)
{
    const int64_t axis = node->attributes.axis;
    const bool mean = tri__node_is(node, "mean"), all = axis == TRI_AXIS_ALL;
    const char *axes = mean || all ? NULL : tri__onnx_put_numbers(&self->writer, node, "axes", &axis, 1);
    tri__onnx_new_node made = tri__onnx_begin_node(&self->writer, mean ? "ReduceMean" : "ReduceSum");
    tri__onnx_put_input(&made, node->input[0]->name);
    if (axes)
        tri__onnx_put_input(&made, axes);
    if (mean && !all)
        tri__onnx_put_ints(&made, "axes", &axis, 1);
    tri__onnx_put_int(&made, "keepdims", 0);
    tri__onnx_end_node(&made, node->name);
    return NULL;
}

static tri_status nothing(tri__exporter *self, const tri_node *node)
{
    (void)self;
    (void)node;
    return NULL;
}

static const struct {
    const char *name;
    tri_status (*put)(tri__exporter *self, const tri_node *node);
    const char *plain; /* for operators without attributes: ONNX's name */
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

tri_status tri__export_node(tri__exporter *self, const tri_node *node)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (tri__node_is(node, table[i].name)) {
            if (table[i].put)
                return table[i].put(self, node);
            tri__onnx_put_plain(&self->writer, table[i].plain, node->name, node->input[0]->name,
                                node->inputs > 1 ? node->input[1]->name : NULL);
            return NULL;
        }
    return tri_fail(TRI_UNSUPPORTED, "'%s' (%s) has no operator in ONNX: the model cannot be exported", node->name, node->op->name);
}
