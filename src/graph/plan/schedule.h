/* schedule.h: at which calls a plan awaits and offers ranges of the store. */
#ifndef TRI_GRAPH_PLAN_SCHEDULE_H
#define TRI_GRAPH_PLAN_SCHEDULE_H

#include "graph/plan/plan.h"

/* When lifetimes are known: a gradient that is lent to the store lives until it is offered, so this may prolong some. */
TRI_MUST_CHECK tri_status tri__plan_schedule(tri_plan *plan);

#endif
