/* batch_plan.h: which batches come next: one behind the other, or as somebody assigns them.
 *
 * It is a queue of slices that have not been taken yet. Without assignments the queue grows by itself as far as it is asked for; with
 * them it holds what was assigned. The code that makes the batches sees only the queue. One thread calls. */
#ifndef TRI_DATA_BATCH_BATCH_PLAN_H
#define TRI_DATA_BATCH_BATCH_PLAN_H

#include "data/batch/shard.h"
#include "trireme/dataset.h"

typedef struct {
    tri__shard shard;                   /* where batches are assigned, worker and workers come with each */
    bool assigned;                      /* batches come as they are assigned */
    int64_t position;                   /* behind the batch that was taken last; where they are assigned: its own */
    int64_t unplanned;                  /* the position behind the line; not where they are assigned */
    tri__slice line[TRI_MOST_ASSIGNED]; /* a ring from first: [count] slices that are not taken yet */
    int first, count;
} tri__batch_plan;

void tri__batch_plan_init(tri__batch_plan *plan, tri__shard shard, bool assigned);

/* The slice of the i-th batch (from 0, below TRI_MOST_ASSIGNED) of those not taken; NULL where it is not known or there is none. Lives
 * until it is taken or forgotten. */
const tri__slice *tri__batch_plan_find(tri__batch_plan *plan, int i);

void tri__batch_plan_take(tri__batch_plan *plan); /* the first of the line, which there is */

/* Not where batches are assigned: go on at position. */
void tri__batch_plan_seek(tri__batch_plan *plan, int64_t position);

/* Only where batches are assigned. */
TRI_MUST_CHECK tri_status tri__batch_plan_assign(tri__batch_plan *plan, int64_t position, int worker, int workers);
void tri__batch_plan_revoke(tri__batch_plan *plan); /* all that were assigned and not taken */

#endif
