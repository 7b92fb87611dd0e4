/* order.h: the one order in which all tasks take the nodes of a placed graph. */
#ifndef TRI_GRAPH_PLACED_ORDER_H
#define TRI_GRAPH_PLACED_ORDER_H

#include "graph/nodes/graph.h"

/* Before the call, the nodes' tasks are assigned, and inputs come before their readers. It tries two orders, and keeps the one that needs
 * less memory on the task that needs most. One is the graph's present order, in which every result is computed right before its first
 * reader. The other is the order in which nodes were made, where sources come right before their first reader: there, blocks of large
 * matrices are made, sent and used up one after another. The result depends only on the graph, so tasks find the same order without talking
 * to each other. */
TRI_MUST_CHECK tri_status tri__graph_order(tri_graph *graph, int tasks);

#endif
