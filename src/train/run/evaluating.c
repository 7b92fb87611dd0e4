/* evaluating.c: evaluations during a run. Training pauses, and the pause is not counted as training time. */
#include "train/run/evaluating.h"

#include <math.h>

#include "base/thread/clock.h"
#include "train/run/journal.h"
#include "train/run/peers.h"

tri_status tri__run_create_evaluator(tri__run *run)
{
    const tri__train_settings *settings = &run->settings;
    const tri__evaluator_options options = {
        .threads = settings->threads * (run->peers ? run->peers->here : 1), /* other replicas do not compute meanwhile */
        .skip_bad = settings->skip_bad,
        .cache = settings->cache,
        .cache_bytes = settings->cache_bytes,
        .cache_folder = run->request->cache_folder,
    };
    tri_store *store = tri__store_view_evaluated(run->trainer.store, &run->evaluating.averages);
    return tri__evaluator_create(run->inputs.graph, run->inputs.test, store, &options, &run->evaluating.evaluator);
}

bool tri__run_check_goal(tri__run *run)
{
    tri__run_state *state = &run->state;
    const tri__goal_state before = {.best_loss = state->best_loss, .without_gain = state->without_gain, .ending = run->ending};
    const tri__goal_state after = tri__goal_check(&run->settings, before, &run->evaluating.last);
    state->best_loss = after.best_loss;
    state->without_gain = after.without_gain;
    run->settings.schedule.cuts = state->cuts = tri__schedule_cuts(&run->settings.schedule, after.without_gain);
    run->ending = after.ending;
    if (after.ending == TRI_RUN_UNTIL)
        run->until_step = state->step;
    return after.better && run->settings.keep_best;
}

tri_status tri__run_evaluate(tri__run *run)
{
    if (!run->evaluating.evaluator || run->evaluating.at == run->state.step)
        return NULL;
    TRI_TRY(tri__run_flush(run));
    tri__trainer_pause(&run->trainer);
    const int64_t began = tri__clock_now();
    TRI_TRY(tri__evaluator_run(run->evaluating.evaluator, &run->evaluating.last));
    const double seconds = tri__clock_seconds(tri__clock_now() - began);
    tri__trace_end(run->trainer.lane, TRI_SPAN_EVALUATION, began, run->state.step);
    tri__run_tell_note(run, tri__evaluator_dataset(run->evaluating.evaluator));
    run->evaluating.at = run->state.step;
    run->evaluating.count++;
    if (!isfinite(run->evaluating.last.loss))
        return tri__run_diverged(run, "the test loss is not a number");
    tri__run_tell_evaluation(run);
    tri__run_mark_evaluation(run, run->journal.leader, seconds);
    if (tri__run_check_goal(run))
        TRI_TRY(tri__run_save_best(run));
    tri__run_resume_clock(run, began);
    return NULL;
}

void tri__run_check_progressive_goal(tri__run *run)
{
    if (!run->progressive || !run->settings.target.progressive || run->ending != TRI_RUN_GOING)
        return;
    const tri__score_sums all = tri__progressive_all(run->progressive);
    tri__evaluation so_far = tri__evaluation_of_nothing();
    so_far.logloss = tri__score_logloss(&all);
    so_far.accuracy = tri__score_accuracy(&all);
    so_far.auc = tri__progressive_auc(run->progressive);
    so_far.calibration = tri__score_calibration(&all);
    if (!tri__target_reached(&run->settings.target, &so_far))
        return;
    run->ending = TRI_RUN_UNTIL;
    run->until_step = run->state.step;
}

tri_status tri__run_validate(tri__run *run, const tri_batch *batch)
{
    tri_tensor logits;
    TRI_TRY(tri_plan_value(run->trainer.plan, "logits", &logits));
    tri__progressive_add(run->progressive, batch, logits.data, tri_shape_count(logits.shape) / batch->rows);
    return NULL;
}

bool tri__run_evaluation_due(const tri__run *run)
{
    return tri__length_due(&run->length, &run->settings.evaluate, run->state.step);
}
