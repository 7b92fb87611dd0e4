/* lower_onednn.h: oneDNN's kernel for a node. */
#ifndef TRI_GRAPH_LOWER_ONEDNN_H
#define TRI_GRAPH_LOWER_ONEDNN_H

#include "graph/compile.h"

/* lowered->kernel stays NULL where oneDNN has none that is better than the plain one. */
TRI_MUST_CHECK tri_status tri__lower_onednn(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered);

#endif
