/* worker_task.h: the tasks of a job with parameter servers, as task.c starts them: each runs until the job ends. */
#ifndef TRI_TRAIN_PS_WORKER_TASK_H
#define TRI_TRAIN_PS_WORKER_TASK_H

#include "train/ps/task.h"
#include "train/run/run_inside.h"

TRI_MUST_CHECK tri_status tri__worker_task_run(tri__run *run, const tri__task_place *place, const tri__ps_settings *ps); /* a worker */
TRI_MUST_CHECK tri_status tri__evaluator_task_run(tri__run *run, const tri__task_place *place,
                                                  const tri__ps_settings *ps); /* the evaluator */
TRI_MUST_CHECK tri_status tri__server_task_run(tri__run *run, const tri__task_place *place, const tri__ps_settings *ps,
                                               tri__run_result *out); /* a server */

#endif
