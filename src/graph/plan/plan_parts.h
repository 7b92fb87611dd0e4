/* plan_parts.h: a step whose batch is computed in parts (tri_plan_options.parts).
 *
 * The first part awaits parameters, and the last part offers them. The plan keeps the sum of the earlier parts' gradients in a buffer of
 * its own, and adds it to the last part's gradient. So a store sees one step with one gradient, and knows nothing of parts. */
#ifndef TRI_GRAPH_PLAN_PLAN_PARTS_H
#define TRI_GRAPH_PLAN_PLAN_PARTS_H

#include "graph/plan/plan.h"

typedef struct {
    bool first, last;
    double weight; /* of all parts */
} tri__part;

/* After compiling. TRI_UNSUPPORTED for sparse examples. */
TRI_MUST_CHECK tri_status tri__plan_parts_init(tri_plan *plan);

TRI_MUST_CHECK tri_status tri__plan_parts_check(const tri_plan *plan, const tri_batch *batch); /* the number of rows */
int64_t tri__plan_parts_of(const tri_plan *plan, const tri_batch *batch);                      /* parts that have examples; at least 1 */
tri_batch tri__plan_part(const tri_plan *plan, const tri_batch *batch, int64_t number);        /* all of batch where there are no parts */

/* The range's gradient of this part is complete. Returns true where the range is to be offered now: then its gradient is the sum of all
 * parts. */
bool tri__plan_parts_add(tri_plan *plan, const tri__store_call *offer, tri__part part);

#endif
