/* cut.h: one task's part of a graph that several tasks run together. */
#ifndef TRI_GRAPH_PLACED_CUT_H
#define TRI_GRAPH_PLACED_CUT_H

#include "graph/graph.h"

/* Leaves in graph the nodes of one task, whose tasks are assigned. A value of another task becomes a `receive`, right before its first
 * reader; a value that others read is followed at once by a `send` to each of them. Constants, and inputs, which come from the batch, are
 * on every task. Outputs are wanted by everyone, or by task 0 alone.
 *
 * No cut can make tasks wait for each other in a circle. All tasks take the nodes in one common order, that of the whole graph, and a send
 * never waits. Look at the first node in that order that is not done: everything that it reads was done before it and has been sent, so its
 * task, which has nothing earlier to do, can do it. */
TRI_MUST_CHECK tri_status tri__graph_cut(tri_graph *graph, int task, int tasks, bool for_everyone);

#endif
