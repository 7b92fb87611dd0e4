/* run_setup.h: opens everything that a run needs, and closes it. Call fini after a failure, too. */
#ifndef TRI_TRAIN_RUN_RUN_SETUP_H
#define TRI_TRAIN_RUN_RUN_SETUP_H

#include "train/run/run_inside.h"

/* tri__run_open opens everything. A task of a cluster calls tri__run_begin, which opens only the model and the options; the task then opens
 * what else it needs. */
TRI_MUST_CHECK tri_status tri__run_open(tri__run *run, const tri__run_request *request);
TRI_MUST_CHECK tri_status tri__run_begin(tri__run *run, const tri__run_request *request);
void tri__run_fini(tri__run *run);

/* For a rank that does not lead: write samples and curves to the folder that its launcher or rank 0 made. */
TRI_MUST_CHECK tri_status tri__run_join_folder(tri__run *run, const char *path);

bool tri__run_is_deep(
    const tri__run *run); /* its model has several layers and no tables, so that products and convolutions take the time */

/* What each worker in this process needs: a plan for its store, and its part of the examples from the present position of the run. */
TRI_MUST_CHECK tri_status tri__run_create_histograms(tri__run *run); /* with --histograms, once there is a store */
TRI_MUST_CHECK tri_status tri__run_create_plan(const tri__run *run, tri__trainer *trainer);
TRI_MUST_CHECK tri_status tri__run_create_dataset(const tri__run *run, int worker, tri__trainer *trainer);

/* The options of the run's own worker. --augment is not among them: tri__dataset_create takes it from the settings. */
tri_dataset_options tri__run_dataset_options(const tri__run *run);

/* Add tables to a store that holds them whole: with all rows or, with --min-count or --table-memory, with rows that grow within `bytes`. */
TRI_MUST_CHECK tri_status tri__run_add_tables(const tri__run *run, int64_t bytes, tri_store *store);
int64_t tri__run_table_bytes(const tri__run *run); /* --table-memory, or half of the free memory */

#endif
