/* rewrite.c: each rewrite is one function. A rewrite makes the better node at the end of the graph and moves all users to it; sorting puts
 * it before its users and drops nodes that are no longer used. */
#include "graph/rewrite/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/nodes/operator.h"
#include "trireme/plan.h"

/* ---- order ---- */

typedef struct {
    bool *seen;
    tri_node **order;
    int count;
} sorting;

static void visit(sorting *s, tri_node *node)
{
    if (s->seen[node->id])
        return;
    s->seen[node->id] = true;
    for (int i = 0; i < node->inputs; i++)
        visit(s, node->input[i]);
    s->order[s->count++] = node;
}

static bool is_root(const tri_graph *graph, const tri_node *node)
{
    if (node->parameter || node->target || tri__node_is(node, "parameter") || tri__node_is(node, "input"))
        return true;
    for (int i = 0; i < graph->outputs; i++)
        if (graph->output[i].node == node)
            return true;
    return false;
}

tri_status tri__graph_sort(tri_graph *graph, bool drop)
{
    size_t count = (size_t)graph->count;
    sorting s = {0};
    TRI_TRY(tri__allocate(count, sizeof *s.seen, "sorting a graph", &s.seen));
    tri_status status = tri__allocate(count + 1, sizeof(tri_node *), "sorting a graph", &s.order);
    if (status) {
        free(s.seen);
        return status;
    }
    for (int i = 0; i < graph->count; i++)
        if (!drop || is_root(graph, graph->node[i]))
            visit(&s, graph->node[i]);
    for (int i = 0; i < s.count; i++) {
        graph->node[i] = s.order[i];
        graph->node[i]->id = i;
    }
    graph->count = s.count;
    free(s.seen);
    free(s.order);
    return NULL;
}

/* ---- tools ---- */

static int count_users(const tri_graph *graph, const tri_node *node)
{
    int users = node->target;
    for (int i = 0; i < graph->count; i++)
        for (int k = 0; k < graph->node[i]->inputs; k++)
            users += graph->node[i]->input[k] == node;
    for (int i = 0; i < graph->outputs; i++)
        users += graph->output[i].node == node;
    return users;
}

/* Make all users of old use new, which gets the name and place of old. */
static void replace(tri_graph *graph, tri_node *old, tri_node *new)
{
    for (int i = 0; i < graph->count; i++)
        for (int k = 0; k < graph->node[i]->inputs; k++)
            if (graph->node[i]->input[k] == old && graph->node[i] != new)
                graph->node[i]->input[k] = new;
    for (int i = 0; i < graph->outputs; i++)
        if (graph->output[i].node == old)
            graph->output[i].node = new;
    new->name = old->name;
    new->place = old->place;
    new->task = old->task;
    new->order = old->order;
    new->target = old->target;
}

/* The first input of node, where it is the named operator on the same task and has no other user; NULL otherwise. */
static tri_node *sole(const tri_graph *graph, const tri_node *node, const char *operator_name)
{
    tri_node *input = node->input[0];
    bool fits = tri__node_is(input, operator_name) && input->task == node->task;
    return fits && count_users(graph, input) == 1 ? input : NULL;
}

/* The matmul or convolution that node could be fused into. */
static tri_node *producer(const tri_graph *graph, const tri_node *node)
{
    tri_node *found = sole(graph, node, "convolution");
    found = found ? found : sole(graph, node, "matmul");
    return found && found->attributes.activation == TRI_ACTIVATION_NONE ? found : NULL;
}

/* ---- the rewrites; each looks at one node and gives its replacement, or NULL ---- */

/* bias(conv(x, w), b) → conv(x, w, b) */
static tri_status fuse_bias(tri_graph *graph, tri_node *node, tri_node **better)
{
    tri_node *made_by = tri__node_is(node, "bias") ? producer(graph, node) : NULL;
    if (!made_by || made_by->inputs != 2)
        return NULL;
    return tri__graph_make(graph, made_by->op->name, &made_by->attributes, NULL, better, made_by->input[0], made_by->input[1],
                           node->input[1], NULL);
}

/* c + a·b → matmul(a, b, c), which adds the product to c in place */
static tri_status fuse_sum(tri_graph *graph, tri_node *node, tri_node **better)
{
    if (!tri__node_is(node, "add") || !tri_shape_equal(node->input[0]->shape, node->input[1]->shape))
        return NULL;
    for (int i = 1; i >= 0; i--) {
        const tri_node *product = node->input[i];
        bool fits = tri__node_is(product, "matmul") && product->inputs == 2 && product->attributes.activation == TRI_ACTIVATION_NONE;
        if (fits && product->task == node->task && count_users(graph, product) == 1)
            return tri__graph_make(graph, "matmul", &product->attributes, NULL, better, product->input[0], product->input[1],
                                   node->input[1 - i], NULL);
    }
    return NULL;
}

/* relu(conv(x, w)) → conv(x, w) with the activation inside. Other activations stay outside: only the plain kernels have them inside, and
 * a plain convolution costs far more than the fusion saves. */
