/* autodiff.h: reverse-mode differentiation that adds gradient nodes to the same graph. */
#ifndef TRI_GRAPH_REWRITE_AUTODIFF_H
#define TRI_GRAPH_REWRITE_AUTODIFF_H

#include "graph/nodes/graph.h"

/* Add nodes for the derivative of the scalar `loss` by every parameter it depends on. gradient, with room for one pointer a node that the
 * graph has now, receives at node->id the derivative by that node, or NULL. Where inputs is true the derivative by inputs is built too.
 * A gradient of a parameter is marked by its field `parameter`. */
TRI_MUST_CHECK tri_status tri__graph_gradients(tri_graph *graph, tri_node *loss, bool inputs, tri_node **gradient);

#endif
