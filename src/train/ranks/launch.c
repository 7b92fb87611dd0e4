/* launch.c: runs mpirun as a child process, attempt after attempt.
 *
 * When a rank is lost, mpirun ends all ranks and writes a notice. One line of it is the reason that we report. */
#include "train/ranks/launch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/text/task.h"
#include "base/thread/clock.h"
#include "train/checkpoint/checkpoint_read.h"
#include "train/folder/log_file.h"
#include "train/folder/run_folder.h"
#include "train/job/command_line.h"
#include "train/job/restarts.h"
#include "train/job/watcher.h"
#include "train/options/strategy.h"
#include "train/ranks/hosts.h"
#include "train/ranks/mpirun.h"
#include "train/ranks/start_limit.h"
#include "train/run/inputs.h"
#include "train/run/journal.h"

enum { WHY_SIZE = 1024 };

#define GRACE INT64_C(5000000000) /* nanoseconds that mpirun has to end by itself */

/* How far an attempt came: mpirun was started; its ranks train, and have installed their signal handlers. */
typedef enum { NOT_STARTED, STARTED, TRAINING } extent;

typedef struct {
    const tri__launch_request *request;
    const tri__run_request *run; /* *stop 1: end the run in good order, 2: kill it */
    tri__run_folder folder;
    tri__log_file *log_file;
    tri__log *log;
    tri__marks *marks;       /* NULL: they cannot be written */
    tri__sampler *sampler;   /* of this process; NULL with --sample-every never */
    tri__task_counters work; /* all 0: a launcher trains nothing */
    tri__watcher watcher;
    tri__process mpirun;
    tri__restarts restarts;
    int threads;       /* of each rank; 0: the ranks of a host share its CPUs evenly */
    int most_restarts; /* how many times a failed attempt is followed by another */
    int workers;       /* of the next attempt. After an attempt that wrote no checkpoint there are fewer, but at least min_workers */
    int min_workers;
    char *hosts;     /* file with the hosts to use: those of the job, or those that are left; NULL: mpirun's own */
    int64_t kept;    /* step of the newest checkpoint; −1: none */
    bool made;       /* the folder is new */
    extent furthest; /* of all attempts */

    /* of this attempt */
    extent extent;
    tri__start_limit limit; /* for rank 0 to start: mpirun starts no rank before it has reached all hosts */
    bool late;              /* it did not */
    bool in_notice;         /* between the dashed lines of a notice */
    char why[WHY_SIZE];     /* the reason that mpirun gave */
    char last[WHY_SIZE];    /* the last line that was not a report */
} launcher;

static void come_to(launcher *self, extent reached)
{
    self->extent = reached;
    self->furthest = reached > self->furthest ? reached : self->furthest;
}

/* ---- what ranks and mpirun say ---- */

static void on_started(void *context, tri__process *process)
{
    (void)process;
    tri__start_limit_lift(&((launcher *)context)->limit);
}

/* Ranks that we have asked to end already do not count as training. */
static void on_begin(void *context, tri__process *process)
{
    launcher *self = context;
    (void)process;
    if (!self->watcher.asked)
        come_to(self, TRAINING);
}

/* A line of a notice: it goes to the log file. The line that names the lost rank or host is the reason. */
static void take_notice(launcher *self, const char *line)
{
    tri__log_line(self->log, TRI_LOG_DEBUG, "mpirun: %s", line);
    const char *lost = strstr(line, "process rank"), *host = strstr(line, "Remote daemon:") ? strstr(line, "on node ") : NULL;
    if (host)
        snprintf(self->why, sizeof self->why, "mpirun lost the host %s", host + strlen("on node "));
    else if (lost)
        snprintf(self->why, sizeof self->why, "mpirun lost %s", lost);
    else if (*line && !*self->why)
        snprintf(self->why, sizeof self->why, "mpirun: %s", line);
    size_t length = strlen(self->why);
    if (length && self->why[length - 1] == '.') /* our message goes on after it */
        self->why[length - 1] = 0;
}

static void on_line(void *context, tri__process *process, bool error, const char *line)
{
    launcher *self = context;
    (void)process;
    const tri__mpirun_line read = tri__mpirun_line_read(&self->in_notice, error, line);
    if (read.speaker == TRI_MPIRUN_NOTICE)
        take_notice(self, line);
    if (read.speaker == TRI_MPIRUN_RANK && *line)
        snprintf(self->last, sizeof self->last, "%s", line);
    if (read.speaker >= TRI_MPIRUN_CHATTER && *line)
        tri__log_line(self->log, read.level, "%s", read.text);
}

