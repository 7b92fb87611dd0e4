/* cut.c: walks the whole graph in its order and writes down this task's part of it. */
#include "graph/placed/cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "graph/operator.h"

typedef struct {
    tri_graph *graph;
    int task, tasks, count; /* count: nodes of the whole graph */
    bool *reads;            /* [count][tasks] whether a task reads the value */
    tri_node **here;        /* [count] the node that has the value on this task; NULL: none yet */
    tri_node **order;       /* what stays, in order */
    int kept;
} cutting;

static bool is_everywhere(const tri_node *node)
{
    return tri__node_is(node, "constant") || tri__node_is(node, "input");
}

static void find_readers(cutting *cut, bool for_everyone)
{
    const tri_graph *graph = cut->graph;
    for (int i = 0; i < cut->count; i++)
        for (int k = 0; k < graph->node[i]->inputs; k++)
            cut->reads[graph->node[i]->input[k]->id * cut->tasks + graph->node[i]->task] = true;
    for (int i = 0; i < graph->outputs; i++)
        for (int t = 0; t < (for_everyone ? cut->tasks : 1); t++)
            cut->reads[graph->output[i].node->id * cut->tasks + t] = true;
}

/* A node of this cut is made at the end of the graph; it is put in its order here. */
static tri_status make(cutting *cut, const char *operator_name, const tri_attributes *attributes, tri_node *input, tri_node **out)
{
    TRI_TRY(tri__graph_make(cut->graph, operator_name, attributes, NULL, out, input, NULL, NULL, NULL));
    cut->order[cut->kept++] = *out;
    return NULL;
}

static tri_status receive(cutting *cut, const tri_node *node)
{
    const tri_attributes attributes = {.shape = node->shape};
    tri_node *made;
    TRI_TRY(make(cut, "receive", &attributes, NULL, &made));
    made->type = node->type;
    made->peer = node->task;
    made->number = node->id;
    cut->here[node->id] = made;
    return NULL;
}

static tri_status send(cutting *cut, tri_node *node)
{
    for (int t = 0; t < cut->tasks; t++) {
        tri_node *made;
        if (t == cut->task || !cut->reads[node->id * cut->tasks + t])
            continue;
        TRI_TRY(make(cut, "send", NULL, node, &made));
        made->peer = t;
        made->number = node->id;
    }
    return NULL;
}

static tri_status bring(cutting *cut, tri_node *node)
{
    return cut->here[node->id] ? NULL : receive(cut, node);
}

static tri_status keep(cutting *cut, tri_node *node)
{
    for (int k = 0; k < node->inputs; k++) {
        TRI_TRY(bring(cut, node->input[k]));
        node->input[k] = cut->here[node->input[k]->id];
    }
    cut->here[node->id] = node;
    cut->order[cut->kept++] = node;
    return is_everywhere(node) ? NULL : send(cut, node);
}

/* Parameters of other tasks stay, unread: a store counts on every range. */
static bool stays(const cutting *cut, const tri_node *node)
{
    return node->task == cut->task || tri__node_is(node, "parameter") ||
           (is_everywhere(node) && cut->reads[node->id * cut->tasks + cut->task]);
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
        if (!stays(cut, node))
            continue;
        bool foreign = tri__node_is(node, "parameter") && node->task != cut->task;
        if (foreign)
            cut->order[cut->kept++] = node;
        else
            TRI_TRY(keep(cut, node));
    }
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

tri_status tri__graph_cut(tri_graph *graph, int task, int tasks, bool for_everyone)
{
    size_t count = (size_t)graph->count, room = count * (size_t)(tasks + 1) + 1; /* each node, and a send to each task */
    cutting cut = {.graph = graph, .task = task, .tasks = tasks, .count = graph->count};
    tri_status status = tri__allocate(count * (size_t)tasks + 1, sizeof *cut.reads, "cutting a graph", &cut.reads);
    if (!status)
        status = tri__allocate(count + 1, sizeof(tri_node *), "cutting a graph", &cut.here);
    if (!status)
        status = tri__allocate(room, sizeof(tri_node *), "cutting a graph", &cut.order);
    if (!status) {
        find_readers(&cut, for_everyone);
        status = walk(&cut, for_everyone);
    }
    if (!status)
        renumber(&cut);
    free(cut.reads);
    free(cut.here);
    free(cut.order);
    return status;
}
