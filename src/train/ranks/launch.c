/* launch.c: mpirun as a child, attempt after attempt.
 *
 * mpirun ends all ranks when one is lost, and says so in a notice between two dashed lines: of that, one line is worth telling. */
#include "train/ranks/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "net/child.h"
#include "train/checkpoint/checkpoint.h"
#include "train/ranks/hosts.h"
#include "train/run/folder.h"

#define SECOND INT64_C(1000000000)
#define TICK   (SECOND / 20)

enum { MOST_WORDS = 32, WHY_SIZE = 1024 };

typedef struct {
    const tri__launching *request;
    const tri__run_request *run;
    tri__run_folder folder;
    tri__log_file *log_file;
    tri__log *log;
    tri__loop *loop;
    int workers;
    char *hosts;       /* file of those that are left; NULL: all are */
    int64_t kept;      /* step of the newest checkpoint; −1: none */
    bool made;         /* the folder is new */
    bool ran, trained; /* mpirun, and ranks, in any attempt */

    /* of this attempt */
    tri__child *child;
    bool ended, in_notice;
    bool began; /* the ranks are ready for signals, and train */
    int status, signal, stops;
    char why[WHY_SIZE]; /* what a rank said, or else mpirun */
    bool rank_said;
    char last[WHY_SIZE]; /* line that anybody said, reports apart */
    json_t *result;
} launcher;

/* ---- what ranks and mpirun say ---- */

static void take_report(launcher *self, json_t *report, const char *line)
{
    json_t *progress = json_object_get(report, "progress"), *result = json_object_get(report, "result");
    const char *failure = json_string_value(json_object_get(report, "failure"));
    if (progress && self->run->progress) {
        tri__progress shown;
        tri__progress_read(progress, &shown);
        self->run->progress(self->run->context, &shown);
    }
    bool began = json_object_get(report, "began") != NULL;
    if (began && !self->stops) /* ranks that were told to end do not begin */
        self->began = self->trained = true;
    if (result) {
        json_decref(self->result);
        self->result = json_incref(result);
    }
    if (failure && !self->rank_said) {
        snprintf(self->why, sizeof self->why, "%s", failure);
        self->rank_said = true;
    }
    if (!progress && !result && !failure && !began)
        tri__log_line(self->log, TRI_LOG_INFO, "%s", line);
}

/* A line of mpirun's notices: kept in the log file; the one that tells who was lost is the reason. */
static void take_notice(launcher *self, const char *line)
{
    tri__log_line(self->log, TRI_LOG_DEBUG, "mpirun: %s", line);
    const char *lost = strstr(line, "process rank"), *host = strstr(line, "Remote daemon:") ? strstr(line, "on node ") : NULL;
    if (host && !self->rank_said)
        snprintf(self->why, sizeof self->why, "mpirun lost the host %s", host + strlen("on node "));
    else if (lost && !self->rank_said)
        snprintf(self->why, sizeof self->why, "mpirun lost %s", lost);
    else if (*line && !*self->why)
        snprintf(self->why, sizeof self->why, "mpirun: %s", line);
    size_t length = strlen(self->why);
    if (length && self->why[length - 1] == '.') /* ours goes on after it */
        self->why[length - 1] = 0;
}

static void show(launcher *self, const char *line)
{
    static const char mark[] = "trireme: ";
    bool warning = !strncmp(line, mark, sizeof mark - 1), own = !strncmp(line, "mpirun: ", 8);
    if (!*line)
        return;
    snprintf(self->last, sizeof self->last, "%s", line);
    tri__log_line(self->log, warning ? TRI_LOG_WARNING : own ? TRI_LOG_DEBUG : TRI_LOG_INFO, "%s", warning ? line + sizeof mark - 1 : line);
}

static void on_line(void *context, tri__child *child, bool error, const char *line)
{
    launcher *self = context;
    (void)child;
    json_t *report = !error && *line == '{' ? json_loads(line, 0, NULL) : NULL;
    if (report)
        take_report(self, report, line);
    else if (error && !strncmp(line, "-----", 5))
        self->in_notice = !self->in_notice;
    else if (self->in_notice)
        take_notice(self, line);
    else
        show(self, line);
    json_decref(report);
}

static void on_end(void *context, tri__child *child, int status, int signal)
{
    launcher *self = context;
    (void)child;
    self->ended = true;
    self->status = status;
    self->signal = signal;
}

/* ---- one attempt ---- */

typedef struct {
    const char **list;
    size_t count;
} words;

static void add(words *to, const char *word)
{
    to->list[to->count++] = word;
}

