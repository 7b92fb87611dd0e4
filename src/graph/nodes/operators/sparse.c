/* sparse.c: operators on rows of a table. The features of each example name the rows.
 *
 * keys and values are inputs of the batch whose rows are lists: their shape [n] counts the lists, and the batch's offsets say how long each
 * is. A table is a parameter outside of the flat buffer. The rules here compute on the whole table, with a gradient of its size; other
 * kernels are tested against them. A plan computes only on the rows that the batch names (lower_table.c). */
#include "graph/nodes/operators/row.h"

#include "tensor/ref/ref.h"

/* The indices of an operator's inputs; −1: it has no such input. Gradients have dy first. */
typedef struct {
    int table, keys, values;
} places;

static tri__ref_sparse examples_of(const tri__call *call, places p, tri_shape table)
{
    return (tri__ref_sparse){
        .n = call->in[p.keys].shape.dim[0],
        .f = table.dim[0],
        .d = table.dim[1],
        .offsets = call->moment->batch->offsets,
        .keys = call->in[p.keys].data,
        .values = p.values >= 0 ? call->in[p.values].data : NULL,
    };
}

static tri_status check_lists(const tri_node *node, places p)
{
    TRI_TRY(tri__expect(node, p.keys, "keys", TRI_I32, 1));
    return p.values >= 0 ? tri__expect_shape(node, p.values, "values", TRI_F32, node->input[p.keys]->shape) : NULL;
}

static tri_status check_table(const tri_node *node, places p)
{
    TRI_TRY(tri__expect(node, p.table, "table", TRI_F32, 2));
    if (!tri__node_is(node->input[p.table], "table"))
        return tri__refuse(node, "table ('%s') is no table but a %s", node->input[p.table]->name, node->input[p.table]->op->name);
    return check_lists(node, p);
}

/* ---- table [f][d], keys, values [n] → [n][d] ---- */

static const places in_dot = {0, 1, 2}, in_sum = {0, 1, -1};             /* table, keys, values */
static const places in_dot_grad = {-1, 1, 2}, in_sum_grad = {-1, 1, -1}; /* dy, keys, values */

static tri_status sum_shape_of(tri_node *node, places p, tri_type *type, tri_shape *shape)
{
    TRI_TRY(check_table(node, p));
    return tri__give(node, TRI_SHAPE(node->input[p.keys]->shape.dim[0], node->input[p.table]->shape.dim[1]), type, shape);
}

static tri_status dot_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return sum_shape_of(node, in_dot, type, shape);
}

static tri_status sum_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return sum_shape_of(node, in_sum, type, shape);
}

/* The gradient of a table has the table's shape; dy has the shape of the forward node. */
static tri_status table_grad_shape(tri_node *node, places p, tri_type *type, tri_shape *shape)
{
    tri_shape table;
    TRI_TRY(tri__forward_input(node, 0, &table));
    TRI_TRY(tri__expect_shape(node, 0, "dy", TRI_F32, node->forward->shape));
    TRI_TRY(check_lists(node, p));
    return tri__give(node, table, type, shape);
}

static tri_status dot_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return table_grad_shape(node, in_dot_grad, type, shape);
}

static tri_status sum_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return table_grad_shape(node, in_sum_grad, type, shape);
}

static void sum_all(const tri__call *call, places p, bool mean)
{
    const tri__ref_sparse s = examples_of(call, p, call->in[0].shape);
    tri__ref_sparse_sum(&s, mean, call->in[0].data, call->out.data);
}

static void sum_all_grad(const tri__call *call, places p, bool mean)
{
    const tri__ref_sparse s = examples_of(call, p, call->out.shape);
    tri__ref_sparse_sum_grad(&s, mean, call->in[0].data, call->out.data);
}

static void dot_forward(const tri__call *call)
{
    sum_all(call, in_dot, false);
}

static void sum_forward(const tri__call *call)
{
    sum_all(call, in_sum, false);
}

static void mean_forward(const tri__call *call)
{
    sum_all(call, in_sum, true);
}

static void dot_grad_forward(const tri__call *call)
{
    sum_all_grad(call, in_dot_grad, false);
}

static void sum_grad_forward(const tri__call *call)
{
    sum_all_grad(call, in_sum_grad, false);
}

static void mean_grad_forward(const tri__call *call)
{
    sum_all_grad(call, in_sum_grad, true);
}

static tri_status dot_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    TRI_TRY(tri__untrained(node, 2, "values", wanted));
    return wanted[0] ? tri__graph_make(graph, "sparse_dot_grad", NULL, node, &dx[0], dy, node->input[1], node->input[2], NULL) : NULL;
}

static tri_status sum_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "sparse_sum_grad", NULL, node, &dx[0], dy, node->input[1], NULL, NULL) : NULL;
}

static tri_status mean_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "sparse_mean_grad", NULL, node, &dx[0], dy, node->input[1], NULL, NULL) : NULL;
}

/* ---- table [f][d], keys [n] → [n][size · d] ---- */

