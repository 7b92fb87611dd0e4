/* matmul.c: products of matrices, transposes and traces. A dense layer is matmul(x [n][in], w [out][in], transpose_b). */
#include "graph/nodes/operators/row.h"

#include <inttypes.h>

#include "tensor/ref/ref.h"

static tri__ref_matmul_shape sizes_of(const tri_node *node)
{
    const tri_attributes *a = &node->attributes;
    const int64_t *left = node->input[0]->shape.dim, *right = node->input[1]->shape.dim;
    return (tri__ref_matmul_shape){
        .rows = left[a->transpose_a],
        .inner = left[!a->transpose_a],
        .columns = right[!a->transpose_b],
        .transpose_a = a->transpose_a,
        .transpose_b = a->transpose_b,
    };
}

static tri_status matmul_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "a", TRI_F32, 2));
    TRI_TRY(tri__expect(node, 1, "b", TRI_F32, 2));
    const tri__ref_matmul_shape s = sizes_of(node);
    const int64_t inner = node->input[1]->shape.dim[s.transpose_b];
    if (inner != s.inner)
        return tri__refuse(node, "%s%s times %s%s does not go: the sums run over %" PRId64 " and %" PRId64 " elements",
                           TRI_TEXT(node->input[0]->shape), s.transpose_a ? " transposed" : "", TRI_TEXT(node->input[1]->shape),
                           s.transpose_b ? " transposed" : "", s.inner, inner);
    if (tri__matmul_adds(node))
        TRI_TRY(tri__expect_shape(node, 2, "what is added", TRI_F32, TRI_SHAPE(s.rows, s.columns)));
    else if (node->inputs > 2)
        TRI_TRY(tri__expect_shape(node, 2, "bias", TRI_F32, TRI_SHAPE(s.columns)));
    return tri__give(node, TRI_SHAPE(s.rows, s.columns), type, shape);
}

static void matmul_forward(const tri__call *call)
{
    const bool adds = tri__matmul_adds(call->node);
    const float *bias = call->node->inputs > 2 && !adds ? call->in[2].data : NULL;
    const int64_t count = tri_shape_count(call->out.shape);
    tri__ref_matmul(sizes_of(call->node), call->in[0].data, call->in[1].data, bias, call->out.data);
    if (adds)
        tri__ref_add(count, call->in[2].data, count, call->out.data, call->out.data);
    tri__activate(call->node->attributes.activation, call->out);
}

/* Where a factor is stored transposed, its gradient must be transposed, too: (u · v)ᵀ = vᵀ · uᵀ.
 *   y = A·B:  dA = dy·Bᵀ,  dB = Aᵀ·dy, where A and B are the factors as they are multiplied. */
static tri_status matmul_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    tri_node *a = node->input[0], *b = node->input[1], *g;
    const bool ta = node->attributes.transpose_a, tb = node->attributes.transpose_b;
    TRI_TRY(tri__activation_backward(graph, node, dy, &g));
    const tri_attributes for_a = ta ? (tri_attributes){.transpose_a = tb, .transpose_b = true} : (tri_attributes){.transpose_b = !tb};
    const tri_attributes for_b = tb ? (tri_attributes){.transpose_a = true, .transpose_b = ta} : (tri_attributes){.transpose_a = !ta};
    if (wanted[0])
        TRI_TRY(tri__graph_make(graph, "matmul", &for_a, node, &dx[0], ta ? b : g, ta ? g : b, NULL, NULL));
    if (wanted[1])
        TRI_TRY(tri__graph_make(graph, "matmul", &for_b, node, &dx[1], tb ? g : a, tb ? a : g, NULL, NULL));
    if (tri__matmul_adds(node))
        dx[2] = g;
    else if (node->inputs > 2 && wanted[2])
        TRI_TRY(tri__graph_make(graph, "bias_grad", NULL, node, &dx[2], g, NULL, NULL, NULL));
    return NULL;
}

static tri_status transpose_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "x", TRI_F32, 2));
    const int64_t *d = node->input[0]->shape.dim;
    return tri__give(node, TRI_SHAPE(d[1], d[0]), type, shape);
}

static void transpose_forward(const tri__call *call)
{
    const int64_t *d = call->in[0].shape.dim;
    tri__ref_transpose(d[0], d[1], call->in[0].data, call->out.data);
}

static tri_status transpose_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "transpose", NULL, node, &dx[0], dy, NULL, NULL, NULL) : NULL;
}

static tri_status trace_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    TRI_TRY(tri__expect(node, 0, "x", TRI_F32, 2));
    const tri_shape x = node->input[0]->shape;
    if (x.dim[0] != x.dim[1])
        return tri__refuse(node, "x is %s; only a square matrix has a trace", TRI_TEXT(x));
    return tri__give(node, (tri_shape){0}, type, shape);
}

static void trace_forward(const tri__call *call)
{
    tri__ref_trace(call->in[0].shape.dim[0], call->in[0].data, call->out.data);
}

static tri_status trace_backward(tri_graph *graph, tri_node *node, tri_node *dy, const bool *wanted, tri_node **dx)
{
    return wanted[0] ? tri__graph_make(graph, "trace_grad", NULL, node, &dx[0], dy, NULL, NULL, NULL) : NULL;
}

static tri_status trace_grad_shape(tri_node *node, tri_type *type, tri_shape *shape)
{
    tri_shape x;
    TRI_TRY(tri__expect(node, 0, "dy", TRI_F32, 0));
    TRI_TRY(tri__forward_input(node, 0, &x));
    return tri__give(node, x, type, shape);
}

static void trace_grad_forward(const tri__call *call)
{
    tri__ref_trace_grad(call->out.shape.dim[0], call->in[0].data, call->out.data);
}

static const tri_operator matmul_row = {
    .name = "matmul",
    .least = 2,
    .most = 3,
    .keys = "transpose_a transpose_b",
    .shape = matmul_shape,
    .forward = matmul_forward,
    .backward = matmul_backward,
};

static const tri_operator transpose_row = {
    .name = "transpose",
    .least = 1,
    .most = 1,
    .keys = "",
    .shape = transpose_shape,
    .forward = transpose_forward,
    .backward = transpose_backward,
};

static const tri_operator trace_row = {
    .name = "trace", .least = 1, .most = 1, .keys = "", .shape = trace_shape, .forward = trace_forward, .backward = trace_backward};

static const tri_operator trace_grad_row = {
    .name = "trace_grad", .least = 1, .most = 1, .keys = "", .shape = trace_grad_shape, .forward = trace_grad_forward};

const tri_operator *const tri__matmul_operators[] = {
    &matmul_row, &transpose_row, &trace_row, &trace_grad_row, NULL,
};
