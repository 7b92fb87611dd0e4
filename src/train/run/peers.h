/* peers.h: the workers that share every step with this one: replicas in threads beside it, or ranks in other processes.
 *
 * A run has one where its strategy has several workers in step and no server. The run's own thread is a member and calls all of this: begin
 * and end around each step, leave once at the end, whatever the end was. */
#ifndef TRI_TRAIN_RUN_PEERS_H
#define TRI_TRAIN_RUN_PEERS_H

#include "train/run/run_inside.h"

typedef struct {
    const char *workers; /* what they are called: "replicas" */
    tri_status (*begin)(tri__peers *peers, const tri_step *step);
    tri_status (*end)(tri__peers *peers, tri__tally *tally); /* this worker's; receives that of all, where it is known */

    /* Training is over: own is how, for this worker, and is taken. Returns what the run as a whole ended with; nobody computes any more. */
    tri_status (*leave)(tri__peers *peers, tri_status own);
    void (*stats)(const tri__peers *peers, int worker, tri__worker_summary *out, tri__phases *phases); /* not of the run's own worker */
    void (*destroy)(tri__peers *peers);
} tri__peers_kind;

struct tri__peers {
    const tri__peers_kind *kind;
    int worker, workers; /* this one, of so many */
    int here;            /* of them, the threads of this process */
    bool told;           /* how the run failed is told by another worker */
    int64_t damaged;     /* records that only other workers can have found damaged */
    int64_t pass;        /* damaged records that all of them met in this pass over the examples */
};

bool tri__run_leads(const tri__run *run); /* this worker has the folder, evaluates and decides */

/* So many damaged records were met in a step, after which a pass over the examples is over or not. --skip-bad is for all workers
 * together: more is a failure, the same for all who count the same. */
TRI_MUST_CHECK tri_status tri__peers_count_damage(tri__run *run, int64_t damaged, bool ends_pass);

#endif
