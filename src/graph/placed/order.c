/* order.c: makes the second order, and counts for both orders how many bytes every task holds at every node. */
#include "graph/placed/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

typedef struct {
    const tri_graph *graph;
    int tasks, count;
    int *at;          /* [count] by the node's number: its position in the order that is being measured */
    int *last;        /* [count][tasks] by the node's number: the last position at which the task reads the value; −1: it does not */
    int64_t *change;  /* [tasks][count + 1] how many bytes more a task holds from this position on than before it */
    tri_node **made;  /* [count] the nodes in the order of making */
    tri_node **order; /* [count] the nodes in the second order */
    int ordered;      /* how many nodes order has so far */
    bool *seen;
} ordering;

/* ---- the second order ---- */

static int by_making(const void *a, const void *b)
{
    const tri_node *x = *(tri_node *const *)a, *y = *(tri_node *const *)b;
    return x->order != y->order ? (x->order > y->order) - (x->order < y->order) : x->id - y->id;
}

static void visit(ordering *self, tri_node *node)
{
    if (self->seen[node->id])
        return;
    self->seen[node->id] = true;
    for (int i = 0; i < node->inputs; i++)
        visit(self, node->input[i]);
    self->order[self->ordered++] = node;
}

static void order_as_made(ordering *self)
{
    memcpy(self->made, self->graph->node, (size_t)self->count * sizeof(tri_node *));
    qsort(self->made, (size_t)self->count, sizeof(tri_node *), by_making);
    for (int i = 0; i < self->count; i++)
        if (self->made[i]->inputs)
            visit(self, self->made[i]);
    for (int i = 0; i < self->count; i++) /* sources that no node reads */
        visit(self, self->made[i]);
}

/* ---- what an order costs ---- */

static void note_reader(ordering *self, const tri_node *value, int task, int position)
{
    int *last = &self->last[value->id * self->tasks + task];
    *last = position > *last ? position : *last;
}

static void find_last_readers(ordering *self, tri_node *const *order)
{
    for (int i = 0; i < self->count * self->tasks; i++)
        self->last[i] = -1;
    for (int i = 0; i < self->count; i++) {
        self->at[order[i]->id] = i;
        for (int k = 0; k < order[i]->inputs; k++)
            note_reader(self, order[i]->input[k], order[i]->task, i);
    }
    for (int i = 0; i < self->graph->outputs; i++)
        note_reader(self, self->graph->output[i].node, 0, self->count - 1);
}

/* A value that is sent early waits at its reader or on its way: it is counted at the reader. Parameters lie outside of the plan, and do not
 * count. */
static void count_changes(ordering *self)
{
    memset(self->change, 0, (size_t)self->tasks * ((size_t)self->count + 1) * sizeof *self->change);
    for (int i = 0; i < self->count; i++) {
        const tri_node *node = self->graph->node[i];
        if (tri__node_is(node, "parameter") || tri__node_is(node, "constant") || tri__node_is(node, "input"))
            continue;
        for (int t = 0; t < self->tasks; t++) {
            int last = self->last[node->id * self->tasks + t], first = self->at[node->id];
            last = t == node->task && last < first ? first : last;
            if (last < 0)
                continue;
            int64_t *change = self->change + (size_t)t * ((size_t)self->count + 1);
            change[first] += (int64_t)tri__node_bytes(node);
            change[last + 1] -= (int64_t)tri__node_bytes(node);
        }
    }
}

/* The most bytes that one task holds at one moment. */
static int64_t peak_of(ordering *self, tri_node *const *order)
{
    int64_t peak = 0;
    find_last_readers(self, order);
    count_changes(self);
    for (int t = 0; t < self->tasks; t++) {
        int64_t held = 0;
        for (int i = 0; i <= self->count; i++) {
            held += self->change[(size_t)t * ((size_t)self->count + 1) + (size_t)i];
            peak = held > peak ? held : peak;
        }
    }
    return peak;
}

/* ---- both ---- */

static tri_status allocate(ordering *self)
{
    const size_t count = (size_t)self->count + 1, tasks = (size_t)self->tasks;
    TRI_TRY(tri__allocate(count, sizeof *self->at, "the order of a graph", &self->at));
    TRI_TRY(tri__allocate(count * tasks, sizeof *self->last, "the order of a graph", &self->last));
    TRI_TRY(tri__allocate(count * tasks, sizeof *self->change, "the order of a graph", &self->change));
    TRI_TRY(tri__allocate(count, sizeof(tri_node *), "the order of a graph", &self->made));
    TRI_TRY(tri__allocate(count, sizeof(tri_node *), "the order of a graph", &self->order));
    return tri__allocate(count, sizeof *self->seen, "the order of a graph", &self->seen);
}

tri_status tri__graph_order(tri_graph *graph, int tasks)
{
    ordering self = {.graph = graph, .tasks = tasks, .count = graph->count};
    tri_status status = allocate(&self);
    if (!status) {
        order_as_made(&self);
        if (peak_of(&self, self.order) < peak_of(&self, graph->node))
            memcpy(graph->node, self.order, (size_t)graph->count * sizeof(tri_node *));
        for (int i = 0; i < graph->count; i++)
            graph->node[i]->id = i;
    }
    free(self.at);
    free(self.last);
    free(self.change);
    free(self.made);
    free(self.order);
    free(self.seen);
    return status;
}
