/* process.c: one process: its state, its reports, its signals. */
#include "train/job/process.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/job/process_report.h"
#include "train/job/watcher.h"

enum { KILLED = 128 /* a shell exits with this + the signal */, UNREACHED = 255 /* ssh's own failure */ };

static void send_signal(const tri__process *process, int signal)
{
    const char byte = (char)signal;
    if (process->remote)
        tri__child_write(process->child, &byte, 1);
    else
        tri__child_signal(process->child, signal);
}

/* A process that has written a line has installed its signal handlers. */
static void become_ready(tri__process *process)
{
    process->state = TRI_PROCESS_READY;
    for (int signal = 1; process->due; signal++) {
        uint64_t bit = UINT64_C(1) << signal;
        if (process->due & bit)
            send_signal(process, signal);
        process->due &= ~bit;
    }
}

static void on_line(void *context, tri__child *child, bool error, const char *line)
{
    tri__process *process = context;
    json_t *value = NULL;
    (void)child;
    if (process->state == TRI_PROCESS_STARTING)
        become_ready(process);
    tri__report_kind kind = error ? TRI_REPORT_NONE : tri__process_report_read(line, &value);
    if ((kind == TRI_REPORT_FAILURE || kind == TRI_REPORT_DAMAGE) && !process->complaint) {
        process->complaint = strdup(json_string_value(value)); /* NULL when memory is short: then the message about its end is shorter */
        process->damaged = kind == TRI_REPORT_DAMAGE;
    }
    tri__watcher_hear(process->watcher, process, kind, value, error, line);
    json_decref(value);
}

static void on_end(void *context, tri__child *child, int status, int signal)
{
    tri__process *process = context;
    (void)child;
    process->ending = (tri__exit){status, signal};
    if (process->remote && !signal && status > KILLED && status < UNREACHED)
        process->ending = (tri__exit){.signal = status - KILLED};
    if (process->remote && status == UNREACHED && !process->complaint)
        process->complaint = strdup("its host cannot be reached by ssh, or the connection was lost");
    process->state = TRI_PROCESS_ENDED;
}

tri_status tri__process_init(tri__process *process, tri__watcher *watcher, const char *name)
{
    *process = (tri__process){.watcher = watcher};
    snprintf(process->name, sizeof process->name, "%s", name);
    return tri__watcher_add(watcher, process);
}

void tri__process_fini(tri__process *process)
{
    tri__child_destroy(process->child);
    free(process->complaint);
    *process = (tri__process){.watcher = NULL};
}

tri_status tri__process_start(tri__process *process, const tri__process_options *options)
{
    assert(!tri__process_is_up(process));
    const int fds[] = {process->watcher->life[0], options->listen_fd ? *options->listen_fd : -1};
    const tri__child_options child = {
        .path = options->program,
        .argv = options->words,
        .env = options->env,
        .fds = fds,
        .fd_count = options->life != TRI_LIFE_FD_3 ? 0
                    : options->listen_fd           ? 2
                                                   : 1,
        .attached = options->life == TRI_LIFE_INPUT,
        .line = on_line,
        .ended = on_end,
        .context = process,
    };
    TRI_TRY(tri__child_start(process->watcher->loop, &child, &process->child));
    free(process->complaint);
    process->complaint = NULL;
    process->damaged = false;
    process->due = 0;
    process->remote = options->remote;
    process->state = TRI_PROCESS_STARTING;
    return NULL;
}

bool tri__process_is_up(const tri__process *process)
{
    return process->state == TRI_PROCESS_STARTING || process->state == TRI_PROCESS_READY || process->state == TRI_PROCESS_ENDED;
}

bool tri__process_ended_well(const tri__process *process)
{
    return process->state == TRI_PROCESS_REAPED && tri__exit_is_good(process->ending);
}

void tri__process_signal(const tri__process *process, int signal)
{
    if (process->child)
        send_signal(process, signal);
}

void tri__process_signal_when_ready(tri__process *process, int signal)
{
    if (process->state == TRI_PROCESS_STARTING)
        process->due |= UINT64_C(1) << signal;
    else
        tri__process_signal(process, signal);
}

const char *tri__process_ending_text(const tri__process *process, char text[TRI_EXIT_SIZE])
{
    return tri__exit_text(process->ending, process->complaint, text);
}

void tri__process_reap(tri__process *process)
{
    if (process->state != TRI_PROCESS_ENDED)
        process->ending = (tri__exit){.signal = SIGKILL};
    tri__child_destroy(process->child);
    process->child = NULL;
    process->state = TRI_PROCESS_REAPED;
}
