/* source.c: where values come from: batches, parameters, numbers in the graph, random numbers. */
#include "graph/operators/row.h"

#include <math.h>
#include <string.h>

#include "tensor/ref/ref.h"

/* An input may be of another type: tri_graph_input puts that in. */
static tri_status given_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return tri__give(node, node->attributes.shape, type, shape);
}

/* Connections that lead into and out of one unit of weights [out][in] or [out][in][h][w]; a vector leads everywhere once. */
static void fans(tri_shape shape, double *in, double *out)
{
    const int64_t field = tri__dims_product(shape, 2, shape.rank);
    *in = (double)(shape.rank > 1 ? shape.dim[1] * field : tri_shape_count(shape));
    *out = (double)(shape.rank > 1 ? shape.dim[0] * field : 1);
}

static void fill(int64_t count, float value, float *out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = value;
}

static void constant_forward(const tri__call *call)
{
    const int64_t count = tri_shape_count(call->out.shape);
    float *y = call->out.data;
    if (call->node->data)
        memcpy(y, call->node->data, (size_t)count * tri_type_size(call->out.type));
    else
        fill(count, call->node->attributes.value, y);
}

static void fill_normal(tri__key key, int64_t count, float deviation, float *out)
{
    tri__random_fill_normal(key, 0, count, out);
    for (int64_t i = 0; i < count; i++)
        out[i] *= deviation;
}

/* Uniform in [−bound, bound). */
static void fill_uniform(tri__key key, int64_t count, float bound, float *out)
{
    tri__random_fill_uniform(key, 0, count, out);
    for (int64_t i = 0; i < count; i++)
        out[i] = (2 * out[i] - 1) * bound;
}

/* xavier: uniform of variance 2 / (in + out); he: normal of variance 2 / in */
void tri__init_fill(tri_init init, float value, tri_shape shape, tri__key key, float *out)
{
    const int64_t count = tri_shape_count(shape);
    double fan_in, fan_out;
    fans(shape, &fan_in, &fan_out);
    switch (init) {
    case TRI_INIT_ZERO:
        fill(count, 0, out);
        break;
    case TRI_INIT_CONSTANT:
        fill(count, value, out);
        break;
    case TRI_INIT_NORMAL:
        fill_normal(key, count, value, out);
        break;
    case TRI_INIT_UNIFORM:
        fill_uniform(key, count, value, out);
        break;
    case TRI_INIT_XAVIER:
        fill_uniform(key, count, (float)sqrt(6 / (fan_in + fan_out)), out);
        break;
    case TRI_INIT_HE:
        fill_normal(key, count, (float)sqrt(2 / fan_in), out);
        break;
    }
}

/* The numbers of one step: element i of the stream (seed, name, step). */
static void random_forward(const tri__call *call)
{
    const tri_attributes *a = &call->node->attributes;
    const tri__key key = tri__key_split_name(tri__key_of(call->seed), call->node->name);
    tri__init_fill(a->init, a->value, call->out.shape, tri__key_split(key, (uint64_t)call->moment->step), call->out.data);
}

/* [n][h][w][c] → [n][c][h][w]; other ranks keep their order. */
static tri_status image_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    const tri_node *x = node->input[0];
    if (x->type != TRI_U8 && x->type != TRI_F32)
        return tri__refuse(node, "x ('%s') is %s, expected u8 or f32", x->name, tri_type_name(x->type));
    if (node->attributes.scale == 0)
        node->attributes.scale = 1;
    const int64_t *d = x->shape.dim;
    return tri__give(node, x->shape.rank == 4 ? TRI_SHAPE(d[0], d[3], d[1], d[2]) : x->shape, type, shape);
}

static void image_forward(const tri__call *call)
{
    const tri_attributes *a = &call->node->attributes;
    const tri_tensor *x = &call->in[0];
    const int64_t *d = x->shape.dim;
    if (x->shape.rank == 4)
        tri__ref_image(d[0], d[1], d[2], d[3], x->type, x->data, a->scale, a->offset, call->out.data);
    else
        tri__ref_image(1, tri_shape_count(x->shape), 1, 1, x->type, x->data, a->scale, a->offset, call->out.data);
}

/* Pixels are data: there is nothing behind them to train. */
static tri_status image_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    (void)graph, (void)dy, (void)dx;
    return tri__untrained(node, 0, "x", wanted);
}

const tri_operator tri__op_input = {.name = "input", .keys = "shape", .shape = given_shape, .volatile_ = true};

const tri_operator tri__op_parameter = {.name = "parameter", .keys = "shape init value", .shape = given_shape, .volatile_ = true};

const tri_operator tri__op_constant = {.name = "constant", .keys = "shape value", .shape = given_shape, .forward = constant_forward};

const tri_operator tri__op_random = {
    .name = "random", .keys = "shape init value", .shape = given_shape, .forward = random_forward, .volatile_ = true};

const tri_operator tri__op_image = {
    .name = "image",
    .least = 1,
    .most = 1,
    .keys = "scale offset",
    .shape = image_shape,
    .forward = image_forward,
    .backward = image_backward,
};
