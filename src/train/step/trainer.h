/* trainer.h: makes the steps of one worker, and counts where its time goes.
 *
 * The worker of a run, every replica beside it and every worker of parameter servers make their steps by the same two calls: fetch a batch,
 * compute on it. The caller decides which batch the step has, and what to wait for between the two calls. A step costs two readings of the
 * clock: no system call, no memory. One thread uses a trainer. */
#ifndef TRI_TRAIN_STEP_TRAINER_H
#define TRI_TRAIN_STEP_TRAINER_H

#include "base/trace/trace.h"
#include "train/step/histograms.h"
#include "train/step/team.h"
#include "trireme/dataset.h"
#include "trireme/plan.h"
#include "watch/progress/phases.h"

typedef struct {
    tri_store *store;
    tri_plan *plan;
    tri_dataset *dataset;
    tri__phases phases;
    tri__team team;              /* for lent tables; zero: all threads of the plan compute */
    int64_t now;                 /* the clock, as it was last read: at the end of each step */
    int64_t ended;               /* when the last step ended */
    tri__trace_lane *lane;       /* NULL: the steps are not traced */
    int64_t began;               /* traced: when the step began, with waiting for its batch */
    int64_t judge_every;         /* of this many steps, predictions of the last few are compared with labels; 0: never */
    tri__histograms *histograms; /* belongs to the run; NULL: none are asked for */
    int64_t steps, examples;     /* steps made and examples read since this process began */
} tri__trainer;

/* What a step did. */
typedef struct {
    double loss;            /* Σ weight × loss */
    double weight;          /* Σ weight, which is count − damaged unless classes have weights */
    int64_t count, damaged; /* count: examples; damaged: how many of them were damaged */
    int64_t judged, right;  /* examples whose prediction before the update was compared with the label; how many were right */
} tri__tally;

void tri__tally_add(tri__tally *tally, const tri__tally *other);
double tri__tally_mean(const tri__tally *tally); /* Σ weight × loss / Σ weight; 0 where there is no example, or all were damaged */

/* Wait for the next batch. The time until it returns counts as "input", and as "compute" afterwards. */
TRI_MUST_CHECK tri_status tri__trainer_fetch(tri__trainer *trainer, const tri_batch **batch);

/* Make the step. Its time counts as "compute", except for what the store spent on other phases; the time afterwards counts as "other".
 * tally receives this worker's part. */
TRI_MUST_CHECK tri_status tri__trainer_compute(tri__trainer *trainer, const tri_step *step, const tri_batch *batch, tri__tally *tally);

/* Trace the trainer's steps from now on, with phases, layers and what its store does, on a lane called name. */
void tri__trainer_trace(tri__trainer *trainer, tri__trace *trace, const char *name);
void tri__trainer_enter(tri__trainer *trainer, tri__phase phase); /* reads the clock */
void tri__trainer_pause(tri__trainer *trainer);                   /* time is not counted until the next phase */
void tri__trainer_fini(tri__trainer *trainer);                    /* destroys plan, dataset and store */

#endif
