/* trainer.c: one worker's part of a step. */
#include "train/step/trainer.h"

#include "base/thread/clock.h"
#include "data/batch/dataset.h"
#include "graph/plan/plan.h"
#include "graph/plan/plan_table.h"
#include "graph/store/store.h"
#include "train/evaluate/scores.h"

enum { JUDGED_STEPS = 10 }; /* of the steps between two points of the curves: enough for a point, and too few to cost time */

void tri__tally_add(tri__tally *tally, const tri__tally *other)
{
    tally->loss += other->loss;
    tally->weight += other->weight;
    tally->count += other->count;
    tally->damaged += other->damaged;
    tally->judged += other->judged;
    tally->right += other->right;
}

double tri__tally_mean(const tri__tally *tally)
{
    return tally->loss / (tally->weight > 0 ? tally->weight : 1);
}

void tri__trainer_trace(tri__trainer *trainer, tri__trace *trace, const char *name)
{
    trainer->lane = tri__trace_lane_add(trace, name);
    tri__store_trace(trainer->store, trace, trainer->lane);
    tri__plan_trace(trainer->plan, trace, trainer->lane);
}

void tri__trainer_enter(tri__trainer *trainer, tri__phase phase)
{
    trainer->now = tri__clock_now();
    tri__phases_enter(&trainer->phases, phase, trainer->now);
}

void tri__trainer_pause(tri__trainer *trainer)
{
    tri__phases_pause(&trainer->phases, tri__clock_now());
}

tri_status tri__trainer_fetch(tri__trainer *trainer, const tri_batch **batch)
{
    trainer->began = trainer->now;
    tri__phases_enter(&trainer->phases, TRI_PHASE_INPUT, trainer->now);
    TRI_TRY(tri_dataset_next(trainer->dataset, batch));
    tri__trainer_enter(trainer, TRI_PHASE_COMPUTE);
    if (trainer->lane) /* a span that begins at the same time as the span around it would be drawn beside it */
        tri__trace_add(trainer->lane, TRI_SPAN_INPUT, trainer->began + 1, trainer->now, -1, TRI_FLOW_NONE, 0);
    return NULL;
}

/* Move the time that the store spent on other phases out of "compute". */
static void count_times(tri__trainer *trainer)
{
    tri__phases *phases = &trainer->phases;
    const tri__store_times times = tri__store_take_times(trainer->store);
    tri__phases_move(phases, TRI_PHASE_COMPUTE, TRI_PHASE_UPDATE, times.update);
    tri__phases_move(phases, TRI_PHASE_COMPUTE, TRI_PHASE_SEND, times.sending);
    tri__phases_move(phases, TRI_PHASE_COMPUTE, TRI_PHASE_SERVER, times.server);
    tri__phases_move(phases, TRI_PHASE_COMPUTE, TRI_PHASE_PEERS, times.peers);
}

/* Show the plan the next batch, if it has been made already and the store can use the time. */
static tri_status expect_next(tri__trainer *trainer, const tri_batch *batch)
{
    const bool gains = !trainer->store->immediate && tri_plan_expects(trainer->plan);
    const tri_batch *next = gains ? tri__dataset_peek(trainer->dataset) : NULL;
    return next ? tri_plan_expect(trainer->plan, batch, next) : NULL;
}

static bool judges_step(const tri__trainer *trainer)
{
    return trainer->judge_every && trainer->steps % trainer->judge_every >= trainer->judge_every - JUDGED_STEPS;
}

/* Count how many examples of the batch the model predicted rightly, before it learnt from them. logits: [rows][columns] */
static tri_status judge(tri__trainer *trainer, const tri_batch *batch, tri__tally *tally)
{
    tri_tensor logits;
    TRI_TRY(tri_plan_value(trainer->plan, "logits", &logits));
    const int64_t columns = tri_shape_count(logits.shape) / batch->rows;
    const float *row = logits.data;
    for (int64_t i = 0; i < batch->count; i++, row += columns) {
        if (batch->damaged && batch->weights[i] == 0)
            continue;
        tally->judged++;
        tally->right += tri__score_guess(row, columns) == batch->labels[i];
    }
    return NULL;
}

tri_status tri__trainer_compute(tri__trainer *trainer, const tri_step *step, const tri_batch *batch, tri__tally *tally)
{
    *tally = (tri__tally){.weight = tri__batch_weight(batch), .count = batch->count, .damaged = batch->damaged};
    if (trainer->team.most > 1)
        tri__plan_tables_set_team(trainer->plan, tri__team_next(&trainer->team, trainer->now, batch->count));
    const int64_t begin = tri__trace_begin(trainer->lane);
    if (trainer->histograms)
        tri__histograms_begin(trainer->histograms, trainer->steps);
    TRI_TRY(tri_store_begin(trainer->store, step));
    TRI_TRY(expect_next(trainer, batch));
    TRI_TRY(tri_plan_train(trainer->plan, batch, &tally->loss));
    if (judges_step(trainer))
        TRI_TRY(judge(trainer, batch, tally));
    tri__trainer_enter(trainer, TRI_PHASE_OTHER);
    trainer->ended = trainer->now;
    if (trainer->lane) {
        tri__trace_add(trainer->lane, TRI_SPAN_COMPUTE, begin, trainer->now, step->step, TRI_FLOW_NONE, 0);
        tri__trace_add(trainer->lane, TRI_SPAN_STEP, trainer->began, trainer->now, step->step, TRI_FLOW_NONE, 0);
    }
    count_times(trainer);
    trainer->steps++;
    trainer->examples += batch->count;
    return NULL;
}

void tri__trainer_fini(tri__trainer *trainer)
{
    tri_plan_destroy(trainer->plan);
    tri_dataset_destroy(trainer->dataset);
    tri_store_destroy(trainer->store);
    trainer->plan = NULL;
    trainer->dataset = NULL;
    trainer->store = NULL;
}
