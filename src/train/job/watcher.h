/* watcher.h: the watcher of a job: one thread turns the loop on which the job's processes live, hears their reports, reaps them, and heeds
 * the user's wish to stop. What the end of a process means is for its owner to decide, in `ended`.
 *
 *     RUNNING ── stop ──► STOPPING
 *        │                   │
 *        ├───────────────────┘
 *        ├── fail ───► FAILING ──┐
 *        ├── leave ──► LEAVING ──┤
 *        └───────────────────────┴── no process is left ──► OVER ── run again ──► RUNNING
 *
 * The leader is the process that was added first: its end is the job's.
 * RUNNING, STOPPING: the job goes on, until its owner says otherwise or no process is left. STOPPING: the leader was asked to end it.
 * FAILING: it has failed, and whoever still runs is killed at the deadline. LEAVING: it is over; those that have not ended by themselves
 * are asked to at the reminder, and killed at the deadline. */
#ifndef TRI_TRAIN_JOB_WATCHER_H
#define TRI_TRAIN_JOB_WATCHER_H

#include <signal.h>

#include "train/job/process.h"
#include "train/job/process_report.h"
#include "train/run/run.h"

typedef enum {
    TRI_WATCHER_RUNNING,
    TRI_WATCHER_STOPPING,
    TRI_WATCHER_FAILING,
    TRI_WATCHER_LEAVING,
    TRI_WATCHER_OVER,
} tri__watcher_state;

/* All may be NULL. Handlers are called by the thread that runs the watcher. */
typedef struct {
    tri__log *log;
    const volatile sig_atomic_t *stop; /* counts the user's wishes to stop, in a signal handler or in another thread */
    void (*progress)(void *context, const tri__progress *progress); /* a process reports it */
    void *progress_context;

    /* A line that is no report; error: of standard error. NULL: it goes into the log, behind the name of its process. */
    void (*said)(void *context, tri__process *process, bool error, const char *line);
    void (*began)(void *context, tri__process *process); /* it reports that training has begun */
    void (*ended)(void *context, tri__process *process); /* it is reaped, and may be started again */
    void (*asked)(void *context, int times);             /* *stop is this now */
    void *context;
} tri__watcher_options;

struct tri__watcher {
    tri__watcher_options options;
    tri__loop *loop;
    int life[2];              /* a pipe that nobody writes to: processes have its reading end */
    tri__process **processes; /* the leader first */
    int count, capacity;
    tri__watcher_state state;
    int64_t deadline;   /* FAILING, LEAVING */
    int64_t reminder;   /* LEAVING; 0: it has been */
    int asked;          /* wishes to stop that were heeded */
    json_t *result;     /* the last one that was reported; NULL: none */
    tri_status failure; /* FAILING: the first reason */
};

/* After a failure, too, it wants fini. */
TRI_MUST_CHECK tri_status tri__watcher_init(tri__watcher *watcher, const tri__watcher_options *options);
void tri__watcher_fini(tri__watcher *watcher); /* after its processes' */

/* Returns when no process is left; then it is OVER. A second run begins with no result. */
void tri__watcher_run(tri__watcher *watcher);

void tri__watcher_stop(tri__watcher *watcher); /* the leader is asked to end the job, by SIGTERM */

/* The job has failed: the leader is asked to end it, or all are where that does not run. They have `grace` nanoseconds, less where the
 * leader has ended. Takes why; the first reason is the one that counts. */
void tri__watcher_fail(tri__watcher *watcher, tri_status why, int64_t grace);

/* The job is over. Nothing where it has failed, or was over before. Nanoseconds from now. */
void tri__watcher_leave(tri__watcher *watcher, int64_t reminder, int64_t deadline);
void tri__watcher_hurry(tri__watcher *watcher); /* whoever still runs is killed; LEAVING, or FAILING */

bool tri__watcher_is_ending(const tri__watcher *watcher); /* FAILING, LEAVING or OVER: nothing is to be started */

/* The result that was reported, and the folder, into out, and the failure as the return value, which is the caller's then. */
TRI_MUST_CHECK tri_status tri__watcher_take_result(tri__watcher *watcher, const char *folder, tri__run_result *out);

/* For process.c. hear: a line; value is what a report says. */
TRI_MUST_CHECK tri_status tri__watcher_add(tri__watcher *watcher, tri__process *process);
void tri__watcher_hear(tri__watcher *watcher, tri__process *process, tri__report_kind kind, json_t *value, bool error, const char *line);

#endif
