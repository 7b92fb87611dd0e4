/* server_task.c: the servers of a job. ps:0 owns the run: it makes the folder, writes checkpoints, checks evaluations against the goal and
 * writes the summary. The other servers only hold their stretch.
 *
 * The coordinator (store/ps) calls the functions below from its loop, except save, which runs in another thread. A lock guards the state of
 * the run, which both use. */
#include "train/ps/server_task.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread/clock.h"
#include "data/source/digest.h"
#include "store/ps/coordinator/coordinator_role.h"
#include "store/ps/server/server.h"
#include "store/ps/stretch/stretch.h"
#include "train/checkpoint/checkpoint_read.h"
#include "train/checkpoint/checkpoint_restore.h"
#include "train/ps/hello.h"
#include "train/ps/reports.h"
#include "train/ps/second_server.h"
#include "train/ps/settings.h"
#include "train/ps/tables.h"
#include "train/run/summarise.h"
#include "watch/progress/text.h"

#define REPORT_INTERVAL INT64_C(100000000)

typedef struct {
    tri__run *run;
    const tri__task_setup *setup;
    const tri__ps_settings *ps;
    json_t *own;   /* what a worker with the data of ps:0 would say; NULL: it has none */
    json_t *hello; /* … and what the job is settled by: that, or the hello of the first worker */
    tri_source_info source;
    const char **names;
    pthread_mutex_t lock; /* guards run->state and run->saving */
    int64_t told;         /* when progress was */
    bool loaded;          /* the parameters, at least once */
    struct {
        int64_t step, examples;
        double seconds;
    } began;               /* where the job did, by whichever process of ps:0; a resumed run has done so much before */
    tri__ps_status status; /* the last one */
    tri__run_result *out;
    bool concluded; /* the job came to its end, and out has the result */
    tri__tables_size tables;
} serve;

/* ---- the job ---- */

/* In steps; 0 where it goes by the clock, or is at the end only. */
static int64_t steps_of(const tri__run *run, const tri__every *every)
{
    return every->kind == TRI_EVERY_STEPS ? every->steps : every->kind == TRI_EVERY_EPOCH ? run->length.epoch : 0;
}

static void describe_job(serve *s, tri__ps_job *job)
{
    const tri__run *run = s->run;
    const tri__train_settings *settings = &run->settings;
    job->floats = tri_graph_parameter_floats(run->inputs.graph);
    job->tables = tri__graph_table_shapes(run->inputs.graph);
    job->rule = settings->rule;
    tri__hello_terms(&run->options, settings, job->terms, sizeof job->terms);
    bool passes = settings->epochs && !settings->steps_per_epoch &&
                  !settings->own_files; /* epochs are passes over the examples, whatever a step is */
    int64_t end = INT64_MAX;
    if (passes && __builtin_mul_overflow(settings->epochs, s->source.examples, &end))
        end = INT64_MAX;
    job->work = (tri__work){
        .examples = s->source.examples,
        .batch = settings->batch,
        .last_step = run->length.last_step && !passes ? run->length.last_step : INT64_MAX,
        .last_position = end,
    };
    job->own_files = settings->own_files;
    if (settings->own_files) /* each worker has epochs of its own; tokens count on */
        job->work.examples = TRI_FURTHEST;
    job->evaluate_every = steps_of(run, &settings->evaluate);
    job->checkpoint_every = steps_of(run, &settings->checkpoint);
    job->checkpoint_period = settings->checkpoint.kind == TRI_EVERY_SECONDS ? settings->checkpoint.seconds * INT64_C(1000000000) : 0;
    job->whole_snapshots = settings->target.kind != TRI_TARGET_NONE || settings->keep_best;
}

static void tell_job(const serve *s, const tri__ps_job *job)
{
    const tri__run *run = s->run;
    const tri__ps_settings *ps = s->ps;
    char floats[TRI_TEXT_SHORT], bound[16] = "";
    if (ps->mode == TRI_PS_STALENESS)
        snprintf(bound, sizeof bound, " %d", ps->staleness);
    tri__log_line(run->journal.log, TRI_LOG_INFO, "%s, %s floats on %d server%s, %s%s, %d worker%s of batch %lld, %s rate %g, seed %llu",
                  tri_model_name(run->inputs.model), tri__text_count(floats, (double)job->floats), ps->servers, ps->servers == 1 ? "" : "s",
                  tri__ps_mode_name(ps->mode), bound, ps->workers, ps->workers == 1 ? "" : "s", (long long)run->settings.batch,
                  run->settings.rule.name, run->settings.schedule.rate, (unsigned long long)run->settings.seed);
}

