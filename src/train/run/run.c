/* run.c: the loop. A step costs two readings of the clock and a few comparisons beside the work itself: no system call, no memory. */
#include "train/run/run.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "data/batch/dataset.h"
#include "graph/store.h"
#include "train/run/peers.h"
#include "train/run/run_inside.h"

#define SECOND          INT64_C(1000000000)
#define REPORT_INTERVAL (SECOND / 10)

/* What to try is told with what was tried. */
static tri_status diverged(const tri__run *run, const char *what)
{
    double rate = tri__schedule_rate(&run->settings.schedule, run->state.step);
    return tri_fail(TRI_DIVERGED, "step %lld: %s; try a smaller --rate (it was %g)%s. %s%s", (long long)run->state.step, what, rate,
                    run->settings.rule.clip > 0 ? " or a smaller --clip" : " or --clip 1",
                    run->checkpoint ? "The last good checkpoint is " : "No checkpoint had been written yet",
                    run->checkpoint ? run->checkpoint : "");
}

void tri__run_count_times(tri_store *store, tri__phases *phases)
{
    tri__store_times times = tri__store_take_times(store);
    tri__phases_move(phases, TRI_PHASE_COMPUTE, TRI_PHASE_UPDATE, times.update);
    tri__phases_move(phases, TRI_PHASE_COMPUTE, TRI_PHASE_PEERS, times.peers);
}

/* One batch of this worker's, and those of the others: how the step went for all of them. */
static tri_status work(tri__run *run, const tri_batch *batch, tri__tally *tally)
{
    const tri_step about = {.step = run->state.step, .rate = tri__schedule_rate(&run->settings.schedule, run->state.step)};
    if (run->peers)
        TRI_TRY(run->peers->kind->begin(run->peers, &about));
    TRI_TRY(tri_store_begin(run->store, &about));
    *tally = (tri__tally){.count = batch->count, .damaged = batch->damaged};
    TRI_TRY(tri_plan_train(run->plan, batch, &tally->loss));
    run->own_examples += batch->count;
    run->now = tri__clock_now();
    tri__phases_enter(&run->phases, TRI_PHASE_PEERS, run->now);
    tri__run_count_times(run->store, &run->phases);
    if (!run->peers)
        return NULL;
    TRI_TRY(run->peers->kind->end(run->peers, tally));
    run->now = tri__clock_now();
    return NULL;
}

static tri_status step(tri__run *run)
{
    const tri_batch *batch;
    tri__phases_enter(&run->phases, TRI_PHASE_INPUT, run->now);
    TRI_TRY(tri_dataset_next(run->dataset, &batch));
    if (batch->damaged)
        tri__run_tell_note(run, run->dataset);
    tri__phases_enter(&run->phases, TRI_PHASE_COMPUTE, tri__clock_now());
    tri__tally tally;
    TRI_TRY(work(run, batch, &tally));
    tri__phases_enter(&run->phases, TRI_PHASE_OTHER, run->now);
    if (!isfinite(tally.loss))
        return diverged(run, isnan(tally.loss) ? "the loss is not a number" : "the loss is infinite");
    double loss = tally.loss / (tally.count > tally.damaged ? (double)(tally.count - tally.damaged) : 1);
    run->state.step++;
    run->state.examples += tally.count;
    tri__recent_add(&run->state.recent, loss);
    run->interval_loss += loss;
    run->interval_steps++;
    return NULL;
}

static void resume_clock(tri__run *run)
{
    run->now = tri__clock_now();
    tri__phases_enter(&run->phases, TRI_PHASE_OTHER, run->now);
    tri__rate_resume(&run->speed, run->state.examples, run->now);
}

static void keep_name(tri__run *run, char *written, int64_t step)
{
    free(run->checkpoint);
    run->checkpoint = written;
    run->saved_at = step;
    tri__log_line(run->log, TRI_LOG_DEBUG, "step %lld: checkpoint %s", (long long)step, written);
}

/* The checkpoint that is being written beside the training, if there is one. */
static tri_status collect(tri__run *run)
{
    char *written = NULL;
    int64_t step;
    if (run->writer)
        TRI_TRY(tri__checkpoint_writer_end(run->writer, &written, &step));
    if (written)
        keep_name(run, written, step);
    return NULL;
}

