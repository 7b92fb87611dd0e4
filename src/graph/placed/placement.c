/* placement.c: places are texts, and most nodes have none. One pass in the order of running gives nodes the task that has most of their
 * input bytes. One pass backwards gives sources the task of their first reader. Another pass forwards gives tasks to the nodes that depend
 * on those sources. */
#include "graph/placed/placement.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/nodes/operator.h"

static const char prefix[] = "/job:worker/task:";

/* "/job:worker/task:2" is 2. TRI_BAD_CALL where the text is not of that form, or names a task beyond `tasks`; the message names node. */
static tri_status parse_place(const tri_node *node, int tasks, int *out)
{
    const char *digits = node->place + strlen(prefix);
    bool known = !strncmp(node->place, prefix, strlen(prefix)) && *digits >= '0' && *digits <= '9';
    char *end = NULL;
    long task = known ? strtol(digits, &end, 10) : 0;
    if (!known || *end)
        return tri_fail(TRI_BAD_CALL, "the place of '%s' is '%s', expected %sN", node->name, node->place, prefix);
    if (task >= tasks)
        return tri_fail(TRI_BAD_CALL, "'%s' is placed on %s, and the last of %d task%s is %s%d", node->name, node->place, tasks,
                        tasks == 1 ? "" : "s", prefix, tasks - 1);
    *out = (int)task;
    return NULL;
}

/* The task that a node must have, whatever its inputs are; −1 where any will do. */
static tri_status find_wish(const tri_node *node, int tasks, int *out)
{
    *out = -1;
    if (*node->place)
        return parse_place(node, tasks, out);
    if (node->op->assigns) {
        *out = node->input[0]->task;
        return NULL;
    }
    *out = node->parameter ? node->parameter->task : node->forward ? node->forward->task : -1;
    return NULL;
}

/* The task that has most bytes of the node's inputs, the first of equals; −1 where no input has a task. bytes: [tasks] */
static int heaviest(const tri_node *node, int tasks, size_t *bytes)
{
    int best = -1;
    memset(bytes, 0, (size_t)tasks * sizeof *bytes);
    for (int i = 0; i < node->inputs; i++)
        if (node->input[i]->task >= 0)
            bytes[node->input[i]->task] += tri__node_bytes(node->input[i]) + 1; /* an empty value counts, too */
    for (int t = 0; t < tasks; t++)
        if (bytes[t] && (best < 0 || bytes[t] > bytes[best]))
            best = t;
    return best;
}

static tri_status follow_bytes(tri_graph *graph, int tasks, size_t *bytes)
{
    for (int i = 0; i < graph->count; i++) {
        tri_node *node = graph->node[i];
        if (node->task < 0)
            TRI_TRY(find_wish(node, tasks, &node->task));
        if (node->task < 0)
            node->task = heaviest(node, tasks, bytes);
    }
    return NULL;
}

static void follow_readers(tri_graph *graph)
{
    for (int i = graph->count - 1; i >= 0; i--)
        for (int k = graph->node[i]->inputs - 1; k >= 0; k--)
            if (graph->node[i]->input[k]->task < 0)
                graph->node[i]->input[k]->task = graph->node[i]->task;
}

/* A variable without a place gets the place of a node that assigns to it. */
static tri_status settle_variables(tri_graph *graph, int tasks)
{
    for (int i = 0; i < graph->count; i++) {
        tri_node *node = graph->node[i], *variable = node->op->assigns ? node->input[0] : NULL;
        if (variable && *node->place && !*variable->place && variable->task < 0)
            TRI_TRY(parse_place(node, tasks, &variable->task));
    }
    return NULL;
}

/* A node that assigns to a variable gets the task of the variable. */
static tri_status follow_variables(tri_graph *graph, int tasks)
{
    for (int i = 0; i < graph->count; i++) {
        tri_node *node = graph->node[i];
        const tri_node *variable = node->op->assigns ? node->input[0] : NULL;
        if (!variable)
            continue;
        if (!*node->place)
            node->task = variable->task;
        if (node->task != variable->task && variable->task >= 0)
            return tri_fail(TRI_BAD_CALL, "'%s' is placed on %s%d and assigns to '%s', which is on %s%d of %d tasks: place both on one",
                            node->name, prefix, node->task, variable->name, prefix, variable->task, tasks);
    }
    return NULL;
}

tri_status tri__graph_assign_tasks(tri_graph *graph, int tasks)
{
    size_t *bytes;
    TRI_TRY(tri__allocate((size_t)tasks, sizeof *bytes, "the places of a graph", &bytes));
    tri_status status = settle_variables(graph, tasks);
    if (!status)
        status = follow_bytes(graph, tasks, bytes);
    if (!status) {
        follow_readers(graph);
        status = follow_bytes(graph, tasks, bytes);
    }
    if (!status)
        status = follow_variables(graph, tasks);
    free(bytes);
    for (int i = 0; i < graph->count && !status; i++)
        if (graph->node[i]->task < 0)
            graph->node[i]->task = 0;
    return status;
}

tri_status tri__graph_count_tasks(const tri_graph *graph, int *out)
{
    *out = 1;
    for (int i = 0; i < graph->count; i++) {
        int task = 0;
        if (*graph->node[i]->place)
            TRI_TRY(parse_place(graph->node[i], INT_MAX, &task));
        *out = task + 1 > *out ? task + 1 : *out;
    }
    return NULL;
}

tri_status tri__graph_fill_places(tri_graph *graph, int tasks)
{
    char place[48];
    TRI_TRY(tri__graph_assign_tasks(graph, tasks));
    for (int i = 0; i < graph->count; i++) {
        snprintf(place, sizeof place, "%s%d", prefix, graph->node[i]->task);
        TRI_TRY(tri_node_place(graph, graph->node[i], place));
    }
    return NULL;
}
