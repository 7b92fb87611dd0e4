/* task.h: one task of a job with parameter servers: a server, a worker or the evaluator, in a process of its own. */
#ifndef TRI_TRAIN_PS_TASK_TASK_H
#define TRI_TRAIN_PS_TASK_TASK_H

#include <signal.h>

#include "net/stream/tls.h"
#include "train/cluster/cluster.h"
#include "train/run/run.h"

/* The signal that tells ps:0 that the evaluator was given up, and will not be started again. */
#define TRI_NO_EVALUATOR SIGUSR2

typedef struct tri__task_setup {
    const tri__cluster *cluster;
    tri__task task;
    tri__tls *tls;                            /* NULL: traffic is not encrypted */
    int listen_fd;                            /* a server's listening socket; −1: the server makes one */
    bool recover;                             /* this server replaces one that died: it begins from the last checkpoint */
    const char *ended;                        /* ps:0 with recover: numbers of the workers that have ended ("1,3"); NULL: none */
    bool spawned;                             /* a supervisor started it, and writes the file `command` */
    const volatile sig_atomic_t *unevaluated; /* ps:0: not 0 after TRI_NO_EVALUATOR has come; NULL: nobody sends it */
    const char *folder;                       /* the run folder, where a supervisor made it; NULL: ps:0 makes one, as the request says */
} tri__task_setup;

/* Take part until the job ends. ps:0 fills the result; the other tasks leave it empty. */
TRI_MUST_CHECK tri_status tri__task_run(const tri__run_request *request, const tri__task_setup *setup, tri__run_result *out);

#endif
