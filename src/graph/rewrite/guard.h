/* guard.h: finds nodes that need not be computed where a cond does not take the branch that reads them. */
#ifndef TRI_GRAPH_REWRITE_GUARD_H
#define TRI_GRAPH_REWRITE_GUARD_H

#include "graph/nodes/graph.h"

/* A node with a guard is needed where the predicate is above 0 (taken) or is not (not taken), and the outer guard holds as well. */
typedef struct tri__guard tri__guard;
struct tri__guard {
    tri_node *predicate;
    bool taken;
    const tri__guard *outer; /* NULL: none */
    int depth;               /* from 1 */
    int number;              /* from 0, in this graph */
};

/* The guard of every node, by its number; NULL: always needed. Inputs come before their readers. A node that only one branch reads has the
 * guard of that branch; sources, outputs, gradients of parameters and values that cross between tasks have none. Guards live in the graph's
 * arena. Call it again after a change of the graph: predicates may have changed. */
TRI_MUST_CHECK tri_status tri__graph_find_guards(tri_graph *graph, const tri__guard **guard, int *count);

/* The innermost guard that is around both a and b, or is one of them; NULL where there is none. */
const tri__guard *tri__guard_common(const tri__guard *a, const tri__guard *b);

#endif
