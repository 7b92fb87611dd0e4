/* cut.c: finds for every task which values it expects, and from which node on; then goes through the whole graph in its order and keeps
 * this task's part of it. */
#include "graph/placed/cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/nodes/operator.h"

#define NOT_EXPECTED (-1)

typedef struct {
    tri_graph *graph;
    int task, tasks, count; /* count: nodes of the whole graph */
    size_t window;
    int *expected;    /* [count][tasks] where the task expects the value; NOT_EXPECTED: it does not need it from another task */
    int *list;        /* [count] the values that one task receives, in the order of their first readers */
    int *reader;      /* [count] the first reader of each value of list; count: the outputs */
    int listed;       /* how many values list has */
    int taken;        /* how many values of this task's list are expected so far */
    tri_node **here;  /* [count] the node that has the value on this task, or expects it; NULL: none yet */
    bool *ready;      /* [count] the value was received, or computed */
    bool *read;       /* [count] this task reads the value */
    tri_node **order; /* the nodes of this task's part, in order */
    int kept;
} cutting;

static bool is_everywhere(const tri_node *node)
{
    return tri__node_is(node, "constant") || tri__node_is(node, "input");
}

/* ---- what a task expects ---- */

static int *expected_at(const cutting *cut, const tri_node *value, int task)
{
    return &cut->expected[value->id * cut->tasks + task];
}

/* The task needs the value at node number `reader`. */
static void list_value(cutting *cut, const tri_node *value, int task, int reader)
{
    int *expected = expected_at(cut, value, task);
    cut->read[value->id] |= task == cut->task;
    if (is_everywhere(value) || value->task == task || *expected != NOT_EXPECTED)
        return;
    *expected = reader;
    cut->list[cut->listed] = value->id;
    cut->reader[cut->listed++] = reader;
}

static void list_values(cutting *cut, int task, bool for_everyone)
{
    const tri_graph *graph = cut->graph;
    cut->listed = 0;
    for (int i = 0; i < cut->count; i++)
        for (int k = 0; graph->node[i]->task == task && k < graph->node[i]->inputs; k++)
            list_value(cut, graph->node[i]->input[k], task, i);
    for (int i = 0; i < graph->outputs && (for_everyone || task == 0); i++)
        list_value(cut, graph->output[i].node, task, cut->count);
}

/* A value is expected as soon as it fits into the window, together with the values before it that have not been received. */
static void open_window(cutting *cut, int task)
{
    size_t open = 0;
    int oldest = 0;
    for (int i = 0; i < cut->listed; i++) {
        const tri_node *value = cut->graph->node[cut->list[i]];
        open += tri__node_bytes(value);
        while (open > cut->window && oldest < i)
            open -= tri__node_bytes(cut->graph->node[cut->list[oldest++]]);
        int from = oldest ? cut->reader[oldest - 1] + 1 : 0;
        *expected_at(cut, value, task) = from < cut->reader[i] ? from : cut->reader[i];
    }
}

/* This task comes last, so that its list stays in place. */
static void find_expected(cutting *cut, bool for_everyone)
{
    for (int i = 0; i < cut->count * cut->tasks; i++)
        cut->expected[i] = NOT_EXPECTED;
    for (int i = 1; i <= cut->tasks; i++) {
        int task = (cut->task + i) % cut->tasks;
        list_values(cut, task, for_everyone);
        open_window(cut, task);
    }
}

/* ---- this task's part ---- */

/* Make a node of the cut. The graph has it at its end; here it gets its place in the order. */
static tri_status make(cutting *cut, const char *operator_name, const tri_attributes *attributes, tri_node *input, tri_node **out)
{
    TRI_TRY(tri__graph_make(cut->graph, operator_name, attributes, NULL, out, input, NULL, NULL, NULL));
    cut->order[cut->kept++] = *out;
    return NULL;
}

static tri_status expect(cutting *cut, const tri_node *value)
{
    const tri_attributes attributes = {.shape = value->shape};
    tri_node *made;
    TRI_TRY(make(cut, "expect", &attributes, NULL, &made));
    made->type = value->type;
    made->peer = value->task;
    made->number = value->id;
    cut->here[value->id] = made;
    return NULL;
}

/* Make the expects of all values that are expected from node number i on. The list is in that order, too. */
static tri_status expect_from(cutting *cut, int i)
{
    for (; cut->taken < cut->listed; cut->taken++) {
        const tri_node *value = cut->graph->node[cut->list[cut->taken]];
        if (*expected_at(cut, value, cut->task) > i)
            break;
        TRI_TRY(expect(cut, value));
    }
    return NULL;
}

