/* lower_loop.h: the kernel of a loop: a plan of its body, which is run again and again. */
#ifndef TRI_GRAPH_PLAN_LOWER_LOOP_H
#define TRI_GRAPH_PLAN_LOWER_LOOP_H

#include "graph/plan/compile.h"

/* A kernel where node is a loop. */
TRI_MUST_CHECK tri_status tri__lower_loop(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered);

/* Of the loop's last run: the operations of all its rounds. 0 where the call is no loop. */
double tri__loop_flops(const tri__plan_call *call);

#endif
