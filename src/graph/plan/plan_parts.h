/* plan_parts.h: a step whose batch is computed in parts (tri_plan_options.parts).
 *
 * Parameters are awaited by the first part and offered by the last. What the parts before gave as gradient is kept in a buffer of the
 * plan's own and added to the last part's: so a store sees one step with one gradient, and no store knows of parts. */
#ifndef TRI_GRAPH_PLAN_PLAN_PARTS_H
#define TRI_GRAPH_PLAN_PLAN_PARTS_H

#include "graph/plan/plan.h"

typedef struct {
    bool first, last;
    double weight; /* of all parts */
} tri__part;

/* After compiling. TRI_UNSUPPORTED for sparse examples. */
TRI_MUST_CHECK tri_status tri__plan_parts_init(tri_plan *plan);

TRI_MUST_CHECK tri_status tri__plan_parts_check(const tri_plan *plan, const tri_batch *batch); /* the batch has the plan's rows */
int64_t tri__plan_parts_of(const tri_plan *plan, const tri_batch *batch);                      /* with examples in them; at least 1 */
tri_batch tri__plan_part(const tri_plan *plan, const tri_batch *batch, int64_t number);        /* all of it where there are no parts */

/* The range's gradient is complete in this part. True: the range is to be offered now, with the gradient of all parts in its place. */
bool tri__plan_parts_add(tri_plan *plan, const tri__store_call *offer, tri__part part);

#endif
