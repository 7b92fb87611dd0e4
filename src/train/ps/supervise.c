/* supervise.c: hears what the tasks of a job say, and decides what the end of each means.
 *
 * One thread turns the loop; a child's end only leaves a note, and reap decides between two turns, so that nothing is freed under a
 * handler's feet. A worker that dies is not replaced: the others go on. A server that was killed is, and begins with what was last kept, as
 * often as it takes while the job gets on; one that gave up by itself said why, and ends the job. */
#include "train/ps/supervise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "train/checkpoint/checkpoint.h"
#include "train/ps/supervise_inside.h"
#include "train/ps/task.h"

#define SECOND         INT64_C(1000000000)
#define TICK           (SECOND / 20) /* how often the user's wish to stop is looked at */
#define GRACE          (5 * SECOND)  /* to end after a failure, and after what ps:0 may wait for, before the rest are killed */
#define REMINDER       SECOND        /* to end after the job by oneself */
#define RESTART_WINDOW (60 * SECOND)

enum { EVALUATOR_RESTARTS = 3, HOW_SIZE = 1024 };

/* A task's warnings begin with the program's name, as the terminal writes them. */
static void show_line(tri__hand *of, const char *line)
{
    static const char mark[] = "trireme: ";
    bool warning = !strncmp(line, mark, sizeof mark - 1);
    const char *text = warning ? line + sizeof mark - 1 : line;
    tri__log_level level = warning ? TRI_LOG_WARNING : TRI_LOG_INFO;
    if (*text)
        tri__log_line(of->boss->log, level, "%s: %s", of->name, text);
}

static void take_complaint(tri__hand *of, const char *text)
{
    free(of->complaint);
    of->complaint = strdup(text);
}

static void show_progress(const tri__supervisor *boss, const json_t *told)
{
    tri__progress progress;
    tri__progress_read(told, &progress);
    boss->run->progress(boss->run->context, &progress);
}

/* Whether a line of standard output was a report (supervise.h). */
static bool take_report(tri__hand *of, const char *line)
{
    tri__supervisor *boss = of->boss;
    json_t *report = *line == '{' ? json_loads(line, 0, NULL) : NULL;
    json_t *progress = json_object_get(report, "progress"), *result = json_object_get(report, "result");
    const char *failure = json_string_value(json_object_get(report, "failure"));
    if (failure)
        take_complaint(of, failure);
    if (progress && boss->run->progress)
        show_progress(boss, progress);
    if (result) {
        json_decref(boss->result);
        boss->result = json_incref(result);
    }
    bool taken = progress || result || failure;
    json_decref(report);
    return taken;
}

static void on_line(void *context, tri__child *child, bool error, const char *line)
{
    tri__hand *of = context;
    if (of->to_stop) /* it speaks, so it hears signals */
        tri__child_signal(child, SIGTERM);
    of->to_stop = false;
    if (error || !take_report(of, line))
        show_line(of, line);
}

static void on_end(void *context, tri__child *child, int status, int signal)
{
    tri__hand *of = context;
    (void)child;
    of->ended = true;
    of->status = status;
    of->signal = signal;
}

static const tri__hand_handlers handlers = {.line = on_line, .ended = on_end};

static void signal_all(tri__supervisor *boss, int signal)
{
    for (int i = 0; i < boss->count; i++)
        if (boss->hands[i].child)
            tri__child_signal(boss->hands[i].child, signal);
}

/* The job has failed: ps:0 is asked to end it, which needs the evaluator once more, or else all are; they have until then. The first reason
 * is the one that is told. */
static void give_up(tri__supervisor *boss, tri_status why, int64_t grace)
{
    if (boss->failure)
        tri_status_free(why);
    else
        boss->failure = why;
    if (!boss->deadline && boss->hands[0].child)
        tri__child_signal(boss->hands[0].child, SIGTERM);
    else if (!boss->deadline)
        signal_all(boss, SIGTERM);
    boss->deadline = tri__clock_now() + grace;
}

static const char *how_it_ended(const tri__hand *of, char text[HOW_SIZE])
{
    if (of->signal)
        snprintf(text, HOW_SIZE, "was killed by signal %d (%s)", of->signal, strsignal(of->signal));
    else if (of->complaint)
        snprintf(text, HOW_SIZE, "failed: %s", of->complaint);
    else
        snprintf(text, HOW_SIZE, "failed with exit status %d", of->status);
    return text;
}

