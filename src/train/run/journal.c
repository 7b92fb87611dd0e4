/* journal.c: writes log lines, curves and progress. */
#define _GNU_SOURCE /* asprintf */
#include "train/run/journal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "base/thread/clock.h"
#include "data/batch/dataset.h"
#include "graph/nodes/graph.h"
#include "train/run/peers.h"
#include "watch/report/trace_merge.h"
#include "watch/sample/run_files.h"
#include "watch/sample/sample_file.h"

#define FLUSH_INTERVAL      (2 * TRI_SECOND)
#define VALIDATION_INTERVAL (60 * TRI_SECOND)
#define TOLD_EVALUATIONS    20 /* lines on the screen at most, evenly spread over the run */

double tri__run_seconds(const tri__run *run)
{
    return run->since.seconds + tri__clock_seconds(tri__phases_total(&run->trainer.phases));
}

double tri__run_total_seconds(const tri__run *run)
{
    return run->since.total + tri__clock_seconds(tri__clock_now() - run->request->started);
}

/* A run does not fail because its curves cannot be written. */
void tri__run_flush_events(tri__run *run)
{
    tri_status status = run->journal.events ? tri__events_flush(run->journal.events) : NULL;
    if (run->peers && run->peers->kind->flush_curves)
        run->peers->kind->flush_curves(run->peers);
    if (!status)
        return;
    tri__log_line(run->journal.log, TRI_LOG_WARNING, "no more event files: %s", tri_status_message(status));
    tri_status_free(status);
    tri_status_free(tri__events_close(run->journal.events));
    run->journal.events = NULL;
}

/* The request and the resulting settings, as a table for TensorBoard's text page. */
void tri__run_tell_options(tri__run *run)
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
    tri__events_text(run->journal.events, "options", run->state.step, buffer);
}

static int64_t count_parameters(const tri_graph *graph)
{
    int64_t count = 0;
    for (int i = 0; i < tri_graph_count(graph); i++)
        if (tri_node_range(tri_graph_node(graph, i)).count || tri_node_table(tri_graph_node(graph, i)) >= 0)
            count += tri_shape_count(tri_node_shape(tri_graph_node(graph, i)));
    return count;
}

/* "in 10 classes", "with 1 number each". */
static const char *labels_text(const tri_source_info *source, char text[64])
{
    const long long outputs = source->outputs;
    if (source->labels == TRI_LABEL_CLASS)
        snprintf(text, 64, source->classes == 1 ? "in %lld class" : "in %lld classes", (long long)source->classes);
    else
        snprintf(text, 64, source->labels == TRI_LABEL_SET ? "with sets of %lld label%s" : "with %lld number%s each", outputs,
                 outputs == 1 ? "" : "s");
    return text;
}

void tri__run_tell_examples(const tri__run *run, const tri_source_info *source, int64_t count, const char *tests)
{
    char parameters[TRI_TEXT_SHORT], examples[TRI_TEXT_SHORT], shape[64], labels[64];
    tri__log_line(run->journal.log, TRI_LOG_INFO, "%s, %s parameters, on %s: %s examples of %s %s%s%s", tri_model_name(run->inputs.model),
                  tri__text_count(parameters, (double)count_parameters(run->inputs.graph)), run->options.data,
                  tri__text_count(examples, (double)count), tri_shape_text(source->shape, shape, sizeof shape), labels_text(source, labels),
                  tests ? ", " : "", tests ? tests : "");
    if (source->labels == TRI_LABEL_CLASS && source->classes == 1 && tri__run_leads(run))
        tri__log_line(run->journal.log, TRI_LOG_WARNING, "%s has only one class, so there is nothing to tell apart%s", run->options.data,
                      source->class_names ? ": photos need the folder that holds the folders of all classes" : "");
}

void tri__run_tell_rule(const tri__run *run)
{
    const tri_model_defaults *model = tri_model_default(run->inputs.model);
    const char *own = model->rule.name ? model->rule.name : tri_rule_name(0), *rule = run->settings.rule.name;
    char numbers[128];
    tri__text text;
    tri__text_init(&text, numbers, sizeof numbers);
    for (int i = 0; i < TRI_RULE_NUMBERS && model->rule.set[i].name; i++)
        tri__text_add(&text, "%s%s=%g", i ? ", " : "", model->rule.set[i].name, (double)model->rule.set[i].value);
    if (numbers[0] && !tri__train_options_take_rule(model, rule))
        tri__log_line(run->journal.log, TRI_LOG_INFO, "the model's %s: for rule %s, not used with --rule %s", numbers, own, rule);
}

