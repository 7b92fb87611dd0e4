/* watcher.c: runs the loop, and takes a job through its states. */
#define _GNU_SOURCE
#include "train/job/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "watch/progress/progress_json.h"

#define TICK  (TRI_SECOND / 20) /* how often *stop is read */
#define GRACE (5 * TRI_SECOND)  /* time to end for a failed job that has lost its leader */

tri_status tri__watcher_init(tri__watcher *watcher, const tri__watcher_options *options)
{
    *watcher = (tri__watcher){.options = *options, .life = {-1, -1}};
    if (pipe2(watcher->life, O_CLOEXEC)) {
        watcher->life[0] = watcher->life[1] = -1;
        return tri_fail(TRI_IO, "no pipe to the tasks: %s", strerror(errno));
    }
    return tri__loop_create(&watcher->loop);
}

void tri__watcher_fini(tri__watcher *watcher)
{
    tri__loop_destroy(watcher->loop);
    for (int i = 0; i < 2; i++)
        if (watcher->life[i] >= 0)
            close(watcher->life[i]);
    json_decref(watcher->result);
    tri_status_free(watcher->failure);
    free(watcher->processes);
    *watcher = (tri__watcher){.life = {-1, -1}};
}

tri_status tri__watcher_add(tri__watcher *watcher, tri__process *process)
{
    TRI_TRY(tri__grow(&watcher->processes, &watcher->room, watcher->count + 1, sizeof(tri__process *), "the processes of a job"));
    watcher->processes[watcher->count++] = process;
    return NULL;
}

/* ---- what processes say ---- */

static void show_progress(const tri__watcher_options *options, const json_t *value)
{
    tri__progress progress;
    if (!options->progress)
        return;
    tri__progress_read(value, &progress);
    options->progress(options->progress_context, &progress);
}

static void show_line(const tri__watcher *watcher, tri__process *process, bool error, const char *line)
{
    tri__log_level level;
    if (watcher->options.said) {
        watcher->options.said(watcher->options.context, process, error, line);
        return;
    }
    const char *text = tri__process_line_read(line, &level);
    if (*text)
        tri__log_line(watcher->options.log, level, "%s: %s", process->name, text);
}

void tri__watcher_hear(tri__watcher *watcher, tri__process *process, tri__report_kind kind, json_t *value, bool error, const char *line)
{
    switch (kind) {
    case TRI_REPORT_NONE:
        show_line(watcher, process, error, line);
        return;
    case TRI_REPORT_STARTED:
        if (watcher->options.started)
            watcher->options.started(watcher->options.context, process);
        return;
    case TRI_REPORT_BEGAN:
        if (watcher->options.began)
            watcher->options.began(watcher->options.context, process);
        return;
    case TRI_REPORT_PROGRESS:
        show_progress(&watcher->options, value);
        return;
    case TRI_REPORT_RESULT:
        json_decref(watcher->result);
        watcher->result = json_incref(value);
        return;
    case TRI_REPORT_FAILURE:
    case TRI_REPORT_DAMAGE: /* process.c has kept it as the process's complaint */
        return;
    }
}

/* ---- states ---- */

static bool leader_is_up(const tri__watcher *watcher)
{
    return watcher->count > 0 && tri__process_is_up(watcher->processes[0]);
}

static bool anybody_is_up(const tri__watcher *watcher)
{
    for (int i = 0; i < watcher->count; i++)
        if (tri__process_is_up(watcher->processes[i]))
            return true;
    return false;
}

static void signal_all(const tri__watcher *watcher, int signal)
{
    for (int i = 0; i < watcher->count; i++)
        tri__process_signal(watcher->processes[i], signal);
}

bool tri__watcher_is_ending(const tri__watcher *watcher)
{
    return watcher->state >= TRI_WATCHER_FAILING;
}

void tri__watcher_stop(tri__watcher *watcher)
{
    if (watcher->state == TRI_WATCHER_RUNNING)
        watcher->state = TRI_WATCHER_STOPPING;
    if (leader_is_up(watcher))
        tri__process_signal(watcher->processes[0], SIGTERM);
}

