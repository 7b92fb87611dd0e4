/* launch.h: a run of ranks on this machine: mpirun starts them, and starts them again from the last checkpoint when one is lost.
 *
 * Rank 0 reports by JSON lines on its standard output (train/job/process_report.h). */
#ifndef TRI_TRAIN_RANKS_LAUNCH_H
#define TRI_TRAIN_RANKS_LAUNCH_H

#include "train/run/run.h"

typedef struct {
    const tri__run_request *run; /* *stop counts: 1 ends the run in good order, 2 kills it */
    const char *program;         /* the binary of every rank */
    const char *const *words;    /* options for every rank, as the user gave them, less those that are the launcher's; ends with NULL */
    int workers, threads;        /* threads: of each; 0: the ranks of a host share out its CPUs */
    int restarts;                /* so many lost attempts are followed by another … */
    int min_workers;             /* … with fewer ranks, down to this, where the last one did not even come to a checkpoint */
    const char *hosts;           /* the file of hosts that mpirun reads, of which those that are gone are left out; NULL: none is known */
    bool as_root;                /* mpirun wants to be told */
} tri__launching;

/* Returns when no process is left. The result is there where rank 0 told one, also where the run then failed. */
TRI_MUST_CHECK tri_status tri__launch(const tri__launching *request, tri__run_result *out);

#endif
