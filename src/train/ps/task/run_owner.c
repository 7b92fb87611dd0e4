/* run_owner.c: the calls that the coordinator makes to the run. */
#include "train/ps/task/run_owner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/task.h"
#include "base/text/text.h"
#include "base/thread/clock.h"
#include "data/source/digest.h"
#include "graph/nodes/initialise.h"
#include "graph/store/store.h"
#include "train/checkpoint/checkpoint_read.h"
#include "train/checkpoint/checkpoint_restore.h"
#include "train/checkpoint/initial_weights.h"
#include "train/ps/settings/settings.h"
#include "train/ps/settings/tables.h"
#include "train/ps/task/hello.h"
#include "train/ps/task/pair_note.h"
#include "train/ps/task/reports.h"

#define REPORT_INTERVAL (100 * TRI_MILLISECOND)

/* ---- the job ---- */

/* The interval in steps; 0 where the clock decides, or it happens only at the end. */
static int64_t steps_of(const tri__run *run, const tri__every *every)
{
    return every->kind == TRI_EVERY_STEPS ? every->steps : every->kind == TRI_EVERY_EPOCH ? run->length.epoch : 0;
}

/* A step at which it is due. An epoch of a resumed run may end anywhere: the steps before may have been of another size. */
static int64_t step_of(const tri__run *run, const tri__every *every)
{
    return every->kind == TRI_EVERY_EPOCH ? run->length.epoch_step : 0;
}

static void describe_job(tri__run_owner *owner, tri__ps_job *job)
{
    const tri__run *run = owner->run;
    const tri__train_settings *settings = &run->settings;
    job->floats = tri_graph_parameter_floats(run->inputs.graph);
    job->rule = settings->rule;
    tri__hello_terms(&run->options, settings, job->terms, sizeof job->terms);
    bool passes = settings->epochs && !settings->steps_per_epoch &&
                  !settings->own_files; /* an epoch is a pass over the examples, whatever the size of a step */
    int64_t end = INT64_MAX;
    if (passes && __builtin_mul_overflow(settings->epochs, owner->source.examples, &end))
        end = INT64_MAX;
    job->work = (tri__work){
        .examples = owner->source.examples,
        .batch = settings->batch,
        .last_step = run->length.last_step && !passes ? run->length.last_step : INT64_MAX,
        .last_position = end,
    };
    job->own_files = settings->own_files;
    if (settings->own_files) /* each worker has its own epochs, and tokens never begin again */
        job->work.examples = TRI_FURTHEST;
    job->evaluate_every = steps_of(run, &settings->evaluate);
    job->evaluate_at = step_of(run, &settings->evaluate);
    job->checkpoint_every = steps_of(run, &settings->checkpoint);
    job->checkpoint_at = step_of(run, &settings->checkpoint);
    job->checkpoint_period = settings->checkpoint.kind == TRI_EVERY_SECONDS ? settings->checkpoint.seconds * TRI_SECOND : 0;
    job->whole_snapshots = settings->target.measure || settings->keep_best;
}

static void tell_job(const tri__run_owner *owner, const tri__ps_job *job)
{
    const tri__run *run = owner->run;
    const tri__ps_settings *ps = owner->ps;
    char floats[TRI_TEXT_SHORT], rate[TRI_RATE_TEXT], extras[TRI_EXTRAS_TEXT], end[TRI_END_TEXT], batch[TRI_BATCH_TEXT], bound[16] = "";
    if (ps->mode == TRI_PS_STALENESS)
        snprintf(bound, sizeof bound, " %d", ps->staleness);
    tri__run_tell_examples(run, &owner->source, owner->source.examples, NULL);
    tri__run_tell_rule(run);
    tri__log_line(run->journal.log, TRI_LOG_INFO, "%s, %s %s%d worker%s, %s%s, %s floats on %d server%s, rate %s%s, %s, seed %llu",
                  run->settings.rule.name, tri__run_batch_text(run, batch), ps->workers == 1 ? "for " : "each for ", ps->workers,
                  ps->workers == 1 ? "" : "s", tri__ps_mode_name(ps->mode), bound, tri__text_count(floats, (double)job->floats),
                  ps->servers, ps->servers == 1 ? "" : "s", tri__schedule_rate_text(&run->settings.schedule, rate),
                  tri__run_extras_text(run, extras), tri__run_end_text(run, end), (unsigned long long)run->settings.seed);
}

