/* supervise.c: decides what the end of each task of a job means.
 *
 * A worker that dies is not replaced; the other workers continue, also those that joined the job from elsewhere. A server that was killed
 * is started again from the last checkpoint, any number of times while the job makes progress. A server that fails by itself reports why,
 * and that ends the job. The watcher (train/job) has the job's state. */
#include "train/ps/supervise/supervise.h"

#include <signal.h>

#include "base/thread/clock.h"
#include "train/checkpoint/checkpoint_read.h"
#include "train/ps/supervise/supervise_start.h"
#include "train/ps/task/task.h"
#include "train/run/journal.h"
#include "watch/sample/run_files.h"

#define GRACE    (5 * TRI_SECOND) /* time to end after a failure, and after ps:0's own waits; then tasks are killed */
#define NOTICED  TRI_SECOND       /* after this time ps:0 has noticed that a worker died, and has reported progress since */
#define REMINDER TRI_SECOND       /* time that a task has to end by itself after the job, before SIGTERM */

static int count_workers(const tri__supervisor *supervisor, bool (*which)(const tri__process *process))
{
    int count = 0;
    for (int i = 0; i < supervisor->count; i++)
        if (supervisor->tasks[i].task.role == TRI_ROLE_WORKER)
            count += which(&supervisor->tasks[i].process);
    return count;
}

static void worker_died(tri__task_process *task, const char *how)
{
    tri__supervisor *supervisor = task->supervisor;
    const char *name = task->process.name;
    if (count_workers(supervisor, tri__process_is_up) || count_workers(supervisor, tri__process_ended_well)) {
        tri__log_line(supervisor->log, TRI_LOG_WARNING, "%s %s; the others go on", name, how);
        return;
    }
    tri_status why =
        tri_fail(TRI_INTERNAL, "%s %s, and no worker is left (their output: %s/" TRI_RUN_LOGS ")", name, how, supervisor->folder.path);
    if (!supervisor->began) {
        tri__watcher_fail(&supervisor->watcher, why, supervisor->request->ps.timeout + GRACE);
        return;
    }
    supervisor->alone.since = tri__clock_now();
    supervisor->alone.why = why;
}

static void fail_alone(tri__supervisor *supervisor)
{
    tri__watcher_fail(&supervisor->watcher, supervisor->alone.why, supervisor->request->ps.timeout + GRACE);
    supervisor->alone.why = NULL;
    supervisor->alone.since = 0;
}

/* Workers that we did not start may have joined. ps:0 knows their number, a while after the last worker that we started has died. As long
 * as they train, the job goes on; ps:0 ends it when they have left, too. */
static void look_for_joined(tri__supervisor *supervisor, int workers)
{
    if (!supervisor->alone.since || tri__clock_now() - supervisor->alone.since < NOTICED)
        return;
    if (workers == 0) {
        fail_alone(supervisor);
        return;
    }
    tri__log_line(supervisor->log, TRI_LOG_WARNING, "no worker that was started here is left; the job goes on with %d that joined it",
                  workers);
    tri_status_free(supervisor->alone.why);
    supervisor->alone.why = NULL;
    supervisor->alone.since = 0;
}

static void on_progress(void *context, const tri__progress *progress)
{
    tri__supervisor *supervisor = context;
    supervisor->began = true;
    if (supervisor->run->progress)
        supervisor->run->progress(supervisor->run->context, progress);
    look_for_joined(supervisor, progress->workers);
}

/* A ps:0 that reports no progress is stopped, or hangs. */
static void on_turn(void *context)
{
    tri__supervisor *supervisor = context;
    if (supervisor->alone.since && tri__clock_now() - supervisor->alone.since > supervisor->request->ps.timeout + GRACE)
        fail_alone(supervisor);
}

static bool is_leader(const tri__task_process *task)
{
    return task == task->supervisor->tasks;
}

/* ps:0 marks what happens to workers and to the other servers. It cannot mark its own end, and knows little of the evaluator. */
static void mark_end(const tri__task_process *task, const char *how)
{
    if (is_leader(task) || task->task.role == TRI_ROLE_EVALUATOR)
        tri__marks_add(task->supervisor->marks, TRI_MARK_DEATH, task->process.name, -1, 0, "%s", how);
}

static void start_again(tri__task_process *task, bool recover, const char *how)
{
    tri__supervisor *supervisor = task->supervisor;
    tri__marks_add(supervisor->marks, TRI_MARK_RESTART, task->process.name, -1, 0, "%s",
                   recover ? "started again, from the last checkpoint" : "started again");
    tri__log_line(supervisor->log, TRI_LOG_WARNING, "%s %s; it is started again%s", task->process.name, how,
                  recover ? " from the last checkpoint" : "");
    tri__restarts_count(&task->restarts, tri__clock_now());
    tri_status status = tri__task_process_start(task, recover);
    if (status)
        tri__watcher_fail(&supervisor->watcher, status, GRACE);
    if (status || !is_leader(task))
        return;
    if (supervisor->unevaluated)
        tri__process_signal_when_ready(&task->process, TRI_NO_EVALUATOR);
    if (supervisor->watcher.state == TRI_WATCHER_STOPPING)
        tri__process_signal_when_ready(&task->process, SIGTERM);
}

/* The failure of ps:0 is the failure of the job. */
static tri_status reason_of(const tri__task_process *task, const char *how)
{
    const tri__process *process = &task->process;
    tri_code code = tri__exit_code(process->ending);
    if (is_leader(task) && !process->ending.signal && process->complaint)
        return tri_fail(code, "%s", process->complaint);
    return tri_fail(code, "%s %s (its output: %s/" TRI_RUN_LOGS ")", process->name, how, task->supervisor->folder.path);
}

