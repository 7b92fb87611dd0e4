/* launch.h: a run of ranks on this machine: mpirun starts them, and starts them again from the last checkpoint when one is lost.
 *
 * Rank 0 reports by JSON lines on its standard output (train/job/process_report.h). */
#ifndef TRI_TRAIN_RANKS_LAUNCH_H
#define TRI_TRAIN_RANKS_LAUNCH_H

#include "train/options/strategy.h"
#include "train/run/run.h"

/* The launch of a strategy of ranks, and its launcher_options (train/options/strategy.h). out has a result if rank 0 reported one, even if
 * the run failed after that. */
TRI_MUST_CHECK tri_status tri__launch_ranks(const tri__launch_request *request, tri__run_result *out);
extern const char *const tri__launch_options[];

#endif
