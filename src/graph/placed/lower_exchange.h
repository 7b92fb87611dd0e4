/* lower_exchange.h: kernels that send and receive values which cross from one task to another. */
#ifndef TRI_GRAPH_PLACED_LOWER_EXCHANGE_H
#define TRI_GRAPH_PLACED_LOWER_EXCHANGE_H

#include "graph/compile.h"

/* Leaves lowered->kernel NULL where the node is neither send nor receive. */
TRI_MUST_CHECK tri_status tri__lower_exchange(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered);

#endif
