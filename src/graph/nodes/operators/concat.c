/* concat.c: puts the channels of several inputs side by side. a [n][c₁]…, b [n][c₂]… → y [n][c₁ + c₂]… */
#include "graph/nodes/operators/row.h"

#include <string.h>

static tri_status concat_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    tri_shape y = node->input[0]->shape;
    if (y.rank < 2)
        return tri__refuse(node, "'%s' is %s, expected a batch with channels: [n][c] or more", node->input[0]->name, TRI_TEXT(y));
    y.dim[1] = 0;
    for (int i = 0; i < node->inputs; i++) {
        tri_shape x = node->input[i]->shape;
        TRI_TRY(tri__expect(node, i, "x", TRI_F32, y.rank));
        if (__builtin_add_overflow(y.dim[1], x.dim[1], &y.dim[1]))
            return tri__refuse(node, "the inputs have more channels than can be counted");
        x.dim[1] = y.dim[1];
        if (!tri_shape_equal(x, y))
            return tri__refuse(node, "'%s' is %s and '%s' is %s: they may differ in their channels alone", node->input[0]->name,
                               TRI_TEXT(node->input[0]->shape), node->input[i]->name, TRI_TEXT(node->input[i]->shape));
    }
    return tri__give(node, y, type, shape);
}

/* The bytes of one example. */
static size_t example_bytes(tri_shape shape)
{
    return (size_t)tri__dims_product(shape, 1, shape.rank) * sizeof(float);
}

static void concat_forward(const tri__call *call)
{
    char *y = call->out.data;
    for (int64_t n = 0; n < call->out.shape.dim[0]; n++)
        for (int i = 0; i < call->node->inputs; i++) {
            const size_t bytes = example_bytes(call->in[i].shape);
            memcpy(y, (const char *)call->in[i].data + (size_t)n * bytes, bytes);
            y += bytes;
        }
}

/* Input number i has the channels behind those of the inputs before it. */
static tri_status concat_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    for (int i = 0; i < node->inputs; i++)
        if (wanted[i])
            TRI_TRY(tri__graph_make(graph, "concat_grad", &(tri_attributes){.row = i}, node, &dx[i], dy, NULL, NULL, NULL));
    return NULL;
}

static tri_status concat_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    tri_shape x;
    TRI_TRY(tri__forward_input(node, (int)node->attributes.row, &x));
    TRI_TRY(tri__expect_shape(node, 0, "dy", TRI_F32, node->forward->shape));
    return tri__give(node, x, type, shape);
}

static void concat_grad_forward(const tri__call *call)
{
    const tri_node *concat = call->node->forward;
    const size_t all = example_bytes(call->in[0].shape), own = example_bytes(call->out.shape);
    size_t before = 0;
    for (int i = 0; i < call->node->attributes.row; i++)
        before += example_bytes(concat->input[i]->shape);
    for (int64_t n = 0; n < call->out.shape.dim[0]; n++)
        memcpy((char *)call->out.data + (size_t)n * own, (const char *)call->in[0].data + (size_t)n * all + before, own);
}

static const tri_operator concat_row = {
    .name = "concat",
    .least = 1,
    .most = TRI_MAX_INPUTS,
    .keys = "",
    .shape = concat_shape,
    .forward = concat_forward,
    .backward = concat_backward,
    .by_row = true,
};

static const tri_operator concat_grad_row = {.name = "concat_grad",
                                             .least = 1,
                                             .most = 1,
                                             .keys = "row",
                                             .shape = concat_grad_shape,
                                             .forward = concat_grad_forward,
                                             .by_row = true};

const tri_operator *const tri__concat_operators[] = {&concat_row, &concat_grad_row, NULL};
