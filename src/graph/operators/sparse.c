/* sparse.c: rows of a table by key, and products with sparse rows. Keys outside of the table stand for nothing: −1 pads. */
#include "graph/operators/row.h"

#include "tensor/ref/ref.h"

/* table [v][d], keys [n] → [n][d] */
static tri_status gather_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "table", TRI_F32, 2));
    TRI_TRY(tri__expect(node, 1, "keys", TRI_I32, 1));
    return tri__give(node, TRI_SHAPE(node->input[1]->shape.dim[0], node->input[0]->shape.dim[1]), type, shape);
}

static void gather_forward(const tri__call *call)
{
    const int64_t *table = call->in[0].shape.dim;
    tri__ref_gather(table[0], table[1], call->in[1].shape.dim[0], call->in[0].data, call->in[1].data, call->out.data);
}

static tri_status gather_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "gather_grad", NULL, node, &dx[0], dy, node->input[1], NULL, NULL) : NULL;
}

static tri_status gather_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    tri_shape table;
    TRI_TRY(tri__forward_input(node, 0, &table));
    TRI_TRY(tri__expect_shape(node, 0, "dy", TRI_F32, node->forward->shape));
    TRI_TRY(tri__expect(node, 1, "keys", TRI_I32, 1));
    return tri__give(node, table, type, shape);
}

static void gather_grad_forward(const tri__call *call)
{
    const int64_t *table = call->out.shape.dim;
    tri__ref_gather_grad(table[0], table[1], call->in[1].shape.dim[0], call->in[0].data, call->in[1].data, call->out.data);
}

/* w [f], keys [n][k], values [n][k] → [n] */
static tri_status sparse_dot_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "w", TRI_F32, 1));
    TRI_TRY(tri__expect(node, 1, "keys", TRI_I32, 2));
    TRI_TRY(tri__expect_shape(node, 2, "values", TRI_F32, node->input[1]->shape));
    return tri__give(node, TRI_SHAPE(node->input[1]->shape.dim[0]), type, shape);
}

static void sparse_dot_forward(const tri__call *call)
{
    const int64_t *keys = call->in[1].shape.dim;
    const tri_tensor *in = call->in;
    tri__ref_sparse_dot(in[0].shape.dim[0], keys[0], keys[1], in[0].data, in[1].data, in[2].data, call->out.data);
}

static tri_status sparse_dot_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    TRI_TRY(tri__untrained(node, 2, "values", wanted));
    return wanted[0] ? tri__graph_make(graph, "sparse_dot_grad", NULL, node, &dx[0], dy, node->input[1], node->input[2], NULL) : NULL;
}

static tri_status sparse_dot_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    tri_shape w;
    TRI_TRY(tri__forward_input(node, 0, &w));
    TRI_TRY(tri__expect_shape(node, 0, "dy", TRI_F32, node->forward->shape));
    TRI_TRY(tri__expect(node, 1, "keys", TRI_I32, 2));
    TRI_TRY(tri__expect_shape(node, 2, "values", TRI_F32, node->input[1]->shape));
    return tri__give(node, w, type, shape);
}

static void sparse_dot_grad_forward(const tri__call *call)
{
    const int64_t *keys = call->in[1].shape.dim;
    const tri_tensor *in = call->in;
    tri__ref_sparse_dot_grad(call->out.shape.dim[0], keys[0], keys[1], in[0].data, in[1].data, in[2].data, call->out.data);
}

static const tri_operator gather_row = {
    .name = "gather",
    .least = 2,
    .most = 2,
    .keys = "",
    .shape = gather_shape,
    .forward = gather_forward,
    .backward = gather_backward,
};

static const tri_operator gather_grad_row = {
    .name = "gather_grad", .least = 2, .most = 2, .keys = "", .shape = gather_grad_shape, .forward = gather_grad_forward};

static const tri_operator sparse_dot_row = {
    .name = "sparse_dot",
    .least = 3,
    .most = 3,
    .keys = "",
    .shape = sparse_dot_shape,
    .forward = sparse_dot_forward,
    .backward = sparse_dot_backward,
};

static const tri_operator sparse_dot_grad_row = {
    .name = "sparse_dot_grad", .least = 3, .most = 3, .keys = "", .shape = sparse_dot_grad_shape, .forward = sparse_dot_grad_forward};

const tri_operator *const tri__sparse_operators[] = {
    &gather_row, &gather_grad_row, &sparse_dot_row, &sparse_dot_grad_row, NULL,
};