static tri_status bring(cutting *cut, const tri_node *value)
{
    tri_node *expecting = cut->here[value->id], *made;
    if (cut->ready[value->id])
        return NULL;
    TRI_TRY(make(cut, "receive", NULL, expecting, &made));
    made->type = value->type;
    made->peer = value->task;
    made->number = value->id;
    cut->here[value->id] = made;
    cut->ready[value->id] = true;
    return NULL;
}

static tri_status send(cutting *cut, tri_node *node)
{
    for (int t = 0; t < cut->tasks; t++) {
        tri_node *made;
        if (t == cut->task || *expected_at(cut, node, t) == NOT_EXPECTED)
            continue;
        TRI_TRY(make(cut, "send", NULL, node, &made));
        made->peer = t;
        made->number = node->id;
        made->expected = *expected_at(cut, node, t);
    }
    return NULL;
}

static tri_status keep(cutting *cut, tri_node *node)
{
    for (int k = 0; k < node->inputs; k++) {
        TRI_TRY(bring(cut, node->input[k]));
        node->input[k] = cut->here[node->input[k]->id];
    }
    cut->here[node->id] = node;
    cut->ready[node->id] = true;
    cut->order[cut->kept++] = node;
    return send(cut, node);
}

/* Parameters of other tasks stay, though nothing reads them: a store relies on every range. */
static bool is_foreign(const cutting *cut, const tri_node *node)
{
    return tri__node_is(node, "parameter") && node->task != cut->task;
}

static tri_status keep_outputs(cutting *cut, bool for_everyone)
{
    tri_graph *graph = cut->graph;
    if (!for_everyone && cut->task)
        graph->outputs = 0;
    for (int i = 0; i < graph->outputs; i++) {
        TRI_TRY(bring(cut, graph->output[i].node));
        graph->output[i].node = cut->here[graph->output[i].node->id];
    }
    return NULL;
}

static tri_status walk(cutting *cut, bool for_everyone)
{
    for (int i = 0; i < cut->count; i++) {
        tri_node *node = cut->graph->node[i];
        TRI_TRY(expect_from(cut, i));
        if (is_foreign(cut, node))
            cut->order[cut->kept++] = node;
        else if (is_everywhere(node) ? cut->read[i] || tri__node_is(node, "input") : node->task == cut->task)
            TRI_TRY(keep(cut, node));
    }
    TRI_TRY(expect_from(cut, cut->count));
    return keep_outputs(cut, for_everyone);
}

static void renumber(cutting *cut)
{
    for (int i = 0; i < cut->kept; i++) {
        cut->graph->node[i] = cut->order[i];
        cut->graph->node[i]->id = i;
    }
    cut->graph->count = cut->kept;
}

static tri_status allocate(cutting *cut)
{
    const char *what = "cutting a graph";
    size_t count = (size_t)cut->count + 1, room = count * (size_t)(cut->tasks + 2); /* each node: its sends, an expect, a receive */
    TRI_TRY(tri__allocate(count * (size_t)cut->tasks, sizeof *cut->expected, what, &cut->expected));
    TRI_TRY(tri__allocate(count, sizeof *cut->list, what, &cut->list));
    TRI_TRY(tri__allocate(count, sizeof *cut->reader, what, &cut->reader));
    TRI_TRY(tri__allocate(count, sizeof(tri_node *), what, &cut->here));
    TRI_TRY(tri__allocate(count, sizeof *cut->ready, what, &cut->ready));
    TRI_TRY(tri__allocate(count, sizeof *cut->read, what, &cut->read));
    return tri__allocate(room, sizeof(tri_node *), what, &cut->order);
}

tri_status tri__graph_cut(tri_graph *graph, const tri_exchange *exchange, bool for_everyone)
{
    cutting cut = {.graph = graph, .task = exchange->task, .tasks = exchange->tasks, .count = graph->count, .window = exchange->window};
    tri_status status = allocate(&cut);
    if (!status) {
        find_expected(&cut, for_everyone);
        status = walk(&cut, for_everyone);
    }
    if (!status)
        renumber(&cut);
    free(cut.expected);
    free(cut.list);
    free(cut.reader);
    free(cut.here);
    free(cut.ready);
    free(cut.read);
    free(cut.order);
    return status;
}