static int count_workers(const tri__supervisor *boss, bool running)
{
    int count = 0;
    for (int i = 0; i < boss->count; i++)
        if (boss->hands[i].task.role == TRI_ROLE_WORKER)
            count += running ? boss->hands[i].child != NULL : boss->hands[i].well;
    return count;
}

static void worker_died(tri__hand *of, const char *how)
{
    tri__supervisor *boss = of->boss;
    int left = count_workers(boss, true);
    if (left || count_workers(boss, false)) {
        tri__log_line(boss->log, TRI_LOG_WARNING, "%s %s; the others go on", of->name, how);
        return;
    }
    give_up(boss, tri_fail(TRI_INTERNAL, "%s %s, and no worker is left (what they said: %s/log)", of->name, how, boss->folder.path),
            boss->request->ps.timeout + GRACE);
}

static void start_again(tri__hand *of, bool recover, const char *how)
{
    tri__log_line(of->boss->log, TRI_LOG_WARNING, "%s %s; it is started again%s", of->name, how, recover ? " with what was last kept" : "");
    of->restarted[of->restarts++ % TRI_SERVER_RESTARTS] = tri__clock_now();
    of->to_stop = of == of->boss->hands && of->boss->signals > 0;
    tri_status status = tri__hand_start(of, &handlers, recover);
    if (status)
        give_up(of->boss, status, GRACE);
}

/* ps:0 speaks for the whole job. */
static tri_status reason_of(const tri__hand *of, const char *how)
{
    const tri__supervisor *boss = of->boss;
    tri_code code = of->status == 2 ? TRI_BAD_CALL : TRI_INTERNAL;
    if (of == boss->hands && !of->signal && of->complaint)
        return tri_fail(code, "%s", of->complaint);
    return tri_fail(code, "%s %s (what it said: %s/log)", of->name, how, boss->folder.path);
}

/* ps:0 ends when the job does, and the others follow. One that came so late that nobody told it is reminded. */
static void job_over(tri__supervisor *boss)
{
    if (boss->deadline)
        return;
    boss->deadline = tri__clock_now() + boss->request->ps.timeout;
    boss->reminder = tri__clock_now() + REMINDER;
}

/* Since a checkpoint was last written. Who dies again and again before anything new was kept would go on to; who is killed while the job
 * gets on is not to blame. */
static int count_restarts(tri__hand *of)
{
    int64_t kept = tri__checkpoint_newest(of->boss->folder.checkpoints);
    if (kept > of->kept)
        of->restarts = 0;
    of->kept = kept;
    return of->restarts;
}

static void server_died(tri__hand *of, const char *how)
{
    tri__supervisor *boss = of->boss;
    bool often =
        count_restarts(of) >= TRI_SERVER_RESTARTS && tri__clock_now() - of->restarted[of->restarts % TRI_SERVER_RESTARTS] < RESTART_WINDOW;
    if (of->signal && of == boss->hands && boss->result) { /* it had told all there was to tell */
        tri__log_line(boss->log, TRI_LOG_WARNING, "%s %s after the job", of->name, how);
        job_over(boss);
    } else if (!of->signal)
        give_up(boss, reason_of(of, how), GRACE);
    else if (often)
        give_up(boss,
                tri_fail(TRI_INTERNAL, "%s %s, for the %dth time within a minute and without a checkpoint in between (--checkpoint-every)",
                         of->name, how, TRI_SERVER_RESTARTS + 1),
                GRACE);
    else
        start_again(of, true, how);
}

static void evaluator_died(tri__hand *of, const char *how)
{
    if (count_restarts(of) < EVALUATOR_RESTARTS)
        start_again(of, false, how);
    else {
        if (of->boss->hands[0].child)
            tri__child_signal(of->boss->hands[0].child, TRI_NO_EVALUATOR);
        give_up(of->boss, reason_of(of, how), of->boss->request->ps.timeout + GRACE);
    }
}

static void ended_well(tri__hand *of)
{
    tri__supervisor *boss = of->boss;
    of->well = true;
    if (of != boss->hands)
        return;
    if (boss->result)
        job_over(boss);
    else
        give_up(boss, tri_fail(TRI_INTERNAL, "%s ended without a result", of->name), GRACE);
}