static tri_status fuse_activation(tri_graph *graph, tri_node *node, tri_node **better)
{
    tri_node *made_by = tri__node_is(node, "relu") ? producer(graph, node) : NULL;
    if (!made_by)
        return NULL;
    tri_attributes attributes = made_by->attributes;
    attributes.activation = TRI_ACTIVATION_RELU;
    return tri__graph_make(graph, made_by->op->name, &attributes, NULL, better, made_by->input[0], made_by->input[1],
                           made_by->inputs > 2 ? made_by->input[2] : NULL, NULL);
}

/* maxpool(relu(x)) → relu(maxpool(x)): they commute, and the large activation is not needed */
static tri_status pool_first(tri_graph *graph, tri_node *node, tri_node **better)
{
    tri_node *relu = tri__node_is(node, "maxpool") ? sole(graph, node, "relu") : NULL;
    if (!relu)
        return NULL;
    tri_node *pool;
    TRI_TRY(tri__graph_make(graph, "maxpool", &node->attributes, NULL, &pool, relu->input[0], NULL, NULL, NULL));
    return tri__graph_make(graph, "relu", NULL, NULL, better, pool, NULL, NULL, NULL);
}

/* trace(a·b) = Σ a∘bᵀ: n·k products instead of n²·k */
static tri_status trace_of_product(tri_graph *graph, tri_node *node, tri_node **better)
{
    tri_node *product = tri__node_is(node, "trace") ? sole(graph, node, "matmul") : NULL;
    if (!product || product->inputs != 2 || product->attributes.activation != TRI_ACTIVATION_NONE)
        return NULL;
    tri_node *a = product->input[0], *b = product->input[1], *terms;
    if (product->attributes.transpose_a == product->attributes.transpose_b)
        TRI_TRY(tri__graph_make(graph, "transpose", NULL, NULL, &b, b, NULL, NULL, NULL));
    TRI_TRY(tri__graph_make(graph, "multiply", NULL, NULL, &terms, a, b, NULL, NULL));
    terms->task = product->task;
    const tri_attributes all = {.axis = TRI_AXIS_ALL};
    return tri__graph_make(graph, "sum", &all, NULL, better, terms, NULL, NULL, NULL);
}

typedef tri_status (*rewriter)(tri_graph *graph, tri_node *node, tri_node **better);

static tri_status apply(tri_graph *graph, rewriter rewrite, bool drop)
{
    int count = graph->count;
    for (int i = 0; i < count; i++) {
        tri_node *node = graph->node[i], *better = NULL;
        TRI_TRY(rewrite(graph, node, &better));
        if (better)
            replace(graph, node, better);
    }
    return tri__graph_sort(graph, drop);
}

/* ---- constants ---- */

static bool is_foldable(const tri_node *node)
{
    if (node->op->volatile_ || node->inputs == 0 || node->parameter || !node->op->forward)
        return false;
    for (int i = 0; i < node->inputs; i++)
        if (!tri__node_is(node->input[i], "constant"))
            return false;
    return true;
}

tri_status tri__constant_data(tri_graph *graph, tri_node *node)
{
    if (node->data)
        return NULL;
    int64_t count = tri_shape_count(node->shape);
    float *data = tri__arena_alloc(graph->arena, (size_t)count * sizeof *data);
    if (!data)
        return tri_fail(TRI_NO_MEMORY, "no memory for the constant '%s'", node->name);
    for (int64_t i = 0; i < count; i++)
        data[i] = node->attributes.value;
    node->data = data;
    return NULL;
}

static tri_status fold_node(tri_graph *graph, tri_node *node)
{
    tri__call call = {.node = node, .out = {node->type, node->shape, NULL}};
    for (int i = 0; i < node->inputs; i++) {
        TRI_TRY(tri__constant_data(graph, node->input[i]));
        call.in[i] = (tri_tensor){node->input[i]->type, node->input[i]->shape, (void *)node->input[i]->data};
    }
    call.out.data = tri__arena_alloc(graph->arena, tri__node_bytes(node));
    if (!call.out.data)
        return tri_fail(TRI_NO_MEMORY, "no memory for the constant '%s'", node->name);
    if (node->op->view)
        memcpy(call.out.data, call.in[0].data, tri__node_bytes(node));
    else
        node->op->forward(&call);
    node->op = tri__operator_find("constant");
    node->attributes = (tri_attributes){.shape = node->shape};
    node->data = call.out.data;
    node->inputs = 0;
    return NULL;
}

tri_status tri__graph_fold(tri_graph *graph)
{
    for (int i = 0; i < graph->count; i++)
        if (is_foldable(graph->node[i]))
            TRI_TRY(fold_node(graph, graph->node[i]));
    return NULL;
}

tri_status tri__graph_rewrite(tri_graph *graph, unsigned without)
{
    bool drop = !(without & TRI_PLAN_DEAD);
    TRI_TRY(tri__graph_sort(graph, drop));
    if (!(without & TRI_PLAN_FOLD))
        TRI_TRY(tri__graph_fold(graph));
    if (!(without & TRI_PLAN_TRACE))
        TRI_TRY(apply(graph, trace_of_product, drop));
    if (!(without & TRI_PLAN_POOL_RELU))
        TRI_TRY(apply(graph, pool_first, drop));
    if (without & TRI_PLAN_FUSE)
        return NULL;
    TRI_TRY(apply(graph, fuse_bias, drop));
    TRI_TRY(apply(graph, fuse_sum, drop));
    return apply(graph, fuse_activation, drop);
}
