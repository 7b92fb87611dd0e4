/* supervise.h: runs a job with parameter servers: starts every task as a process, on this machine or on the hosts of the job, and watches
 * and reaps these processes.
 *
 * Servers listen on sockets that the supervisor makes and keeps open, so a restarted server has the same address. The supervisor logs how
 * each task ended, and every line that a task writes, with the task's name before it. log/supervisor.txt in the run folder keeps both.
 * Tasks report by JSON lines on their standard output (train/job/process_report.h). */
#ifndef TRI_TRAIN_PS_SUPERVISE_SUPERVISE_H
#define TRI_TRAIN_PS_SUPERVISE_SUPERVISE_H

#include "store/ps/protocol/settings.h"
#include "train/job/job_hosts.h"
#include "train/run/run.h"

typedef struct {
    const tri__run_request *run; /* as for a local run; *stop 1: end the job in good order, 2: kill it */
    const char *program;         /* the binary of every task */
    const char *const
        *words; /* options for every task, as the user gave them, without those that differ from task to task; ends with NULL */
    tri__ps_settings ps;
    int threads;                     /* of each worker; 0: workers share the CPUs evenly */
    const tri__job_hosts *job_hosts; /* NULL: everything runs on this machine */
} tri__supervision;

/* Returns when the job is over and no task runs. out has a result if ps:0 reported one, even if the job failed after that. */
TRI_MUST_CHECK tri_status tri__supervise(const tri__supervision *request, tri__run_result *out);

#endif