static tri_status settle(void *context, const json_t *hello, tri__ps_job *job)
{
    serve *s = context;
    tri__run *run = s->run;
    s->hello = json_deep_copy(s->own ? s->own : hello);
    TRI_TRY(tri__hello_read(s->hello, &s->source, &s->names));
    s->source.spec = run->options.data;
    const tri_model_input input = {.type = s->source.type, .shape = s->source.shape, .classes = s->source.classes};
    TRI_TRY(tri_model_build(run->inputs.model, &input, run->settings.batch, &run->inputs.graph));
    TRI_TRY(tri_model_digest(run->inputs.model, run->inputs.graph, job->digest));
    const char *data = json_string_value(json_object_get(s->hello, "data"));
    snprintf(job->data, sizeof job->data, "%s", data ? data : "");
    job->settled_by = s->own ? -1 : (int)json_integer_value(json_object_get(hello, "task"));
    if (run->settings.own_files) /* an epoch is as long as if all workers had as many examples as the first */
        s->source.examples *= s->ps->workers;
    TRI_TRY(tri__run_settle_length(run, s->source.examples, tri__ps_together(s->ps)));
    describe_job(s, job);
    tell_job(s, job);
    if (run->journal.events) {
        tri__run_tell_options(run);
        tri__events_graph(run->journal.events, run->inputs.graph);
    }
    return NULL;
}

/* ---- checkpoints ---- */

static tri_status read_standing(const tri__checkpoint *checkpoint, tri__standing *out)
{
    const json_t *state = json_object_get(checkpoint->about, "state"), *open = json_object_get(state, "outstanding");
    *out = (tri__standing){.step = checkpoint->state.step, .position = checkpoint->state.position, .low = checkpoint->state.position};
    out->books = json_incref(json_object_get(state, "books"));
    if (!json_is_array(open) || json_array_size(open) == 0)
        return NULL;
    out->position = json_integer_value(json_object_get(state, "reached"));
    out->outstanding = calloc(json_array_size(open), sizeof *out->outstanding);
    if (!out->outstanding)
        return tri_fail(TRI_NO_MEMORY, "no memory for what a checkpoint has outstanding");
    for (size_t i = 0; i < json_array_size(open); i++)
        out->outstanding[out->count++] = json_integer_value(json_array_get(open, i));
    return NULL;
}

/* The job begins where the first process of ps:0 did, and books that began elsewhere are those of another job of this run. */
static void settle_beginning(serve *s, tri__standing *standing)
{
    const json_t *since = json_object_get(standing->books, "since");
    const tri__run_state *state = &s->run->state;
    int64_t step = tri__json_integer_of(since, "step", -1), examples = tri__json_integer_of(since, "examples", -1);
    double seconds = tri__json_number_of(since, "seconds");
    bool known = step >= 0 && examples >= 0 && seconds >= 0;
    if (!s->loaded) {
        s->began.step = s->setup->recover && known ? step : state->step;
        s->began.examples = s->setup->recover && known ? examples : state->examples;
        s->began.seconds = s->setup->recover && known ? seconds : state->seconds;
    }
    if (known && step == s->began.step && examples == s->began.examples)
        return;
    json_decref(standing->books);
    standing->books = NULL;
}

static tri_status restore(serve *s, tri__checkpoint *checkpoint, tri_store *whole, tri__standing *standing)
{
    tri__run *run = s->run;
    char digest[65];
    TRI_TRY(tri_model_digest(run->inputs.model, run->inputs.graph, digest));
    if (strcmp(digest, checkpoint->digest))
        return tri_fail(TRI_BAD_CALL, "%s is of a model with other shapes than the workers' data gives", checkpoint->path);
    TRI_TRY(tri__checkpoint_restore(checkpoint, run->inputs.graph, whole, true));
    pthread_mutex_lock(&s->lock);
    run->state = checkpoint->state;
    if (!s->loaded) { /* the first load in this process: the run is resumed, or ps:0 was started again */
        run->since.seconds = run->state.seconds;
        run->since.total = run->state.total_seconds;
        run->since.step = run->state.step;
    }
    pthread_mutex_unlock(&s->lock);
    bool sync = s->ps->mode == TRI_PS_SYNC;
    TRI_TRY(read_standing(checkpoint, standing));
    settle_beginning(s, standing);
    if (sync && standing->count) { /* a sync run has nothing outstanding: it goes on at the low-water mark */
        standing->position = standing->low;
        tri__standing_fini(&(tri__standing){.outstanding = standing->outstanding});
        standing->outstanding = NULL;
        standing->count = 0;
    }
    return NULL;
}

