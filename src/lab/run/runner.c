/* runner.c: runs the cells of a study, one process after another. */
#include "lab/run/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes/random.h"
#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "base/text/quote.h"
#include "base/thread/clock.h"
#include "lab/results/machine.h"
#include "lab/results/results_csv.h"
#include "lab/run/data_digest.h"
#include "lab/run/study_cluster.h"
#include "train/job/watcher.h"
#include "watch/sample/run_files.h"

enum { SAID = 1024, RETRIES = 1, NAME = 400 };

#define GRACE (10 * TRI_SECOND)

typedef struct {
    const tri__study_run *request;
    const tri__study *study;
    tri__results *results;
    tri__study_cluster *cluster;
    char *data, *runs;
    int *failures; /* [cell_count][repeats] of this call */
    int64_t done, all;
    double spent;    /* seconds of the runs that this call has made */
    int64_t ended;   /* how many runs this call has made */
    char what[NAME]; /* the present run */
    int64_t began;

    /* of the process that runs at present */
    tri__watcher watcher;
    tri__process process;
    json_t *result;  /* the last line of its output that is JSON */
    char said[SAID]; /* the last line of standard error */
    int64_t deadline;
} runner;

/* ---- one process ---- */

static void on_line(void *context, tri__process *process, bool error, const char *line)
{
    runner *self = context;
    (void)process;
    if (error && *line)
        snprintf(self->said, sizeof self->said, "%s", line);
    if (error || *line != '{')
        return;
    json_t *result = json_loads(line, 0, NULL);
    if (!result)
        return;
    json_decref(self->result);
    self->result = result;
}

static void show(runner *self)
{
    int64_t now = tri__clock_now();
    double running = tri__clock_seconds(now - self->began);
    double left = self->ended ? self->spent / (double)self->ended * (double)(self->all - self->done) - running : NAN;
    const tri__study_progress progress = {
        .done = self->done, .all = self->all, .what = self->what, .running = running, .left = left < 0 ? 0 : left};
    if (self->request->progress)
        self->request->progress(self->request->context, &progress);
}

static void on_turn(void *context)
{
    runner *self = context;
    show(self);
    if (tri__clock_now() > self->deadline && !tri__watcher_is_ending(&self->watcher))
        tri__watcher_fail(
            &self->watcher,
            tri_fail(TRI_TIMEOUT, "it took longer than %.0f s, the study's timeout", tri__clock_seconds(self->study->patience)), GRACE);
}

static void on_stop_request(void *context, int times)
{
    runner *self = context;
    tri__process_signal(&self->process, times > 1 ? SIGKILL : SIGTERM);
}

static bool was_stopped(const runner *self)
{
    return self->request->stop && __atomic_load_n(self->request->stop, __ATOMIC_RELAXED);
}

/* Why the process has no result. */
static tri_status explain(runner *self)
{
    char text[TRI_EXIT_SIZE];
    if (self->watcher.failure) {
        tri_status why = self->watcher.failure;
        self->watcher.failure = NULL;
        return why;
    }
    if (tri__process_ended_well(&self->process))
        return tri_fail(TRI_BAD_DATA, "it printed no JSON result");
    const char *said = strncmp(self->said, "trireme: ", 9) ? self->said : self->said + 9;
    return tri_fail(TRI_INTERNAL, "it %s", tri__exit_text(self->process.ending, *said ? said : NULL, text));
}

static tri_status watch(runner *self, const char *const *words)
{
    const tri__watcher_options options = {.log = self->request->log,
                                          .stop = self->request->stop,
                                          .said = on_line,
                                          .asked = on_stop_request,
                                          .turned = on_turn,
                                          .context = self};
    const tri__process_options process = {.program = self->request->program, .words = words};
    tri_status status = tri__watcher_init(&self->watcher, &options);
    self->watcher.asked = was_stopped(self);
    if (!status)
        status = tri__process_init(&self->process, &self->watcher, "a run");
    if (!status)
        status = tri__process_start(&self->process, &process);
    if (!status) {
        tri__watcher_run(&self->watcher);
        if (!tri__process_ended_well(&self->process) || !self->result)
            status = explain(self);
    }
    tri__process_fini(&self->process);
    tri__watcher_fini(&self->watcher);
    return status;
}