/* ---- one attempt ---- */

static void add_rank(const launcher *self, tri__command_line *line)
{
    const tri__launch_request *request = self->request;
    const char *const fixed[] = {request->program, "train", "--spawned", self->folder.path, NULL};
    const char *model = self->run->options->model;
    tri__command_line_add_all(line, fixed);
    if (self->threads)
        tri__command_line_add_number(line, "--threads", self->threads);
    if (self->kept >= 0)
        tri__command_line_add(line, "--resume"), tri__command_line_add(line, self->folder.path);
    tri__command_line_add_all(line, request->words);
    if (model)
        tri__command_line_add(line, "--"), tri__command_line_add(line, model);
}

static tri_status start(launcher *self)
{
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    tri__mpirun_add(&line, self->request->job_hosts, self->workers, self->hosts, self->request->as_root);
    add_rank(self, &line);
    tri_status status = tri__mpirun_start(&self->mpirun, self->request->job_hosts, &line);
    tri__command_line_fini(&line);
    if (!status)
        come_to(self, STARTED);
    return status;
}

/* From its start on, rank 0 itself keeps the timeout. */
static void on_turn(void *context)
{
    launcher *self = context;
    if (!tri__start_limit_passed(&self->limit))
        return;
    self->late = true;
    tri__watcher_leave(&self->watcher, 0, GRACE);
}

/* mpirun hands SIGUSR1 on to the ranks, which then end in good order; they must have installed their handlers. On SIGTERM, mpirun ends the
 * ranks itself. */
static void on_stop_request(void *context, int times)
{
    const launcher *self = context;
    tri__process_signal(&self->mpirun, times > 1 ? SIGKILL : self->extent == TRAINING ? SIGUSR1 : SIGTERM);
}

/* mpirun reports a rank that failed. Where it reports nothing, something ended mpirun itself. */
static tri_status unexplained(const launcher *self, tri_code code)
{
    int status = self->mpirun.ending.status;
    const char *guess = status == 1 ? ", as it does when somebody sends it SIGTERM, SIGINT or SIGHUP" : "";
    if (!*self->last)
        return tri_fail(code, "mpirun ended with exit status %d and said nothing%s", status, guess);
    return tri_fail(code, "mpirun ended with exit status %d and gave no reason%s; the last line was \"%s\" (all of them: %s)", status,
                    guess, self->last, self->folder.log);
}

static tri_status reason_of(const launcher *self)
{
    const tri__process *mpirun = &self->mpirun;
    int stops = self->watcher.asked;
    tri_code code = tri__exit_code(mpirun->ending);
    char text[TRI_EXIT_SIZE];
    if (stops && self->furthest < TRAINING)
        return tri_fail(TRI_STOPPED, "stopped before training began");
    if (stops && (stops > 1 || self->extent < TRAINING))
        return tri_fail(TRI_STOPPED, "killed by a signal; --resume %s continues from the last checkpoint", self->folder.path);
    if (self->late)
        return tri_fail(TRI_TIMEOUT,
                        "mpirun has started no rank in %.3g s (--timeout): a host does not answer, or cannot reach the first one (its "
                        "output: %s)",
                        tri__clock_seconds(self->limit.patience), self->folder.log);
    if (mpirun->complaint || *self->why)
        return tri_fail(code, "%s", mpirun->complaint ? mpirun->complaint : self->why);
    if (mpirun->ending.signal)
        return tri_fail(code, "mpirun %s", tri__process_ending_text(mpirun, text));
    return unexplained(self, code);
}

static tri_status attempt(launcher *self)
{
    self->extent = NOT_STARTED;
    self->in_notice = self->late = false;
    self->why[0] = self->last[0] = 0;
    TRI_TRY(start(self));
    tri__start_limit_begin(&self->limit, self->run->timeout);
    tri__watcher_run(&self->watcher);
    bool told = self->watcher.result &&
                !self->mpirun.complaint; /* after a signal, mpirun's exit status says failure although the run did not fail */
    return told && (self->mpirun.ending.status == 0 || self->watcher.asked) ? NULL : reason_of(self);
}

/* ---- attempt after attempt ---- */

static int64_t newest_step(const launcher *self)
{
    tri__checkpoint *checkpoint = NULL;
    tri_status status = tri__checkpoint_open(self->folder.path, NULL, &checkpoint);
    int64_t step = status ? -1 : checkpoint->state.step;
    tri_status_free(status);
    tri__checkpoint_close(checkpoint);
    return step;
}

