/* placement.h: on which task each node of a graph is computed. */
#ifndef TRI_GRAPH_PLACED_PLACEMENT_H
#define TRI_GRAPH_PLACED_PLACEMENT_H

#include "graph/nodes/graph.h"

/* Gives a task to every node that has none yet. A node with a place gets the task of that place; a gradient gets the task of the node that
 * it differentiates, or of its parameter. Any other node gets the task that has most of its input bytes or, where it reads nothing, the
 * task of its first reader. The result depends only on the graph, so tasks find the same one without talking to each other. */
TRI_MUST_CHECK tri_status tri__graph_assign_tasks(tri_graph *graph, int tasks);

/* One more than the highest task that a place names; 1 where there is no place. */
TRI_MUST_CHECK tri_status tri__graph_count_tasks(const tri_graph *graph, int *out);

/* As tri__graph_assign_tasks; and every node gets its task as its place, to be shown. */
TRI_MUST_CHECK tri_status tri__graph_fill_places(tri_graph *graph, int tasks);

#endif
