/* snapshot_writer.c: one thread for each file, and what follows when it has written the file, or does not get on. */
#include "store/ps/coordinator/snapshot/snapshot_writer.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/thread/clock.h"
#include "store/ps/coordinator/coordinator.h"

/* Runs on the writer's thread, and reads nothing else of the coordinator, since the loop may change it meanwhile. */
static void write_snapshot(tri__coordinator *c, bool best)
{
    const tri__server_options *options = &c->server->options;
    tri__snapshot *snapshot = &c->snapshot;
    snapshot->failure = options->owner->save(options->context, snapshot->whole, &snapshot->standing, best);
    __atomic_store_n(&snapshot->writer_done, true, __ATOMIC_RELEASE);
    tri__loop_wake(c->server->loop);
}

static void *write_checkpoint(void *coordinator)
{
    write_snapshot(coordinator, false);
    return NULL;
}

static void *write_best(void *coordinator)
{
    write_snapshot(coordinator, true);
    return NULL;
}

void tri__snapshot_write(tri__coordinator *c, bool best)
{
    tri__snapshot *snapshot = &c->snapshot;
    snapshot->writer_done = false;
    snapshot->writer_began = snapshot->writer_checked = tri__clock_now();
    if (!pthread_create(&snapshot->thread, NULL, best ? write_best : write_checkpoint, c)) {
        snapshot->writer = best ? TRI_WRITER_BEST : TRI_WRITER_CHECKPOINT;
        return;
    }
    if (!best)
        snapshot->kept = snapshot->standing.step;
    tri__log_line(c->server->options.log, TRI_LOG_WARNING, "no checkpoint at step %lld: no thread to write it",
                  (long long)snapshot->standing.step);
}

void tri__snapshot_end_writer(tri__coordinator *c)
{
    const tri__server_options *options = &c->server->options;
    char why[160];
    if (c->snapshot.writer == TRI_WRITER_IDLE)
        return;
    if (c->snapshot.overdue && options->owner->give_up) {
        snprintf(why, sizeof why, "the checkpoint of step %" PRId64 " is not written, because the disk of ps:0 does not answer",
                 c->snapshot.standing.step);
        options->owner->give_up(options->context, why);
    }
    pthread_join(c->snapshot.thread, NULL);
    c->snapshot.writer = TRI_WRITER_IDLE;
}

static void report_writer(tri__coordinator *c)
{
    tri__snapshot *snapshot = &c->snapshot;
    tri_status failure = snapshot->failure;
    snapshot->failure = NULL;
    if (failure && tri__snapshot_is_last(snapshot))
        tri__coordinator_fail(c, tri_wrap(failure, "the last checkpoint, at step %lld", (long long)snapshot->standing.step));
    else if (failure) {
        tri__log_line(c->server->options.log, TRI_LOG_WARNING, "no checkpoint at step %lld: %s; training goes on",
                      (long long)snapshot->standing.step, tri_status_message(failure));
        tri_status_free(failure);
    } else if (snapshot->overdue)
        tri__log_line(c->server->options.log, TRI_LOG_INFO, "the checkpoint of step %lld is written, after %.0f s",
                      (long long)snapshot->standing.step, tri__clock_seconds(tri__clock_now() - snapshot->writer_began));
}

static void take_result(tri__coordinator *c)
{
    tri__snapshot *snapshot = &c->snapshot;
    tri__writer_state writer = snapshot->writer;
    pthread_join(snapshot->thread, NULL);
    snapshot->writer = TRI_WRITER_IDLE;
    if (writer != TRI_WRITER_BEST)
        snapshot->kept = snapshot->standing.step;
    if (writer != TRI_WRITER_BEST && !snapshot->failure)
        snapshot->written = snapshot->standing.step;
    report_writer(c);
    snapshot->overdue = false;
    if (writer == TRI_WRITER_CHECKPOINT_THEN_BEST)
        tri__snapshot_write(c, true);
    tri__snapshot_release(c);
}

/* True: the job makes no more steps until the writer is done. */
static bool waits(const tri__coordinator *c)
{
    return c->phase != TRI_JOB_RUNNING || tri__coordinator_ends(c) || tri__tokens_finished(c->tokens) ||
           c->recovery.state != TRI_RECOVERY_NONE;
}

/* If this process was stopped, so was the writer: the pause does not count. */
static void leave_pause_out(tri__coordinator *c, int64_t now)
{
    tri__snapshot *snapshot = &c->snapshot;
    const int64_t pause = now - snapshot->writer_checked;
    if (pause > 2 * c->settings->heartbeat)
        snapshot->writer_began += pause;
    snapshot->writer_checked = now;
}

/* With --checkpoint-every N steps, steps may have to wait for the disk. The first time in a job that they do for long, the log says so. */
static void name_wait(tri__coordinator *c, int64_t now)
{
    tri__snapshot *snapshot = &c->snapshot;
    const int64_t since = c->steps.moved > snapshot->writer_began ? c->steps.moved : snapshot->writer_began;
    const bool idle = c->settings->mode == TRI_PS_SYNC ? tri__steps_is_between(&c->steps) : tri__tokens_describe(c->tokens).held == 0;
    if (snapshot->told_slow || snapshot->overdue || !idle || now - since <= 2 * c->settings->heartbeat)
        return;
    snapshot->told_slow = true;
    tri__log_line(c->server->options.log, TRI_LOG_INFO,
                  "step %" PRId64 " is waiting for ps:0, which has been writing the checkpoint of step %" PRId64 " for %.1f s",
                  tri__coordinator_step(c), snapshot->standing.step, tri__clock_seconds(now - snapshot->writer_began));
}

static void check_overdue(tri__coordinator *c, int64_t now)
{
    tri__snapshot *snapshot = &c->snapshot;
    leave_pause_out(c, now);
    name_wait(c, now);
    const int64_t since = c->asked > snapshot->writer_began ? c->asked : snapshot->writer_began, timeout = c->settings->timeout;
    const double seconds = tri__clock_seconds(now - snapshot->writer_began);
    if (!snapshot->overdue && now - snapshot->writer_began > timeout) {
        snapshot->overdue = true;
        tri__log_line(c->server->options.log, TRI_LOG_WARNING,
                      "the checkpoint of step %lld is not written after %.0f s (--timeout): does the disk of ps:0 answer? %s",
                      (long long)snapshot->standing.step, seconds,
                      waits(c) ? "the job waits for it" : "training goes on; the next checkpoint and evaluation wait for it");
        tri__coordinator_go_on(c);
    }
    if (snapshot->overdue && c->asked && now - since > timeout)
        tri__coordinator_fail(c, tri_fail(TRI_TIMEOUT,
                                          "step %" PRId64 " is not saved: the checkpoint of step %" PRId64
                                          " is not written after %.0f s (--timeout), because the disk of ps:0 does not answer",
                                          tri__coordinator_step(c), snapshot->standing.step, seconds));
}

void tri__snapshot_tick(tri__coordinator *c)
{
    if (c->snapshot.writer == TRI_WRITER_IDLE)
        return;
    if (__atomic_load_n(&c->snapshot.writer_done, __ATOMIC_ACQUIRE))
        take_result(c);
    else
        check_overdue(c, tri__clock_now());
}
