/* run_report.c: what a run tells while it goes and when it has ended: lines, curves, progress, the summary. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "data/batch/dataset.h"
#include "train/cluster/cluster.h"
#include "train/run/peers.h"
#include "train/run/summarise.h"
#include "watch/text.h"

#define FLUSH_INTERVAL   INT64_C(2000000000)
#define TOLD_EVALUATIONS 20 /* lines on the screen, evenly spread over the run */

double tri__run_seconds(const tri__run *run)
{
    return run->seconds_before + tri__clock_seconds(tri__phases_total(&run->trainer.phases));
}

/* Curves are worth having, but no run ends for want of them. */
static void flush_events(tri__run *run)
{
    tri_status status = run->events ? tri__events_flush(run->events) : NULL;
    if (!status)
        return;
    tri__log_line(run->log, TRI_LOG_WARNING, "no more event files: %s", tri_status_message(status));
    tri_status_free(status);
    tri_status_free(tri__events_close(run->events));
    run->events = NULL;
}

/* The request and what came of it, as a table for TensorBoard's text page. */
static void tell_options(tri__run *run)
{
    json_t *options = tri__train_options_json(&run->options);
    char buffer[4096];
    tri__text text;
    tri__text_init(&text, buffer, sizeof buffer);
    tri__text_add(&text, "| option | value |\n|---|---|\n");
    tri__text_add(&text, "| rule | %s |\n| rate | %g |\n| batch | %lld |\n| threads | %d |\n", run->settings.rule.name,
                  run->settings.schedule.rate, (long long)run->settings.batch, run->settings.threads);
    const char *name;
    json_t *value;
    json_object_foreach(options, name, value)
    {
        if (!strcmp(name, "rule") || !strcmp(name, "rate") || !strcmp(name, "batch") || !strcmp(name, "threads"))
            continue;
        char *shown = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
        tri__text_add(&text, "| %s | %s |\n", name, shown ? shown : "");
        free(shown);
    }
    json_decref(options);
    tri__events_text(run->events, "options", run->state.step, buffer);
}

static int64_t count_parameters(const tri_graph *graph)
{
    int64_t count = 0;
    for (int i = 0; i < tri_graph_count(graph); i++)
        if (tri_node_range(tri_graph_node(graph, i)).count)
            count += tri_shape_count(tri_node_shape(tri_graph_node(graph, i)));
    return count;
}

static void tell_what(tri__run *run)
{
    const tri_source_info *source = tri_source_describe(run->source);
    char parameters[TRI_TEXT_SHORT], examples[TRI_TEXT_SHORT], tests[TRI_TEXT_SHORT] = "no", shape[64];
    if (run->test)
        tri__text_count(tests, (double)tri_source_describe(run->test)->examples);
    tri__log_line(run->log, TRI_LOG_INFO, "%s, %s parameters, on %s: %s examples of %s in %lld classes, %s to test",
                  tri_model_name(run->model), tri__text_count(parameters, (double)count_parameters(run->graph)), run->options.data,
                  tri__text_count(examples, (double)tri_dataset_examples(run->trainer.dataset)),
                  tri_shape_text(source->shape, shape, sizeof shape), (long long)source->classes, tests);
}

static void tell_how(tri__run *run)
{
    const tri__train_settings *settings = &run->settings;
    char end[96], share[48] = "", steps[TRI_TEXT_SHORT];
    tri__text_count(steps, (double)run->last_step);
    if (settings->epochs)
        snprintf(end, sizeof end, "%lld epoch%s of %lld steps", (long long)settings->epochs, settings->epochs == 1 ? "" : "s",
                 (long long)run->steps_per_epoch);
    else if (settings->steps)
        snprintf(end, sizeof end, "%s steps", steps);
    else if (run->last_step)
        snprintf(end, sizeof end, "until %.40s, at most %s steps", run->options.until, steps);
    else
        snprintf(end, sizeof end, "until %.40s or Ctrl-C", run->options.until);
    if (run->peers)
        snprintf(share, sizeof share, " each for %d %s", run->peers->workers, run->peers->kind->workers);
    tri__log_line(run->log, TRI_LOG_INFO, "%s, batch %lld%s, rate %g, %s, %d thread%s, seed %llu", settings->rule.name,
                  (long long)settings->batch, share, settings->schedule.rate, end, settings->threads, settings->threads == 1 ? "" : "s",
                  (unsigned long long)settings->seed);
}

