/* strategy.h: a strategy (where the parameters live, and which processes compute) as a row of a table.
 *
 * Each row is in the folder of its strategy, and TRI_STRATEGIES below lists them. Code that reads options, trains or starts tasks knows a
 * strategy by its row alone. To add a strategy, add a folder and a line of that list. */
#ifndef TRI_TRAIN_OPTIONS_STRATEGY_H
#define TRI_TRAIN_OPTIONS_STRATEGY_H

#include <stdbool.h>

#include "trireme/model.h"

struct tri__train_options;
struct tri__run;
struct tri__run_request;
struct tri__run_result;
struct tri__task_setup;
struct tri__job_hosts;

/* The strategies: the name that users type, and what help says about it. The row of NAME is tri__strategy_NAME. The first is the
 * default. */
#define TRI_STRATEGIES(FIRST, NEXT)                                                                                                        \
    FIRST(local, "one worker, in this process")                                                                                            \
    NEXT(mirrored, "replicas in threads")                                                                                                  \
    NEXT(ps, "workers and parameter servers")                                                                                              \
    NEXT(allreduce, "ranks of MPI")                                                                                                        \
    NEXT(placed, "ranks that compute the model by its places")

/* How processes that train together find each other. */
typedef enum {
    TRI_MEET_NOBODY,  /* there is only one process */
    TRI_MEET_RANKS,   /* mpirun or srun starts all of them, and MPI brings them together */
    TRI_MEET_CLUSTER, /* each is a task of a cluster, which a file, TF_CONFIG, Slurm, or an address to join describes */
} tri__meeting;

/* Options that say where processes are started. Their values differ from process to process. */
#define TRI_HOST_OPTIONS "on", "hosts", "cluster", "ssh"

/* What a strategy does with a model whose lines have places (place=1). */
typedef enum {
    TRI_PLACES_REFUSED, /* it fails: every worker computes the whole model */
    TRI_PLACES_IGNORED, /* one task computes all lines, whatever their place */
    TRI_PLACES_NEEDED,  /* each task computes the lines that are placed on it */
} tri__places;

/* What a strategy needs to start the processes of a run. */
typedef struct {
    const struct tri__run_request *run; /* with all options, also those of a resumed run; *stop 1: end the run in good order, 2: kill it */
    const char *program;                /* the binary of every process */
    const char *const *words; /* options for every process, as the user gave them, without those for the launcher; ends with NULL */
    const char *hosts;        /* the file of hosts that mpirun reads; NULL: none is known */
    const struct tri__job_hosts *job_hosts; /* on which hosts the processes run; NULL: on this machine, or as mpirun decides */
    bool as_root;                           /* the user is root */
} tri__launch_request;

typedef struct tri__strategy {
    const char *name;           /* "local", as users type it */
    const char *const *options; /* the options of this strategy that not every strategy has; ends with NULL; NULL: none */
    tri__places places;
    bool one_worker;   /* it never has more */
    bool reads_stream; /* it can train on standard input, which one process reads in order */

    /* TRI_BAD_CALL where options contradict each other; the message says what to do instead. NULL: there is nothing to check. */
    tri_status (*check)(const struct tri__train_options *options);

    /* Advice for a run with these options in which all wait for a slow task: "give --backup 1". NULL, or returns NULL: there is none. */
    const char *(*straggler_remedy)(const struct tri__train_options *options);

    /* A run in this process. join is called first. An agree call follows work that can fail in one process and succeed in another. own is
     * this process's status; the call takes it and returns the status of all processes. NULL: there is no other process. */
    tri_status (*join)(struct tri__run *run);
    int (*threads)(const struct tri__run *run); /* threads of each worker, where the user gave no number; NULL: every CPU */
    tri_status (*agree_on_inputs)(struct tri__run *run, tri_status own); /* after model, data and graph are opened */
    tri_status (*create_store)(struct tri__run *run);
    tri_status (*agree_on_parts)(struct tri__run *run, tri_status own); /* after store, plan and dataset are made */
    tri_status (*agree_to_start)(struct tri__run *run, tri_status own); /* after the folder is made */

    /* A run of several processes. */
    tri__meeting meeting;
    const char *const *launcher_options; /* options that launch does not hand on to its processes; ends with NULL */
    tri_status (*launch)(const tri__launch_request *request, struct tri__run_result *out); /* returns when all processes have ended */
    tri_status (*run_task)(const struct tri__run_request *request, const struct tri__task_setup *setup, struct tri__run_result *out);
} tri__strategy;

#define TRI__DECLARE_STRATEGY(name, meaning) extern const tri__strategy tri__strategy_##name;
TRI_STRATEGIES(TRI__DECLARE_STRATEGY, TRI__DECLARE_STRATEGY)
#undef TRI__DECLARE_STRATEGY

#endif
