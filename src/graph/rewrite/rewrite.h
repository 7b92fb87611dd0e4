/* rewrite.h: rewrites of a graph that compute the same with less work. Each can be switched off by its TRI_PLAN_* bit, to compare. */
#ifndef TRI_GRAPH_REWRITE_REWRITE_H
#define TRI_GRAPH_REWRITE_REWRITE_H

#include "graph/nodes/graph.h"

/* All rewrites of a forward graph, before it is differentiated. */
TRI_MUST_CHECK tri_status tri__graph_rewrite(tri_graph *graph, unsigned without);

/* Replace nodes that depend only on constants by their values. */
TRI_MUST_CHECK tri_status tri__graph_fold(tri_graph *graph);

/* Make sure that a constant has its elements in data: it may have been given as one number. */
TRI_MUST_CHECK tri_status tri__constant_data(tri_graph *graph, tri_node *node);

/* Renumber the nodes so that inputs come before their users. Where drop is true, nodes that no output, parameter or gradient of a
 * parameter needs are left out. */
TRI_MUST_CHECK tri_status tri__graph_sort(tri_graph *graph, bool drop);

#endif
