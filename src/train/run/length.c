/* length.c: counts the steps of an epoch and of a run. */
#include "train/run/length.h"

#include <math.h>

#include "train/run/run_inside.h"

/* Where epochs are passes over the examples, the position says how many examples are left, whatever the size of earlier steps. */
static void settle_passes(tri__length *length, const tri__run_state *state, int64_t examples, int64_t each)
{
    int64_t into = state->position % examples, rest = into ? (examples - into + each - 1) / each : 0;
    length->epoch_step = state->step + rest;
    length->epochs = state->position / examples + (into > 0);
}

static bool settle_last_pass(tri__length *length, int64_t epochs)
{
    int64_t left = epochs > length->epochs ? epochs - length->epochs : 0, steps;
    return !__builtin_mul_overflow(left, length->epoch, &steps) && !__builtin_add_overflow(length->epoch_step, steps, &length->last_step);
}

bool tri__length_settle(tri__length *length, const tri__train_settings *settings, const tri__run_state *state, int64_t examples,
                        int64_t each)
{
    length->epoch = settings->steps_per_epoch ? settings->steps_per_epoch : (examples + each - 1) / each;
    length->last_step = settings->steps ? settings->steps : settings->max_steps;
    if (settings->steps_per_epoch)
        return !settings->epochs || !__builtin_mul_overflow(settings->epochs, length->epoch, &length->last_step);
    settle_passes(length, state, examples, each);
    return !settings->epochs || settle_last_pass(length, settings->epochs);
}

int64_t tri__length_expected(int64_t epochs, int64_t examples, int64_t step, int64_t done, int64_t each)
{
    const double left = ceil(((double)epochs * (double)examples - (double)done) / (double)each);
    return step + (left > 0 ? (int64_t)left : 0);
}

bool tri__length_ends_epoch(const tri__length *length, int64_t step)
{
    return length->epoch > 0 && (step - length->epoch_step) % length->epoch == 0;
}

int64_t tri__length_epochs(const tri__length *length, int64_t step)
{
    if (length->epoch == 0)
        return 0;
    const int64_t since = step - length->epoch_step, whole = since / length->epoch - (since % length->epoch < 0);
    return length->epochs + whole;
}

int64_t tri__length_epoch_end(const tri__length *length, int64_t epochs)
{
    return length->epoch_step + (epochs - length->epochs) * length->epoch;
}

bool tri__length_reached(const tri__length *length, int64_t step)
{
    return length->last_step && step >= length->last_step;
}

bool tri__length_due(const tri__length *length, const tri__every *every, int64_t step)
{
    switch (every->kind) {
    case TRI_EVERY_STEPS:
        return step % every->steps == 0;
    case TRI_EVERY_EPOCH:
        return tri__length_ends_epoch(length, step);
    case TRI_EVERY_END:
    case TRI_EVERY_SECONDS:
    case TRI_EVERY_NEVER:
        break;
    }
    return false;
}

static tri_status check_steps_left(const tri__run *run)
{
    if (!run->request->resume || !tri__length_reached(&run->length, run->state.step))
        return NULL;
    return tri_fail(TRI_BAD_CALL, "--resume %s: the run has made its %lld steps; give a larger %s to go on", run->request->resume,
                    (long long)run->state.step, run->settings.max_steps ? "--max-steps" : "--epochs or --steps");
}

/* A stream's end is not known, unless --steps gives it: its one epoch has the largest number of steps. */
static tri_status settle_stream(tri__run *run)
{
    tri__train_settings *settings = &run->settings;
    run->length = (tri__length){.epoch = INT64_MAX, .last_step = settings->steps ? settings->steps : settings->max_steps};
    TRI_TRY(check_steps_left(run));
    return tri__schedule_bind(&settings->schedule, run->length.epoch, run->length.last_step);
}

tri_status tri__run_settle_length(tri__run *run, int64_t examples, int workers)
{
    tri__length *length = &run->length;
    if (tri__run_reads_stream(run))
        return settle_stream(run);
    if (examples < 1)
        return tri_fail(TRI_BAD_DATA, "%s: there are no examples to train on", run->options.data);
    if (!tri__length_settle(length, &run->settings, &run->state, examples, run->settings.batch * workers))
        return tri_fail(TRI_BAD_CALL, "--epochs %lld: more steps than can be counted", (long long)run->settings.epochs);
    bool passes = run->settings.epochs && !run->settings.steps_per_epoch;
    double done = (double)run->state.position / (double)examples;
    if (run->request->resume && passes && done > (double)run->settings.epochs)
        return tri_fail(TRI_BAD_CALL,
                        "--resume %s: the run has done %.4g epochs already, more than --epochs %lld; give a larger one to go on",
                        run->request->resume, done, (long long)run->settings.epochs);
    TRI_TRY(check_steps_left(run));
    return tri__schedule_bind(&run->settings.schedule, length->epoch, length->last_step);
}
