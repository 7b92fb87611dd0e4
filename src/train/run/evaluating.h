/* evaluating.h: when a run evaluates, and what it does with the result. */
#ifndef TRI_TRAIN_RUN_EVALUATING_H
#define TRI_TRAIN_RUN_EVALUATING_H

#include "graph/store/store.h"
#include "train/evaluate/evaluate.h"

typedef struct {
    tri__evaluator *evaluator; /* NULL: this process does not evaluate */
    tri_store averages;        /* with --average: a view of the run's store, which is what it evaluates */
    tri__evaluation last;
    int64_t at; /* the step of the last evaluation; −1: none yet */
    int64_t count;
} tri__evaluating;

struct tri__run;
TRI_MUST_CHECK tri_status tri__run_create_evaluator(struct tri__run *run); /* evaluates the run's store on its test source */
bool tri__run_evaluation_due(const struct tri__run *run);                  /* whether the step just made is to be evaluated */

/* Evaluate, unless this step was evaluated already. Logs the result, checks it against the goal, and saves the best checkpoint. */
TRI_MUST_CHECK tri_status tri__run_evaluate(struct tri__run *run);
void tri__run_check_progressive_goal(struct tri__run *run); /* by progressive validation, where --until asks for it */

/* Progressive validation of a stream: count the predictions for the batch, which were made before its update. */
TRI_MUST_CHECK tri_status tri__run_validate(struct tri__run *run, const tri_batch *batch);

/* Checks the last evaluation against the goal of the run. Returns true where it is the best so far and should be saved. */
bool tri__run_check_goal(struct tri__run *run);

#endif