/* Where other workers would have to wait for the disk, they only wait for a copy. */
static tri_status save_beside(tri__run *run, const tri__checkpoint_content *content)
{
    if (!run->writer)
        TRI_TRY(tri__checkpoint_writer_create(run->store, &run->writer));
    return tri__checkpoint_writer_begin(run->writer, run->folder.checkpoints, content, run->settings.keep);
}

/* path: NULL for the next of the run's own. beside: not necessarily now. */
static tri_status save(tri__run *run, const char *path, bool beside)
{
    TRI_TRY(collect(run));
    run->state.position = tri_dataset_position(run->dataset);
    run->state.seconds = tri__run_seconds(run);
    const int64_t *damaged;
    const int64_t damaged_count = tri__dataset_damage(run->dataset, &damaged);
    const tri__checkpoint_content content = {
        .model = run->model,
        .graph = run->graph,
        .store = run->store,
        .source = tri_source_describe(run->source),
        .options = &run->options,
        .state = &run->state,
        .damaged = damaged,
        .damaged_count = damaged_count,
    };
    if (path)
        return tri__checkpoint_write(path, &content);
    if (beside)
        return save_beside(run, &content);
    char *written;
    TRI_TRY(tri__checkpoint_save(run->folder.checkpoints, &content, run->settings.keep, &written));
    keep_name(run, written, run->state.step);
    return NULL;
}

/* A disk that is full now may not be later: training goes on, and the last checkpoint decides. Parameters that are no numbers end it. */
static tri_status checkpoint(tri__run *run, const char *path)
{
    TRI_TRY(tri_store_flush(run->store));
    tri_status status = save(run, path, run->peers && !path);
    if (tri_status_code(status) == TRI_DIVERGED) {
        tri_status reason = diverged(run, tri_status_message(status));
        tri_status_free(status);
        return reason;
    }
    if (status)
        tri__log_line(run->log, TRI_LOG_WARNING, "no checkpoint at step %lld: %s; training goes on", (long long)run->state.step,
                      tri_status_message(status));
    tri_status_free(status);
    return NULL;
}

/* Early stopping, and the best checkpoint: both go by the test loss. */
static tri_status judge(tri__run *run)
{
    const tri__train_settings *settings = &run->settings;
    tri__run_state *state = &run->state;
    bool better = isnan(state->best_loss) || run->evaluation.loss < state->best_loss;
    state->without_gain = better ? 0 : state->without_gain + 1;
    if (better)
        state->best_loss = run->evaluation.loss;
    if (tri__target_reached(&settings->target, run->evaluation.loss, run->evaluation.accuracy)) {
        run->stopped_by = "until";
        run->until_step = state->step;
    } else if (!run->stopped_by && settings->patience && state->without_gain >= settings->patience) {
        run->stopped_by = "patience";
    }
    if (!better || !settings->keep_best)
        return NULL;
    char *path = tri__path_join(run->folder.checkpoints, "best.safetensors");
    tri_status status = path ? checkpoint(run, path) : tri_fail(TRI_NO_MEMORY, "no memory for the name of the best checkpoint");
    free(path);
    return status;
}

static tri_status evaluate(tri__run *run)
{
    if (!run->evaluator || run->evaluated_at == run->state.step)
        return NULL;
    TRI_TRY(tri_store_flush(run->store));
    tri__phases_pause(&run->phases, tri__clock_now());
    TRI_TRY(tri__evaluator_run(run->evaluator, &run->evaluation));
    tri__run_tell_note(run, tri__evaluator_dataset(run->evaluator));
    run->evaluated_at = run->state.step;
    run->evaluations++;
    if (!isfinite(run->evaluation.loss))
        return diverged(run, "the test loss is not a number");
    tri__run_tell_evaluation(run);
    TRI_TRY(judge(run));
    resume_clock(run);
    return NULL;
}

bool tri__run_leads(const tri__run *run)
{
    return !run->peers || run->peers->worker == 0;
}

/* By the number of steps. */
static bool is_due(const tri__run *run, const tri__every *every)
{
    switch (every->kind) {
    case TRI_EVERY_STEPS:
        return run->state.step % every->steps == 0;
    case TRI_EVERY_EPOCH:
        return (run->state.step - run->epoch_step) % run->steps_per_epoch == 0;
    case TRI_EVERY_END:
    case TRI_EVERY_SECONDS:
        break;
    }
    return false;
}

bool tri__run_evaluation_due(const tri__run *run)
{
    return is_due(run, &run->settings.evaluate);
}

