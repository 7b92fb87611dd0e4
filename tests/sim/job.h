/* job.h: a job with parameter servers in the simulated world. Servers, workers' stores and the evaluator are the real ones. The owner keeps
 * all in memory instead of files, and the model is a function of (parameters, examples) instead of a plan. Invariants are checked while the
 * job runs. */
#ifndef TESTS_SIM_JOB_H
#define TESTS_SIM_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/world.h"
#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/settings.h"
#include "trireme/store.h"

enum {
    SIM_MOST_SERVERS = 3,
    SIM_MOST_WORKERS = 4,
    SIM_MOST_STEPS = 24,
    SIM_MOST_CHUNKS = 64,
};

/* What is trained, and how. */
typedef struct {
    tri__ps_settings settings;
    size_t floats;
    tri__table_shapes tables;
    tri_rule rule;
    int64_t steps, examples, batch;
    int64_t checkpoint_every, checkpoint_period, evaluate_every;
    int ahead; /* tokens that an async worker holds */
    bool evaluator;
    bool kept_sockets; /* a supervisor keeps the sockets on which servers listen */
    bool disk_hangs;   /* a checkpoint may take longer than the timeout */
} sim_job;

/* The snapshots of an undisturbed run of a sync job, by step. */
typedef struct {
    uint64_t model[SIM_MOST_STEPS + 1]; /* a hash of the parameters and of the rows of tables */
    uint64_t keys[SIM_MOST_STEPS + 1];  /* where tables grow: a hash of which keys have rows, or wait for one, and what was left out */
    bool known[SIM_MOST_STEPS + 1], keys_known[SIM_MOST_STEPS + 1];
} sim_truth;

void sim_job_describe(const sim_job *job, char *text, size_t size);

/* Starts all tasks. truth: what to compare snapshots with; NULL: nothing. record: where to keep their hashes; NULL: nowhere. */
void sim_job_begin(const sim_job *job, const sim_truth *truth, sim_truth *record);
void sim_job_end(void);
bool sim_job_over(void);
bool sim_job_finished(void);         /* ps:0 has ended well */
bool sim_job_begun(void);            /* a worker was given a step to make */
void sim_job_partitioned(int place); /* a server is cut off from the other one of its range, from ps:0 or from everybody */
void sim_job_one_loss(void);         /* the job loses one server, or one after the other: no update may be lost */

#endif