/* Run the words with --json after them. *out: the result; the caller drops it; NULL where the run failed. */
static tri_status run_words(runner *self, tri__command_line *line, json_t **out)
{
    tri__command_line_add(line, "--json");
    TRI_TRY(tri__command_line_check(line));
    self->result = NULL;
    self->said[0] = 0;
    self->began = tri__clock_now();
    self->deadline = self->began + self->study->patience;
    tri_status status = watch(self, tri__command_line_words(line));
    *out = self->result;
    if (status) {
        json_decref(self->result);
        *out = NULL;
    }
    return status && was_stopped(self) ? tri_wrap(status, "stopped") : status;
}

/* The words after the program's name, as people would type them. The first is a command of the program. */
static char *typed(const tri__command_line *line)
{
    const char *const *words = tri__command_line_words(line);
    return tri__quote_words(words[1], line->count - 2, words + 2);
}

/* ---- cells ---- */

/* A file beside the run folder says that the run has begun. The run may not have made its folder yet: if the study was killed, its run goes
 * on for a while. */
static char *begun_file(const char *folder)
{
    const size_t size = strlen(folder) + sizeof ".begun";
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s.begun", folder);
    return path;
}

/* *mine: no other process has begun this run. */
static tri_status claim(const char *folder, bool *mine)
{
    char *path = begun_file(folder);
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) : -1;
    tri_status status = NULL;
    if (!path)
        status = tri_fail(TRI_NO_MEMORY, "no memory for a path");
    else if (fd < 0 && errno != EEXIST)
        status = tri_fail(TRI_IO, "%s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    *mine = fd >= 0;
    free(path);
    return status;
}

static void release(const char *folder)
{
    char *path = begun_file(folder);
    if (path)
        unlink(path);
    free(path);
}

/* Choose a folder that does not exist yet: what an earlier attempt left is not touched. */
static tri_status name_run(const runner *self, int cell, int repeat, char **out)
{
    char name[64];
    for (int attempt = 1;; attempt++) {
        snprintf(name, sizeof name, attempt > 1 ? "%03d-%02d-%d" : "%03d-%02d", cell + 1, repeat, attempt);
        *out = tri__path_join(self->runs, name);
        if (!*out)
            return tri_fail(TRI_NO_MEMORY, "no memory for a path");
        bool mine = false;
        tri_status status = tri__folder_exists(*out) ? NULL : claim(*out, &mine);
        if (mine)
            return NULL;
        free(*out);
        TRI_TRY(status);
    }
}

static void remove_checkpoints(const char *folder)
{
    char *path = tri__path_join(folder, TRI_RUN_CHECKPOINTS);
    if (path)
        tri_status_free(tri__folder_remove(path)); /* if it cannot be removed, it stays */
    free(path);
}

static tri_status add_words(const runner *self, int cell, int repeat, const char *folder, tri__command_line *line)
{
    const tri__study_names names = {.data = self->data, .run = folder, .cluster = tri__study_cluster_name(self->cluster), .repeat = repeat};
    tri__command_line_add(line, self->request->program);
    TRI_TRY(tri__study_command(self->study, cell, &names, line));
    if (!strcmp(line->words[1], "train"))
        tri__command_line_add(line, "--out"), tri__command_line_add(line, folder);
    return tri__command_line_check(line);
}

static tri_status keep(runner *self, int cell, int repeat, const tri__command_line *line, const char *folder, json_t *result,
                       tri_status failure)
{
    char text[NAME], *command = typed(line);
    double seconds = tri__clock_seconds(tri__clock_now() - self->began);
    json_t *record = json_pack("{s:i, s:s, s:i, s:s, s:s, s:f, s:f}", "cell", cell, "factors",
                               tri__study_cell_text(self->study, cell, text, sizeof text), "repeat", repeat, "command",
                               command ? command : "", "folder", folder, "ended", tri__clock_wall(), "seconds", seconds);
    if (record && failure)
        json_object_set_new(record, "failure", json_string(tri_status_message(failure)));
    else if (record)
        json_object_set(record, "result", result);
    free(command);
    self->spent += seconds;
    self->ended++;
    return tri__results_append(self->results, record);
}

