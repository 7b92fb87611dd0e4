/* watcher.h: watches the processes of a job. One thread runs the event loop: it reads the reports of the processes, reaps them, and notices
 * when the user asks to stop. The owner decides in `ended` what the end of a process means.
 *
 *     RUNNING ── stop ──► STOPPING
 *        │                   │
 *        ├───────────────────┘
 *        ├── fail ───► FAILING ──┐
 *        ├── leave ──► LEAVING ──┤
 *        └───────────────────────┴── no process is left ──► OVER ── run again ──► RUNNING
 *
 * The leader is the process that was added first. The job ends when the leader ends. RUNNING, STOPPING: the job goes on, until its owner
 * says otherwise or no process is left. STOPPING: the leader was asked to end it. FAILING: the job has failed; processes that still run at
 * the deadline are killed. LEAVING: the job is over; processes that still run at the reminder get SIGTERM, and at the deadline they are
 * killed. */
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
    const volatile sig_atomic_t *stop; /* how often the user asked to stop; a signal handler or another thread counts it up */
    void (*progress)(void *context, const tri__progress *progress); /* a process has reported its progress */
    void *progress_context;

    /* A line that is not a report; error: it came on standard error. NULL: the line goes to the log, after the name of its process. */
    void (*said)(void *context, tri__process *process, bool error, const char *line);
    void (*started)(void *context, tri__process *process); /* the process has reported that it runs */
    void (*began)(void *context, tri__process *process);   /* the process has reported that training began */
    void (*ended)(void *context, tri__process *process);   /* the process was reaped; the handler may start it again */
    void (*asked)(void *context, int times);               /* *stop has changed to `times` */
    void (*turned)(void *context);                         /* called some twenty times a second */
    void *context;
} tri__watcher_options;

struct tri__watcher {
    tri__watcher_options options;
    tri__loop *loop;
    int life[2];              /* a pipe that nobody writes to: processes have its reading end */
    tri__process **processes; /* the leader first */
    int count;
    int64_t room;
    tri__watcher_state state;
    int64_t deadline;   /* FAILING, LEAVING */
    int64_t reminder;   /* LEAVING; 0: the reminder was sent */
    int asked;          /* *stop, as last seen */
    json_t *result;     /* the last result that was reported; NULL: none */
    tri_status failure; /* FAILING: the first reason */
};

/* Call fini after a failure, too. */
TRI_MUST_CHECK tri_status tri__watcher_init(tri__watcher *watcher, const tri__watcher_options *options);
void tri__watcher_fini(tri__watcher *watcher); /* after tri__process_fini of its processes */

/* Returns when no process is left; the state is then OVER. A second run begins without a result. */
void tri__watcher_run(tri__watcher *watcher);

void tri__watcher_stop(tri__watcher *watcher); /* asks the leader to end the job: SIGTERM */

/* The job has failed: ask the leader to end it, or all processes where the leader does not run. They have `grace` nanoseconds, fewer after
 * the leader has ended. Takes why. Only the first reason is kept. */
void tri__watcher_fail(tri__watcher *watcher, tri_status why, int64_t grace);

/* The job is over: LEAVING. Does nothing where the job has failed, or is over already. Times are in nanoseconds from now. */
void tri__watcher_leave(tri__watcher *watcher, int64_t reminder, int64_t deadline);
void tri__watcher_hurry(tri__watcher *watcher); /* kills every process that still runs; RUNNING and STOPPING become LEAVING */

bool tri__watcher_is_ending(const tri__watcher *watcher); /* FAILING, LEAVING or OVER: start nothing */

/* Puts the reported result and the folder into out. Returns the failure, which then belongs to the caller. */
TRI_MUST_CHECK tri_status tri__watcher_take_result(tri__watcher *watcher, const char *folder, tri__run_result *out);

/* For process.c. hear: a process has written a line; value is the content of a report. */
TRI_MUST_CHECK tri_status tri__watcher_add(tri__watcher *watcher, tri__process *process);
void tri__watcher_hear(tri__watcher *watcher, tri__process *process, tri__report_kind kind, json_t *value, bool error, const char *line);

#endif
