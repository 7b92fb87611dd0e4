/* worker_task.c: a worker of a job with parameter servers: a token says which step to make and on which examples; the store carries
 * gradients to the servers and parameters back. Everything else is as in a local run.
 *
 * Batches are made ahead. In async, a worker makes the batches of tokens that it already has. In sync, the tokens of a step come only after
 * the step before, so the worker guesses them: they are known unless a worker joins or leaves. Batches of a wrong guess are dropped. A step
 * of a large model begins with the same guess: its first layers are computed while gradients of the last step are still being sent. */
#include "train/ps/task/worker_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/text/text.h"
#include "base/thread/clock.h"
#include "data/batch/dataset.h"
#include "data/source/digest.h"
#include "graph/store/store.h"
#include "store/ps/protocol/message.h"
#include "store/ps/worker/worker.h"
#include "train/ps/settings/settings.h"
#include "train/ps/settings/tables.h"
#include "train/ps/task/hello.h"
#include "train/run/run_setup.h"

#define REPORT_INTERVAL (200 * TRI_MILLISECOND)

enum { BEHIND = 5 };

typedef struct {
    tri__run *run;
    const tri__task_setup *setup;
    const tri__ps_settings *ps;
    tri__token assigned[TRI_MOST_ASSIGNED]; /* tokens assigned to the dataset and not taken yet, oldest first */
    int count;
    int64_t own;      /* with --shard files: where the next batch begins in this worker's own examples; −1: not known yet */
    tri__token made;  /* token of the last step that was made */
    bool follows;     /* the token after `made` can be guessed */
    int64_t reported; /* when the last report was sent */
    int64_t steps;    /* steps at the last report */
    int64_t tokens;   /* nanoseconds of waiting for tokens while all parameters were here */
    json_t *hello;
} work;

/* ---- which examples ---- */

static bool same_examples(const tri__token *a, const tri__token *b)
{
    return a->position == b->position && a->index == b->index && a->workers == b->workers;
}

/* Where the step after the one at `position` begins. */
static int64_t step_behind(const work *w, int64_t position, int64_t step)
{
    int64_t examples = tri_dataset_examples(w->run->trainer.dataset), left = examples - position % examples;
    return position + (step < left ? step : left);
}

/* With --shard files a token only says which step to make; the worker takes the next batch of its own files. A resumed run goes on where
 * all workers would be if they had made equal parts. */
static tri__token own_token(work *w, const tri__token *token)
{
    if (w->own < 0)
        w->own = token->position / w->ps->workers;
    return (tri__token){.step = token->step, .position = w->own, .index = 0, .workers = 1};
}

static tri_status assign(work *w, const tri__token *token)
{
    TRI_TRY(tri_dataset_assign(w->run->trainer.dataset, token->position, token->index, token->workers));
    w->assigned[w->count++] = *token;
    return NULL;
}

/* Sync: the token after this one, if the same workers make the next step. False where the next step is not known. */
static bool guess(const work *w, const tri__token *token, tri__token *next)
{
    *next = *token;
    next->step++;
    next->position = step_behind(w, token->position, token->workers * w->run->settings.batch);
    return !w->run->length.last_step || next->step < w->run->length.last_step;
}

static tri_status assign_ahead(work *w)
{
    int wanted = tri_dataset_ahead(w->run->trainer.dataset);
    bool sync = w->ps->mode == TRI_PS_SYNC;
    wanted = wanted < TRI_MOST_ASSIGNED ? wanted : TRI_MOST_ASSIGNED; /* the dataset takes no more */
    while (w->count < wanted) {
        tri__token next;
        bool known = sync || w->run->settings.own_files ? guess(w, &w->assigned[w->count - 1], &next)
                                                        : tri__ps_store_peek(w->run->trainer.store, w->count - 1, &next);
        if (!known)
            return NULL;
        TRI_TRY(assign(w, &next));
    }
    return NULL;
}

static tri_status next_batch(work *w, const tri__token *token, const tri_batch **batch)
{
    if (w->count && !same_examples(&w->assigned[0], token)) {
        tri_dataset_revoke(w->run->trainer.dataset);
        w->count = 0;
    }
    if (!w->count)
        TRI_TRY(assign(w, token));
    TRI_TRY(assign_ahead(w));
    TRI_TRY(tri__trainer_fetch(&w->run->trainer, batch));
    memmove(w->assigned, w->assigned + 1, (size_t)--w->count * sizeof *w->assigned);
    return NULL;
}

/* ---- what it reports ---- */