static void tell_what(tri__run *run)
{
    const tri_source_info *source = tri_source_describe(run->inputs.source);
    char parameters[TRI_TEXT_SHORT], tests[TRI_TEXT_SHORT] = "none", shape[64], labels[64], to_test[TRI_TEXT_SHORT + 16];
    if (run->inputs.test)
        tri__text_count(tests, (double)tri_source_describe(run->inputs.test)->examples);
    if (source->stream) {
        tri__log_line(run->journal.log, TRI_LOG_INFO, "%s, %s parameters, on standard input: %s, %s features, %s, %s examples to test",
                      tri_model_name(run->inputs.model), tri__text_count(parameters, (double)count_parameters(run->inputs.graph)),
                      source->format, tri_shape_text(source->shape, shape, sizeof shape), labels_text(source, labels),
                      run->inputs.test ? tests : "no");
        return;
    }
    snprintf(to_test, sizeof to_test, "%s to test", tests);
    tri__run_tell_examples(run, source, tri_dataset_examples(run->trainer.dataset), to_test);
}

bool tri__run_learns_log_loss(const tri__run *run)
{
    const tri_graph *graph = run->inputs.graph;
    const tri_node *loss = graph ? tri_graph_find_output(graph, "loss") : NULL;
    return loss && tri__has_two_classes(graph) && loss->attributes.smoothing == 0 && !run->settings.class_weights &&
           run->settings.augment.mixup == 0;
}

const char *tri__run_extras_text(const tri__run *run, char text[TRI_EXTRAS_TEXT])
{
    const tri_rule *rule = &run->settings.rule;
    char augment[TRI_AUGMENT_TEXT];
    tri__text line;
    tri__text_init(&line, text, TRI_EXTRAS_TEXT);
    if (rule->clip > 0)
        tri__text_add(&line, ", clip %g", (double)rule->clip);
    if (rule->average > 0)
        tri__text_add(&line, ", average %g", (double)rule->average);
    if (tri__augment_is_on(&run->settings.augment))
        tri__text_add(&line, ", augment %s", tri__augment_text(&run->settings.augment, augment));
    return text;
}

const char *tri__run_end_text(const tri__run *run, char end[TRI_END_TEXT])
{
    const tri__train_settings *settings = &run->settings;
    char steps[TRI_TEXT_SHORT];
    tri__text_count(steps, (double)run->length.last_step);
    if (settings->epochs && tri__run_reads_stream(run))
        snprintf(end, TRI_END_TEXT, "to the end of the input or Ctrl-C");
    else if (settings->epochs)
        snprintf(end, TRI_END_TEXT, "%lld epoch%s of %lld step%s", (long long)settings->epochs, settings->epochs == 1 ? "" : "s",
                 (long long)run->length.epoch, run->length.epoch == 1 ? "" : "s");
    else if (settings->steps)
        snprintf(end, TRI_END_TEXT, "%s step%s", steps, run->length.last_step == 1 ? "" : "s");
    else if (run->length.last_step)
        snprintf(end, TRI_END_TEXT, "until %.40s, at most %s step%s", run->options.until, steps, run->length.last_step == 1 ? "" : "s");
    else
        snprintf(end, TRI_END_TEXT, "until %.40s or Ctrl-C", run->options.until);
    return end;
}

const char *tri__run_batch_text(const tri__run *run, char text[TRI_BATCH_TEXT])
{
    const tri__train_settings *settings = &run->settings;
    int used = snprintf(text, TRI_BATCH_TEXT, "batch %lld", (long long)settings->batch);
    if (settings->accumulate > 1)
        snprintf(text + used, TRI_BATCH_TEXT - (size_t)used, " in %lld parts", (long long)settings->accumulate);
    return text;
}