static int *failures_of(const runner *self, int cell, int repeat)
{
    return &self->failures[(size_t)cell * (size_t)self->study->repeats + (size_t)(repeat - 1)];
}

static tri_status report_failure(const runner *self, int cell, int repeat, tri_status failure)
{
    bool again = ++*failures_of(self, cell, repeat) <= RETRIES;
    tri__log_line(self->request->log, TRI_LOG_WARNING, "%s: %s%s", self->what, tri_status_message(failure),
                  again ? " (it is tried once more)" : "");
    tri_status_free(failure);
    return NULL;
}

static tri_status run_cell_in(runner *self, int cell, int repeat, const char *folder, tri__command_line *line)
{
    json_t *result = NULL;
    TRI_TRY(add_words(self, cell, repeat, folder, line));
    tri_status failure = run_words(self, line, &result);
    if (failure && was_stopped(self)) {
        tri_status_free(failure);
        return NULL; /* the run did not fail by itself: it is repeated when the study goes on */
    }
    tri_status status = keep(self, cell, repeat, line, folder, result, failure);
    json_decref(result);
    remove_checkpoints(folder);
    if (!status && !failure)
        return NULL;
    if (!status)
        return report_failure(self, cell, repeat, failure);
    tri_status_free(failure);
    return status;
}

static tri_status run_cell(runner *self, int cell, int repeat)
{
    char *folder, text[NAME - 32];
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    snprintf(self->what, sizeof self->what, "%s, repeat %d", tri__study_cell_text(self->study, cell, text, sizeof text), repeat);
    TRI_TRY(name_run(self, cell, repeat, &folder));
    tri_status status = run_cell_in(self, cell, repeat, folder, &line);
    release(folder);
    tri__command_line_fini(&line);
    free(folder);
    return status;
}

/* ---- the study ---- */

/* Whether a pass has to do this run: it has not succeeded, and has failed `failures` times in this call. What failed in an earlier call is
 * tried again: the user may have mended the cause. */
static bool is_due(const runner *self, int cell, int repeat, int failures)
{
    return !tri__results_has(self->results, cell, repeat) && *failures_of(self, cell, repeat) == failures;
}

static tri_status run_repeat(runner *self, int repeat, int failures, int64_t *order)
{
    tri__key key = tri__key_split(tri__key_of((uint64_t)self->study->seed), (uint64_t)repeat);
    tri__random_permutation(key, self->study->cell_count, order);
    for (int i = 0; i < self->study->cell_count && !was_stopped(self); i++) {
        int cell = (int)order[i];
        if (!is_due(self, cell, repeat, failures))
            continue;
        TRI_TRY(run_cell(self, cell, repeat));
        TRI_TRY(tri__results_csv_write(self->results, self->request->folder));
        self->done += tri__results_has(self->results, cell, repeat);
    }
    return NULL;
}

static tri_status run_all(runner *self)
{
    int64_t *order;
    TRI_TRY(tri__allocate((size_t)self->all, sizeof *self->failures, "the failures of a study", &self->failures));
    TRI_TRY(tri__allocate((size_t)self->study->cell_count, sizeof *order, "the order of a study", &order));
    tri_status status = NULL;
    for (int failures = 0; failures <= RETRIES; failures++)
        for (int repeat = 1; repeat <= self->study->repeats && !status; repeat++)
            status = run_repeat(self, repeat, failures, order);
    free(order);
    return status;
}

/* ---- before the first cell ---- */

