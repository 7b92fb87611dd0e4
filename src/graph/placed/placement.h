/* placement.h: on which task each node of a graph is computed. */
#ifndef TRI_GRAPH_PLACED_PLACEMENT_H
#define TRI_GRAPH_PLACED_PLACEMENT_H

#include "graph/nodes/graph.h"

/* Gives a task to every node that has none yet: the one of its place; of a gradient the task of what it differentiates, or of its
 * parameter; otherwise the one where most of its input bytes are, or, where it reads nothing, the one of its first reader. The result
 * depends on the graph alone, so that tasks need not talk about it. */
TRI_MUST_CHECK tri_status tri__graph_assign_tasks(tri_graph *graph, int tasks);

/* One more than the highest task that a place names; 1 where there is no place. */
TRI_MUST_CHECK tri_status tri__graph_count_tasks(const tri_graph *graph, int *out);

/* The same, and every node gets its task as its place, to be shown. */
TRI_MUST_CHECK tri_status tri__graph_fill_places(tri_graph *graph, int tasks);

#endif