/* The newest checkpoint of the run's folder; where there is none yet, what the model and the seed say, or --init. */
static tri_status load(void *context, tri_store *whole, tri__standing *standing)
{
    serve *s = context;
    tri__run *run = s->run;
    tri__checkpoint *checkpoint;
    *standing = (tri__standing){0};
    s->tables = tri__tables_count(whole);
    tri_status status = tri__checkpoint_open(run->journal.folder.checkpoints, run->journal.log, &checkpoint);
    if (!status) {
        status = restore(s, checkpoint, whole, standing);
        tri__checkpoint_close(checkpoint);
        s->loaded = true;
        return status;
    }
    bool again = s->loaded;
    s->loaded = true;
    if (tri_status_code(status) != TRI_NOT_FOUND)
        return status;
    tri_status_free(status);
    tri_graph_initialise(run->inputs.graph, run->settings.seed, tri_store_parameters(whole));
    for (int slot = 0; slot < TRI_RULE_SLOTS; slot++)
        if (tri_store_slot(whole, slot) && again) /* at first a slot is all 0, and takes no memory until it is used */
            memset(tri_store_slot(whole, slot), 0, tri_store_floats(whole) * sizeof(float));
    for (int i = 0; again && i < tri_store_tables(whole); i++) {
        const tri_table *table = tri_store_table(whole, i);
        memset(table->data, 0, (size_t)(table->rows * table->stride) * sizeof *table->data);
    }
    TRI_TRY(tri_graph_initialise_tables(run->inputs.graph, run->settings.seed, whole));
    return run->options.init ? tri__checkpoint_initialise(run->options.init, run->journal.log, run->inputs.graph, whole) : NULL;
}

/* The books as they are kept: with where the job began. */
static json_t *add_beginning(const serve *s, json_t *books)
{
    json_t *kept = json_copy(books);
    json_object_set_new(kept, "since",
                        json_pack("{s:I, s:I, s:f}", "step", (json_int_t)s->began.step, "examples", (json_int_t)s->began.examples,
                                  "seconds", s->began.seconds));
    return kept;
}

