/* peers.h: the workers that share every step with this one: replicas in threads beside it, or ranks in other processes.
 *
 * A run has peers where its strategy has several workers that make each step together, and no server. The run's own thread is one of the
 * workers and makes all calls: begin and end around each step, and leave once at the end, also after a failure. */
#ifndef TRI_TRAIN_RUN_PEERS_H
#define TRI_TRAIN_RUN_PEERS_H

#include "train/run/run_inside.h"

typedef struct {
    const char *workers;                                                                  /* what they are called: "replicas" */
    tri_status (*begin)(tri__peers *peers, const tri_step *step, const tri_batch *batch); /* batch: what this worker computes on */
    tri_status (*end)(tri__peers *peers, tri__tally *tally); /* in: this worker's tally; out: the tally of all workers, where it is known */

    /* Brings all parameters to the worker that leads, between two steps; does nothing on the others. NULL: the leading worker always has
     * them. */
    tri_status (*collect)(tri__peers *peers);

    /* Adds up the squares of the parts of a gradient that workers have: tri__norm_sharing. NULL: each has the whole gradient. */
    tri_status (*add_squares)(void *peers, double *squares);

    /* Training is over. own: this worker's status; the call takes it. Returns the status of the whole run; then no worker computes any
     * more. */
    tri_status (*leave)(tri__peers *peers, tri_status own);
    void (*stats)(const tri__peers *peers, int worker, tri__worker_summary *out, tri__phases *phases); /* not of the run's own worker */
    void (*trace)(tri__peers *peers, tri__trace *trace);  /* of the other workers in this process; NULL: there are none */
    void (*tell_curves)(tri__peers *peers, int64_t step); /* of each worker here, since the last call; NULL: the run's */
    void (*flush_curves)(tri__peers *peers);              /* NULL where tell_curves is NULL */
    void (*destroy)(tri__peers *peers);
} tri__peers_kind;

struct tri__peers {
    const tri__peers_kind *kind;
    int worker, workers; /* this worker's number, and how many there are */
    int here;            /* workers in this process */
    bool one_model;      /* they compute parts of one model, on the same examples; false: each has a part of the examples */
    bool told;           /* another worker reports the failure of the run */
    int64_t damaged;     /* records that other workers found damaged, and this worker did not */
    int64_t pass;        /* damaged records that all workers together met in this pass over the examples */
};

/* Complete all updates. Then the store of the worker that leads has the whole model. */
TRI_MUST_CHECK tri_status tri__run_flush(tri__run *run);

/* Into how many parts the examples of a step are divided, and which of them is this worker's. */
int tri__run_parts(const tri__run *run);
int tri__run_part(const tri__run *run);

bool tri__run_leads(const tri__run *run); /* this worker has the folder, evaluates and decides */

/* A step read `damaged` damaged records; ends_pass: it ended a pass over the examples. --skip-bad limits all workers together. More damaged
 * records are a failure: every worker gets the same, since all count the same. */
TRI_MUST_CHECK tri_status tri__peers_count_damage(tri__run *run, int64_t damaged, bool ends_pass);

#endif
