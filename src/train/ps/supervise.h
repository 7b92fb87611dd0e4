/* supervise.h: a job with parameter servers on this machine: every task is a process of its own, started, watched and reaped here.
 *
 * Servers listen on sockets that the supervisor makes and keeps, so a server that died is followed by one at the same address. A child's
 * end is told to people, its lines are shown behind its name and kept in log/supervisor.txt of the run folder. Tasks report by JSON lines
 * on their standard output (train/job/process_report.h). */
#ifndef TRI_TRAIN_PS_SUPERVISE_H
#define TRI_TRAIN_PS_SUPERVISE_H

#include "store/ps/protocol/settings.h"
#include "train/run/run.h"

typedef struct {
    const tri__run_request *run; /* as for a local run; *stop counts: 1 ends the job in good order, 2 kills it */
    const char *program;         /* the binary of every task */
    const char *const *words;    /* options for every task, as the user gave them, less those that are each task's own; ends with NULL */
    tri__ps_settings ps;
    int threads; /* of each worker; 0: the CPUs, shared out */
} tri__supervision;

/* Returns when the job is over and no child is left. The result is there where ps:0 told one, also where the job then failed. */
TRI_MUST_CHECK tri_status tri__supervise(const tri__supervision *request, tri__run_result *out);

#endif
