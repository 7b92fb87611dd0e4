/* schedule.h: at which calls a plan awaits and offers ranges of the store. */
#ifndef TRI_GRAPH_PLAN_SCHEDULE_H
#define TRI_GRAPH_PLAN_SCHEDULE_H

#include "graph/plan/plan.h"

/* Call it when lifetimes are known. It may prolong some: a gradient that is lent to the store lives until it is offered. */
TRI_MUST_CHECK tri_status tri__plan_schedule(tri_plan *plan);

#endif
