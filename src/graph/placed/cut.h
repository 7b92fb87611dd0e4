/* cut.h: one task's part of a graph that several tasks run together. */
#ifndef TRI_GRAPH_PLACED_CUT_H
#define TRI_GRAPH_PLACED_CUT_H

#include "graph/nodes/graph.h"
#include "graph/placed/exchange.h"

/* Leaves in graph only the nodes of the exchange's task. Before the call, tasks are assigned, and the graph is in its order (order.h). A
 * value of another task becomes an `expect`, which provides memory for it, and a `receive` right before its first reader, which waits for
 * it. A value that other tasks read is followed at once by a `send` to each of them. Constants, and inputs, which come from the batch, are
 * on every task. for_everyone: every task gets the outputs; otherwise only task 0 does.
 *
 * Values are expected as early as the exchange's window allows: no more bytes than the window are expected and not yet received, except
 * where one value alone is larger, or one node reads more. All tasks know from the graph where in the common order a value is expected.
 *
 * No cut can make tasks wait for each other in a circle. All tasks take the nodes in one common order, that of the whole graph, and so its
 * expects, receives and sends as well: at node i a task first expects, then receives, then computes, then sends. There are two kinds of
 * waiting. A receive at i waits for a send at a node before i. A send at i that would have more bytes under way than the window waits for
 * earlier sends, but only for those whose value is expected at a node before i; it never waits for other sends. So whatever an action waits
 * for, the send and the expect of a value, stands earlier in the common order than the action itself. Look at the first action in that
 * order that is not done: all that it waits for is done, and its task has nothing earlier to do. So it can be done. All tasks make the same
 * runs, one after another: so this holds across runs, too. */
TRI_MUST_CHECK tri_status tri__graph_cut(tri_graph *graph, const tri_exchange *exchange, bool for_everyone);

#endif
