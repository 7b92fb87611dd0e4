/* progressive.h: progressive validation: a run predicts every example before it learns from it, so the training examples also measure how
 * good the model is. Memory does not grow with the examples: for the AUC, scores are counted in buckets of a thousandth. */
#ifndef TRI_TRAIN_EVALUATE_PROGRESSIVE_H
#define TRI_TRAIN_EVALUATE_PROGRESSIVE_H

#include "train/evaluate/scores.h"
#include "trireme/dataset.h"

typedef struct {
    tri__score_sums before, recent; /* recent: since tri__progressive_settle; before: all until then */
    int64_t *count[2];              /* [buckets] scores of each class */
} tri__progressive;

TRI_MUST_CHECK tri_status tri__progressive_create(tri__progressive **out);
void tri__progressive_destroy(tri__progressive *progressive); /* accepts NULL */

/* logits: [rows][columns], as they were before the batch's update. One column is the log odds of class 1; two columns are the logits of
 * both classes. */
void tri__progressive_add(tri__progressive *progressive, const tri_batch *batch, const float *logits, int64_t columns);

tri__score_sums tri__progressive_all(const tri__progressive *progressive);
void tri__progressive_settle(tri__progressive *progressive); /* what was recent was reported; `before` has it from now on */

/* Area under the ROC curve of all examples, where scores of one bucket count as equal; NaN where a class is missing. */
double tri__progressive_auc(const tri__progressive *progressive);

#endif
