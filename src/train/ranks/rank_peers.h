/* rank_peers.h: the ranks that mpirun or srun started, as the workers of a run: what strategies of ranks have in common. Every rank runs
 * the same loop; rank 0 has the run folder, evaluates, writes checkpoints and decides when to stop. Before anything that all ranks must do
 * together, and when a rank leaves, all ranks exchange notes, so that every rank learns of a failure of one. */
#ifndef TRI_TRAIN_RANKS_RANK_PEERS_H
#define TRI_TRAIN_RANKS_RANK_PEERS_H

#include "data/source/digest.h"
#include "net/mpi/ranks.h"
#include "train/ranks/rank_failure.h"
#include "train/run/peers.h"

enum { TRI_RANK_DIGEST_SIZE = 65 };

/* What a rank tells the others. */
typedef struct {
    tri__rank_failure failure;
    char digest[TRI_RANK_DIGEST_SIZE]; /* of its model */
    int64_t sum[2];                    /* what must be the same on all ranks: batch and number of examples */
    char data[TRI_DATA_DIGEST_SIZE];   /* digest of the examples; "": not known */
    int64_t steps, examples, damaged, spent[TRI_PHASES];
    int64_t sent, received;
    double cpu_percent, peak_rss_mb;
    double began, ended; /* seconds since 1970 */
} tri__rank_note;

/* The first member of a strategy's own peers. */
typedef struct {
    tri__peers peers;
    tri__run *run;
    tri__ranks *ranks;
    tri__rank_note *notes; /* [workers], from the last exchange */
    bool orderly;          /* the last exchange succeeded, so MPI can be finalised */
} tri__rank_peers;

/* Joins the other ranks, before anything else is done. self is zeroed memory that tri__rank_peers_fini's caller frees, and the run's peers
 * from now on, also after a failure. window: of values that ranks send to each other (net/mpi/ranks.h). */
TRI_MUST_CHECK tri_status tri__rank_peers_join(tri__rank_peers *self, const tri__peers_kind *kind, tri__run *run, size_t window);
void tri__rank_peers_fini(tri__rank_peers *self);

/* Calls of a strategy's row (train/options/strategy.h). */
int tri__rank_peers_threads(const tri__run *run);                                        /* the ranks of a host share its CPUs */
TRI_MUST_CHECK tri_status tri__rank_peers_compare_inputs(tri__run *run, tri_status own); /* the same model, and as many examples? */
TRI_MUST_CHECK tri_status tri__rank_peers_agree(tri__run *run, tri_status own);

/* Exchanges notes. Returns the failure of the first rank that has one, or own, which is taken. Rank 0 reports a failure for all ranks. */
TRI_MUST_CHECK tri_status tri__rank_peers_compare(tri__rank_peers *self, tri__rank_note *mine, tri_status own);

/* The last exchange of notes: what this rank did; the caller fills in its traffic. The other ranks do not fail because rank 0 ended the
 * run. */
TRI_MUST_CHECK tri_status tri__rank_peers_part(tri__rank_peers *self, int64_t sent, int64_t received, tri_status own);

/* A peers' stats, after that. */
void tri__rank_peers_stats(const tri__peers *base, int worker, tri__worker_summary *out, tri__phases *phases);

#endif