/* When all are on their way out. That one which was asked to end did so is not worth a word. */
static void died_late(const tri__hand *of, const char *how)
{
    if (of->signal != SIGTERM)
        tri__log_line(of->boss->log, TRI_LOG_WARNING, "%s %s", of->name, how);
}

/* A failed job has lost ps:0 too: there is nothing left to wait for. */
static void end_soon(tri__supervisor *boss)
{
    int64_t soon = tri__clock_now() + GRACE;
    signal_all(boss, SIGTERM);
    boss->deadline = soon < boss->deadline ? soon : boss->deadline;
}

static void reap(tri__hand *of)
{
    char how[HOW_SIZE];
    tri__child_destroy(of->child);
    of->child = NULL;
    of->ended = false;
    if (!of->status && !of->signal)
        ended_well(of);
    else if (of->boss->deadline)
        died_late(of, how_it_ended(of, how));
    else if (of->task.role == TRI_ROLE_WORKER)
        worker_died(of, how_it_ended(of, how));
    else if (of->task.role == TRI_ROLE_SERVER)
        server_died(of, how_it_ended(of, how));
    else
        evaluator_died(of, how_it_ended(of, how));
    if (of->boss->failure && !of->boss->hands[0].child)
        end_soon(of->boss);
}

static void heed_signals(tri__supervisor *boss)
{
    int wished = boss->run->stop ? (int)*boss->run->stop : 0;
    if (wished == boss->signals)
        return;
    if (!boss->hands[0].child) /* the job is over: no more waiting for the others */
        boss->deadline = tri__clock_now();
    else if (wished > 1)
        give_up(boss, tri_fail(TRI_INTERNAL, "killed by a second signal; --resume %s goes on from the last checkpoint", boss->folder.path),
                0);
    else
        tri__child_signal(boss->hands[0].child, SIGTERM);
    boss->signals = wished;
}

static bool anybody_runs(const tri__supervisor *boss)
{
    for (int i = 0; i < boss->count; i++)
        if (boss->hands[i].child)
            return true;
    return false;
}

/* Those who should have ended by now. */
static void kill_late(tri__supervisor *boss)
{
    for (int i = 0; i < boss->count; i++) {
        tri__hand *of = &boss->hands[i];
        if (!of->child)
            continue;
        tri__log_line(boss->log, TRI_LOG_WARNING, "%s had not ended by itself when the job was over, and was killed", of->name);
        tri__child_destroy(of->child);
        of->child = NULL;
    }
}

static void watch(tri__supervisor *boss)
{
    while (anybody_runs(boss)) {
        tri__loop_turn(boss->loop, tri__clock_now() + TICK);
        for (int i = 0; i < boss->count; i++)
            if (boss->hands[i].ended)
                reap(&boss->hands[i]);
        heed_signals(boss);
        if (boss->reminder && tri__clock_now() >= boss->reminder) {
            signal_all(boss, SIGTERM);
            boss->reminder = 0;
        }
        if (boss->deadline && tri__clock_now() >= boss->deadline)
            kill_late(boss);
    }
}

static tri_status take_result(tri__supervisor *boss, tri__run_result *out)
{
    if (boss->result) {
        const char *table = json_string_value(json_object_get(boss->result, "table"));
        out->summary = json_incref(json_object_get(boss->result, "summary"));
        snprintf(out->table, sizeof out->table, "%s", table ? table : "");
    }
    out->folder = strdup(boss->folder.path);
    tri_status failure = boss->failure;
    boss->failure = NULL;
    if (failure || out->folder)
        return failure;
    return tri_fail(TRI_NO_MEMORY, "no memory for the result");
}

tri_status tri__supervise(const tri__supervision *request, tri__run_result *out)
{
    tri__supervisor boss;
    *out = (tri__run_result){0};
    tri_status status = tri__supervisor_init(&boss, request);
    for (int i = 0; i < boss.count && !status; i++)
        status = tri__hand_start(&boss.hands[i], &handlers, false);
    if (!status) {
        watch(&boss);
        status = take_result(&boss, out);
    }
    tri__supervisor_fini(&boss);
    return status;
}