static json_t *report(work *w, bool final)
{
    tri__run *run = w->run;
    int64_t sent, received;
    double share[TRI_PHASES];
    tri__usage usage = tri__usage_now();
    tri__phases_shares(&run->trainer.phases, share);
    const int64_t total = tri__phases_total(&run->trainer.phases);
    tri__ps_store_traffic(run->trainer.store, &sent, &received);
    return json_pack("{s:b, s:o, s:o, s:f, s:I, s:I, s:f, s:o, s:o, s:I, s:I, s:I, s:f, s:f, s:i, s:o, s:I, s:f, s:o, s:o}", "final", final,
                     "began", tri__json_number(tri__clock_wall_of(run->since.usage.wall)), "ended",
                     tri__json_number(tri__clock_wall_of(run->trainer.ended)), "tokens",
                     total > 0 ? (double)w->tokens / (double)total : 0.0, "steps", (json_int_t)run->state.step, "examples",
                     (json_int_t)run->state.examples, "seconds", tri__clock_seconds(tri__phases_total(&run->trainer.phases)), "loss",
                     tri__json_number(tri__recent_mean(&run->state.recent)), "loss_sum", tri__json_number(run->state.loss_sum),
                     "loss_count", (json_int_t)run->state.loss_count, "bytes_sent", (json_int_t)sent, "bytes_received",
                     (json_int_t)received, "cpu_percent", tri__usage_cpu_percent(&run->since.usage, &usage), "peak_rss_mb",
                     tri__peak_rss_mb(), "threads", run->settings.threads, "phases", tri__phases_json(share), "damaged",
                     (json_int_t)tri_dataset_damaged(run->trainer.dataset), "decoding", tri__dataset_decoding(run->trainer.dataset),
                     "test_loss", tri__json_number(final && run->evaluating.count ? run->evaluating.last.loss : NAN), "test_accuracy",
                     tri__json_number(final && run->evaluating.count ? run->evaluating.last.accuracy : NAN));
}

/* Takes report. A worker without a run folder sends its samples, too, for the folder of ps:0. */
static json_t *with_samples(const work *w, json_t *report)
{
    char *samples = tri__sampler_kept(w->run->journal.sampler);
    if (report && samples)
        json_object_set_new(report, TRI_REPORT_SAMPLES, json_string(samples));
    free(samples);
    return report;
}

static void tell(work *w)
{
    tri__run *run = w->run;
    if (run->journal.events && tri__run_curves_due(run))
        tri__run_tell_curves(run, w->made.step + 1);
    tri__run_tell_histograms(run, w->made.step + 1);
    bool early = run->state.step > w->steps + w->steps / 8; /* a short job may be evaluated before an interval is over */
    if (run->trainer.now - w->reported < REPORT_INTERVAL && !early)
        return;
    w->reported = run->trainer.now;
    w->steps = run->state.step;
    tri__ps_store_report(run->trainer.store, with_samples(w, report(w, false)));
    tri__run_show_events(run);
    tri__run_tell_note(run, run->trainer.dataset);
    run->trainer.now = tri__clock_now();
}

/* For the task's own log file: tell_begin writes what it works on, tell_end what it did. */
static void tell_begin(const work *w)
{
    const tri__run *run = w->run;
    const tri__address *first = &w->setup->cluster->server[0];
    char examples[TRI_TEXT_SHORT];
    tri__log_line(run->journal.log, TRI_LOG_DEBUG,
                  "worker:%d computes %s on %s examples of %s in batches of %lld with %d thread%s; ps:0 is %s:%u", w->setup->task.index,
                  tri_model_name(run->inputs.model), tri__text_count(examples, (double)tri_dataset_examples(run->trainer.dataset)),
                  run->options.data, (long long)run->settings.batch, run->settings.threads, run->settings.threads == 1 ? "" : "s",
                  first->host, first->port);
}

static void tell_end(const work *w)
{
    const tri__run *run = w->run;
    int64_t sent, received;
    char steps[TRI_TEXT_SHORT], examples[TRI_TEXT_SHORT], out[TRI_TEXT_SHORT], in[TRI_TEXT_SHORT];
    tri__ps_store_traffic(run->trainer.store, &sent, &received);
    tri__log_line(run->journal.log, TRI_LOG_DEBUG,
                  "worker:%d ends after %s steps and %s examples in %.2f s, loss %.4f, %s sent, %s received", w->setup->task.index,
                  tri__text_count(steps, (double)run->state.step), tri__text_count(examples, (double)run->state.examples),
                  tri__clock_seconds(tri__phases_total(&run->trainer.phases)), tri__recent_mean(&run->state.recent),
                  tri__text_bytes(out, (double)sent), tri__text_bytes(in, (double)received));
}

/* ---- steps ---- */

/* Sync: begin the next step before its token has come. The store sends nothing until the token is there. */
static bool begin_early(const work *w, tri__token *token)
{
    const tri__ps_settings *ps = w->ps;
    return ps->mode == TRI_PS_SYNC && ps->backup == 0 && !w->run->settings.own_files && w->follows && guess(w, &w->made, token) &&
           tri__ps_store_expect(w->run->trainer.store, token);
}

