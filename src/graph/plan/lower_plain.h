/* lower_plain.h: the plain C kernel of a node, which every operator has. */
#ifndef TRI_GRAPH_PLAN_LOWER_PLAIN_H
#define TRI_GRAPH_PLAN_LOWER_PLAIN_H

#include "graph/plan/compile.h"

TRI_MUST_CHECK tri_status tri__lower_plain(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered);

#endif
