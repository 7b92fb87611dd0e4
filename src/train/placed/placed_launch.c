/* placed_launch.c: runs mpirun as a child process. mpirun's notice about a rank that failed repeats what the rank reported, so it goes to
 * the log as a detail. A rank that was killed reports nothing; then the line of the notice with its number is the reason. */
#include "train/placed/placed_launch.h"

#include <stdio.h>
#include <string.h>

#include "base/thread/clock.h"
#include "train/job/command_line.h"
#include "train/job/watcher.h"
#include "train/ranks/mpirun.h"
#include "train/ranks/start_limit.h"

#define GRACE (3 * TRI_SECOND) /* time that mpirun has to end the processes */

typedef struct {
    const tri__placed_launch_request *request;
    tri__watcher watcher;
    tri__process mpirun;
    tri__start_limit limit; /* for all tasks to start */
    bool in_notice;         /* between the dashed lines of a notice */
    char killed[200];       /* "mpirun noticed that process rank 2 … exited on signal 9"; "" where it did not */
} launcher;

static void on_line(void *context, tri__process *process, bool error, const char *line)
{
    launcher *self = context;
    (void)process;
    if (!error) {
        self->request->say(self->request->context, line);
        return;
    }
    const tri__mpirun_line read = tri__mpirun_line_read(&self->in_notice, error, line);
    if (self->in_notice && strstr(line, "that process rank") && !*self->killed)
        snprintf(self->killed, sizeof self->killed, "%s", line);
    if (read.speaker != TRI_MPIRUN_DASHES && *line)
        tri__log_line(self->request->log, read.level, "%s", read.text);
}

static void on_began(void *context, tri__process *process)
{
    (void)process;
    tri__start_limit_lift(&((launcher *)context)->limit);
}

/* The tasks watch each other only after they have met. */
static void on_turn(void *context)
{
    launcher *self = context;
    if (!tri__start_limit_passed(&self->limit))
        return;
    const double seconds = tri__clock_seconds(self->limit.patience);
    tri__watcher_fail(&self->watcher,
                      tri_fail(TRI_TIMEOUT,
                               "the %d tasks have not all started in %.3g s (--timeout): start fewer, or give them a longer timeout",
                               self->request->workers, seconds),
                      GRACE);
}

static void on_stop_request(void *context, int times)
{
    const launcher *self = context;
    tri__process_signal(&self->mpirun, times > 1 ? SIGKILL : SIGTERM);
}

static tri_status start(launcher *self)
{
    const tri__placed_launch_request *request = self->request;
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    tri__mpirun_add(&line, NULL, request->workers, NULL, request->as_root);
    tri__command_line_add(&line, request->program);
    tri__command_line_add_all(&line, request->words);
    tri_status status = tri__mpirun_start(&self->mpirun, NULL, &line);
    tri__command_line_fini(&line);
    return status;
}

static tri_status explain(const launcher *self)
{
    char text[TRI_EXIT_SIZE];
    if (self->watcher.asked)
        return tri_fail(TRI_STOPPED, "stopped");
    if (self->watcher.failure)
        return tri_fail(tri_status_code(self->watcher.failure), "%s", tri_status_message(self->watcher.failure));
    if (tri__process_ended_well(&self->mpirun))
        return NULL;
    if (self->mpirun.complaint)
        return tri_fail(tri__exit_code(self->mpirun.ending), "%s", self->mpirun.complaint);
    if (*self->killed)
        return tri_fail(tri__exit_code(self->mpirun.ending), "the tasks failed: %s", self->killed);
    return tri_fail(tri__exit_code(self->mpirun.ending), "the tasks failed: mpirun %s", tri__process_ending_text(&self->mpirun, text));
}

tri_status tri__placed_launch(const tri__placed_launch_request *request)
{
    launcher self = {.request = request, .watcher = {.life = {-1, -1}}};
    const tri__watcher_options options = {.log = request->log,
                                          .stop = request->stop,
                                          .said = on_line,
                                          .began = on_began,
                                          .asked = on_stop_request,
                                          .turned = on_turn,
                                          .context = &self};
    tri__start_limit_begin(&self.limit, request->timeout);
    tri_status status = tri__watcher_init(&self.watcher, &options);
    if (!status)
        status = tri__process_init(&self.mpirun, &self.watcher, "mpirun");
    if (!status)
        status = start(&self);
    if (!status) {
        tri__watcher_run(&self.watcher);
        status = explain(&self);
    }
    tri__process_fini(&self.mpirun);
    tri__watcher_fini(&self.watcher);
    return status;
}
