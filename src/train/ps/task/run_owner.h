/* run_owner.h: what ps:0 does for the run of its job: it decides what is trained, loads and writes checkpoints, checks evaluations against
 * the goal, shows progress and writes the summary.
 *
 * The coordinator (store/ps) makes the calls from its loop, except save, which runs in another thread. A lock guards the state of the run,
 * which both use. */
#ifndef TRI_TRAIN_PS_TASK_RUN_OWNER_H
#define TRI_TRAIN_PS_TASK_RUN_OWNER_H

#include <pthread.h>

#include "store/ps/server/server.h"
#include "train/ps/task/beginning.h"
#include "train/ps/task/task.h"
#include "train/run/run_inside.h"
#include "train/run/summarise.h"

typedef struct {
    tri__run *run;
    const tri__task_setup *setup;
    const tri__ps_settings *ps;
    json_t *own;   /* the hello that a worker with the data of ps:0 would send; NULL: ps:0 has no data */
    json_t *hello; /* the hello that decides what is trained: `own`, or that of the first worker */
    tri_source_info source;
    const char **names;
    pthread_mutex_t lock; /* guards run->state, run->saving, run->since.total, tables and growth */
    int64_t told;         /* when progress was last reported */
    bool loaded;          /* the parameters were loaded at least once */
    tri__beginning began; /* of the job; known when `loaded` */
    tri__run_result *out;
    double carried;          /* seconds of earlier processes of ps:0, already part of run->since.total */
    bool concluded;          /* the job has ended, and out has the result */
    tri_store *whole;        /* the model of all servers, while the job goes on; borrowed; NULL before it was first loaded */
    int64_t room_bytes;      /* where tables grow: bytes of rows that servers have room for */
    tri__tables_size tables; /* their size when the model was last loaded or saved, or the job ended */
    tri_growth growth;       /* how tables had grown at that time */
    bool grows;
} tri__run_owner;

extern const tri__ps_owner tri__run_owner_calls; /* the context of these calls is a tri__run_owner */

/* All but out is borrowed. */
void tri__run_owner_init(tri__run_owner *owner, tri__run *run, const tri__task_setup *setup, const tri__ps_settings *ps,
                         tri__run_result *out);
void tri__run_owner_fini(tri__run_owner *owner);

/* Before the job begins: open the data, if ps:0 has it. If not, the log says so. */
void tri__run_owner_look_at_data(tri__run_owner *owner);

/* The job has ended. why: the reason, or NULL. Returns that reason, or why the run failed nevertheless. out has the result, where there was
 * a job. */
TRI_MUST_CHECK tri_status tri__run_owner_end(tri__run_owner *owner, tri_status why, const tri__ps_status *status);

#endif
