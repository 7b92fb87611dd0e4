/* faults.h: the faults of a job, drawn from a seed. Each fault waits for a time, or until a message of some type is sent. It may first wait
 * for the fault before it, so that it strikes in the middle of what that fault has caused. */
#ifndef TESTS_SIM_FAULTS_H
#define TESTS_SIM_FAULTS_H

#include "sim/job.h"

typedef enum {
    SIM_FAULT_CUT,       /* all connections between two tasks break */
    SIM_FAULT_STALL,     /* for a while nothing moves between two tasks, and nothing is lost */
    SIM_FAULT_SLOW,      /* for a while little moves between two tasks */
    SIM_FAULT_STOP,      /* a task does not run for a while */
    SIM_FAULT_WORKER,    /* a worker is killed and started again under its name */
    SIM_FAULT_SERVER,    /* the same for a server other than ps:0 */
    SIM_FAULT_FIRST,     /* the same for ps:0 */
    SIM_FAULT_EVALUATOR, /* the same for the evaluator */
    SIM_FAULT_STOP_KILL, /* a task is stopped, and killed before it goes on */
    SIM_FAULT_LONG_STOP, /* a worker or the evaluator does not run for longer than the timeout */
    SIM_FAULT_LEAVE,     /* a worker or the evaluator is killed and not started again */
    SIM_FAULT_ASKED,     /* ps:0 is asked to end the job */
    SIM_FAULT_PARTITION, /* for a while nothing moves between two tasks, or between one and all others, and nothing else happens */
    SIM_FAULT_KINDS
} sim_fault_kind;

void sim_faults_begin(const sim_job *job, uint64_t seed);
void sim_faults_print(void);
bool sim_faults_ask(void); /* ps:0 is to be asked to end the job */

#endif
