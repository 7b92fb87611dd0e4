/* lower_table.h: kernels for operators on tables. */
#ifndef TRI_GRAPH_PLAN_LOWER_TABLE_H
#define TRI_GRAPH_PLAN_LOWER_TABLE_H

#include "graph/plan/compile.h"

/* lowered->kernel stays NULL where the node reads no table. */
TRI_MUST_CHECK tri_status tri__lower_table(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered);

#endif