static tri_status gather_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(check_table(node, in_sum));
    int64_t columns;
    if (node->attributes.size < 1)
        return tri__refuse(node, "size is %lld, expected the most features that an example has", (long long)node->attributes.size);
    if (__builtin_mul_overflow(node->attributes.size, node->input[0]->shape.dim[1], &columns))
        return tri__refuse(node, "%lld rows side by side are too many", (long long)node->attributes.size);
    return tri__give(node, TRI_SHAPE(node->input[1]->shape.dim[0], columns), type, shape);
}

static void gather_forward(const tri__call *call)
{
    const tri__ref_sparse s = examples_of(call, in_sum, call->in[0].shape);
    tri__ref_gather(&s, call->node->attributes.size, call->in[0].data, call->out.data);
}

static void gather_grad_forward(const tri__call *call)
{
    const tri__ref_sparse s = examples_of(call, in_sum_grad, call->out.shape);
    tri__ref_gather_grad(&s, call->node->attributes.size, call->in[0].data, call->out.data);
}

static tri_status gather_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "gather_grad", &node->attributes, node, &dx[0], dy, node->input[1], NULL, NULL) : NULL;
}

/* ---- table [f][d], keys, values [n] → [n][1] ---- */

static const places in_pairwise_grad = {1, 2, 3}; /* dy, table, keys, values */

static tri_status pairwise_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(check_table(node, in_dot));
    return tri__give(node, TRI_SHAPE(node->input[1]->shape.dim[0], 1), type, shape);
}

static void pairwise_forward(const tri__call *call)
{
    const tri__ref_sparse s = examples_of(call, in_dot, call->in[0].shape);
    tri__ref_pairwise(&s, call->in[0].data, call->out.data);
}

static tri_status pairwise_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    return table_grad_shape(node, in_pairwise_grad, type, shape);
}

static void pairwise_grad_forward(const tri__call *call)
{
    const tri__ref_sparse s = examples_of(call, in_pairwise_grad, call->out.shape);
    tri__ref_pairwise_grad(&s, call->in[0].data, call->in[1].data, call->out.data);
}

static tri_status pairwise_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    TRI_TRY(tri__untrained(node, 2, "values", wanted));
    return wanted[0] ? tri__graph_make(graph, "pairwise_grad", NULL, node, &dx[0], dy, node->input[0], node->input[1], node->input[2])
                     : NULL;
}

/* ---- the rows ---- */

static const tri_operator sparse_dot_row = {
    .name = "sparse_dot",
    .least = 3,
    .most = 3,
    .keys = "",
    .shape = dot_shape,
    .forward = dot_forward,
    .backward = dot_backward,
};

static const tri_operator sparse_sum_row = {
    .name = "sparse_sum",
    .least = 2,
    .most = 2,
    .keys = "",
    .shape = sum_shape,
    .forward = sum_forward,
    .backward = sum_backward,
};

static const tri_operator sparse_mean_row = {
    .name = "sparse_mean",
    .least = 2,
    .most = 2,
    .keys = "",
    .shape = sum_shape,
    .forward = mean_forward,
    .backward = mean_backward,
};

static const tri_operator gather_row = {
    .name = "gather",
    .least = 2,
    .most = 2,
    .keys = "size",
    .shape = gather_shape,
    .forward = gather_forward,
    .backward = gather_backward,
};

static const tri_operator pairwise_row = {
    .name = "pairwise",
    .least = 3,
    .most = 3,
    .keys = "",
    .shape = pairwise_shape,
    .forward = pairwise_forward,
    .backward = pairwise_backward,
};

static const tri_operator sparse_dot_grad_row = {
    .name = "sparse_dot_grad", .least = 3, .most = 3, .keys = "", .shape = dot_grad_shape, .forward = dot_grad_forward};

static const tri_operator sparse_sum_grad_row = {
    .name = "sparse_sum_grad", .least = 2, .most = 2, .keys = "", .shape = sum_grad_shape, .forward = sum_grad_forward};

static const tri_operator sparse_mean_grad_row = {
    .name = "sparse_mean_grad", .least = 2, .most = 2, .keys = "", .shape = sum_grad_shape, .forward = mean_grad_forward};

static const tri_operator gather_grad_row = {
    .name = "gather_grad", .least = 2, .most = 2, .keys = "size", .shape = sum_grad_shape, .forward = gather_grad_forward};

static const tri_operator pairwise_grad_row = {
    .name = "pairwise_grad", .least = 4, .most = 4, .keys = "", .shape = pairwise_grad_shape, .forward = pairwise_grad_forward};

const tri_operator *const tri__sparse_operators[] = {
    &sparse_dot_row,
    &sparse_dot_grad_row,
    &sparse_sum_row,
    &sparse_sum_grad_row,
    &sparse_mean_row,
    &sparse_mean_grad_row,
    &gather_row,
    &gather_grad_row,
    &pairwise_row,
    &pairwise_grad_row,
    NULL,
};
