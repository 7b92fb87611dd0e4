/* order.h: the one order in which all tasks take the nodes of a placed graph. */
#ifndef TRI_GRAPH_PLACED_ORDER_H
#define TRI_GRAPH_PLACED_ORDER_H

#include "graph/nodes/graph.h"

/* The nodes' tasks are assigned, and inputs come before their readers. Of two orders the one is kept that needs less memory on the task
 * that needs most: the one that the graph has, in which every result is computed right before its first reader; or the one in which nodes
 * were made, where sources come right before their first reader. So blocks of large matrices are made, sent and used up one after another.
 * The result depends on the graph alone, so that tasks need not talk about it. */
TRI_MUST_CHECK tri_status tri__graph_order(tri_graph *graph, int tasks);

#endif
