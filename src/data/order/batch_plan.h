/* batch_plan.h: which batches come next: one after another, or as the caller assigns them.
 *
 * A plan is a queue of slices that have not been taken yet. Without assignments, tri__batch_plan_find lengthens the queue as far as it
 * needs; with them, the queue holds what was assigned. The code that makes the batches sees only the queue. One thread uses a plan. */
#ifndef TRI_DATA_ORDER_BATCH_PLAN_H
#define TRI_DATA_ORDER_BATCH_PLAN_H

#include "data/order/shard.h"
#include "trireme/dataset.h"

typedef struct {
    tri__shard shard;                   /* if assigned: each assignment brings its own worker and workers */
    bool assigned;                      /* the caller assigns the batches */
    int64_t position;                   /* after the batch that was taken last; if assigned: of that batch */
    int64_t unplanned;                  /* the position after the last slice of line; unused if assigned */
    tri__slice line[TRI_MOST_ASSIGNED]; /* a ring that begins at first: the [count] slices that are not taken yet */
    int first, count;
} tri__batch_plan;

void tri__batch_plan_init(tri__batch_plan *plan, tri__shard shard, bool assigned);

/* The slice of batch i among those not taken yet, from 0; i is below TRI_MOST_ASSIGNED. NULL where there is none, or none is assigned yet.
 * The slice is valid until it is taken, revoked, or a seek forgets it. */
const tri__slice *tri__batch_plan_find(tri__batch_plan *plan, int i);

void tri__batch_plan_take(tri__batch_plan *plan); /* the first slice of line; there must be one */

/* Continue at position. Not if batches are assigned. */
void tri__batch_plan_seek(tri__batch_plan *plan, int64_t position);

/* Only if batches are assigned. */
TRI_MUST_CHECK tri_status tri__batch_plan_assign(tri__batch_plan *plan, int64_t position, int worker, int workers);
void tri__batch_plan_revoke(tri__batch_plan *plan); /* forget the batches that were assigned and not taken */

#endif