static tri_status save(void *context, tri_store *whole, const tri__standing *standing, bool best)
{
    serve *s = context;
    tri__run *run = s->run;
    pthread_mutex_lock(&s->lock);
    tri__run_state state = run->state;
    pthread_mutex_unlock(&s->lock);
    state.step = standing->step;
    state.position = standing->low;
    state.examples = s->began.examples + tri__reports_sum(json_object_get(standing->books, "workers"), "examples");
    state.total_seconds = tri__run_total_seconds(run);
    tri__standing begun = *standing;
    begun.books = add_beginning(s, standing->books);
    tri__checkpoint_content content = tri__run_content(run, whole, &s->source, &state);
    content.standing = &begun;
    char *written = NULL;
    tri_status status = best ? tri__checkpoint_save_best(run->journal.folder.checkpoints, &content)
                             : tri__checkpoint_save(run->journal.folder.checkpoints, &content, run->settings.keep, &written);
    json_decref(begun.books);
    if (status || best)
        return status;
    pthread_mutex_lock(&s->lock);
    tri__saving_keep(&run->saving, written, state.step);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- evaluations ---- */

static unsigned evaluated(void *context, int64_t step, const json_t *evaluation)
{
    serve *s = context;
    tri__run *run = s->run;
    pthread_mutex_lock(&s->lock);
    run->evaluating.last = (tri__evaluation){
        .examples = json_integer_value(json_object_get(evaluation, "examples")),
        .loss = tri__json_number_of(evaluation, "loss"),
        .accuracy = tri__json_number_of(evaluation, "accuracy"),
        .auc = tri__json_number_of(evaluation, "auc"),
        .logloss = tri__json_number_of(evaluation, "logloss"),
        .calibration = tri__json_number_of(evaluation, "calibration"),
    };
    run->state.step = run->evaluating.at = step;
    run->evaluating.count++;
    pthread_mutex_unlock(&s->lock);
    tri__run_tell_evaluation(run);
    const tri__run_ending before = run->ending; /* such as a signal; then the last state is the model, not this snapshot */
    pthread_mutex_lock(&s->lock);
    bool keep = tri__run_check_goal(run);
    pthread_mutex_unlock(&s->lock);
    if (!isfinite(run->evaluating.last.loss))
        run->ending = TRI_RUN_DIVERGED;
    return (keep ? TRI_PS_KEEP : 0) | (run->ending != before ? TRI_PS_ENOUGH : 0);
}

/* ---- what people see ---- */

static void tell_progress(serve *s, const tri__ps_status *status)
{
    tri__run *run = s->run;
    int64_t now = tri__clock_now();
    if (!run->request->progress || now - s->told < REPORT_INTERVAL || status->seconds <= 0)
        return;
    s->told = now;
    bool waits = s->ps->mode == TRI_PS_SYNC && s->ps->backup == 0;
    char label[160];
    snprintf(label, sizeof label, "%s%s%s", tri_model_name(run->inputs.model),
             !status->straggler ? ""
             : waits            ? " waits for "
                                : " without ",
             status->straggler ? status->straggler : "");
    tri__progress progress = tri__run_progress(run, status->step, status->seconds);
    progress.label = label;
    progress.workers = status->workers;
    progress.examples_per_second = tri__rate_update(&run->journal.speed, tri__reports_sum(status->reports, "examples"), now);
    progress.loss = tri__reports_mean(status->reports, "loss");
    tri__reports_phases(status->reports, progress.share);
    run->request->progress(run->request->context, &progress);
}

static bool watch(void *context, const tri__ps_status *status)
{
    serve *s = context;
    tri__run *run = s->run;
    double loss = tri__reports_mean(status->reports, "loss");
    pthread_mutex_lock(&s->lock);
    run->state.seconds = run->since.seconds + status->seconds;
    if (!isnan(loss))
        run->state.recent = (tri__recent){.loss = {loss}, .count = 1}; /* the workers' means are of their last steps already */
    pthread_mutex_unlock(&s->lock);
    atomic_store_explicit(&run->journal.work.step, status->step, memory_order_relaxed);
    tell_progress(s, status);
    if (*run->request->stop && run->ending == TRI_RUN_GOING)
        run->ending = TRI_RUN_SIGNAL;
    return *run->request->stop;
}

/* ---- the summary ---- */

static tri_status summarise(const serve *s, const tri__ps_status *status, tri__run_result *out)
{
    const tri__run *run = s->run;
    const json_t *reports = status->reports;
    tri__worker_summary *workers = calloc(json_array_size(reports) + 1, sizeof *workers);
    if (!workers)
        return tri_fail(TRI_NO_MEMORY, "no memory for the summary");
    tri__reports_workers(reports, workers);
    int count = (int)json_array_size(reports);
    int64_t now = tri__reports_sum(reports, "examples"), examples = s->began.examples + now;
    double seconds = run->since.seconds + status->seconds, threads = tri__reports_mean(reports, "threads");
    tri__summary summary = {
        .mode = tri__ps_mode_name(s->ps->mode),
        .workers = count,
        .servers = s->ps->servers,
        .threads = isnan(threads) ? 0 : (int)threads,
        .steps = status->step,
        .examples = examples,
        .epochs = s->source.examples ? (double)examples / (double)s->source.examples : NAN,
        .seconds = seconds,
        .examples_per_second = seconds > s->began.seconds ? (double)now / (seconds - s->began.seconds) : NAN,
        .train_loss = tri__reports_mean(reports, "loss"),
        .damaged = tri__reports_sum(reports, "damaged"),
        .peak_rss_mb = fmax(tri__peak_rss_mb(), tri__reports_most(reports, "peak_rss_mb")),
        .bytes_sent = tri__reports_sum(reports, "bytes_sent"),
        .bytes_received = tri__reports_sum(reports, "bytes_received"),
        .dropped_stale = status->dropped,
        .re_leased = status->re_leased,
        .lost_updates = status->lost,
        .worker_stats = workers,
        .table_rows = s->tables.rows,
        .table_bytes = s->tables.bytes,
    };
    tri__reports_phases(reports, summary.phases);
    const tri__effort effort = {
        .seconds = status->seconds,
        .threads = summary.threads,
        .cpu_percent = tri__reports_mean(reports, "cpu_percent"),
        .decoding = tri__reports_mean(reports, "decoding"),
    };
    tri_status failed = tri__run_conclude(run, &summary, &effort, out);
    free(workers);
    return failed;
}

/* A run that diverged has a summary, and fails: that is told at its end. */
static tri_status conclude(void *context, const tri__ps_status *status)
{
    serve *s = context;
    const tri__run_request *request = s->run->request;
    s->concluded = true;
    TRI_TRY(summarise(s, status, s->out));
    return request->concluded && s->run->ending != TRI_RUN_DIVERGED ? request->concluded(request->context, s->out) : NULL;
}

/* ---- from beginning to end ---- */

static tri_status listen_here(const tri__run *run, const tri__task_setup *setup, int *fd)
{
    const tri__address *address = &setup->cluster->server[setup->task.index];
    uint16_t port;
    *fd = setup->listen_fd;
    if (*fd >= 0)
        return NULL;
    TRI_TRY(tri_wrap(tri__address_listen(address, fd, &port), "ps:%d", setup->task.index));
    tri__log_line(run->journal.log, TRI_LOG_INFO, "ps:%d listens on %s:%u", setup->task.index, address->host, port);
    return NULL;
}

/* What the examples of ps:0 are. They define the job, so that a worker with others is refused, also where it comes first. With files of
 * their own, workers have other examples anyway. */
static tri_status describe_own(serve *s)
{
    tri__run *run = s->run;
    char data[TRI_DATA_DIGEST_SIZE];
    TRI_TRY(tri__run_open_examples(run));
    const tri_source_info *info = tri_source_describe(run->inputs.source);
    int64_t limit = run->settings.limit;
    TRI_TRY(tri__source_digest(run->inputs.source, data));
    s->own = tri__hello_json(info, limit && limit < info->examples ? limit : info->examples, run->settings.batch, "", data, "");
    return s->own ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for what ps:0 trains");
}

/* A host of servers need not have the data. */
static void look_at_data(serve *s)
{
    tri__run *run = s->run;
    if (run->settings.own_files || s->setup->task.index != 0)
        return;
    tri_status status = describe_own(s);
    if (status)
        tri__log_line(run->journal.log, TRI_LOG_INFO, "ps:0 does not know the data, and the first worker says what is trained: %s",
                      tri_status_message(status));
    tri_status_free(status);
    tri_source_destroy(run->inputs.source);
    run->inputs.source = NULL;
}

static const tri__ps_owner owner = {
    .settle = settle, .load = load, .save = save, .evaluated = evaluated, .watch = watch, .conclude = conclude};

/* "1,3" are the workers 1 and 3. */
static tri_status read_ended(const char *text, bool ended[TRI_MOST_TASKS])
{
    const char *at = text;
    while (at && *at) {
        char *end;
        long task = strtol(at, &end, 10);
        if (end == at || task < 0 || task >= TRI_MOST_TASKS || (*end && *end != ','))
            return tri_fail(TRI_BAD_CALL, "--ended %s: numbers of workers, as 1,3", text);
        ended[task] = true;
        at = *end ? end + 1 : end;
    }
    return NULL;
}

static tri_status run_server(serve *s)
{
    bool ended[TRI_MOST_TASKS] = {false};
    const tri__task_setup *setup = s->setup;
    bool first = setup->task.index == 0;
    tri__server_options options = {
        .index = setup->task.index,
        .settings = *s->ps,
        .tls = setup->tls,
        .servers = setup->cluster->server,
        .recovers = setup->recover,
        .ended = ended,
        .coordinator = first ? NULL : &setup->cluster->server[0],
        .role = first ? &tri__coordinator_role : NULL,
        .owner = first ? &owner : NULL,
        .context = s,
        .log = s->run->journal.log,
        .stop = s->run->request->stop,
        .unevaluated = setup->unevaluated,
    };
    TRI_TRY(read_ended(setup->ended, ended));
    TRI_TRY(listen_here(s->run, setup, &options.listen_fd));
    look_at_data(s);
    tri__second_server second;
    TRI_TRY(tri__second_server_start(&second, setup, s->ps, options.log));
    tri_status status = tri__server_run(&options, first ? &s->status : NULL);
    tri__second_server_end(&second);
    return status;
}

tri_status tri__server_task_run(tri__run *run, const tri__task_setup *setup, const tri__ps_settings *ps, tri__run_result *out)
{
    serve s = {.run = run, .setup = setup, .ps = ps, .status = {.reports = NULL}, .out = out};
    pthread_mutex_init(&s.lock, NULL);
    tri_status status = run_server(&s);
    if (setup->task.index == 0 && run->inputs.graph) {
        if (status && run->ending == TRI_RUN_GOING)
            run->ending = tri_status_code(status) == TRI_DIVERGED ? TRI_RUN_DIVERGED : TRI_RUN_ERROR;
        if (!status && run->ending == TRI_RUN_DIVERGED)
            status = tri__run_diverged(run, "the test loss is not a number");
        tri_status summary = s.concluded ? NULL : summarise(&s, &s.status, out);
        if (status)
            tri_status_free(summary);
        else
            status = summary;
    }
    json_decref(s.status.reports);
    json_decref(s.hello);
    json_decref(s.own);
    free(s.names);
    pthread_mutex_destroy(&s.lock);
    return status;
}
