/* loop.h: loops, for the other files of this room. loop.c also has tri_graph_while and tri_graph_carried. */
#ifndef TRI_GRAPH_NODES_LOOP_H
#define TRI_GRAPH_NODES_LOOP_H

#include "graph/nodes/graph.h"

/* The parameter of the body that is input i of the loop, and the parameter that is carried value i; NULL past the last. */
const tri_node *tri__loop_input(const tri_graph *body, int i);
const tri_node *tri__loop_carried(const tri_graph *body, int i);

/* Where carried value i begins in the loop's result, in floats; past the last value: the number of floats in all. */
int64_t tri__loop_offset(const tri_graph *body, int i);

#endif
