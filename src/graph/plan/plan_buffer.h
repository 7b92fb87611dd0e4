/* plan_buffer.h: the one buffer of a plan, packed by the lifetimes of what it holds. */
#ifndef TRI_GRAPH_PLAN_PLAN_BUFFER_H
#define TRI_GRAPH_PLAN_PLAN_BUFFER_H

#include "graph/plan/plan.h"

/* When all calls are there: the first and the last call that touch each operand. */
void tri__plan_find_lifetimes(tri_plan *plan);

/* When lifetimes are final: give each operand its offset, and allocate the buffer. */
TRI_MUST_CHECK tri_status tri__plan_pack_buffer(tri_plan *plan);

#endif
