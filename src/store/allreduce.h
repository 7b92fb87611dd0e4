/* allreduce.h: the store of a rank: every rank has all parameters, gradients are added up over MPI,
 * and each applies the rule to the same sums.
 *
 * Gradients travel in buckets of some 16 MB, in the order in which rank 0's plan offers them; a thread adds up one after the other while
 * the plan goes on, and the rule is applied where the plan awaits, to whatever has come by then. Where all of it is one bucket, the plan's
 * own thread adds it up: for so little, waking another thread would take longer.
 *
 * The first bucket of a step also carries the weight behind the gradient, how many records were
 * damaged, and whether a rank leaves. A rank that leaves takes part in that
 * first bucket only, and all ranks see it in the same step: then calls return TRI_STOPPED, and no rank waits for another. */
#ifndef TRI_STORE_ALLREDUCE_H
#define TRI_STORE_ALLREDUCE_H

#include "graph/store/store.h"
#include "net/mpi/ranks.h"

typedef struct {
    tri__ranks *ranks; /* borrowed; its calls are the store's until leave */
    size_t floats;
    tri_rule rule;
    int64_t timeout;      /* nanoseconds, of every wait for the thread; the ranks have their own */
    size_t bucket_floats; /* 0: 16 MB */
} tri__allreduce_options;

TRI_MUST_CHECK tri_status tri__allreduce_store_create(const tri__allreduce_options *options, tri_store **out);

/* No more steps: the ranks' calls are the caller's again. Collective, at any place between two calls of the store; once. */
TRI_MUST_CHECK tri_status tri__allreduce_store_leave(tri_store *store);

/* Damaged records: those that this rank has met in the step that begins next, and those of all ranks in the step before the one that was
 * begun last, whose parameters have been awaited. */
void tri__allreduce_store_tell_damaged(tri_store *store, int64_t damaged);
int64_t tri__allreduce_store_damaged(const tri_store *store);

/* Bytes of gradients and rows that this rank has given to the others so far, and that it got: of a bucket what a ring moves, 2 (ranks − 1)
 * / ranks of it each way, of rows its own list to each other rank. How MPI moves them is its own business. */
void tri__allreduce_store_traffic(const tri_store *store, int64_t *sent, int64_t *received);

/* Buckets, parameters and the rule's state of rank 0 become those of all ranks. Collective, once, when every rank has a plan and before the
 * first step: making store and plan is not collective, so a rank that fails there leaves no other waiting. */
TRI_MUST_CHECK tri_status tri__allreduce_store_share(tri_store *store);

#endif