static tri_status settle(void *context, const json_t *hello, tri__ps_job *job)
{
    tri__run_owner *owner = context;
    tri__run *run = owner->run;
    owner->hello = json_deep_copy(owner->own ? owner->own : hello);
    TRI_TRY(tri__hello_read(owner->hello, &owner->source, &owner->names));
    owner->source.spec = run->options.data;
    const tri_model_input input = tri_model_input_of(&owner->source);
    TRI_TRY(tri_model_build(run->inputs.model, &input, run->settings.batch, &run->inputs.graph));
    if (run->settings.freeze)
        TRI_TRY(tri_wrap(tri_graph_freeze(run->inputs.graph, run->settings.freeze), "--freeze"));
    run->settings.rule.state = tri_graph_state_of(run->inputs.graph);
    TRI_TRY(tri_model_digest(run->inputs.model, run->inputs.graph, job->digest));
    const char *data = json_string_value(json_object_get(owner->hello, "data"));
    snprintf(job->data, sizeof job->data, "%s", data ? data : "");
    job->settled_by = owner->own ? -1 : (int)json_integer_value(json_object_get(hello, "task"));
    if (run->settings.own_files) /* an epoch is as long as if all workers had as many examples as the first */
        owner->source.examples *= owner->ps->workers;
    if (run->resumed) /* steps that were made may have been of another size */
        run->state = run->resumed->state;
    TRI_TRY(tri__run_settle_length(run, owner->source.examples, tri__ps_together(owner->ps)));
    TRI_TRY(tri__graph_growing_table_shapes(run->inputs.graph, &run->settings, owner->ps, &job->tables));
    owner->room_bytes = tri__graph_row_bytes(run->inputs.graph, &run->settings.rule) * owner->ps->servers * (job->tables.growth.most + 1);
    describe_job(owner, job);
    tell_job(owner, job);
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

/* The first process of ps:0 begins the job where the run stands. A process in its place learns where that was, or begins the job if the
 * first died too early for that. */
static tri_status find_beginning(tri__run_owner *owner)
{
    const char *folder = owner->run->journal.folder.path;
    const tri__run_state *state = &owner->run->state;
    tri_status status = owner->setup->recover ? tri__beginning_read(folder, &owner->began) : NULL;
    if (owner->setup->recover && tri_status_code(status) != TRI_NOT_FOUND)
        return status;
    tri_status_free(status);
    owner->began = (tri__beginning){state->step, state->examples, state->seconds};
    return tri__beginning_write(folder, &owner->began);
}

/* Books with another beginning belong to an earlier job of this run. */
static void drop_earlier_books(const tri__run_owner *owner, tri__standing *standing)
{
    const json_t *since = json_object_get(standing->books, "since");
    const int64_t step = tri__json_integer_of(since, "step", -1), examples = tri__json_integer_of(since, "examples", -1);
    if (step == owner->began.step && examples == owner->began.examples)
        return;
    json_decref(standing->books);
    standing->books = NULL;
}

static tri_status restore(tri__run_owner *owner, tri__checkpoint *checkpoint, tri_store *whole, tri__standing *standing)
{
    tri__run *run = owner->run;
    char digest[65];
    TRI_TRY(tri_model_digest(run->inputs.model, run->inputs.graph, digest));
    if (strcmp(digest, checkpoint->digest))
        return tri_fail(TRI_BAD_CALL, "%s is of a model with other shapes than the workers' data gives", checkpoint->path);
    TRI_TRY(tri__checkpoint_restore(checkpoint, run->inputs.graph, whole, true));
    pthread_mutex_lock(&owner->lock);
    run->state = checkpoint->state;
    run->state.loss_sum = 0; /* known only when all workers have made their last report (count_losses) */
    run->state.loss_count = 0;
    if (!owner->loaded) { /* the first load in this process: the run is resumed, or ps:0 was started again */
        run->since.seconds = run->state.seconds;
        run->since.total = run->state.total_seconds;
        run->since.step = run->state.step;
        if (!owner->setup->recover)
            tri__log_line(run->journal.log, TRI_LOG_INFO, "continuing %s at step %lld", run->journal.folder.path,
                          (long long)run->since.step);
        run->journal.epoch = tri__length_epochs(&run->length, run->since.step);
        tri__marks_add(run->journal.marks, TRI_MARK_RESTART, run->journal.leader, run->since.step, 0, "continues from a checkpoint");
    }
    pthread_mutex_unlock(&owner->lock);
    bool sync = owner->ps->mode == TRI_PS_SYNC;
    TRI_TRY(read_standing(checkpoint, standing));
    if (!owner->loaded)
        TRI_TRY(find_beginning(owner));
    drop_earlier_books(owner, standing);
    if (sync && standing->count) { /* a sync run has no outstanding positions: it goes on at the low-water mark */
        standing->position = standing->low;
        tri__standing_fini(&(tri__standing){.outstanding = standing->outstanding});
        standing->outstanding = NULL;
        standing->count = 0;
    }
    return NULL;
}

/* No thread changes `whole` during this call. */
static void note_tables(tri__run_owner *owner, tri_store *whole)
{
    pthread_mutex_lock(&owner->lock);
    owner->tables = tri__tables_count(whole);
    owner->grows = tri_store_grows(whole, &owner->growth);
    if (owner->grows)
        owner->tables.bytes = owner->room_bytes;
    pthread_mutex_unlock(&owner->lock);
}

/* Load the newest checkpoint of the run's folder. Where there is none yet, the parameters come from the model and the seed, or from
 * --init. */
static tri_status load_newest(tri__run_owner *owner, tri_store *whole, tri__standing *standing)
{
    tri__run *run = owner->run;
    tri__checkpoint *checkpoint;
    *standing = (tri__standing){0};
    tri_status status = tri__checkpoint_open(run->journal.folder.checkpoints, run->journal.log, &checkpoint);
    if (!status) {
        status = restore(owner, checkpoint, whole, standing);
        tri__checkpoint_close(checkpoint);
        owner->loaded = true;
        return status;
    }
    bool again = owner->loaded;
    owner->loaded = true;
    if (tri_status_code(status) != TRI_NOT_FOUND)
        return status;
    tri_status_free(status);
    if (!again)
        TRI_TRY(find_beginning(owner));
    tri_graph_initialise(run->inputs.graph, run->settings.seed, tri_store_parameters(whole));
    for (int slot = 0; slot < TRI_RULE_SLOTS; slot++)
        if (tri_store_slot(whole, slot) && again) /* at first a slot is all 0, and takes no memory until it is used */
            memset(tri_store_slot(whole, slot), 0, tri_store_floats(whole) * sizeof(float));
    tri_growth growth; /* where tables grow, no key has a row */
    for (int i = 0; again && !tri_store_grows(whole, &growth) && i < tri_store_tables(whole); i++) {
        const tri_table *table = tri_store_table(whole, i);
        memset(table->data, 0, (size_t)(table->rows * table->stride) * sizeof *table->data);
    }
    TRI_TRY(tri_graph_initialise_tables(run->inputs.graph, run->settings.seed, whole));
    if (run->options.init)
        TRI_TRY(tri__initial_weights_load(run->options.init, run->options.init_names, run->journal.log, &owner->source, run->inputs.graph,
                                          whole));
    tri_store_begin_averages(whole);
    return NULL;
}

static tri_status load(void *context, tri_store *whole, tri__standing *standing)
{
    tri__run_owner *owner = context;
    TRI_TRY(load_newest(owner, whole, standing));
    owner->whole = whole;
    note_tables(owner, whole);
    return NULL;
}

/* The books as a checkpoint keeps them: with the place where the job began. */
static json_t *add_beginning(const tri__run_owner *owner, json_t *books)
{
    json_t *kept = json_copy(books);
    json_object_set_new(kept, "since",
                        json_pack("{s:I, s:I, s:f}", "step", (json_int_t)owner->began.step, "examples", (json_int_t)owner->began.examples,
                                  "seconds", owner->began.seconds));
    return kept;
}

static tri_status save(void *context, tri_store *whole, const tri__standing *standing, bool best)
{
    tri__run_owner *owner = context;
    tri__run *run = owner->run;
    pthread_mutex_lock(&owner->lock);
    tri__run_state state = run->state;
    state.total_seconds = tri__run_total_seconds(run);
    pthread_mutex_unlock(&owner->lock);
    state.step = standing->step;
    state.position = standing->low;
    state.examples = owner->began.examples + tri__reports_sum(json_object_get(standing->books, "workers"), "examples");
    tri__standing begun = *standing;
    begun.books = add_beginning(owner, standing->books);
    tri__checkpoint_content content = tri__run_content(run, whole, &owner->source, &state);
    const int64_t started = tri__clock_now();
    content.standing = &begun;
    char *written = NULL;
    tri_status status = best ? tri__checkpoint_save_best(run->journal.folder.checkpoints, &content)
                             : tri__checkpoint_save(run->journal.folder.checkpoints, &content, run->settings.keep, &written);
    json_decref(begun.books);
    note_tables(owner, whole);
    if (status || best)
        return status;
    pthread_mutex_lock(&owner->lock);
    const bool again = run->saving.at == state.step; /* async: parts of the last step came to other servers after it was saved first */
    tri__saving_keep(&run->saving, written, state.step);
    pthread_mutex_unlock(&owner->lock);
    if (!again)
        tri__marks_add(run->journal.marks, TRI_MARK_CHECKPOINT, run->journal.leader, state.step,
                       tri__clock_seconds(tri__clock_now() - started), "written while training goes on");
    return NULL;
}

/* ---- evaluations ---- */

static unsigned evaluated(void *context, int64_t step, const json_t *evaluation)
{
    tri__run_owner *owner = context;
    tri__run *run = owner->run;
    pthread_mutex_lock(&owner->lock);
    run->evaluating.last = tri__measures_get(evaluation, "");
    run->evaluating.last.examples = json_integer_value(json_object_get(evaluation, "examples"));
    run->state.step = run->evaluating.at = step;
    run->evaluating.count++;
    pthread_mutex_unlock(&owner->lock);
    tri__run_tell_evaluation(run);
    const double seconds = tri__json_number_of(evaluation, "seconds");
    tri__run_mark_evaluation(run, TRI_ONE_EVALUATOR, seconds > 0 ? seconds : 0);
    const tri__run_ending before = run->ending; /* such as a signal: then the last state is the model, not this snapshot */
    pthread_mutex_lock(&owner->lock);
    bool keep = tri__run_check_goal(run);
    pthread_mutex_unlock(&owner->lock);
    if (!isfinite(run->evaluating.last.loss))
        run->ending = TRI_RUN_DIVERGED;
    return (keep ? TRI_PS_KEEP : 0) | (run->ending != before ? TRI_PS_ENOUGH : 0);
}

/* ---- what people see ---- */

/* A sync step has a batch of each worker. Where workers were lost or joined, epochs do not have as many steps as when the run began. */
static int64_t expected_steps(const tri__run_owner *owner, const tri__ps_status *status)
{
    const tri__train_settings *settings = &owner->run->settings;
    const bool by_passes = settings->epochs && !settings->steps_per_epoch && !settings->own_files;
    const bool changed = status->workers != owner->ps->workers || status->step > owner->run->length.last_step;
    if (!by_passes || owner->ps->mode != TRI_PS_SYNC || !changed || status->workers < 1)
        return owner->run->length.last_step;
    return tri__length_expected(settings->epochs, owner->source.examples, status->step,
                                owner->began.examples + tri__reports_sum(status->reports, "examples"), settings->batch * status->workers);
}

static void tell_progress(tri__run_owner *owner, const tri__ps_status *status)
{
    tri__run *run = owner->run;
    int64_t now = tri__clock_now();
    if (!run->request->progress || now - owner->told < REPORT_INTERVAL || status->seconds <= 0)
        return;
    owner->told = now;
    const bool waits = (owner->ps->mode == TRI_PS_SYNC && owner->ps->backup == 0) || status->holds_up;
    char label[160];
    snprintf(label, sizeof label, "%s%s%s", tri_model_name(run->inputs.model),
             !status->straggler ? ""
             : waits            ? " waits for "
                                : " without ",
             status->straggler ? status->straggler : "");
    tri__progress progress = tri__run_progress(run, status->step, status->seconds);
    progress.label = label;
    progress.steps = expected_steps(owner, status);
    progress.left = tri__progress_left(run->since.step, status->step, progress.steps, status->seconds);
    progress.workers = status->workers;
    progress.examples_per_second = tri__rate_update(&run->journal.speed, tri__reports_sum(status->reports, "examples"), now);
    progress.loss = tri__reports_mean(status->reports, "loss");
    tri__reports_phases(status->reports, progress.share);
    run->request->progress(run->request->context, &progress);
}

static void noticed(void *context, tri__ps_event event, const char *task, int64_t step, const char *note)
{
    static const tri__mark_kind kinds[] = {[TRI_PS_JOINED] = TRI_MARK_JOIN,
                                           [TRI_PS_LEFT] = TRI_MARK_DEATH,
                                           [TRI_PS_STRAGGLES] = TRI_MARK_STRAGGLER,
                                           [TRI_PS_BACK] = TRI_MARK_RESTART};
    const tri__run_owner *owner = context;
    tri__marks_add(owner->run->journal.marks, kinds[event], task, step, 0, "%s", note);
}

static void sampled(void *context, int worker, const char *samples)
{
    const tri__run_owner *owner = context;
    tri__journal_add_samples(&owner->run->journal, (tri__task){.role = TRI_ROLE_WORKER, .index = worker}, samples);
}

/* The time of earlier processes of ps:0 is part of the total. */
static void carry_seconds(tri__run_owner *owner, const tri__ps_status *status)
{
    owner->run->since.total += status->before - owner->carried;
    owner->carried = status->before;
}

static bool watch(void *context, const tri__ps_status *status)
{
    tri__run_owner *owner = context;
    tri__run *run = owner->run;
    double loss = tri__reports_mean(status->reports, "loss");
    pthread_mutex_lock(&owner->lock);
    carry_seconds(owner, status);
    run->state.seconds = run->since.seconds + status->seconds;
    if (!isnan(loss))
        run->state.recent = (tri__recent){.loss = {loss}, .count = 1}; /* each worker's loss is already a mean over its last steps */
    pthread_mutex_unlock(&owner->lock);
    atomic_store_explicit(&run->journal.work.step, status->step, memory_order_relaxed);
    tri__run_mark_epoch(run, status->step);
    tell_progress(owner, status);
    if (*run->request->stop && run->ending == TRI_RUN_GOING)
        run->ending = TRI_RUN_SIGNAL;
    return *run->request->stop;
}

/* ---- the summary ---- */

/* The losses of all examples, each before its own update. Reports come later than updates, so checkpoints cannot have them. A job that was
 * resumed, or whose reports were lost, does not know the losses of some examples: it has no mean over all. */
static void count_losses(tri__run_owner *owner, const json_t *reports, int64_t examples)
{
    const int64_t count = tri__reports_sum(reports, "loss_count");
    const bool all_known = count + tri__reports_sum(reports, "damaged") >= examples;
    pthread_mutex_lock(&owner->lock);
    owner->run->state.loss_sum = all_known ? tri__reports_total(reports, "loss_sum") : 0;
    owner->run->state.loss_count = all_known ? count : 0;
    pthread_mutex_unlock(&owner->lock);
}

static tri_status summarise(tri__run_owner *owner, const tri__ps_status *status, tri__run_result *out)
{
    const tri__run *run = owner->run;
    const json_t *reports = status->reports;
    tri__worker_summary *workers = calloc(json_array_size(reports) + 1, sizeof *workers);
    if (!workers)
        return tri_fail(TRI_NO_MEMORY, "no memory for the summary");
    tri__reports_workers(reports, workers);
    int count = (int)json_array_size(reports);
    int64_t now = tri__reports_sum(reports, "examples"), examples = owner->began.examples + now;
    count_losses(owner, reports, examples);
    double seconds = run->since.seconds + status->seconds, threads = tri__reports_mean(reports, "threads");
    tri__summary summary = {
        .mode = tri__ps_mode_name(owner->ps->mode),
        .workers = count,
        .servers = owner->ps->servers,
        .threads = isnan(threads) ? 0 : (int)threads,
        .steps = status->step,
        .examples = examples,
        .since_step = owner->began.step,
        .examples_before = owner->began.examples,
        .epochs = owner->source.examples ? (double)examples / (double)owner->source.examples : NAN,
        .seconds = seconds,
        .examples_per_second = seconds > owner->began.seconds ? (double)now / (seconds - owner->began.seconds) : NAN,
        .train_loss = tri__reports_mean(reports, "loss"),
        .damaged = tri__reports_sum(reports, "damaged"),
        .peak_rss_mb = fmax(tri__peak_rss_mb(), tri__reports_most(reports, "peak_rss_mb")),
        .bytes_sent = tri__reports_sum(reports, "bytes_sent"),
        .bytes_received = tri__reports_sum(reports, "bytes_received"),
        .dropped_stale = status->dropped,
        .re_leased = status->re_leased,
        .lost_updates = status->lost,
        .worker_stats = workers,
        .table_rows = owner->tables.rows,
        .table_bytes = owner->tables.bytes,
        .tables_grow = owner->grows,
        .left_rare = owner->growth.left_rare,
        .left_full = owner->growth.left_full,
    };
    tri__reports_phases(reports, summary.phases);
    char late[TRI_TASK_SIZE];
    tri__task_name((tri__task){TRI_ROLE_WORKER, status->late.task}, late);
    const tri__effort effort = {
        .seconds = status->seconds,
        .threads = summary.threads,
        .cpu_percent = tri__reports_mean(reports, "cpu_percent"),
        .decoding = tri__reports_mean(reports, "decoding"),
        .all_threads = summary.threads * count,
        .late = {.task = status->late.task >= 0 && status->seconds > 0 ? late : NULL,
                 .share = status->late.seconds / status->seconds,
                 .of_all = status->late.seconds / status->late.all},
        .tokens = tri__reports_mean(reports, "tokens"),
    };
    tri_status failed = tri__run_conclude(run, &summary, &effort, out);
    free(workers);
    return failed;
}

/* A run that diverged has a summary, but it also fails: tri__run_owner_end returns that failure, so `concluded` is not called. */
static tri_status conclude(void *context, const tri__ps_status *status)
{
    tri__run_owner *owner = context;
    const tri__run_request *request = owner->run->request;
    carry_seconds(owner, status);
    if (owner->whole)
        note_tables(owner, owner->whole);
    owner->concluded = true;
    TRI_TRY(summarise(owner, status, owner->out));
    return request->concluded && owner->run->ending != TRI_RUN_DIVERGED ? request->concluded(request->context, owner->out) : NULL;
}

/* ---- from beginning to end ---- */

/* Describe the examples of ps:0. They define the job: a worker with other examples is refused, even if it comes first. With --shard files,
 * workers have different examples anyway. */
static tri_status describe_own(tri__run_owner *owner)
{
    tri__run *run = owner->run;
    char data[TRI_DATA_DIGEST_SIZE];
    TRI_TRY(tri__run_open_examples(run));
    const tri_source_info *info = tri_source_describe(run->inputs.source);
    int64_t limit = run->settings.limit;
    TRI_TRY(tri__source_digest(run->inputs.source, data));
    owner->own = tri__hello_json(info, limit && limit < info->examples ? limit : info->examples, run->settings.batch, "", data, "");
    return owner->own ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for what ps:0 trains");
}

/* The host of a server need not have the data. */
void tri__run_owner_look_at_data(tri__run_owner *owner)
{
    tri__run *run = owner->run;
    if (run->settings.own_files)
        return;
    tri_status status = describe_own(owner);
    if (status)
        tri__log_line(run->journal.log, TRI_LOG_INFO, "ps:0 does not know the data, and the first worker says what is trained: %s",
                      tri_status_message(status));
    tri_status_free(status);
    tri_source_destroy(run->inputs.source);
    run->inputs.source = NULL;
}

static tri_status note(void *context, uint32_t pair)
{
    const tri__run_owner *owner = context;
    return tri__pair_note_write(owner->run->journal.folder.path, pair);
}

static uint32_t noted(void *context)
{
    const tri__run_owner *owner = context;
    return tri__pair_note_read(owner->run->journal.folder.path);
}

static void give_up(void *context, const char *why)
{
    const tri__run_request *request = ((const tri__run_owner *)context)->run->request;
    if (request->give_up)
        request->give_up(request->context, why);
}

const tri__ps_owner tri__run_owner_calls = {
    .settle = settle,
    .load = load,
    .save = save,
    .evaluated = evaluated,
    .watch = watch,
    .noticed = noticed,
    .sampled = sampled,
    .conclude = conclude,
    .give_up = give_up,
    .note = note,
    .noted = noted,
};

void tri__run_owner_init(tri__run_owner *owner, tri__run *run, const tri__task_setup *setup, const tri__ps_settings *ps,
                         tri__run_result *out)
{
    *owner = (tri__run_owner){.run = run, .setup = setup, .ps = ps, .out = out};
    pthread_mutex_init(&owner->lock, NULL);
}

void tri__run_owner_fini(tri__run_owner *owner)
{
    json_decref(owner->hello);
    json_decref(owner->own);
    free(owner->names);
    pthread_mutex_destroy(&owner->lock);
}

tri_status tri__run_owner_end(tri__run_owner *owner, tri_status why, const tri__ps_status *status)
{
    tri__run *run = owner->run;
    if (!run->inputs.graph)
        return why;
    if (why && run->ending == TRI_RUN_GOING)
        run->ending = tri_status_code(why) == TRI_DIVERGED ? TRI_RUN_DIVERGED : TRI_RUN_ERROR;
    if (!why && run->ending == TRI_RUN_DIVERGED)
        why = tri__run_diverged(run, "the test loss is not a number");
    tri_status summary = owner->concluded ? NULL : summarise(owner, status, owner->out);
    if (!why)
        return summary;
    tri_status_free(summary);
    return why;
}