/* A worker that waits for a token waits for a server or for other workers; the store knows which. */
static tri_status next_token(work *w, tri__token *token, bool *stop)
{
    tri__run *run = w->run;
    *stop = false;
    if (begin_early(w, token)) {
        tri__phases_enter(&run->trainer.phases, TRI_PHASE_INPUT, run->trainer.now);
        return NULL;
    }
    const int64_t began = run->trainer.now;
    tri__phases_enter(&run->trainer.phases, TRI_PHASE_SERVER, began);
    const tri__phases before = run->trainer.phases;
    TRI_TRY(tri__ps_store_token(run->trainer.store, token, stop));
    if (*stop && w->ps->fixed_parts) { /* its part was done already: waiting for the others does not count as work */
        run->trainer.phases = before;
        tri__phases_pause(&run->trainer.phases, began);
        return NULL;
    }
    tri__trainer_enter(&run->trainer, TRI_PHASE_INPUT);
    const bool waited_for_workers = w->ps->mode == TRI_PS_SYNC || (!*stop && token->fresh);
    tri__trace_add(run->trainer.lane, waited_for_workers ? TRI_SPAN_PEERS : TRI_SPAN_SERVER, began, run->trainer.now, token->step,
                   TRI_FLOW_NONE, 0);
    tri__store_times times = tri__store_take_times(run->trainer.store);
    tri__phases_move(&run->trainer.phases, TRI_PHASE_SERVER, TRI_PHASE_PEERS, times.peers);
    w->tokens += times.tokens;
    return NULL;
}

static tri_status step(work *w, const tri__token *token)
{
    tri__run *run = w->run;
    const tri_batch *batch;
    const tri__token examples = run->settings.own_files ? own_token(w, token) : *token;
    TRI_TRY(next_batch(w, &examples, &batch));
    const tri_step about = {.step = token->step, .rate = tri__schedule_rate(&run->settings.schedule, token->step)};
    tri__tally tally;
    TRI_TRY(tri__trainer_compute(&run->trainer, &about, batch, &tally));
    w->follows = !tri__ps_store_voided(run->trainer.store);
    if (!w->follows) {
        tri_dataset_revoke(run->trainer.dataset);
        w->count = 0;
        return NULL;
    }
    if (!isfinite(tally.loss))
        return tri__run_worker_diverged(run, token->step, isnan(tally.loss) ? "the loss is not a number" : "the loss is infinite");
    w->made = *token;
    if (run->settings.own_files)
        w->own = step_behind(w, w->own, run->settings.batch);
    run->state.step++;
    run->state.examples += tally.count;
    if (tally.count > tally.damaged) /* a worker's part of a short step may be empty; then it has no loss */
        tri__run_count_step(run, &tally);
    tri__run_publish(run, token->step + 1);
    return NULL;
}

/* The worker's time is counted from its first token: before that, the job had not begun, or this worker had no part in it. */
static tri_status begin(work *w, tri__token *token, bool *stop)
{
    tri__run *run = w->run;
    TRI_TRY(tri__ps_store_token(run->trainer.store, token, stop));
    (void)tri__store_take_times(run->trainer.store);
    run->since.usage = tri__usage_now();
    tri__run_start_clock(run);
    tri__trainer_enter(&run->trainer, TRI_PHASE_INPUT);
    return NULL;
}

static tri_status loop(work *w)
{
    tri__run *run = w->run;
    tri__token token;
    bool stop;
    TRI_TRY(begin(w, &token, &stop));
    while (!stop) {
        TRI_TRY(step(w, &token));
        tell(w);
        TRI_TRY(next_token(w, &token, &stop));
    }
    TRI_TRY(tri_store_flush(run->trainer.store));
    tri__trainer_pause(&run->trainer);
    return NULL;
}

/* ---- from beginning to end ---- */