static bool checkpoint_due(tri__run *run)
{
    const tri__every *every = &run->settings.checkpoint;
    if (!tri__run_leads(run))
        return false;
    if (every->kind != TRI_EVERY_SECONDS)
        return is_due(run, every);
    if (run->now < run->next_checkpoint)
        return false;
    run->next_checkpoint = run->now + every->seconds * SECOND;
    return true;
}

static void check_end(tri__run *run)
{
    const tri__train_settings *settings = &run->settings;
    if (run->stopped_by)
        return;
    if (run->last_step && run->state.step >= run->last_step)
        run->stopped_by = settings->epochs ? "epochs" : settings->steps ? "steps" : "max_steps";
    else if (*run->request->stop)
        run->stopped_by = "signal";
}

/* Work between two steps that takes time: a new reading of the clock makes it "other". Without one, the next step's wait for input,
 * which begins at run->now, would be charged with it. */
static void count_as_other(tri__run *run)
{
    run->now = tri__clock_now();
}

static tri_status after_step(tri__run *run)
{
    if (run->interval_steps >= run->settings.log_every) {
        tri__run_tell_step(run);
        count_as_other(run);
    }
    if (tri__run_evaluation_due(run))
        TRI_TRY(evaluate(run));
    check_end(run);
    if (!run->stopped_by && checkpoint_due(run)) {
        TRI_TRY(checkpoint(run, NULL));
        count_as_other(run);
    }
    if (run->now >= run->next_report) {
        tri__run_tell_progress(run);
        count_as_other(run);
        run->next_report = run->now + REPORT_INTERVAL;
    }
    return NULL;
}

static void start_clock(tri__run *run)
{
    run->usage = tri__usage_now();
    resume_clock(run);
    run->next_checkpoint = run->now + run->settings.checkpoint.seconds * SECOND;
    run->next_report = run->now + REPORT_INTERVAL;
}

static tri_status loop(tri__run *run)
{
    start_clock(run);
    while (!run->stopped_by) {
        TRI_TRY(step(run));
        TRI_TRY(after_step(run));
    }
    TRI_TRY(tri_store_flush(run->store));
    return NULL;
}

/* The end of a run that can be kept: the last checkpoint first, so that nothing after it can cost it. */
static tri_status finish(tri__run *run)
{
    tri__phases_pause(&run->phases, tri__clock_now());
    if (run->saved_at != run->state.step)
        TRI_TRY(tri_wrap(save(run, NULL, false), "the last checkpoint, at step %lld", (long long)run->state.step));
    bool hurry = *run->request->stop; /* whoever pressed Ctrl-C does not want to wait for an evaluation */
    return hurry ? NULL : evaluate(run);
}

/* One that failed is no loss where another follows. */
static void collect_last(tri__run *run)
{
    tri_status status = collect(run);
    if (status)
        tri__log_line(run->log, TRI_LOG_WARNING, "%s", tri_status_message(status));
    tri_status_free(status);
}

static tri_status train(tri__run *run)
{
    tri__run_tell_start(run);
    if (run->request->began)
        run->request->began(run->request->context);
    tri_status status = loop(run);
    if (run->peers)
        status = run->peers->kind->leave(run->peers, status);
    collect_last(run);
    if (!status && tri__run_leads(run))
        status = finish(run);
    tri__phases_pause(&run->phases, tri__clock_now());
    if (status)
        run->stopped_by = tri_status_code(status) == TRI_DIVERGED ? "diverged" : "error";
    return status;
}

tri_status tri__run_train(const tri__run_request *request, tri__run_result *out)
{
    *out = (tri__run_result){0};
    tri__run run;
    tri_status status = tri__run_open(&run, request);
    if (!status) {
        status = train(&run);
        tri_status summary = tri__run_leads(&run) ? tri__run_summarise(&run, out) : NULL;
        if (status)
            tri_status_free(summary);
        else
            status = summary;
        if (status && run.log_file)
            tri__log_file_note(run.log_file, TRI_LOG_ERROR, tri_status_message(status)); /* the caller tells it to people */
    }
    out->told = run.peers && run.peers->told;
    tri__run_fini(&run);
    return status;
}

void tri__run_result_fini(tri__run_result *result)
{
    free(result->folder);
    json_decref(result->summary);
    *result = (tri__run_result){0};
}
