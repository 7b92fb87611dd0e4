/* allreduce.h: the store of a rank: every rank has all parameters, MPI adds up the gradients of all ranks, and each rank applies the rule
 * to the same sums.
 *
 * Gradients travel in buckets of some 16 MB, in the order in which rank 0's plan offers them. A thread adds up one bucket after the other
 * while the plan goes on. When the plan awaits a range, the plan's thread applies the rule to the buckets that are summed by then. If the
 * whole gradient is one bucket, the plan's own thread adds it up: for so little, waking another thread would take longer.
 *
 * The first bucket of a step also carries the weight behind the gradient, how many records were damaged, and whether a rank leaves. A rank
 * that leaves takes part in that first bucket only, and all ranks see it in the same step: then calls return TRI_STOPPED, and no rank waits
 * for another. */
#ifndef TRI_STORE_ALLREDUCE_H
#define TRI_STORE_ALLREDUCE_H

#include "graph/store/store.h"
#include "net/mpi/ranks.h"

typedef struct {
    tri__ranks *ranks; /* borrowed; only the store may call it, until leave */
    size_t floats;
    tri_rule rule;
    int64_t timeout;      /* nanoseconds of one wait for the thread, which is repeated until the ranks' own timeout ends it */
    size_t bucket_floats; /* 0: 16 MB */
} tri__allreduce_options;

TRI_MUST_CHECK tri_status tri__allreduce_store_create(const tri__allreduce_options *options, tri_store **out);

/* No more steps: the caller may call the ranks again. Collective; called once, between any two calls of the store. */
TRI_MUST_CHECK tri_status tri__allreduce_store_leave(tri_store *store);

/* Damaged records. tell_damaged sets how many this rank has met for the step that begins next. damaged returns how many all ranks have met
 * in the step before the one that was begun last; the parameters of that last step must have been awaited. */
void tri__allreduce_store_tell_damaged(tri_store *store, int64_t damaged);
int64_t tri__allreduce_store_damaged(const tri_store *store);

/* Bytes of gradients and rows that this rank has sent to the others and received so far. A bucket counts as a ring would move it:
 * each way 2 (ranks − 1) / ranks of its bytes. Rows count as one list to each other rank. MPI may move them otherwise. */
void tri__allreduce_store_traffic(const tri_store *store, int64_t *sent, int64_t *received);

/* All ranks get the buckets, the parameters and the rule's state of rank 0. Collective; called once, when every rank has a plan and before
 * the first step. Making the store and the plan is not collective, so if a rank fails there, no other rank waits for it. */
TRI_MUST_CHECK tri_status tri__allreduce_store_share(tri_store *store);

#endif
