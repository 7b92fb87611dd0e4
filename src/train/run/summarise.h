/* summarise.h: the summary of a run, with a verdict, as a table for people and as summary.json. */
#ifndef TRI_TRAIN_RUN_SUMMARISE_H
#define TRI_TRAIN_RUN_SUMMARISE_H

#include "train/run/run_inside.h"

/* What training took, in this process and those that worked for it since then: the evidence of a verdict beside the phases. */
typedef struct {
    double seconds;     /* of training */
    int threads;        /* that compute had */
    double cpu_percent; /* 100 a CPU; NaN where it is not known */
    double decoding;    /* seconds of reading and decoding, of all threads */
    int all_threads;    /* that compute, of all workers */
    struct {
        const char *task; /* whose part of a sync step came last for longest; NULL: not known */
        double share;     /* of the time that others waited for it, … */
        double of_all;    /* … which is this share of all such waiting */
    } late;
    double tokens; /* with parameter servers: the share of the workers' time spent waiting for ps:0 to hand out a step */
} tri__effort;

/* Of all tables of a store: their rows, and their bytes with the rule's state. */
typedef struct {
    int64_t rows, bytes;
} tri__tables_size;

tri__tables_size tri__tables_count(tri_store *store);

/* summary has what was done: workers, servers and mode, threads, steps, examples, epochs, times and phases, losses in training, damage,
 * traffic. This function fills in the rest from the run, writes summary.json and fills the result. */
TRI_MUST_CHECK tri_status tri__run_conclude(const tri__run *run, tri__summary *summary, const tri__effort *effort, tri__run_result *out);

/* The summary of a run that counted its own steps, and of its peers. */
TRI_MUST_CHECK tri_status tri__run_summarise(tri__run *run, tri__run_result *out);

#endif