static tri_status prepare_one(runner *self, tri__command_line *line, bool *any)
{
    json_t *result = NULL;
    *any = line->count > 1;
    char *command = *any ? typed(line) : NULL;
    if (!command || tri__results_prepared(self->results, command)) {
        free(command);
        return NULL;
    }
    snprintf(self->what, sizeof self->what, "preparing: %.300s", command);
    tri_status status = tri_wrap(run_words(self, line, &result), "preparing the study by `trireme %s`", command);
    if (!status)
        status = tri__results_append(self->results, json_pack("{s:s, s:O}", "prepared", command, "result", result));
    json_decref(result);
    free(command);
    return status;
}

/* Write the texts that the study contains, such as model files. */
static tri_status write_files(const runner *self)
{
    const char *name;
    json_t *text;
    json_object_foreach(json_object_get(self->study->document, "files"), name, text)
    {
        char *path = tri__path_join(self->data, name);
        tri_status status = NULL;
        if (!json_is_string(text) || strchr(name, '/'))
            status = tri__study_wrong(self->study, name, "files: expected names without / and the texts of files");
        else
            status =
                path ? tri__file_replace(path, json_string_value(text), json_string_length(text)) : tri_fail(TRI_NO_MEMORY, "no memory");
        free(path);
        TRI_TRY(status);
    }
    return NULL;
}

static tri_status prepare(runner *self)
{
    bool any = true;
    TRI_TRY(write_files(self));
    for (int i = 0; any && !was_stopped(self); i++) {
        tri__command_line line = TRI_COMMAND_LINE_INIT;
        tri__command_line_add(&line, self->request->program);
        tri_status status = tri__study_preparation(self->study, i, self->data, &line);
        if (!status)
            status = prepare_one(self, &line, &any);
        tri__command_line_fini(&line);
        TRI_TRY(status);
    }
    return NULL;
}

static tri_status make_folders(runner *self)
{
    self->data = tri__path_join(self->request->folder, "data");
    self->runs = tri__path_join(self->request->folder, "runs");
    if (!self->data || !self->runs)
        return tri_fail(TRI_NO_MEMORY, "no memory for paths");
    TRI_TRY(tri__folder_create(self->data));
    return tri__folder_create(self->runs);
}

/* Write the digests of the data to the journal, once. */
static tri_status note_data(runner *self)
{
    json_t *digests;
    if (was_stopped(self))
        return NULL;
    TRI_TRY(tri__study_data_digests(self->study, self->data, self->request->cache_folder, &digests));
    return tri__results_append(self->results, json_pack("{s:o}", "data", digests));
}

static void count(runner *self)
{
    self->all = (int64_t)self->study->cell_count * self->study->repeats;
    for (int cell = 0; cell < self->study->cell_count; cell++)
        for (int repeat = 1; repeat <= self->study->repeats; repeat++)
            self->done += tri__results_has(self->results, cell, repeat);
}

static tri_status run_study(runner *self)
{
    count(self);
    TRI_TRY(make_folders(self));
    if (self->done < self->all) {
        TRI_TRY(prepare(self));
        TRI_TRY(note_data(self));
        TRI_TRY(tri__study_cluster_up(self->results, &self->cluster));
        TRI_TRY(run_all(self));
    }
    TRI_TRY(tri__results_csv_write(self->results, self->request->folder));
    return was_stopped(self) ? tri_fail(TRI_STOPPED, "the study was stopped after %lld of %lld runs; the same command goes on with it",
                                        (long long)self->done, (long long)self->all)
                             : NULL;
}

tri_status tri__study_execute(const tri__study_run *run, tri__results **out)
{
    runner self = {.request = run, .study = run->study};
    json_t *about = json_pack("{s:s, s:o}", "version", run->version, "machine", tri__machine_json());
    *out = NULL;
    tri_status status =
        about ? tri__results_open(run->folder, run->study, about, run->fresh, out) : tri_fail(TRI_NO_MEMORY, "no memory for a study");
    json_decref(about);
    self.results = *out;
    if (!status)
        status = run_study(&self);
    status = tri__study_cluster_down(self.cluster, status);
    free(self.failures);
    free(self.data);
    free(self.runs);
    return status;
}
