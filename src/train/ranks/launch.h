/* launch.h: a run of ranks on this machine: mpirun starts them, and starts them again from the last checkpoint when one is lost.
 *
 * Rank 0 reports by JSON lines on its standard output (train/job/process_report.h). */
#ifndef TRI_TRAIN_RANKS_LAUNCH_H
#define TRI_TRAIN_RANKS_LAUNCH_H

#include "train/job/job_hosts.h"
#include "train/run/run.h"

typedef struct {
    const tri__run_request *run;     /* *stop 1: end the run in good order, 2: kill it */
    const char *program;             /* the binary of every rank */
    const char *const *words;        /* options for every rank, as the user gave them, without those for the launcher; ends with NULL */
    int workers, threads;            /* threads: of each rank; 0: the ranks of a host share its CPUs evenly */
    int restarts;                    /* how many times a failed attempt is followed by another */
    int min_workers;                 /* an attempt after one that wrote no checkpoint has fewer ranks, but at least this many */
    const char *hosts;               /* the file of hosts that mpirun reads; hosts that are gone are left out; NULL: none is known */
    const tri__job_hosts *job_hosts; /* on which hosts ranks run; NULL: as mpirun decides */
    bool as_root;                    /* the user is root, which mpirun accepts only with an option */
} tri__launching;

/* Returns when all processes have ended. out has a result if rank 0 reported one, even if the run failed after that. */
TRI_MUST_CHECK tri_status tri__launch(const tri__launching *request, tri__run_result *out);

/* The same for the row of a strategy of ranks (train/options/strategy.h), and its launcher_options. */
TRI_MUST_CHECK tri_status tri__launch_ranks(const tri__launch_request *request, tri__run_result *out);
extern const char *const tri__launch_options[];

#endif
