/* task.h: tasks of the job start, are killed and start again. */
#ifndef TESTS_SIM_TASK_H
#define TESTS_SIM_TASK_H

#include <stdbool.h>
#include <stdint.h>

void sim_task_start(int place, bool recover);
void sim_task_kill(int place, int64_t restart_after); /* and start it again, as a supervisor would; SIM_FOREVER: never */
void sim_task_stop_job(void);                         /* ps:0 is asked to end the job */

#endif
