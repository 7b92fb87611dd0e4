/* tasks.h: starts other tasks of the job, with the options that the user gave: all tasks, or an evaluator beside ps:0. */
#ifndef TRI_CLI_PROCESS_TASKS_H
#define TRI_CLI_PROCESS_TASKS_H

#include "cli/process/supervised.h"
#include "cli/table/option.h"
#include "train/job/job_hosts.h"
#include "train/run/run.h"

/* Start every process of a run, and wait for the end of the run (train/options/strategy.h). hosts: the file of hosts that mpirun reads;
 * NULL: none is known. job_hosts: the hosts to start them on; NULL: this machine. */
TRI_MUST_CHECK tri_status tri__tasks_launch(const tri__arguments *arguments, const tri__run_request *request, const char *hosts,
                                            const tri__job_hosts *job_hosts, tri__run_result *out);

/* Start evaluator:0 beside this process, which is ps:0 of a cluster that lists no evaluator. */
TRI_MUST_CHECK tri_status tri__tasks_start_evaluator(const tri__arguments *arguments, tri__log *log, tri__supervised **out);

#endif
