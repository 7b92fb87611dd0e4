/* lower_onednn.h: oneDNN's kernel for a node. */
#ifndef TRI_GRAPH_PLAN_LOWER_ONEDNN_H
#define TRI_GRAPH_PLAN_LOWER_ONEDNN_H

#include "graph/plan/compile.h"

/* lowered->kernel stays NULL where oneDNN has none that is better than the plain one. */
TRI_MUST_CHECK tri_status tri__lower_onednn(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered);

#endif
