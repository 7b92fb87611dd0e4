/* supervised.c: a thread that runs a watcher with one process. */
#include "cli/process/supervised.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "train/job/restarts.h"
#include "train/job/watcher.h"

#define PATIENCE (3 * TRI_SECOND)  /* time to end, after each signal */
#define LONG     (60 * TRI_SECOND) /* restarts longer ago than this do not count */

enum { MOST_RESTARTS = 3 }; /* within LONG */

struct tri__supervised {
    tri__watcher watcher; /* the thread owns this and the fields below while it runs */
    tri__process process;
    tri__restarts restarts;
    int64_t started;
    tri__command_line line;
    int farewell;
    tri__log *log;
    pthread_t thread;
    volatile sig_atomic_t ending; /* 1: the process should end; atomic, because another thread sets it */
};

static tri_status start(tri__supervised *self)
{
    const char *const *words = tri__command_line_words(&self->line);
    self->started = tri__clock_now();
    const tri__process_options options = {.program = words[0], .words = words, .life = TRI_LIFE_FD_3};
    return tri_wrap(tri__process_start(&self->process, &options), "%s cannot be started", self->process.name);
}

/* Start the process again, unless it has died too often. Returns whether it runs. */
static bool revive(tri__supervised *self, const char *how)
{
    int64_t now = tri__clock_now();
    if (now - self->started > LONG)
        tri__restarts_forget(&self->restarts);
    if (!tri__restarts_allowed(&self->restarts, now)) {
        tri__log_line(self->log, TRI_LOG_WARNING, "%s %s, and is not started a %dth time", self->process.name, how, MOST_RESTARTS + 2);
        return false;
    }
    tri__restarts_count(&self->restarts, now);
    tri__log_line(self->log, TRI_LOG_WARNING, "%s %s; it is started again", self->process.name, how);
    tri_status failure = start(self);
    if (failure)
        tri__log_line(self->log, TRI_LOG_WARNING, "%s", tri_status_message(failure));
    tri_status_free(failure);
    return tri__process_is_up(&self->process);
}

static void on_end(void *context, tri__process *process)
{
    tri__supervised *self = context;
    char how[TRI_EXIT_SIZE];
    if (tri__exit_is_good(process->ending) || tri__watcher_is_ending(&self->watcher))
        return;
    if (!revive(self, tri__process_ending_text(process, how)))
        kill(getpid(), self->farewell);
}

static void on_stop_request(void *context, int times)
{
    tri__supervised *self = context;
    (void)times;
    tri__watcher_leave(&self->watcher, PATIENCE, 2 * PATIENCE);
}

static void *watch(void *context)
{
    tri__supervised *self = context;
    tri__watcher_run(&self->watcher);
    return NULL;
}

static void clear(tri__supervised *self)
{
    tri__process_fini(&self->process);
    tri__watcher_fini(&self->watcher);
    tri__command_line_fini(&self->line);
    free(self);
}

static tri_status begin(tri__supervised *self, const char *name)
{
    const tri__watcher_options options = {
        .log = self->log, .stop = &self->ending, .ended = on_end, .asked = on_stop_request, .context = self};
    tri__restarts_init(&self->restarts, MOST_RESTARTS, 0);
    TRI_TRY(tri__watcher_init(&self->watcher, &options));
    TRI_TRY(tri__process_init(&self->process, &self->watcher, name));
    TRI_TRY(start(self));
    int error = pthread_create(&self->thread, NULL, watch, self);
    return error ? tri_fail(TRI_IO, "no thread to watch %s: %s", name, strerror(error)) : NULL;
}

tri_status tri__supervised_start(const char *name, tri__command_line *line, int farewell, tri__log *log, tri__supervised **out)
{
    tri__supervised *self = NULL;
    *out = NULL;
    TRI_TRY(tri__allocate(1, sizeof *self, "a supervised process", &self));
    *self = (tri__supervised){.watcher = {.life = {-1, -1}}, .line = *line, .farewell = farewell, .log = log};
    *line = TRI_COMMAND_LINE_INIT;
    tri_status status = begin(self, name);
    if (status)
        clear(self);
    else
        *out = self;
    return status;
}

void tri__supervised_end(tri__supervised *self)
{
    if (!self)
        return;
    __atomic_store_n(&self->ending, 1, __ATOMIC_RELAXED);
    pthread_join(self->thread, NULL);
    clear(self);
}
