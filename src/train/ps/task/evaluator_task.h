/* evaluator_task.h: the evaluator of a job with parameter servers. */
#ifndef TRI_TRAIN_PS_TASK_EVALUATOR_TASK_H
#define TRI_TRAIN_PS_TASK_EVALUATOR_TASK_H

#include "store/ps/protocol/settings.h"
#include "train/ps/task/task.h"
#include "train/run/run_inside.h"

/* Take part until the job ends. The model is open. */
TRI_MUST_CHECK tri_status tri__evaluator_task_run(tri__run *run, const tri__task_setup *setup, const tri__ps_settings *ps);

#endif