static tri_status create_store(work *w)
{
    tri__run *run = w->run;
    const tri_source_info *info = tri_source_describe(run->inputs.source);
    char digest[65];
    TRI_TRY(tri__ps_settings_check_tables(&run->options, run->inputs.model));
    TRI_TRY(tri_model_digest(run->inputs.model, run->inputs.graph, digest));
    int64_t examples = run->settings.limit && run->settings.limit < info->examples ? run->settings.limit : info->examples;
    char data[TRI_DATA_DIGEST_SIZE] = "", terms[TRI_TERMS];
    if (!run->settings.own_files)
        TRI_TRY(tri__source_digest(run->inputs.source, data));
    tri__hello_terms(&run->options, &run->settings, terms, sizeof terms);
    json_t *hello = tri__hello_json(info, examples, run->settings.batch, digest, data, terms);
    if (!hello || json_object_set_new(hello, "own_files", json_boolean(run->settings.own_files)))
        return tri_fail(TRI_NO_MEMORY, "no memory for a hello");
    w->hello = hello; /* kept: it is sent again on every new connection */
    TRI_TRY(tri__hello_check(hello, info->spec));
    tri_rule rule = run->settings.rule;
    rule.average = 0; /* the servers keep the averages; what a worker has are the weights */
    const tri__ps_store_options options = {
        .servers = w->setup->cluster->server,
        .settings = *w->ps,
        .tls = w->setup->tls,
        .task = w->setup->task.index,
        .floats = tri_graph_parameter_floats(run->inputs.graph),
        .tables = tri__graph_table_shapes(run->inputs.graph),
        .rule = rule,
        .hello = hello,
        .log = run->journal.log,
        .traffic = &run->journal.work.traffic,
    };
    return tri__ps_store_create(&options, &run->trainer.store);
}

/* Where gradients are sent while the step is computed, sending has priority: only the sending thread can keep the link busy. Threads that
 * compute are started after this call, and inherit the lower priority. */
static void compute_behind(tri__run *run)
{
    if (tri__ps_store_has_thread(run->trainer.store))
        setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + BEHIND); /* where the kernel refuses, all threads are equal */
}

static tri_status prepare(work *w)
{
    tri__run *run = w->run;
    TRI_TRY(create_store(w));
    compute_behind(run);
    TRI_TRY(tri__run_create_plan(run, &run->trainer));
    TRI_TRY(tri__run_create_histograms(run));
    tri_dataset_options options = tri__run_dataset_options(run);
    options.assigned = true;
    options.worker = w->setup->task.index; /* the order of its own files depends on its number */
    options.workers = options.worker < w->ps->workers ? w->ps->workers : options.worker + 1;
    TRI_TRY(tri__dataset_create(run->inputs.source, &options, &run->settings.augment, &run->trainer.dataset));
    int64_t examples = tri_dataset_examples(run->trainer.dataset) * (run->settings.own_files ? w->ps->workers : 1);
    if (run->resumed) /* the rate follows from all steps, and those that were made may have been of another size */
        run->state = run->resumed->state;
    TRI_TRY(tri__run_settle_length(run, examples, tri__ps_together(w->ps)));
    run->state = (tri__run_state){.best_loss = NAN}; /* ps:0 counts what was done before the run was resumed */
    tri__ps_store_ready(run->trainer.store, tri_dataset_ahead(run->trainer.dataset));
    tri__trainer_trace(&run->trainer, run->journal.trace, "worker");
    tell_begin(w);
    return NULL;
}

/* The rows of tables that the test examples name. */
static tri_status fetch_rows(tri__run *run)
{
    int32_t *keys;
    int64_t count;
    if (tri_store_tables(run->trainer.store) == 0)
        return NULL;
    TRI_TRY(tri__evaluator_keys(run->evaluating.evaluator, &keys, &count));
    tri__tables_hold_few_rows(&run->settings, run->trainer.store);
    tri_status status = tri__ps_store_gather(run->trainer.store, keys, count);
    free(keys);
    return status;
}

/* Evaluate the parameters that this worker ended with. */
static tri_status evaluate(tri__run *run, int64_t step)
{
    if (!run->inputs.test)
        return NULL;
    TRI_TRY(tri__run_create_evaluator(run));
    TRI_TRY(fetch_rows(run));
    TRI_TRY(tri__evaluator_run(run->evaluating.evaluator, &run->evaluating.last));
    run->evaluating.count = 1;
    tri__run_tell_test(run, step);
    return NULL;
}

tri_status tri__worker_task_run(tri__run *run, const tri__task_setup *setup, const tri__ps_settings *ps)
{
    work w = {.run = run, .setup = setup, .ps = ps, .own = -1};
    TRI_TRY(tri__ps_settings_check_files(&run->settings));
    TRI_TRY(tri__run_open_data(run));
    run->state = (tri__run_state){.best_loss = NAN};
    tri_status status = prepare(&w);
    if (!status) {
        status = loop(&w);
        tell_end(&w);
    }
    if (!status)
        status = evaluate(run, w.made.step + 1);
    if (run->trainer.dataset)
        json_decref(report(&w, false)); /* publishes the traffic: ps:0 adds up the samples when all have left */
    tri__sampler_take(run->journal.sampler);
    tri__trace_flush(run->journal.trace);
    if (run->trainer.store)
        tri__ps_store_leave(run->trainer.store, run->trainer.dataset ? with_samples(&w, report(&w, !status)) : NULL, status);
    tri__evaluator_destroy(run->evaluating.evaluator);
    run->evaluating.evaluator = NULL;
    tri__trainer_fini(&run->trainer);
    json_decref(w.hello);
    return status;
}