/* A wrong call and a loss that is not a number would fail again in the same way. */
static bool worth_another(const launcher *self, tri_status failure)
{
    const char *ended = json_string_value(json_object_get(json_object_get(self->watcher.result, "summary"), "stopped_by"));
    return tri_status_code(failure) != TRI_BAD_CALL && !self->watcher.asked && !(ended && !strcmp(ended, "diverged"));
}

static tri_status name_hosts(launcher *self)
{
    if (!self->hosts)
        self->hosts = tri__path_join(self->folder.path, "hosts");
    return self->hosts ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for the name of a file");
}

/* The run continues on the remaining hosts, with one rank for each of their slots. */
static tri_status use_hosts(launcher *self, const tri__hosts *hosts)
{
    TRI_TRY(name_hosts(self));
    TRI_TRY(tri__file_replace(self->hosts, hosts->lines, strlen(hosts->lines)));
    int least = self->min_workers, most = hosts->slots > least ? hosts->slots : least;
    if (hosts->slots && self->workers > most)
        self->workers = most;
    tri__log_line(self->log, TRI_LOG_WARNING, "no rank can be started on %s: leaving it out (the hosts that are left: %s)", hosts->gone,
                  self->hosts);
    return NULL;
}

/* Drop hosts that are gone. *left_out: some are gone, and some are left. */
static tri_status leave_out_hosts(launcher *self, bool *left_out)
{
    const tri__job_hosts *job_hosts = self->request->job_hosts;
    const tri__hosts_request request = {.file = job_hosts ? self->hosts : self->request->hosts,
                                        .job_hosts = job_hosts,
                                        .timeout = self->run->timeout,
                                        .as_root = self->request->as_root,
                                        .stop = self->run->stop};
    tri__hosts hosts;
    TRI_TRY(tri__hosts_probe(&request, &hosts));
    *left_out = *hosts.gone && hosts.left > 0;
    tri_status status = *left_out ? use_hosts(self, &hosts) : NULL;
    tri__hosts_fini(&hosts);
    return status;
}

/* An attempt wrote no checkpoint: try again without the hosts that are gone, or else with one rank fewer. */
static void retreat(launcher *self)
{
    bool left_out = false;
    tri_status status = self->request->hosts || self->request->job_hosts ? leave_out_hosts(self, &left_out) : NULL;
    if (status)
        tri__log_line(self->log, TRI_LOG_WARNING, "cannot find out which host is gone: %s", tri_status_message(status));
    tri_status_free(status);
    self->workers -= !left_out;
}

static void plan_another(launcher *self, tri_status failure)
{
    tri__restarts_count(&self->restarts, tri__clock_now());
    int left = tri__restarts_left(&self->restarts);
    int64_t step = newest_step(self);
    if (step <= self->kept && self->workers > self->min_workers)
        retreat(self);
    self->kept = step;
    char from[48];
    snprintf(from, sizeof from, step < 0 ? "the beginning" : "step %lld", (long long)step);
    tri__log_line(self->log, TRI_LOG_WARNING, "%s; starting again from %s with %d rank%s (%d more restart%s)", tri_status_message(failure),
                  from, self->workers, self->workers > 1 ? "s" : "", left, left == 1 ? "" : "s");
}

/* Mark the death of the rank that mpirun named, or of all ranks. */
static void mark_end(const launcher *self, tri_status failure)
{
    char task[TRI_TASK_SIZE] = "ranks";
    const char *rank = strstr(self->why, "process rank ");
    if (rank)
        tri__task_name((tri__task){TRI_ROLE_WORKER, atoi(rank + strlen("process rank "))}, task);
    tri__marks_add(self->marks, TRI_MARK_DEATH, task, -1, 0, "%s", tri_status_message(failure));
}

/* The last attempt has failed. If it trained, the message says how to resume the run, and which option restarts it automatically. Damaged
 * data would fail again, until somebody mends them. */
static tri_status tell_way_on(const launcher *self, tri_status failure)
{
    const int64_t step = newest_step(self);
    const char *again = self->most_restarts || self->mpirun.damaged ? "" : "; --restarts N starts again by itself",
               *message = tri_status_message(failure);
    if (self->furthest < TRAINING)
        return failure;
    tri_status told = step < 0 ? tri_fail(tri_status_code(failure), "%s. No checkpoint had been written yet%s", message, again)
                               : tri_fail(tri_status_code(failure), "%s. --resume %s goes on from step %lld%s", message, self->folder.path,
                                          (long long)step, again);
    tri_status_free(failure);
    return told;
}

