/* source.c: where values come from: batches, parameters, numbers in the graph, random numbers. */
#include "graph/nodes/operators/row.h"

#include <string.h>

#include "graph/nodes/initialise.h"
#include "tensor/ref/ref.h"

/* An input may have another type: tri_graph_input sets it. */
static tri_status given_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return tri__give(node, node->attributes.shape, type, shape);
}

static void constant_forward(const tri__call *call)
{
    const int64_t count = tri_shape_count(call->out.shape);
    float *y = call->out.data;
    if (call->node->data)
        memcpy(y, call->node->data, (size_t)count * tri_type_size(call->out.type));
    else
        for (int64_t i = 0; i < count; i++)
            y[i] = call->node->attributes.value;
}

/* Numbers that are the same in every step are not random. An init that gives such numbers is a mistake; most likely it was left out. */
static tri_status random_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    const tri_attributes *a = &node->attributes;
    bool spread = a->init == TRI_INIT_XAVIER || a->init == TRI_INIT_HE;
    bool sized = (a->init == TRI_INIT_NORMAL || a->init == TRI_INIT_UNIFORM) && a->value != 0;
    if (!spread && !sized)
        return tri__refuse(node, "its numbers would always be the same; give init=normal(1), uniform(1), xavier or he");
    return given_shape(node, type, shape);
}

/* The numbers of one step: element i of the stream (seed, name, step). */
static void random_forward(const tri__call *call)
{
    const tri_attributes *a = &call->node->attributes;
    const tri__key key = tri__key_split_name(tri__key_of(call->seed), call->node->name);
    tri__initialise(a->init, a->value, call->out.shape, tri__key_split(key, (uint64_t)call->moment->step), call->out.data);
}

static tri_status block_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    const tri_attributes *a = &node->attributes;
    if (a->init != TRI_INIT_NORMAL && a->init != TRI_INIT_UNIFORM)
        return tri__refuse(node, "give init=normal(1) or init=uniform(1)");
    if (a->shape.rank != 2 || a->matrix < 1 || a->row < 0 || a->column < 0)
        return tri__refuse(node, "a block is rows x columns of the matrix 1, 2, …, and begins at a row and column from 0 on");
    return given_shape(node, type, shape);
}

/* Element (r, c) of a matrix is element c of the stream (seed, matrix, r), whichever block it belongs to. */
static void block_forward(const tri__call *call)
{
    const tri_attributes *a = &call->node->attributes;
    const tri__key matrix = tri__key_split(tri__key_split_name(tri__key_of(call->seed), "matrix"), (uint64_t)a->matrix);
    const int64_t rows = call->out.shape.dim[0], columns = call->out.shape.dim[1];
    for (int64_t i = 0; i < rows; i++) {
        const tri__key row = tri__key_split(matrix, (uint64_t)(a->row + call->row + i));
        tri__initialise_part(a->init, a->value, row, a->column, columns, (float *)call->out.data + i * columns);
    }
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

/* Pixels are data: no parameter lies behind them. */
static tri_status image_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    (void)graph, (void)dy, (void)dx;
    return tri__untrained(node, 0, "x", wanted);
}

static const tri_operator input_row = {.name = "input", .keys = "shape", .shape = given_shape, .volatile_ = true};

static const tri_operator parameter_row = {.name = "parameter", .keys = "shape init value", .shape = given_shape, .volatile_ = true};

static const tri_operator table_row = {.name = "table", .keys = "shape init value", .shape = given_shape, .volatile_ = true};

static const tri_operator constant_row = {.name = "constant", .keys = "shape value", .shape = given_shape, .forward = constant_forward};

static const tri_operator random_row = {
    .name = "random", .keys = "shape init", .shape = random_shape, .forward = random_forward, .volatile_ = true};

static const tri_operator random_block_row = {
    .name = "random_block",
    .keys = "shape init matrix row column",
    .shape = block_shape,
    .forward = block_forward,
    .volatile_ = true,
    .by_row = true,
};

static const tri_operator image_row = {
    .name = "image",
    .least = 1,
    .most = 1,
    .keys = "scale offset",
    .shape = image_shape,
    .forward = image_forward,
    .backward = image_backward,
    .by_row = true,
};

const tri_operator *const tri__source_operators[] = {
    &input_row, &parameter_row, &table_row, &constant_row, &random_row, &random_block_row, &image_row, NULL,
};
