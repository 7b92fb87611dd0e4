/* supervise_inside.h: a supervised job as its own files see it:
 * supervise.c watches and decides, supervise_start.c starts and clears away. */
#ifndef TRI_TRAIN_PS_SUPERVISE_INSIDE_H
#define TRI_TRAIN_PS_SUPERVISE_INSIDE_H

#include "net/child.h"
#include "train/cluster/cluster.h"
#include "train/ps/supervise.h"
#include "train/run/folder.h"

enum { TRI_SERVER_RESTARTS = 5 }; /* within a minute, and nothing new was kept meanwhile */

typedef struct tri__supervisor tri__supervisor;

typedef struct {
    tri__supervisor *boss;
    tri__task task;
    char name[TRI_TASK_SIZE];
    int listen_fd;     /* of a server; −1 */
    tri__child *child; /* NULL: it does not run, and will not run again */
    bool ended;        /* the child has; status and signal say how */
    int status, signal;
    char *complaint;                        /* why it failed, in its own words; or NULL */
    bool well;                              /* it ended by itself, and well */
    bool to_stop;                           /* it came when the job had been asked to end, and has not heard of that */
    int restarts;                           /* since the last checkpoint … */
    int64_t restarted[TRI_SERVER_RESTARTS]; /* … when, the last ones in turn … */
    int64_t kept;                           /* … and the step of that checkpoint, as of its last death */
} tri__hand;

struct tri__supervisor {
    const tri__supervision *request;
    const tri__run_request *run;
    tri__run_folder folder;
    tri__log_file *log_file;
    tri__log *log; /* to the file, and on to people */
    char *cluster_file;
    tri__cluster cluster;
    tri__loop *loop;
    tri__hand *hands; /* servers, of which ps:0 is the first of all; workers; the evaluator */
    int count;
    int life[2]; /* a pipe that nobody writes to: children have its reading end */
    int worker_threads;
    bool shared;    /* CPUs, by more processes than there are of them */
    json_t *result; /* of ps:0 */
    tri_status failure;
    int64_t deadline; /* when those who have not ended are killed; 0: the job goes on */
    int64_t reminder; /* when those who have not ended are asked to; 0: not */
    int signals;      /* of the user, that were attended to */
};

/* Handlers of every child; the context is its hand. */
typedef struct {
    void (*line)(void *context, tri__child *child, bool error, const char *line);
    void (*ended)(void *context, tri__child *child, int status, int signal);
} tri__hand_handlers;

/* The folder, the sockets, the cluster file and the hands; nobody runs yet. After a failure, too, it wants fini. */
TRI_MUST_CHECK tri_status tri__supervisor_init(tri__supervisor *boss, const tri__supervision *request);
void tri__supervisor_fini(tri__supervisor *boss); /* kills whoever still runs */

/* recover: in place of a server that died. */
TRI_MUST_CHECK tri_status tri__hand_start(tri__hand *hand, const tri__hand_handlers *handlers, bool recover);

#endif
