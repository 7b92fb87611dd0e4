/* guard.h: which nodes need not be computed, because the branch of a cond that they are for is not taken. */
#ifndef TRI_GRAPH_REWRITE_GUARD_H
#define TRI_GRAPH_REWRITE_GUARD_H

#include "graph/nodes/graph.h"

/* A node with a guard is needed where the predicate is above 0 (taken), or is not, and where the outer guard holds as well. */
typedef struct tri__guard tri__guard;
struct tri__guard {
    tri_node *predicate;
    bool taken;
    const tri__guard *outer; /* NULL: none */
    int depth;               /* from 1 */
    int number;              /* from 0, in this graph */
};

/* The guard of every node, by its number; NULL: always needed. Inputs come before their readers. A node that is read in one branch alone
 * has its guard; sources, outputs, gradients of parameters and what crosses between tasks have none. Guards live in the graph's arena.
 * Predicates may change, so guards are found again after a change. */
TRI_MUST_CHECK tri_status tri__graph_find_guards(tri_graph *graph, const tri__guard **guard, int *count);

/* What holds where both hold. */
const tri__guard *tri__guard_common(const tri__guard *a, const tri__guard *b);

#endif
