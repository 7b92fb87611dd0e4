/* lower_narrow.h: the narrow kernels that compute groups of nodes. */
#ifndef TRI_GRAPH_PLAN_LOWER_NARROW_H
#define TRI_GRAPH_PLAN_LOWER_NARROW_H

#include "graph/plan/compile.h"

/* Find the groups for which narrow kernels are fastest. */
TRI_MUST_CHECK tri_status tri__narrow_find(tri__compiler *compiler);

/* The kernel of the group that a node belongs to; lowered->kernel stays NULL where it belongs to none. */
TRI_MUST_CHECK tri_status tri__lower_narrow(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered);

#endif
