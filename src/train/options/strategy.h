/* strategy.h: a strategy, where the parameters live and who computes, as a row of a table.
 *
 * Each row stands in the folder of its strategy, and train/strategy/strategies.c lists them. Whoever reads options, trains or starts tasks
 * knows a strategy by its row alone: another one is a folder of its own, and a line of that list. */
#ifndef TRI_TRAIN_OPTIONS_STRATEGY_H
#define TRI_TRAIN_OPTIONS_STRATEGY_H

#include <stdbool.h>

#include "trireme/status.h"

struct tri__train_options;
struct tri__run;
struct tri__run_request;
struct tri__run_result;
struct tri__task_place;

/* How processes that train together find each other. */
typedef enum {
    TRI_MEET_NOBODY,  /* there is one */
    TRI_MEET_RANKS,   /* mpirun or srun starts all of them, and MPI brings them together */
    TRI_MEET_CLUSTER, /* each is a task of a cluster that is described: by a file, TF_CONFIG, Slurm, or an address to join */
} tri__meeting;

/* What it takes to start the processes of a run on this machine. */
typedef struct {
    const struct tri__run_request *run; /* its options are whole; *stop counts: 1 ends the run in good order, 2 kills it */
    const char *program;                /* the binary of every process */
    const char *const *words;           /* options for every process, as the user gave them, less the launcher's own; ends with NULL */
    const char *hosts;                  /* the file of hosts that mpirun reads; NULL: none is known */
    bool as_root;                       /* the user is */
} tri__launch_request;

typedef struct tri__strategy {
    const char *name;           /* "local", as users type it */
    const char *const *options; /* that it has, and not every strategy; NULL: none; ends with NULL */

    /* TRI_BAD_CALL where options do not go together, with what to do instead. NULL: they always do. */
    tri_status (*check)(const struct tri__train_options *options);

    /* A run in this process. join comes before anything else. The three calls that agree are made after all that can fail on one process
     * and not on another: own is how this one fared up to there, and is taken; they return how all fared. NULL: there is nobody else. */
    tri_status (*join)(struct tri__run *run);
    int (*threads)(const struct tri__run *run);                          /* of each worker, where the user has not said; NULL: every CPU */
    tri_status (*agree_on_inputs)(struct tri__run *run, tri_status own); /* model, data and graph are there */
    tri_status (*create_store)(struct tri__run *run);
    tri_status (*agree_on_parts)(struct tri__run *run, tri_status own); /* store, plan and dataset are there */
    tri_status (*agree_to_start)(struct tri__run *run, tri_status own); /* so is the folder */

    /* A run of several processes. */
    tri__meeting meeting;
    const char *const *launcher_options; /* not handed on to the processes that launch starts; ends with NULL */
    tri_status (*launch)(const tri__launch_request *request, struct tri__run_result *out); /* returns when no process is left */
    tri_status (*run_task)(const struct tri__run_request *request, const struct tri__task_place *place, struct tri__run_result *out);
} tri__strategy;

#endif
