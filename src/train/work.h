/* work.h: the tasks of a job with parameter servers, as task.c starts them: each runs until the job ends. */
#ifndef TRI_TRAIN_WORK_H
#define TRI_TRAIN_WORK_H

#include "train/run_inside.h"
#include "train/task.h"

TRI_MUST_CHECK tri_status tri__work_run(tri__run *run, const tri__task_place *place);                        /* a worker */
TRI_MUST_CHECK tri_status tri__judge_run(tri__run *run, const tri__task_place *place);                       /* the evaluator */
TRI_MUST_CHECK tri_status tri__serve_run(tri__run *run, const tri__task_place *place, tri__run_result *out); /* a server */

#endif