void tri__watcher_fail(tri__watcher *watcher, tri_status why, int64_t grace)
{
    if (watcher->failure)
        tri_status_free(why);
    else
        watcher->failure = why;
    if (!tri__watcher_is_ending(watcher) && leader_is_up(watcher))
        tri__process_signal(watcher->processes[0], SIGTERM);
    else if (!tri__watcher_is_ending(watcher))
        signal_all(watcher, SIGTERM);
    watcher->state = TRI_WATCHER_FAILING;
    watcher->deadline = tri__clock_now() + grace;
}

void tri__watcher_leave(tri__watcher *watcher, int64_t reminder, int64_t deadline)
{
    if (tri__watcher_is_ending(watcher))
        return;
    int64_t now = tri__clock_now();
    watcher->state = TRI_WATCHER_LEAVING;
    watcher->reminder = now + reminder;
    watcher->deadline = now + deadline;
}

void tri__watcher_hurry(tri__watcher *watcher)
{
    if (!tri__watcher_is_ending(watcher))
        watcher->state = TRI_WATCHER_LEAVING;
    watcher->reminder = 0;
    watcher->deadline = tri__clock_now();
}

/* ---- turn after turn ---- */

/* A failed job that has lost its leader has nothing left to wait for. */
static void end_soon(tri__watcher *watcher)
{
    int64_t soon = tri__clock_now() + GRACE;
    signal_all(watcher, SIGTERM);
    watcher->deadline = soon < watcher->deadline ? soon : watcher->deadline;
}

static void reap_ended(tri__watcher *watcher)
{
    for (int i = 0; i < watcher->count; i++) {
        if (watcher->processes[i]->state != TRI_PROCESS_ENDED)
            continue;
        tri__process_reap(watcher->processes[i]);
        if (watcher->options.ended)
            watcher->options.ended(watcher->options.context, watcher->processes[i]);
        if (watcher->state == TRI_WATCHER_FAILING && !leader_is_up(watcher))
            end_soon(watcher);
    }
}

static void check_stop(tri__watcher *watcher)
{
    int asked = watcher->options.stop ? __atomic_load_n(watcher->options.stop, __ATOMIC_RELAXED) : 0;
    if (asked == watcher->asked)
        return;
    watcher->asked = asked;
    if (watcher->options.asked)
        watcher->options.asked(watcher->options.context, asked);
}

static void kill_late(tri__watcher *watcher)
{
    for (int i = 0; i < watcher->count; i++) {
        tri__process *process = watcher->processes[i];
        if (!tri__process_is_up(process))
            continue;
        tri__log_line(watcher->options.log, TRI_LOG_WARNING, "%s had not ended by itself when the job was over, and was killed",
                      process->name);
        tri__process_reap(process);
    }
}

static void keep_deadlines(tri__watcher *watcher)
{
    int64_t now = tri__clock_now();
    if (watcher->state == TRI_WATCHER_LEAVING && watcher->reminder && now >= watcher->reminder) {
        signal_all(watcher, SIGTERM);
        watcher->reminder = 0;
    }
    if (tri__watcher_is_ending(watcher) && now >= watcher->deadline)
        kill_late(watcher);
}

void tri__watcher_run(tri__watcher *watcher)
{
    if (watcher->state == TRI_WATCHER_OVER) {
        watcher->state = TRI_WATCHER_RUNNING;
        json_decref(watcher->result);
        watcher->result = NULL;
    }
    while (anybody_is_up(watcher)) {
        tri__loop_turn(watcher->loop, tri__clock_now() + TICK);
        reap_ended(watcher);
        check_stop(watcher);
        if (watcher->options.turned)
            watcher->options.turned(watcher->options.context);
        keep_deadlines(watcher);
    }
    watcher->state = TRI_WATCHER_OVER;
}

tri_status tri__watcher_take_result(tri__watcher *watcher, const char *folder, tri__run_result *out)
{
    const char *table = json_string_value(json_object_get(watcher->result, "table"));
    out->summary = json_incref(json_object_get(watcher->result, "summary"));
    snprintf(out->table, sizeof out->table, "%s", table ? table : "");
    out->exit_status = (int)json_integer_value(json_object_get(watcher->result, "exit_status"));
    out->folder = strdup(folder);
    tri_status failure = watcher->failure;
    watcher->failure = NULL;
    if (failure || out->folder)
        return failure;
    return tri_fail(TRI_NO_MEMORY, "no memory for the result");
}
