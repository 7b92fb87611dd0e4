/* run_setup.h: all that a run needs, opened, and cleared away. After a failure, too, it wants fini. */
#ifndef TRI_TRAIN_RUN_RUN_SETUP_H
#define TRI_TRAIN_RUN_RUN_SETUP_H

#include "train/run/run_inside.h"

/* All of it; a task of a cluster takes the parts that it needs, after tri__run_begin: the model, and what was asked for. */
TRI_MUST_CHECK tri_status tri__run_open(tri__run *run, const tri__run_request *request);
TRI_MUST_CHECK tri_status tri__run_begin(tri__run *run, const tri__run_request *request);
tri_dataset_options tri__run_dataset_options(const tri__run *run);
void tri__run_fini(tri__run *run);

#endif
