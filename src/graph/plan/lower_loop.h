/* lower_loop.h: the kernel of a loop: a plan of its body, which is run again and again. */
#ifndef TRI_GRAPH_PLAN_LOWER_LOOP_H
#define TRI_GRAPH_PLAN_LOWER_LOOP_H

#include "graph/plan/compile.h"

/* lowered->kernel stays NULL where the node is no loop. */
TRI_MUST_CHECK tri_status tri__lower_loop(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered);

/* The floating-point operations of all rounds of the loop's last run. 0 where the call is no loop. */
double tri__loop_flops(const tri__plan_call *call);

#endif
