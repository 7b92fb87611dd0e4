/* supervise_inside.h: a supervised job as its own files see it:
 * supervise.c decides what the end of a task means, supervise_start.c starts tasks and cleans up. */
#ifndef TRI_TRAIN_PS_SUPERVISE_SUPERVISE_INSIDE_H
#define TRI_TRAIN_PS_SUPERVISE_SUPERVISE_INSIDE_H

#include "train/cluster/cluster.h"
#include "train/folder/log_file.h"
#include "train/folder/run_folder.h"
#include "train/job/restarts.h"
#include "train/job/watcher.h"
#include "train/ps/supervise/supervise.h"
#include "watch/sample/marks.h"
#include "watch/sample/sampler.h"

typedef struct tri__supervisor tri__supervisor;

typedef struct {
    tri__process process; /* first member: the watcher's handlers get a pointer to it */
    tri__supervisor *supervisor;
    tri__task task;
    int listen_fd;          /* the socket of a server; −1 elsewhere */
    tri__restarts restarts; /* restarts since the last checkpoint was written */
    int64_t kept;           /* step of the newest checkpoint when the task last died */
} tri__task_process;

struct tri__supervisor {
    const tri__supervision *request;
    const tri__run_request *run;
    tri__run_folder folder;
    tri__log_file *log_file;
    tri__log *log;           /* writes to the file and to the user */
    tri__marks *marks;       /* NULL: they cannot be written */
    tri__sampler *sampler;   /* of this process; NULL with --sample-every never */
    tri__task_counters work; /* all 0: a supervisor trains nothing */
    char *cluster_file;
    char *key_file; /* the identity of a job on several hosts, made for it and removed with it; NULL: none was made */
    tri__cluster cluster;
    tri__watcher watcher;     /* the state of the job */
    tri__task_process *tasks; /* servers, of which ps:0 is the first and leads; workers; the evaluator */
    int count;
    int worker_threads; /* 0: their hosts decide */
    bool shared;        /* there are more processes on this machine than CPUs */
    bool began;         /* ps:0 has reported progress */
    struct {
        int64_t since;  /* when the last worker that we started ended; 0: one is left, or workers that joined train */
        tri_status why; /* how that worker ended; or NULL */
    } alone;            /* no worker that we started is left, and we do not know yet whether others have joined */
    bool unevaluated;   /* the evaluator was given up; we send TRI_NO_EVALUATOR to every ps:0 that we start */
};

#endif
