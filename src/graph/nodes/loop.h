/* loop.h: loops as the other files of this room see them. tri_graph_while and tri_graph_carried are the other calls of loop.c. */
#ifndef TRI_GRAPH_NODES_LOOP_H
#define TRI_GRAPH_NODES_LOOP_H

#include "graph/nodes/graph.h"

/* The body's parameter that is input i of its loop, and the one that is carried value i; NULL past the last. */
const tri_node *tri__loop_input(const tri_graph *body, int i);
const tri_node *tri__loop_carried(const tri_graph *body, int i);

/* Where carried value i begins in the loop's result, in floats; past the last: how many there are in all. */
int64_t tri__loop_offset(const tri_graph *body, int i);

#endif
