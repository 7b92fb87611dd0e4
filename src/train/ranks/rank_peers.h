/* rank_peers.h: the ranks that mpirun or srun started, as the workers of a run: what all strategies with ranks share. Every rank runs the
 * same loop; rank 0 has the run folder, evaluates, writes checkpoints and decides when to stop. Before all ranks do something together, and
 * when a rank leaves, they exchange notes, so that every rank learns that another has failed. */
#ifndef TRI_TRAIN_RANKS_RANK_PEERS_H
#define TRI_TRAIN_RANKS_RANK_PEERS_H

#include "data/source/digest.h"
#include "net/mpi/ranks.h"
#include "train/ranks/rank_failure.h"
#include "train/run/peers.h"

enum { TRI_RANK_DIGEST_SIZE = 65 };

/* The losses of examples, each before its own update. */
typedef struct {
    double sum;
    int64_t count;
} tri__rank_losses;

/* What a rank tells the others. */
typedef struct {
    tri__rank_failure failure;
    char digest[TRI_RANK_DIGEST_SIZE]; /* digest of its model */
    int64_t sum[2];                    /* what must be the same on all ranks: batch and number of examples */
    char data[TRI_DATA_DIGEST_SIZE];   /* digest of the examples; "": not known */
    int64_t steps, examples, damaged, spent[TRI_PHASES];
    int64_t sent, received;
    tri__rank_losses losses;
    double cpu_percent, peak_rss_mb;
    double began, ended;         /* seconds since 1970 */
    tri__folder_identity folder; /* of rank 0, once it is made */
} tri__rank_note;

/* The first member of the peers of each such strategy. */
typedef struct {
    tri__peers peers;
    tri__run *run;
    tri__ranks *ranks;
    tri__rank_note *notes; /* [workers], from the last exchange */
    tri__rank_losses own;  /* of the examples that this rank computed on since it joined */
    bool orderly;          /* the last exchange succeeded, so MPI can be finalised */
} tri__rank_peers;

/* Joins the other ranks; call it before anything else. self: zeroed memory; it is the run's peers from now on, also after a failure; free
 * it after tri__rank_peers_fini. window: bytes for values that ranks send to each other (net/mpi/ranks.h). */
TRI_MUST_CHECK tri_status tri__rank_peers_join(tri__rank_peers *self, const tri__peers_kind *kind, tri__run *run, size_t window);
void tri__rank_peers_fini(tri__rank_peers *self);

/* Calls of a strategy's row (train/options/strategy.h). */
int tri__rank_peers_threads(const tri__run *run);                                        /* the ranks of a host share its CPUs */
TRI_MUST_CHECK tri_status tri__rank_peers_compare_inputs(tri__run *run, tri_status own); /* do all have the same model and examples? */
TRI_MUST_CHECK tri_status tri__rank_peers_agree(tri__run *run, tri_status own);

/* After rank 0 has made its folder: ranks that mpirun or srun started by hand write samples and curves to it, too, where they see it. */
TRI_MUST_CHECK tri_status tri__rank_peers_agree_on_folder(tri__run *run, tri_status own);

/* Exchanges notes. Takes own. Returns the failure of the first rank that has one, or own. Rank 0 reports a failure for all ranks. */
TRI_MUST_CHECK tri_status tri__rank_peers_compare(tri__rank_peers *self, tri__rank_note *mine, tri_status own);

/* The last exchange of notes: each says what its rank did. sent, received: the traffic of this rank. When rank 0 ends the run, that is no
 * failure of the other ranks. */
TRI_MUST_CHECK tri_status tri__rank_peers_part(tri__rank_peers *self, int64_t sent, int64_t received, tri_status own);

/* The `stats` call of peers (train/run/peers.h); call it after tri__rank_peers_part. */
void tri__rank_peers_stats(const tri__peers *base, int worker, tri__worker_summary *out, tri__phases *phases);

#endif
