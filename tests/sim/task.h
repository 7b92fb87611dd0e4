/* task.h: starts, kills and restarts the tasks of the job. */
#ifndef TESTS_SIM_TASK_H
#define TESTS_SIM_TASK_H

#include <stdbool.h>
#include <stdint.h>

void sim_task_start(int place, bool recover);
void sim_task_kill(int place, int64_t restart_after); /* starts it again, as a supervisor would; SIM_FOREVER: never */
void sim_task_stop_job(void);                         /* asks ps:0 to end the job */

#endif
