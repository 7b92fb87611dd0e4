/* peers.h: the workers that share every step with this one: replicas in threads beside it, or ranks in other processes.
 *
 * A run has peers where its strategy has several workers in step and no server. The run's own thread is one of the workers and makes all
 * calls: begin and end around each step, and leave once at the end, also after a failure. */
#ifndef TRI_TRAIN_RUN_PEERS_H
#define TRI_TRAIN_RUN_PEERS_H

#include "train/run/run_inside.h"

typedef struct {
    const char *workers;                                                                  /* what they are called: "replicas" */
    tri_status (*begin)(tri__peers *peers, const tri_step *step, const tri_batch *batch); /* that this worker computes on */
    tri_status (*end)(tri__peers *peers, tri__tally *tally); /* in: this worker's tally; out: that of all workers, where it is known */

    /* Brings all parameters to the worker that leads, between two steps; does nothing on the others. NULL: it has them in any case. */
    tri_status (*collect)(tri__peers *peers);

    /* Adds up the squares of the parts of a gradient that workers have: tri__norm_sharing. NULL: each has the whole gradient. */
    tri_status (*add_squares)(void *peers, double *squares);

    /* Training is over. own is this worker's status, and is taken. Returns the status of the whole run; no worker computes any more. */
    tri_status (*leave)(tri__peers *peers, tri_status own);
    void (*stats)(const tri__peers *peers, int worker, tri__worker_summary *out, tri__phases *phases); /* not of the run's own worker */
    void (*trace)(tri__peers *peers, tri__trace *trace); /* workers in this process beside the run's own; NULL: there are none */
    void (*tell_curves)(tri__peers *peers,
                        int64_t step);       /* of each worker in this process, since the last call; NULL: those of the run … */
    void (*flush_curves)(tri__peers *peers); /* … are those of its one worker here */
    void (*destroy)(tri__peers *peers);
} tri__peers_kind;

struct tri__peers {
    const tri__peers_kind *kind;
    int worker, workers; /* this worker's number, and how many there are */
    int here;            /* workers in this process */
    bool one_model;      /* they compute parts of one model, on the same examples; otherwise each has a part of the examples */
    bool told;           /* another worker reports the failure of the run */
    int64_t damaged;     /* records that other workers found damaged and this one did not */
    int64_t pass;        /* damaged records that all of them met in this pass over the examples */
};

/* Afterwards the store of the worker that leads is the model, and nothing is under way. */
TRI_MUST_CHECK tri_status tri__run_flush(tri__run *run);

/* Into how many parts the examples of a step are divided, and which of them is this worker's. */
int tri__run_parts(const tri__run *run);
int tri__run_part(const tri__run *run);

bool tri__run_leads(const tri__run *run); /* this worker has the folder, evaluates and decides */

/* A step read this many damaged records; ends_pass: it ended a pass over the examples. --skip-bad limits all workers together. More is a
 * failure, and all workers get the same one since they count the same. */
TRI_MUST_CHECK tri_status tri__peers_count_damage(tri__run *run, int64_t damaged, bool ends_pass);

#endif
