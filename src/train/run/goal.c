/* goal.c: decides after an evaluation whether a run has reached its goal or should give up. */
#include "train/run/goal.h"

#include <math.h>
#include <stddef.h>

const char *tri__run_ending_name(tri__run_ending ending)
{
    static const char *const names[] = {
        [TRI_RUN_GOING] = NULL,      [TRI_RUN_EPOCHS] = "epochs",     [TRI_RUN_STEPS] = "steps", [TRI_RUN_MAX_STEPS] = "max_steps",
        [TRI_RUN_SIGNAL] = "signal", [TRI_RUN_PATIENCE] = "patience", [TRI_RUN_UNTIL] = "until", [TRI_RUN_DIVERGED] = "diverged",
        [TRI_RUN_ERROR] = "error",   [TRI_RUN_INPUT] = "input",
    };
    return names[ending];
}

tri__run_ending tri__run_ending_by_length(const tri__train_settings *settings)
{
    return settings->epochs ? TRI_RUN_EPOCHS : settings->steps ? TRI_RUN_STEPS : TRI_RUN_MAX_STEPS;
}

tri__goal_state tri__goal_check(const tri__train_settings *settings, tri__goal_state before, const tri__evaluation *evaluation)
{
    tri__goal_state after = before;
    after.better = isnan(before.best_loss) || evaluation->loss < before.best_loss;
    after.without_gain = after.better ? 0 : before.without_gain + 1;
    if (after.better)
        after.best_loss = evaluation->loss;
    if (!settings->target.progressive && tri__target_reached(&settings->target, evaluation))
        after.ending = TRI_RUN_UNTIL;
    else if (before.ending == TRI_RUN_GOING && settings->patience && after.without_gain >= settings->patience)
        after.ending = TRI_RUN_PATIENCE;
    return after;
}