static void tell_how(tri__run *run)
{
    const tri__train_settings *settings = &run->settings;
    char end[TRI_END_TEXT], share[48] = "", batch[TRI_BATCH_TEXT], rate[TRI_RATE_TEXT], extras[TRI_EXTRAS_TEXT];
    if (run->peers && run->peers->workers > 1)
        snprintf(share, sizeof share, " %s %d %s", run->peers->one_model ? "on" : "each for", run->peers->workers,
                 run->peers->kind->workers);
    tri__log_line(run->journal.log, TRI_LOG_INFO, "%s, %s%s, rate %s%s, %s, %d thread%s, seed %llu", settings->rule.name,
                  tri__run_batch_text(run, batch), share, tri__schedule_rate_text(&settings->schedule, rate),
                  tri__run_extras_text(run, extras), tri__run_end_text(run, end), settings->threads, settings->threads == 1 ? "" : "s",
                  (unsigned long long)settings->seed);
}

void tri__run_tell_start(tri__run *run)
{
    if (run->since.step) {
        tri__log_line(run->journal.log, TRI_LOG_INFO, "continuing %s at step %lld", run->journal.folder.path, (long long)run->since.step);
        tri__marks_add(run->journal.marks, TRI_MARK_RESTART, run->journal.leader, run->since.step, 0, "continues from a checkpoint");
    }
    run->journal.epoch = tri__length_epochs(&run->length, run->since.step);
    tell_what(run);
    tri__run_tell_rule(run);
    tell_how(run);
    if (!run->journal.events)
        return;
    if (run->since.step)
        tri__events_restart(run->journal.events, run->since.step + 1);
    if (!tri__run_leads(run))
        return;
    tri__run_tell_options(run);
    tri__events_graph(run->journal.events, run->inputs.graph);
    tri__run_flush_events(run);
}

void tri__run_tell_note(tri__run *run, tri_dataset *dataset)
{
    char *note = tri__dataset_note(dataset);
    if (note)
        tri__log_line(run->journal.log, TRI_LOG_WARNING, "%s", note);
    free(note);
}

void tri__run_count_step(tri__run *run, const tri__tally *tally)
{
    const double loss = tri__tally_mean(tally);
    const int64_t whole = tally->count - tally->damaged;
    tri__recent_add(&run->state.recent, loss);
    run->state.loss_sum += loss * (double)whole;
    run->state.loss_count += whole;
    run->journal.loss += loss;
    run->journal.steps++;
    run->journal.judged += tally->judged;
    run->journal.right += tally->right;
}

/* One thread writes these counters, and another reads each of them separately, so no memory order is needed. */
void tri__run_publish(tri__run *run, int64_t step)
{
    tri__task_counters *work = &run->journal.work;
    atomic_store_explicit(&work->step, step, memory_order_relaxed);
    atomic_store_explicit(&work->examples, run->trainer.examples * (run->peers ? run->peers->here : 1), memory_order_relaxed);
    atomic_store_explicit(&work->loss, tri__recent_mean(&run->state.recent), memory_order_relaxed);
    for (int i = 0; i < TRI_PHASES; i++)
        atomic_store_explicit(&work->phase[i], run->trainer.phases.spent[i], memory_order_relaxed);
}

void tri__run_publish_traffic(tri__run *run, int64_t sent, int64_t received)
{
    atomic_store_explicit(&run->journal.work.traffic.sent, sent, memory_order_relaxed);
    atomic_store_explicit(&run->journal.work.traffic.received, received, memory_order_relaxed);
}

bool tri__run_curves_due(const tri__run *run)
{
    return run->journal.steps >= run->settings.log_every;
}

void tri__run_tell_curves(tri__run *run, int64_t step)
{
    double speed = tri__rate_update(&run->journal.speed, run->state.examples, run->trainer.now);
    if (run->journal.events) {
        tri__events_scalar(run->journal.events, "train/loss", step, (float)(run->journal.loss / (double)run->journal.steps));
        if (run->journal.judged > 0)
            tri__events_scalar(run->journal.events, "train/accuracy", step,
                               (float)((double)run->journal.right / (double)run->journal.judged));
        tri__events_scalar(run->journal.events, "train/rate", step, tri__schedule_rate(&run->settings.schedule, step - 1));
        if (run->state.loss_count > 0 && tri__run_learns_log_loss(run))
            tri__events_scalar(run->journal.events, "train/progressive_loss", step,
                               (float)(run->state.loss_sum / (double)run->state.loss_count));
        if (speed > 0)
            tri__events_scalar(run->journal.events, "train/examples_per_second", step, (float)speed);
        if (run->peers && run->peers->kind->tell_curves)
            run->peers->kind->tell_curves(run->peers, step);
    }
    run->journal.loss = 0;
    run->journal.steps = run->journal.judged = run->journal.right = 0;
}

