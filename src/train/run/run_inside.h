/* run_inside.h: a run as its own files see it: what was asked for, where it stands, and a part for each thing that it does. The header of
 * the same name describes each part. */
#ifndef TRI_TRAIN_RUN_RUN_INSIDE_H
#define TRI_TRAIN_RUN_RUN_INSIDE_H

#include "train/checkpoint/checkpoint_read.h"
#include "train/evaluate/progressive.h"
#include "train/run/evaluating.h"
#include "train/run/goal.h"
#include "train/run/inputs.h"
#include "train/run/journal.h"
#include "train/run/length.h"
#include "train/run/run.h"
#include "train/run/saving.h"
#include "train/step/trainer.h"
#include "watch/host/resources.h"

typedef struct tri__peers tri__peers;

typedef struct tri__run {
    const tri__run_request *request;
    const tri__strategy *strategy;
    tri__train_options options; /* those of the request, merged with those of a resumed run */
    tri__train_settings settings;
    bool data_told;           /* the process that started this one has told the user what is odd about the data */
    tri__checkpoint *resumed; /* open until set-up has read it; NULL in a new run */

    tri__run_state state;
    tri__run_ending ending;
    int64_t until_step; /* the step at which the goal was reached; −1: it was not reached */

    tri__inputs inputs;
    tri__trainer trainer;   /* of the run's own worker */
    tri__peers *peers;      /* the workers that share its steps; NULL: there is one worker, or there are servers */
    tri_exchange *exchange; /* of peers that compute parts of one model, which own it; NULL elsewhere */
    tri__length length;
    tri__evaluating evaluating;
    tri__progressive *progressive; /* of a stream of two classes; NULL elsewhere */
    tri__saving saving;
    tri__journal journal;

    struct {
        int64_t step, examples;
        double seconds;   /* of training, in earlier processes */
        double total;     /* in all, in earlier processes */
        tri__usage usage; /* when training began */
    } since;              /* where this process began */
} tri__run;

#endif
