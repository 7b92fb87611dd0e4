/* cut.h: one task's part of a graph that several tasks run together. */
#ifndef TRI_GRAPH_PLACED_CUT_H
#define TRI_GRAPH_PLACED_CUT_H

#include "graph/nodes/graph.h"
#include "graph/placed/exchange.h"

/* Leaves in graph the nodes of the exchange's task. Tasks are assigned, and the graph is in its order (order.h). A value of another task
 * becomes an `expect`, which readies memory for it, and a `receive` right before its first reader, which waits for it. A value that others
 * read is followed at once by a `send` to each of them. Constants, and inputs, which come from the batch, are on every task. Outputs are
 * wanted by everyone, or by task 0 alone.
 *
 * Values are expected as early as the exchange's window allows: no more bytes than that are expected and not yet received, except where
 * one value alone is larger, or one node reads more. All tasks know from the graph where in the common order a value is expected.
 *
 * No cut can make tasks wait for each other in a circle. All tasks take the nodes in one common order, that of the whole graph, and so its
 * expects, receives and sends as well: at node i a task first expects, then receives, then computes, then sends. There are two kinds of
 * waiting. A receive at i waits for a send at a node before i. A send at i that would have more bytes under way than the window waits for
 * earlier sends, but only for those whose value is expected at a node before i; whatever else is under way, it leaves at once. So
 * everything that is waited for, the send and the expect of a value, stands earlier in the common order than the one who waits. Look at the
 * first thing in that order that is not done: all that it waits for is done, and its task has nothing earlier to do. So it can be done.
 * Runs follow each other, and all tasks make the same ones: what holds within one run holds across them. */
TRI_MUST_CHECK tri_status tri__graph_cut(tri_graph *graph, const tri_exchange *exchange, bool for_everyone);

#endif