static void add_mpirun(const launcher *self, words *to, const char *workers)
{
    /* ranks are not bound: their threads share the CPUs. They yield: another rank, or a thread that computes, may need the one they wait
     * on. --novm: hosts that get no rank are left alone, since one of them may be the one that is gone. */
    const char *const fixed[] = {"mpirun",    "-n",   workers, "--oversubscribe",     "--novm",
                                 "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add(to, fixed[i]);
    if (self->hosts)
        add(to, "--mca"), add(to, "orte_default_hostfile"), add(to, self->hosts);
    if (self->request->as_root)
        add(to, "--allow-run-as-root");
}

static tri_status start(launcher *self)
{
    const tri__launching *request = self->request;
    const char *model = self->run->options->model;
    char workers[16], threads[16];
    size_t given = 0;
    while (request->words[given])
        given++;
    words all = {0};
    TRI_TRY(tri__allocate(MOST_WORDS + given, sizeof *all.list, "a command line", &all.list));
    snprintf(workers, sizeof workers, "%d", self->workers);
    snprintf(threads, sizeof threads, "%d", request->threads);
    add_mpirun(self, &all, workers);
    const char *const rank[] = {request->program, "train", "--spawned", self->folder.path};
    for (size_t i = 0; i < sizeof rank / sizeof *rank; i++)
        add(&all, rank[i]);
    if (request->threads)
        add(&all, "--threads"), add(&all, threads);
    if (self->kept >= 0)
        add(&all, "--resume"), add(&all, self->folder.path);
    for (size_t i = 0; i < given; i++)
        add(&all, request->words[i]);
    if (model)
        add(&all, "--"), add(&all, model);
    const tri__child_options options = {
        .path = "mpirun", .argv = all.list, .attached = true, .line = on_line, .ended = on_end, .context = self};
    tri_status status = tri__child_start(self->loop, &options, &self->child);
    free(all.list);
    self->ran = self->ran || !status;
    return tri_wrap(status, "mpirun cannot be started (Debian: apt install openmpi-bin)");
}

/* mpirun hands SIGUSR1 on to the ranks, which end in good order, once there are ranks to hear it. With SIGTERM it ends them itself. */
static void heed_signals(launcher *self)
{
    int wished = self->run->stop ? (int)*self->run->stop : 0;
    if (wished == self->stops)
        return;
    tri__child_signal(self->child, wished > 1 ? SIGKILL : self->began ? SIGUSR1 : SIGTERM);
    self->stops = wished;
}

/* mpirun tells of a rank that failed. Where it says nothing, it was ended itself. */
static tri_status unexplained(const launcher *self, tri_code code)
{
    const char *guess = self->status == 1 ? ", as it does when somebody sends it SIGTERM, SIGINT or SIGHUP" : "";
    if (!*self->last)
        return tri_fail(code, "mpirun ended with exit status %d and said nothing%s", self->status, guess);
    return tri_fail(code, "mpirun ended with exit status %d and gave no reason%s; the last line was \"%s\" (all of them: %s)", self->status,
                    guess, self->last, self->folder.log);
}

static tri_status reason_of(const launcher *self)
{
    tri_code code = self->status == 2 ? TRI_BAD_CALL : TRI_INTERNAL;
    if (self->stops && !self->trained)
        return tri_fail(TRI_STOPPED, "stopped before training began");
    if (self->stops && (self->stops > 1 || !self->began))
        return tri_fail(TRI_STOPPED, "killed by a signal; --resume %s goes on from the last checkpoint", self->folder.path);
    if (*self->why)
        return tri_fail(code, "%s", self->why);
    if (self->signal)
        return tri_fail(code, "mpirun was killed by signal %d (%s)", self->signal, strsignal(self->signal));
    return unexplained(self, code);
}

static tri_status attempt(launcher *self)
{
    self->ended = self->in_notice = self->rank_said = self->began = false;
    self->why[0] = self->last[0] = 0;
    json_decref(self->result);
    self->result = NULL;
    TRI_TRY(start(self));
    while (!self->ended) {
        tri__loop_turn(self->loop, tri__clock_now() + TICK);
        heed_signals(self);
    }
    tri__child_destroy(self->child);
    self->child = NULL;
    bool told = self->result && !self->rank_said; /* after a signal mpirun itself ends as one that failed */
    return told && (self->status == 0 || self->stops) ? NULL : reason_of(self);
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

/* A wrong call, and a loss that is no number, would come again. */
static bool worth_another(const launcher *self, tri_status failure)
{
    const char *ended = json_string_value(json_object_get(json_object_get(self->result, "summary"), "stopped_by"));
    return tri_status_code(failure) != TRI_BAD_CALL && !self->stops && !(ended && !strcmp(ended, "diverged"));
}

/* The others go on with a rank for each of their slots. */
static tri_status use_hosts(launcher *self, const tri__hosts *hosts)
{
    if (!self->hosts)
        self->hosts = tri__path_join(self->folder.path, "hosts");
    if (!self->hosts)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of a file");
    TRI_TRY(tri__file_replace(self->hosts, hosts->lines, strlen(hosts->lines)));
    int least = self->request->min_workers, most = hosts->slots > least ? hosts->slots : least;
    if (hosts->slots && self->workers > most)
        self->workers = most;
    tri__log_line(self->log, TRI_LOG_WARNING, "no rank can be started on %s: leaving it out (the hosts that are left: %s)", hosts->gone,
                  self->hosts);
    return NULL;
}

/* Without hosts that are gone. *left_out: there were some, and others that are not. */
static tri_status leave_out_hosts(launcher *self, bool *left_out)
{
    const tri__hosts_request request = {
        .file = self->request->hosts, .timeout = self->run->timeout, .as_root = self->request->as_root, .stop = self->run->stop};
    tri__hosts hosts;
    TRI_TRY(tri__hosts_probe(self->loop, &request, &hosts));
    *left_out = *hosts.gone && hosts.left > 0;
    tri_status status = *left_out ? use_hosts(self, &hosts) : NULL;
    tri__hosts_fini(&hosts);
    return status;
}

/* An attempt came to nothing: without the hosts that are gone, or else with one rank less. */
static void retreat(launcher *self)
{
    bool left_out = false;
    tri_status status = self->request->hosts ? leave_out_hosts(self, &left_out) : NULL;
    if (status)
        tri__log_line(self->log, TRI_LOG_WARNING, "it cannot be found out which host is gone: %s", tri_status_message(status));
    tri_status_free(status);
    self->workers -= !left_out;
}

static void plan_another(launcher *self, tri_status failure, int left)
{
    int64_t step = newest_step(self);
    if (step <= self->kept && self->workers > self->request->min_workers)
        retreat(self);
    self->kept = step;
    char from[48];
    snprintf(from, sizeof from, step < 0 ? "the beginning" : "step %lld", (long long)step);
    tri__log_line(self->log, TRI_LOG_WARNING, "%s; starting again from %s with %d rank%s (%d more restart%s)", tri_status_message(failure),
                  from, self->workers, self->workers > 1 ? "s" : "", left, left == 1 ? "" : "s");
}

static tri_status try_all(launcher *self)
{
    for (int left = self->request->restarts;; left--) {
        tri_status status = attempt(self);
        if (!status || !left || !worth_another(self, status))
            return status;
        plan_another(self, status, left - 1);
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
        TRI_TRY(tri_model_open(run->options->model, &model));
        tri_status status = tri__train_settings_resolve(run->options, tri_model_default(model), &settings);
        if (!status)
            status = tri__run_folder_create(run->out, tri_model_name(model), "launcher", &self->folder);
        tri_model_destroy(model);
        TRI_TRY(status);
        self->made = true;
    }
    TRI_TRY(tri__log_file_create(self->folder.log, run->log, &self->log_file));
    self->log = tri__log_file_sink(self->log_file);
    return tri__run_folder_note(&self->folder, run->command);
}

static tri_status prepare(launcher *self)
{
    TRI_TRY(open_folder(self));
    self->kept = self->run->resume ? newest_step(self) : -1;
    return tri__loop_create(&self->loop);
}

static tri_status take_result(const launcher *self, tri__run_result *out)
{
    const char *table = json_string_value(json_object_get(self->result, "table"));
    out->summary = json_incref(json_object_get(self->result, "summary"));
    snprintf(out->table, sizeof out->table, "%s", table ? table : "");
    out->folder = strdup(self->folder.path);
    return out->folder ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for the result");
}

/* A failure before any training that was told wholly. What mpirun says of its own is told by its log alone. */
static bool left_nothing(const launcher *self)
{
    return self->made && !self->trained && (self->rank_said || self->stops || !self->ran);
}

tri_status tri__launch(const tri__launching *request, tri__run_result *out)
{
    launcher self = {.request = request, .run = request->run, .workers = request->workers};
    *out = (tri__run_result){0};
    tri_status status = prepare(&self);
    if (!status) {
        status = try_all(&self);
        tri_status kept = take_result(&self, out);
        if (status)
            tri_status_free(kept);
        else
            status = kept;
    }
    tri__child_destroy(self.child);
    tri__loop_destroy(self.loop);
    json_decref(self.result);
    tri__log_file_destroy(self.log_file);
    free(self.hosts);
    if (status && left_nothing(&self))
        tri_status_free(tri__folder_remove(self.folder.path)); /* where it cannot be removed it stays */
    tri__run_folder_fini(&self.folder);
    return status;
}