static tri_status try_all(launcher *self)
{
    for (;;) {
        tri_status status = attempt(self);
        if (status)
            mark_end(self, status);
        if (!status || !worth_another(self, status))
            return status;
        if (self->mpirun.damaged || !tri__restarts_allowed(&self->restarts, tri__clock_now()))
            return tell_way_on(self, status);
        plan_another(self, status);
        tri_status_free(status);
    }
}

/* ---- from beginning to end ---- */

static tri_status open_folder(launcher *self)
{
    const tri__run_request *run = self->run;
    if (run->resume)
        TRI_TRY(tri__run_folder_open(run->resume, "launcher", &self->folder));
    else {
        TRI_TRY(run->out ? tri__run_folder_check(run->out) : NULL);
        tri_model *model;
        tri__train_settings settings;
        TRI_TRY(tri__inputs_open_model(run->options, run->strategy, &model));
        tri_status status = tri__inputs_settle(model, run->options, &settings);
        if (!status)
            status = tri__run_folder_create(run->out, tri_model_name(model), "launcher", &self->folder);
        tri_model_destroy(model);
        TRI_TRY(status);
        self->made = true;
    }
    TRI_TRY(tri__log_file_create(self->folder.log, run->log, &self->log_file));
    self->log = tri__log_file_sink(self->log_file);
    tri__journal_create_marks(&self->folder, self->log, &self->marks);
    TRI_TRY(tri__journal_sample_process(&self->folder, self->log, run->options, &self->work, &self->sampler));
    return tri__run_folder_note(&self->folder, run->command);
}

static tri_status prepare(launcher *self)
{
    TRI_TRY(open_folder(self));
    if (self->request->job_hosts) {
        TRI_TRY(name_hosts(self));
        TRI_TRY(tri__mpirun_write_hosts(self->request->job_hosts, self->hosts));
    }
    self->kept = self->run->resume ? newest_step(self) : -1;
    tri__restarts_init(&self->restarts, self->most_restarts, 0);
    const tri__watcher_options options = {
        .log = self->log,
        .stop = self->run->stop,
        .progress = self->run->progress,
        .progress_context = self->run->context,
        .said = on_line,
        .started = on_started,
        .began = on_begin,
        .asked = on_stop_request,
        .turned = on_turn,
        .context = self,
    };
    TRI_TRY(tri__watcher_init(&self->watcher, &options));
    return tri__process_init(&self->mpirun, &self->watcher, "mpirun");
}

/* True if the run failed before any training and the message says everything. Otherwise the log must stay, because mpirun's own output is
 * only there. */
static bool left_nothing(const launcher *self)
{
    bool told = self->mpirun.complaint || self->watcher.asked || self->furthest == NOT_STARTED;
    return self->made && self->furthest < TRAINING && told;
}

static launcher describe(const tri__launch_request *request)
{
    const tri__train_options *options = request->run->options;
    const int workers = options->workers == TRI_UNSET ? 1 : (int)options->workers;
    const int on_hosts = request->job_hosts ? request->job_hosts->threads : 0;
    return (launcher){
        .request = request,
        .run = request->run,
        .threads = options->threads > 0 ? (int)options->threads : on_hosts,
        .most_restarts = options->restarts > 0 ? (int)options->restarts : 0,
        .workers = workers,
        .min_workers = options->min_workers > 0 ? (int)options->min_workers : workers,
        .watcher = {.life = {-1, -1}},
    };
}

const char *const tri__launch_options[] = {"workers", "threads", "out", "resume", "json", TRI_HOST_OPTIONS, NULL};

tri_status tri__launch_ranks(const tri__launch_request *request, tri__run_result *out)
{
    launcher self = describe(request);
    *out = (tri__run_result){0};
    tri_status status = prepare(&self);
    if (!status) {
        status = try_all(&self);
        tri__journal_merge_trace(&self.folder, self.log);
        tri_status kept = tri__watcher_take_result(&self.watcher, self.folder.path, out);
        if (status)
            tri_status_free(kept);
        else
            status = kept;
    }
    bool useless = status && left_nothing(&self);
    tri__process_fini(&self.mpirun);
    tri__watcher_fini(&self.watcher);
    tri__sampler_stop(self.sampler);
    tri__marks_close(self.marks);
    tri__log_file_destroy(self.log_file);
    free(self.hosts);
    if (useless)
        tri_status_free(tri__folder_remove(self.folder.path)); /* a folder that cannot be removed stays */
    tri__run_folder_fini(&self.folder);
    return status;
}
