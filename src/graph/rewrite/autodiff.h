/* autodiff.h: reverse-mode differentiation that adds gradient nodes to the same graph. */
#ifndef TRI_GRAPH_REWRITE_AUTODIFF_H
#define TRI_GRAPH_REWRITE_AUTODIFF_H

#include "graph/nodes/graph.h"

/* Add nodes for the derivative of the scalar `loss` by every parameter it depends on. gradient has room for one pointer for each node that
 * the graph has now; gradient[node->id] gets the derivative by that node, or NULL. inputs: build the derivative by inputs, too. A gradient
 * of a parameter is marked by its field `parameter`. */
TRI_MUST_CHECK tri_status tri__graph_gradients(tri_graph *graph, tri_node *loss, bool inputs, tri_node **gradient);

#endif