/* ps:0 ends when the job does, and the other tasks follow. A task that joined too late to hear of it gets SIGTERM at the reminder. */
static void job_over(tri__supervisor *supervisor)
{
    tri__watcher_leave(&supervisor->watcher, REMINDER, supervisor->request->ps.timeout);
}

/* A task that dies again and again without a new checkpoint in between would keep dying, and is given up. A task that is killed while the
 * job makes progress is not to blame. */
static bool may_start_again(tri__task_process *task)
{
    int64_t kept = tri__checkpoint_newest(task->supervisor->folder.checkpoints);
    if (kept > task->kept)
        tri__restarts_forget(&task->restarts);
    task->kept = kept;
    return tri__restarts_allowed(&task->restarts, tri__clock_now());
}

static void server_died(tri__task_process *task, const char *how)
{
    tri__supervisor *supervisor = task->supervisor;
    tri__watcher *watcher = &supervisor->watcher;
    bool killed = task->process.ending.signal, again = may_start_again(task);
    if (killed && is_leader(task) && watcher->result) { /* it has already reported its result */
        tri__log_line(supervisor->log, TRI_LOG_WARNING, "%s %s after the job", task->process.name, how);
        job_over(supervisor);
    } else if (!killed)
        tri__watcher_fail(watcher, reason_of(task, how), GRACE);
    else if (!again)
        tri__watcher_fail(watcher,
                          tri_fail(TRI_INTERNAL,
                                   "%s %s, for the %dth time within a minute and without a checkpoint in between (--checkpoint-every)",
                                   task->process.name, how, task->restarts.limit + 1),
                          GRACE);
    else
        start_again(task, true, how);
}

/* A job can train without an evaluator. But an evaluator that fails by itself would fail again, and the user must know why. */
static void evaluator_died(tri__task_process *task, const char *how)
{
    tri__supervisor *supervisor = task->supervisor;
    if (may_start_again(task)) {
        start_again(task, false, how);
        return;
    }
    supervisor->unevaluated = true;
    tri__process_signal_when_ready(&supervisor->tasks[0].process, TRI_NO_EVALUATOR);
    if (task->process.ending.signal)
        tri__log_line(supervisor->log, TRI_LOG_WARNING, "%s %s, and is not started a %dth time: the job goes on without evaluations",
                      task->process.name, how, task->restarts.limit + 2);
    else
        tri__watcher_fail(&supervisor->watcher, reason_of(task, how), supervisor->request->ps.timeout + GRACE);
}

static void ended_well(tri__task_process *task)
{
    tri__supervisor *supervisor = task->supervisor;
    if (!is_leader(task))
        return;
    if (supervisor->watcher.result)
        job_over(supervisor);
    else
        tri__watcher_fail(&supervisor->watcher, tri_fail(TRI_INTERNAL, "%s ended without a result", task->process.name), GRACE);
}

/* The job is ending. A task that ends because we asked it to is not reported. Workers that ps:0 refused may end before ps:0 does: then the
 * user must learn that the call was wrong. */
static void died_late(const tri__task_process *task, const char *how)
{
    tri__watcher *watcher = &task->supervisor->watcher;
    bool wrong = is_leader(task) && task->process.complaint && tri__exit_code(task->process.ending) == TRI_BAD_CALL;
    if (wrong && watcher->failure) {
        tri_status_free(watcher->failure);
        watcher->failure = reason_of(task, how);
    } else if (task->process.ending.signal != SIGTERM)
        tri__log_line(task->supervisor->log, TRI_LOG_WARNING, "%s %s", task->process.name, how);
}

static void died(tri__task_process *task, const char *how)
{
    mark_end(task, how);
    if (task->task.role == TRI_ROLE_WORKER)
        worker_died(task, how);
    else if (task->task.role == TRI_ROLE_SERVER)
        server_died(task, how);
    else
        evaluator_died(task, how);
}

static void on_end(void *context, tri__process *process)
{
    tri__task_process *task = (tri__task_process *)process;
    const tri__supervisor *supervisor = context;
    char text[TRI_EXIT_SIZE];
    const char *how = tri__process_ending_text(process, text);
    if (tri__exit_is_good(process->ending))
        ended_well(task);
    else if (tri__watcher_is_ending(&supervisor->watcher))
        died_late(task, how);
    else
        died(task, how);
}

static void on_stop_request(void *context, int times)
{
    tri__supervisor *supervisor = context;
    tri__watcher *watcher = &supervisor->watcher;
    if (!tri__process_is_up(&supervisor->tasks[0].process)) /* the job is over: do not wait for the other tasks */
        tri__watcher_hurry(watcher);
    else if (times > 1)
        tri__watcher_fail(
            watcher,
            tri_fail(TRI_INTERNAL, "killed by a second signal; --resume %s continues from the last checkpoint", supervisor->folder.path),
            0);
    else
        tri__watcher_stop(watcher);
}

tri_status tri__supervise(const tri__supervision *request, tri__run_result *out)
{
    tri__supervisor supervisor;
    *out = (tri__run_result){0};
    const tri__watcher_options handlers = {.progress = on_progress, .ended = on_end, .asked = on_stop_request, .turned = on_turn};
    tri_status status = tri__supervisor_init(&supervisor, request, &handlers);
    for (int i = 0; i < supervisor.count && !status; i++)
        status = tri__task_process_start(&supervisor.tasks[i], false);
    if (!status) {
        tri__watcher_run(&supervisor.watcher);
        tri__journal_merge_trace(&supervisor.folder, supervisor.log);
        status = tri__watcher_take_result(&supervisor.watcher, supervisor.folder.path, out);
    }
    tri__supervisor_fini(&supervisor);
    return status;
}
