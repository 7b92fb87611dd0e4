/* run.c: the loop. A step costs two readings of the clock and a few comparisons beside the work itself: no system call, no memory. */
#include "train/run/run.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "data/batch/dataset.h"
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

/* The batch that was fetched, and those of the others: how the step went for all of them. */
static tri_status work(tri__run *run, const tri_batch *batch, tri__tally *tally)
{
    tri__trainer *trainer = &run->trainer;
    tri__peers *peers = run->peers;
    const tri_step about = {.step = run->state.step, .rate = tri__schedule_rate(&run->settings.schedule, run->state.step)};
    if (!peers)
        return tri__trainer_compute(trainer, &about, batch, tally);
    TRI_TRY(peers->kind->begin(peers, &about));
    TRI_TRY(tri__trainer_compute(trainer, &about, batch, tally));
    tri__phases_enter(&trainer->phases, TRI_PHASE_PEERS, trainer->now);
    TRI_TRY(peers->kind->end(peers, tally));
    tri__trainer_enter(trainer, TRI_PHASE_OTHER);
    return NULL;
}

static tri_status step(tri__run *run)
{
    const tri_batch *batch;
    TRI_TRY(tri__trainer_fetch(&run->trainer, &batch));
    if (batch->damaged)
        tri__run_tell_note(run, run->trainer.dataset);
    tri__tally tally;
    TRI_TRY(work(run, batch, &tally));
    if (!isfinite(tally.loss))
        return diverged(run, isnan(tally.loss) ? "the loss is not a number" : "the loss is infinite");
    run->state.step++;
    run->state.examples += tally.count;
    tri__run_count_loss(run, tri__tally_mean(&tally));
    return NULL;
}

static void resume_clock(tri__run *run)
{
    tri__trainer_enter(&run->trainer, TRI_PHASE_OTHER);
    tri__rate_resume(&run->speed, run->state.examples, run->trainer.now);
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
        TRI_TRY(tri__checkpoint_writer_create(run->trainer.store, &run->writer));
    return tri__checkpoint_writer_begin(run->writer, run->folder.checkpoints, content, run->settings.keep);
}

tri__checkpoint_content tri__run_content(const tri__run *run, tri_store *store, const tri_source_info *source, const tri__run_state *state)
{
    return (tri__checkpoint_content){
        .model = run->model,
        .graph = run->graph,
        .store = store,
        .source = source,
        .options = &run->options,
        .state = state,
    };
}

typedef enum {
    NEXT,        /* of the run's own … */
    NEXT_BESIDE, /* … and not necessarily now */
    BEST,
} which_checkpoint;

static tri_status save(tri__run *run, which_checkpoint which)
{
    TRI_TRY(collect(run));
    run->state.position = tri_dataset_position(run->trainer.dataset);
    run->state.seconds = tri__run_seconds(run);
    tri__checkpoint_content content = tri__run_content(run, run->trainer.store, tri_source_describe(run->source), &run->state);
    content.damaged_count = tri__dataset_damage(run->trainer.dataset, &content.damaged);
    if (which == BEST)
        return tri__checkpoint_save_best(run->folder.checkpoints, &content);
    if (which == NEXT_BESIDE)
        return save_beside(run, &content);
    char *written;
    TRI_TRY(tri__checkpoint_save(run->folder.checkpoints, &content, run->settings.keep, &written));
    keep_name(run, written, run->state.step);
    return NULL;
}

/* A disk that is full now may not be later: training goes on, and the last checkpoint decides. Parameters that are no numbers end it. */
static tri_status checkpoint(tri__run *run, which_checkpoint which)
{
    TRI_TRY(tri_store_flush(run->trainer.store));
    tri_status status = save(run, which);
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

bool tri__run_judge(tri__run *run)
{
    tri__run_state *state = &run->state;
    const tri__goal_state before = {.best_loss = state->best_loss, .without_gain = state->without_gain, .ending = run->ending};
    const tri__goal_state after = tri__goal_judge(&run->settings, before, &run->evaluation);
    state->best_loss = after.best_loss;
    state->without_gain = after.without_gain;
    run->ending = after.ending;
    if (after.ending == TRI_RUN_UNTIL)
        run->until_step = state->step;
    return after.better && run->settings.keep_best;
}

static tri_status evaluate(tri__run *run)
{
    if (!run->evaluator || run->evaluated_at == run->state.step)
        return NULL;
    TRI_TRY(tri_store_flush(run->trainer.store));
    tri__trainer_pause(&run->trainer);
    TRI_TRY(tri__evaluator_run(run->evaluator, &run->evaluation));
    tri__run_tell_note(run, tri__evaluator_dataset(run->evaluator));
    run->evaluated_at = run->state.step;
    run->evaluations++;
    if (!isfinite(run->evaluation.loss))
        return diverged(run, "the test loss is not a number");
    tri__run_tell_evaluation(run);
    if (tri__run_judge(run))
        TRI_TRY(checkpoint(run, BEST));
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
    if (run->trainer.now < run->next_checkpoint)
        return false;
    run->next_checkpoint = run->trainer.now + every->seconds * SECOND;
    return true;
}

static void check_end(tri__run *run)
{
    if (run->ending != TRI_RUN_GOING)
        return;
    if (run->last_step && run->state.step >= run->last_step)
        run->ending = tri__ending_by_length(&run->settings);
    else if (*run->request->stop)
        run->ending = TRI_RUN_SIGNAL;
}

/* Work between two steps that takes time: a new reading of the clock makes it "other". Without one, the next step's wait for input,
 * which begins at run->trainer.now, would be charged with it. */
static void count_as_other(tri__run *run)
{
    run->trainer.now = tri__clock_now();
}

static tri_status after_step(tri__run *run)
{
    if (tri__run_curves_due(run)) {
        tri__run_tell_step(run);
        count_as_other(run);
    }
    if (tri__run_evaluation_due(run))
        TRI_TRY(evaluate(run));
    check_end(run);
    if (run->ending == TRI_RUN_GOING && checkpoint_due(run)) {
        TRI_TRY(checkpoint(run, run->peers ? NEXT_BESIDE : NEXT));
        count_as_other(run);
    }
    if (run->trainer.now >= run->next_report) {
        tri__run_tell_progress(run);
        count_as_other(run);
        run->next_report = run->trainer.now + REPORT_INTERVAL;
    }
    return NULL;
}

static void start_clock(tri__run *run)
{
    run->usage = tri__usage_now();
    resume_clock(run);
    run->next_checkpoint = run->trainer.now + run->settings.checkpoint.seconds * SECOND;
    run->next_report = run->trainer.now + REPORT_INTERVAL;
}

static tri_status loop(tri__run *run)
{
    start_clock(run);
    while (run->ending == TRI_RUN_GOING) {
        TRI_TRY(step(run));
        TRI_TRY(after_step(run));
    }
    TRI_TRY(tri_store_flush(run->trainer.store));
    return NULL;
}

/* The end of a run that can be kept: the last checkpoint first, so that nothing after it can cost it. */
static tri_status finish(tri__run *run)
{
    tri__trainer_pause(&run->trainer);
    if (run->saved_at != run->state.step)
        TRI_TRY(tri_wrap(save(run, NEXT), "the last checkpoint, at step %lld", (long long)run->state.step));
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
    tri__trainer_pause(&run->trainer);
    if (status)
        run->ending = tri_status_code(status) == TRI_DIVERGED ? TRI_RUN_DIVERGED : TRI_RUN_ERROR;
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
