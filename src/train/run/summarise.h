/* summarise.h: the summary of a run, with a verdict, as a table for people and as summary.json. */
#ifndef TRI_TRAIN_RUN_SUMMARISE_H
#define TRI_TRAIN_RUN_SUMMARISE_H

#include "train/run/run_inside.h"

/* The time and CPU that training took, in this process and those that worked for it. With the phases, it decides the verdict. */
typedef struct {
    double seconds;     /* of training */
    int threads;        /* that computed, in this process */
    double cpu_percent; /* 100 for each busy CPU; NaN where it is not known */
    double decoding;    /* seconds of reading and decoding, summed over all threads */
    int all_threads;    /* that computed, in all workers */
    double flops;       /* FLOP/s of the workers in this process while they computed; 0: not known */
    struct {
        double compute, update; /* bytes a second that kernels, and the rule, move at least in their time; 0: not known */
        size_t plan, rule;      /* bytes of memory that a step, and the rule, use */
    } memory;
    bool alone; /* no other process trains for this run, or did */
    struct {
        const char *task; /* the task for which the others waited longest in sync steps; NULL: not known */
        double share;     /* time that the others waited for this task, as a share of the job's time */
        double of_all;    /* the same time, as a share of all such waiting */
    } late;
    double tokens; /* with parameter servers: the share of the workers' time spent waiting for ps:0 to hand out a step */
} tri__effort;

/* Of all tables of a store: rows, and bytes with the rule's state. */
typedef struct {
    int64_t rows, bytes;
} tri__tables_size;

tri__tables_size tri__tables_count(tri_store *store);

/* The caller fills in what was done: workers, servers and mode, threads, steps, examples, epochs, times and phases, losses in training,
 * damage, traffic. This function fills in the rest from the run, writes summary.json and fills the result. */
TRI_MUST_CHECK tri_status tri__run_conclude(const tri__run *run, tri__summary *summary, const tri__effort *effort, tri__run_result *out);

/* Summarise a run that counted its own steps, and its peers. */
TRI_MUST_CHECK tri_status tri__run_summarise(tri__run *run, tri__run_result *out);

#endif
