/* goal.h: the goal of a run: whether an evaluation is the best so far, whether the goal is reached, and when to give up. A run ends like
 * this:
 *
 *   GOING ──► EPOCHS, STEPS, MAX_STEPS   the last step was made
 *     │ ├───► INPUT                      a stream has ended
 *     │ └───► SIGNAL                     the user asked for it
 *     └─────► PATIENCE                   too many evaluations without a better loss
 *   any of these ──► UNTIL               the goal is reached, be it by the evaluation after the last step
 *   any of these ──► DIVERGED, ERROR     a failure overrides all others */
#ifndef TRI_TRAIN_RUN_GOAL_H
#define TRI_TRAIN_RUN_GOAL_H

#include "train/evaluate/evaluate.h"
#include "train/options/options.h"

typedef enum {
    TRI_RUN_GOING,
    TRI_RUN_EPOCHS,
    TRI_RUN_STEPS,
    TRI_RUN_MAX_STEPS,
    TRI_RUN_INPUT,
    TRI_RUN_SIGNAL,
    TRI_RUN_PATIENCE,
    TRI_RUN_UNTIL,
    TRI_RUN_DIVERGED,
    TRI_RUN_ERROR,
} tri__run_ending;

const char *tri__run_ending_name(tri__run_ending ending); /* "epochs", as summary.json spells it; NULL for TRI_RUN_GOING */

/* How a run ends when it has made its last step. */
tri__run_ending tri__run_ending_by_length(const tri__train_settings *settings);

/* Early stopping and the best checkpoint go by the test loss. */
typedef struct {
    double best_loss;     /* NaN before the first evaluation */
    int64_t without_gain; /* evaluations since the best one */
    bool better;          /* the last evaluation was the best one */
    tri__run_ending ending;
} tri__goal_state;

/* The state after an evaluation. settings: --until and --patience. The caller deals with a loss that is not a number. */
tri__goal_state tri__goal_check(const tri__train_settings *settings, tri__goal_state before, const tri__evaluation *evaluation);

#endif