void tri__run_tell_start(tri__run *run)
{
    if (run->first_step)
        tri__log_line(run->log, TRI_LOG_INFO, "going on with %s at step %lld", run->folder.path, (long long)run->first_step);
    tell_what(run);
    tell_how(run);
    if (!run->events)
        return;
    if (run->first_step)
        tri__events_restart(run->events, run->first_step + 1);
    tell_options(run);
    tri__events_graph(run->events, run->graph);
    flush_events(run);
}

void tri__run_tell_note(tri__run *run, tri_dataset *dataset)
{
    char *note = tri__dataset_note(dataset);
    if (note)
        tri__log_line(run->log, TRI_LOG_WARNING, "%s", note);
    free(note);
}

void tri__run_count_loss(tri__run *run, double loss)
{
    tri__recent_add(&run->state.recent, loss);
    run->interval_loss += loss;
    run->interval_steps++;
}

bool tri__run_curves_due(const tri__run *run)
{
    return run->interval_steps >= run->settings.log_every;
}

void tri__run_tell_curves(tri__run *run, int64_t step, double speed)
{
    if (run->events) {
        tri__events_scalar(run->events, "train/loss", step, (float)(run->interval_loss / (double)run->interval_steps));
        tri__events_scalar(run->events, "train/rate", step, tri__schedule_rate(&run->settings.schedule, step - 1));
        if (speed > 0)
            tri__events_scalar(run->events, "train/examples_per_second", step, (float)speed);
    }
    run->interval_loss = 0;
    run->interval_steps = 0;
}

void tri__run_tell_step(tri__run *run)
{
    tri__run_tell_curves(run, run->state.step, tri__rate_update(&run->speed, run->state.examples, run->trainer.now));
}

/* All evaluations of a run that has few; a fair sample of those of a run that has many. */
static bool worth_a_line(const tri__run *run)
{
    const tri__every *every = &run->settings.evaluate;
    int64_t each = every->kind == TRI_EVERY_STEPS ? every->steps : run->steps_per_epoch;
    if (run->ending != TRI_RUN_GOING || (run->last_step && run->state.step >= run->last_step))
        return true;
    if (!run->last_step)
        return (run->evaluations & (run->evaluations - 1)) == 0; /* 1, 2, 4, 8 … */
    int64_t total = run->last_step / each;
    return run->evaluations % ((total + TOLD_EVALUATIONS - 1) / TOLD_EVALUATIONS + (total == 0)) == 0;
}

void tri__run_tell_evaluation(tri__run *run)
{
    const tri__evaluation *evaluation = &run->evaluation;
    int64_t at = run->state.step;
    char where[64], steps[TRI_TEXT_SHORT];
    if (run->settings.epochs && at % run->steps_per_epoch == 0)
        snprintf(where, sizeof where, "epoch %lld", (long long)(at / run->steps_per_epoch));
    else
        snprintf(where, sizeof where, "step %s", tri__text_count(steps, (double)at));
    double loss = tri__recent_mean(&run->state.recent); /* with parameter servers not known before the first report */
    char training[32] = "";
    if (!isnan(loss))
        snprintf(training, sizeof training, "loss %.4f   ", loss);
    tri__log_line(run->log, worth_a_line(run) ? TRI_LOG_INFO : TRI_LOG_DEBUG, "%-12s %stest loss %.4f   test accuracy %.2f %%", where,
                  training, evaluation->loss, 100 * evaluation->accuracy);
    if (!run->events)
        return;
    tri__events_scalar(run->events, "test/loss", at, (float)evaluation->loss);
    tri__events_scalar(run->events, "test/accuracy", at, (float)evaluation->accuracy);
    if (!isnan(evaluation->auc))
        tri__events_scalar(run->events, "test/auc", at, (float)evaluation->auc);
}

void tri__run_tell_progress(tri__run *run)
{
    tri__run_tell_note(run, run->trainer.dataset);
    if (run->trainer.now >= run->next_flush) {
        flush_events(run);
        run->next_flush = run->trainer.now + FLUSH_INTERVAL;
    }
    double speed = tri__rate_update(&run->speed, run->state.examples, run->trainer.now);
    if (!run->request->progress)
        return;
    double elapsed = tri__clock_seconds(tri__phases_total(&run->trainer.phases));
    tri__progress progress = {
        .label = tri_model_name(run->model),
        .step = run->state.step,
        .steps = run->last_step,
        .examples_per_second = speed,
        .loss = tri__recent_mean(&run->state.recent),
        .accuracy = run->evaluated_at >= 0 ? run->evaluation.accuracy : NAN,
        .elapsed = elapsed,
        .left = tri__progress_left(run->first_step, run->state.step, run->last_step, elapsed),
    };
    tri__phases_shares(&run->trainer.phases, progress.share);
    run->request->progress(run->request->context, &progress);
}