void tri__run_tell_histograms(tri__run *run, int64_t step)
{
    if (run->journal.histograms && run->journal.events)
        tri__histograms_tell(run->journal.histograms, run->journal.events, step);
}

void tri__run_mark_evaluation(tri__run *run, const char *task, double seconds)
{
    const tri__evaluation *evaluation = &run->evaluating.last;
    char text[TRI_MEASURES_TEXT];
    tri__marks_add(run->journal.marks, TRI_MARK_EVALUATION, task, run->evaluating.at, seconds, "%s",
                   tri__measures_text(evaluation, ", ", text));
}

void tri__run_mark_epoch(tri__run *run, int64_t step)
{
    const int64_t epochs = tri__length_epochs(&run->length, step);
    while (run->journal.epoch < epochs) {
        const int64_t epoch = ++run->journal.epoch;
        tri__marks_add(run->journal.marks, TRI_MARK_EPOCH, run->journal.leader, tri__length_epoch_end(&run->length, epoch), 0,
                       "epoch %lld ends", (long long)epoch);
    }
}

/* Show all evaluations if the run has few, and only some of them if it has many. */
static bool worth_a_line(const tri__run *run)
{
    const tri__every *every = &run->settings.evaluate;
    int64_t each = every->kind == TRI_EVERY_STEPS ? every->steps : run->length.epoch;
    if (run->ending != TRI_RUN_GOING || tri__length_reached(&run->length, run->state.step))
        return true;
    if (!run->length.last_step)
        return (run->evaluating.count & (run->evaluating.count - 1)) == 0; /* 1, 2, 4, 8 … */
    int64_t total = run->length.last_step / each;
    return run->evaluating.count % ((total + TOLD_EVALUATIONS - 1) / TOLD_EVALUATIONS + (total == 0)) == 0;
}

void tri__run_tell_evaluation(tri__run *run)
{
    const tri__evaluation *evaluation = &run->evaluating.last;
    int64_t at = run->state.step;
    char where[64], steps[TRI_TEXT_SHORT];
    if (run->settings.epochs && tri__length_ends_epoch(&run->length, at))
        snprintf(where, sizeof where, "epoch %lld", (long long)tri__length_epochs(&run->length, at));
    else
        snprintf(where, sizeof where, "step %s", tri__text_count(steps, (double)at));
    double loss = tri__recent_mean(&run->state.recent); /* with parameter servers, NaN before the first report */
    char training[32] = "", text[TRI_MEASURES_TEXT];
    if (!isnan(loss))
        snprintf(training, sizeof training, "loss %.4f   ", loss);
    tri__log_line(run->journal.log, worth_a_line(run) ? TRI_LOG_INFO : TRI_LOG_DEBUG, "%-12s %s%s", where, training,
                  tri__measures_text(evaluation, "   ", text));
    tri__run_tell_test(run, at);
}

void tri__run_tell_test(tri__run *run, int64_t at)
{
    const tri__measure *measure;
    for (int i = 0; run->journal.events && (measure = tri__measure_at(i)); i++) {
        const double value = tri__measure_of(measure, &run->evaluating.last);
        char tag[64];
        snprintf(tag, sizeof tag, "test/%s", measure->name);
        if (!isnan(value) || measure->models == TRI_OF_ALL)
            tri__events_scalar(run->journal.events, tag, at, (float)value);
    }
}

bool tri__run_progressive_due(const tri__run *run)
{
    const int64_t recent = run->progressive->recent.examples;
    return recent > 0 && (run->progressive->before.examples + recent >= run->journal.validation.examples ||
                          run->trainer.now >= run->journal.validation.time || run->ending != TRI_RUN_GOING);
}

