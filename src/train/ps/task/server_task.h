/* server_task.h: a server of a job with parameter servers; ps:0 fills the result. */
#ifndef TRI_TRAIN_PS_TASK_SERVER_TASK_H
#define TRI_TRAIN_PS_TASK_SERVER_TASK_H

#include "store/ps/protocol/settings.h"
#include "train/ps/task/task.h"
#include "train/run/run_inside.h"

/* Take part until the job ends. The model is open. */
TRI_MUST_CHECK tri_status tri__server_task_run(tri__run *run, const tri__task_setup *setup, const tri__ps_settings *ps,
                                               tri__run_result *out);

#endif