typedef struct {
    int count;
    tri__worker_summary *worker; /* [count] */
    char (*name)[TRI_TASK_SIZE];
    tri__phases sum;
    double cpu_percent; /* of this process */
} worker_stats;

/* The run's own worker. As of the others, it is what it did since the run was resumed. */
static void fill_worker(const tri__run *run, tri__worker_summary *worker)
{
    tri__usage usage = tri__usage_now();
    worker->steps = run->state.step - run->first_step;
    worker->examples = run->trainer.examples;
    worker->seconds = tri__clock_seconds(tri__phases_total(&run->trainer.phases));
    worker->cpu_percent = tri__usage_cpu_percent(&run->usage, &usage);
    worker->peak_rss_mb = tri__peak_rss_mb();
    tri__phases_shares(&run->trainer.phases, worker->phases);
}

/* While the run paused, to evaluate, the others only waited: that is nobody's time. */
static void leave_pauses_out(const tri__run *run, tri__phases *phases)
{
    int64_t excess = tri__phases_total(phases) - tri__phases_total(&run->trainer.phases), *peers = &phases->spent[TRI_PHASE_PEERS];
    if (excess > 0)
        *peers -= excess < *peers ? excess : *peers;
}

static void fill_other(const tri__run *run, int index, worker_stats *all)
{
    tri__worker_summary *worker = &all->worker[index];
    tri__phases phases = {0};
    assert(run->peers); /* a run alone has no others */
    run->peers->kind->stats(run->peers, index, worker, &phases);
    leave_pauses_out(run, &phases);
    worker->seconds = tri__clock_seconds(tri__phases_total(&phases));
    tri__phases_shares(&phases, worker->phases);
    tri__phases_add(&all->sum, &phases);
}

/* All workers; sum gets where the time of all of them went. */
static void fill_workers(const tri__run *run, worker_stats *all)
{
    int own = run->peers ? run->peers->worker : 0;
    double accuracy = run->evaluated_at == run->state.step ? run->evaluation.accuracy : NAN;
    all->sum = run->trainer.phases;
    for (int i = 0; i < all->count; i++) {
        snprintf(all->name[i], sizeof all->name[i], "worker:%d", i);
        all->worker[i] = (tri__worker_summary){.task = all->name[i], .test_accuracy = accuracy, .peak_rss_mb = NAN, .cpu_percent = NAN};
        if (i == own)
            fill_worker(run, &all->worker[i]);
        else
            fill_other(run, i, all);
    }
    all->cpu_percent = all->worker[own].cpu_percent;
    bool together = run->peers && run->peers->here > 1;
    for (int i = 0; i < all->count && together; i++)
        if (i != own)
            all->worker[own].cpu_percent -= all->worker[i].cpu_percent; /* of the process, what the other replicas leave */
}

static tri_status summarise(const tri__run *run, const worker_stats *all, tri__run_result *out)
{
    double seconds = tri__run_seconds(run);
    tri__summary summary = {
        .workers = all->count,
        .threads = run->settings.threads,
        .steps = run->state.step,
        .examples = run->state.examples,
        .epochs = (double)run->state.examples / (double)tri_dataset_examples(run->trainer.dataset),
        .seconds = seconds,
        .examples_per_second = seconds > 0 ? (double)run->state.examples / seconds : NAN,
        .train_loss = tri__recent_mean(&run->state.recent),
        .damaged = tri_dataset_damaged(run->trainer.dataset) + (run->peers ? run->peers->damaged : 0),
        .peak_rss_mb = tri__peak_rss_mb(),
        .worker_stats = all->worker,
    };
    tri__phases_shares(&all->sum, summary.phases);
    const tri__effort effort = {
        .seconds = tri__clock_seconds(tri__phases_total(&run->trainer.phases)),
        .threads = run->settings.threads * (run->peers ? run->peers->here : 1),
        .cpu_percent = all->cpu_percent,
        .decoding = tri__dataset_decoding(run->trainer.dataset),
    };
    return tri__run_conclude(run, &summary, &effort, out);
}

tri_status tri__run_summarise(tri__run *run, tri__run_result *out)
{
    flush_events(run);
    worker_stats all = {.count = run->peers ? run->peers->workers : 1};
    tri_status status = tri__allocate((size_t)all.count, sizeof *all.worker, "the summary", &all.worker);
    if (!status)
        status = tri__allocate((size_t)all.count, sizeof *all.name, "the summary", &all.name);
    if (!status) {
        fill_workers(run, &all);
        status = summarise(run, &all, out);
    }
    free(all.worker);
    free(all.name);
    return status;
}