/* The first of 1,000, 2,000, 5,000, 10,000 … that is above `examples`. */
static int64_t next_round(int64_t examples)
{
    int64_t round = 1000;
    for (int i = 1; round <= examples && round < INT64_MAX / 10; i++)
        round = i % 3 == 2 ? round / 2 * 5 : round * 2;
    return round;
}

void tri__run_tell_progressive(tri__run *run)
{
    const tri__score_sums all = tri__progressive_all(run->progressive), recent = run->progressive->recent;
    const double auc = tri__progressive_auc(run->progressive), calibration = tri__score_calibration(&all);
    char examples[TRI_TEXT_SHORT], since[TRI_TEXT_SHORT];
    tri__log_line(
        run->journal.log, TRI_LOG_INFO, "%s examples   log loss %.4f (last %s: %.4f)   accuracy %.2f %%   AUC %.4f   calibration %.3f",
        tri__text_count(examples, (double)all.examples), tri__score_logloss(&all), tri__text_count(since, (double)recent.examples),
        tri__score_logloss(&recent), 100 * tri__score_accuracy(&all), auc, calibration);
    tri__progressive_settle(run->progressive);
    run->journal.validation.examples = next_round(all.examples);
    run->journal.validation.time = run->trainer.now + VALIDATION_INTERVAL;
    if (!run->journal.events)
        return;
    tri__events_scalar(run->journal.events, "train/progressive_accuracy", run->state.step, (float)tri__score_accuracy(&all));
    if (!isnan(auc))
        tri__events_scalar(run->journal.events, "train/progressive_auc", run->state.step, (float)auc);
    if (!isnan(calibration))
        tri__events_scalar(run->journal.events, "train/progressive_calibration", run->state.step, (float)calibration);
}

void tri__run_start_clock(tri__run *run)
{
    tri__trainer_enter(&run->trainer, TRI_PHASE_OTHER);
    run->trainer.ended = run->trainer.now; /* where a run has no step left */
    tri__rate_begin(&run->journal.speed, run->state.examples, run->trainer.now);
}

void tri__run_resume_clock(tri__run *run, int64_t paused)
{
    tri__trainer_enter(&run->trainer, TRI_PHASE_OTHER);
    tri__rate_skip(&run->journal.speed, run->trainer.now - paused);
}

tri__progress tri__run_progress(const tri__run *run, int64_t step, double elapsed)
{
    return (tri__progress){
        .label = tri_model_name(run->inputs.model),
        .step = step,
        .steps = run->length.last_step,
        .accuracy = run->evaluating.at >= 0 ? run->evaluating.last.accuracy : NAN,
        .elapsed = elapsed,
        .left = tri__progress_left(run->since.step, step, run->length.last_step, elapsed),
    };
}

void tri__run_show_events(tri__run *run)
{
    if (run->trainer.now < run->journal.next_flush)
        return;
    tri__run_flush_events(run);
    run->journal.next_flush = run->trainer.now + FLUSH_INTERVAL;
}

void tri__run_tell_progress(tri__run *run)
{
    tri__run_tell_note(run, run->trainer.dataset);
    tri__run_show_events(run);
    double speed = tri__rate_update(&run->journal.speed, run->state.examples, run->trainer.now);
    if (!run->request->progress)
        return;
    tri__progress progress = tri__run_progress(run, run->state.step, tri__clock_seconds(tri__phases_total(&run->trainer.phases)));
    progress.examples_per_second = speed;
    progress.loss = tri__recent_mean(&run->state.recent);
    tri__phases_shares(&run->trainer.phases, progress.share);
    run->request->progress(run->request->context, &progress);
}

tri_status tri__journal_open_log(tri__journal *journal, tri__log *next)
{
    TRI_TRY(tri__log_file_create(journal->folder.log, next, &journal->log_file));
    journal->log = tri__log_file_sink(journal->log_file);
    return NULL;
}

static tri__sampler *start_sampler(const tri__run_folder *folder, tri__log *log, const tri__sampler_options *options)
{
    tri__sampler *sampler = NULL;
    tri_status status = options->path ? tri__run_folder_add(folder, TRI_RUN_SAMPLES) : NULL;
    if (!status)
        status = tri__sampler_start(options, &sampler);
    if (status)
        tri__log_line(log, TRI_LOG_WARNING, "no samples: %s", tri_status_message(status));
    tri_status_free(status);
    return sampler;
}

