/* dot.h: prints a graph with its places for Graphviz: a box around the nodes of each task, bold arrows where a value crosses. */
#ifndef TRI_GRAPH_PLACED_DOT_H
#define TRI_GRAPH_PLACED_DOT_H

#include <stdio.h>

#include "graph/nodes/graph.h"

/* The graph's tasks are assigned. */
void tri__graph_print_dot(const tri_graph *graph, int tasks, FILE *stream);

#endif
