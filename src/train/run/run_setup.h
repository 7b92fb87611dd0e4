/* run_setup.h: all that a run needs, opened, and cleared away. After a failure, too, it wants fini. */
#ifndef TRI_TRAIN_RUN_RUN_SETUP_H
#define TRI_TRAIN_RUN_RUN_SETUP_H

#include "train/run/run_inside.h"

/* All of it; a task of a cluster takes the parts that it needs, after tri__run_begin: the model, and what was asked for. */
TRI_MUST_CHECK tri_status tri__run_open(tri__run *run, const tri__run_request *request);
TRI_MUST_CHECK tri_status tri__run_begin(tri__run *run, const tri__run_request *request);
void tri__run_fini(tri__run *run);

/* What each worker of a run needs, its own or another in this process: a plan for its store, and its part of the examples, from where the
 * run stands. */
TRI_MUST_CHECK tri_status tri__run_create_plan(const tri__run *run, tri__trainer *trainer);
TRI_MUST_CHECK tri_status tri__run_create_dataset(const tri__run *run, int worker, tri__trainer *trainer);
tri_dataset_options tri__run_dataset_options(const tri__run *run); /* of the run's own worker */

#endif