tri_status tri__journal_sample_process(const tri__run_folder *folder, tri__log *log, const tri__train_options *options,
                                       tri__task_counters *none, tri__sampler **out)
{
    int64_t every;
    *out = NULL;
    TRI_TRY(tri__train_sample_every(options, &every));
    atomic_store(&none->loss, NAN);
    const tri__sampler_options sampling = {.path = folder->samples, .command = "", .every = every, .counters = none};
    *out = every ? start_sampler(folder, log, &sampling) : NULL;
    return NULL;
}

void tri__journal_open_samples(tri__journal *journal, int64_t every, const char *command)
{
    atomic_store(&journal->work.loss, NAN);
    if (!every)
        return;
    const tri__sampler_options options = {
        .path = journal->folder.samples,
        .peers = journal->folder.peers,
        .command = command ? command : "",
        .every = every,
        .counters = &journal->work,
    };
    journal->sampled_from = tri__clock_wall();
    journal->sampler = start_sampler(&journal->folder, journal->log, &options);
}

void tri__journal_add_samples(const tri__journal *journal, tri__task task, const char *samples)
{
    char name[TRI_TASK_SIZE], *path = NULL;
    if (!journal->sampler) /* --sample-every never */
        return;
    tri_status status = asprintf(&path, "%s/" TRI_RUN_SAMPLES "/%s.csv", journal->folder.path, tri__task_file_name(task, name)) < 0
                            ? tri_fail(TRI_NO_MEMORY, "no memory for a path")
                            : tri__sample_file_add(path, samples);
    if (status)
        tri__log_line(journal->log, TRI_LOG_WARNING, "samples of %s are lost: %s", tri__task_name(task, name), tri_status_message(status));
    tri_status_free(status);
    free(path);
}

void tri__journal_create_marks(const tri__run_folder *folder, tri__log *log, tri__marks **out)
{
    tri_status status = tri__marks_open(folder->marks, out);
    if (status)
        tri__log_line(log, TRI_LOG_WARNING, "no marks: %s", tri_status_message(status));
    tri_status_free(status);
}

void tri__journal_open_marks(tri__journal *journal, const char *leader)
{
    journal->leader = leader;
    tri__journal_create_marks(&journal->folder, journal->log, &journal->marks);
}

void tri__journal_open_trace(tri__journal *journal, const char *task, bool merges)
{
    tri_status status = tri__run_folder_add(&journal->folder, TRI_RUN_TRACES);
    if (!status)
        status = tri__trace_create(journal->folder.trace, task, &journal->trace);
    if (status)
        tri__log_line(journal->log, TRI_LOG_WARNING, "no trace: %s", tri_status_message(status));
    tri_status_free(status);
    journal->merges = merges;
}

void tri__journal_merge_trace(const tri__run_folder *folder, tri__log *log)
{
    int64_t left_out = 0;
    tri_status status = tri__trace_merge(folder->path, &left_out);
    if (status)
        tri__log_line(log, TRI_LOG_WARNING, "no timeline of all tasks: %s", tri_status_message(status));
    else if (left_out)
        tri__log_line(log, TRI_LOG_WARNING,
                      "the trace was full: its last %lld events are not in %s/trace.json (trace fewer steps, with --steps)",
                      (long long)left_out, folder->path);
    tri_status_free(status);
}

void tri__journal_fini(tri__journal *journal)
{
    const bool traced = journal->trace;
    tri__trace_flush(journal->trace);
    tri__trace_close(journal->trace);
    if (traced && journal->merges)
        tri__journal_merge_trace(&journal->folder, journal->log);
    if (journal->sampler && journal->log) {
        const double seconds = tri__clock_wall() - journal->sampled_from;
        tri__log_line(journal->log, TRI_LOG_DEBUG, "sampling took %.2f %% of one CPU",
                      seconds > 0 ? 100 * tri__sampler_cost(journal->sampler) / seconds : 0.0);
    }
    tri__sampler_stop(journal->sampler);
    tri__marks_close(journal->marks);
    tri_status_free(tri__events_close(journal->events));
    tri__histograms_destroy(journal->histograms);
    tri__log_file_destroy(journal->log_file);
    tri__run_folder_fini(&journal->folder);
}
