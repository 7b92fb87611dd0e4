/* lower_exchange.h: kernels that send values from one task to another, and receive them. */
#ifndef TRI_GRAPH_PLAN_LOWER_EXCHANGE_H
#define TRI_GRAPH_PLAN_LOWER_EXCHANGE_H

#include "graph/plan/compile.h"

/* Leaves lowered->kernel NULL where the node is none of send, expect and receive. */
TRI_MUST_CHECK tri_status tri__lower_exchange(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered);

#endif
