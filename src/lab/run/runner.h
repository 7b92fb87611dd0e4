/* runner.h: runs the cells of a study.
 *
 * Each run is a child process of the same program, with --json after the study's words and, for train, a run folder of its own. Repeats are
 * interleaved: every cell is run once, in a random order by the study's seed, before any is run again, so that other load on the machine
 * affects all cells alike. Runs that are in the journal already are not repeated. A run that failed is tried once more when all others are
 * done.
 *
 * The folder has the journal (results.h), results.csv, `data` with data that the study prepares, and `runs` with the run folders; their
 * checkpoints are removed when a run has ended. */
#ifndef TRI_LAB_RUN_RUNNER_H
#define TRI_LAB_RUN_RUNNER_H

#include <signal.h>

#include "base/report/log.h"
#include "lab/results/results.h"

/* How far a study has come. */
typedef struct {
    int64_t done, all; /* runs */
    const char *what;  /* the present run: "batch=10, repeat 2" */
    double running;    /* seconds since the present run began */
    double left;       /* seconds that the remaining runs may take; NaN: not known yet */
} tri__study_progress;

typedef struct {
    const tri__study *study;
    const char *folder;
    bool fresh;                                                           /* remove earlier results first */
    const char *program;                                                  /* the binary's path */
    const char *version;                                                  /* the program's, to keep with the results */
    const char *cache_folder;                                             /* of data sets; may be NULL */
    tri__log *log;                                                        /* may be NULL */
    const volatile sig_atomic_t *stop;                                    /* how often the user asked to stop; may be NULL */
    void (*progress)(void *context, const tri__study_progress *progress); /* some twenty times a second; may be NULL */
    void *context;
} tri__study_run;

/* *out has all results so far, also after a failure or a stop (TRI_STOPPED); destroy it. NULL where the folder could not be opened. A run
 * that failed twice does not make the study fail. */
TRI_MUST_CHECK tri_status tri__study_execute(const tri__study_run *run, tri__results **out);

#endif
