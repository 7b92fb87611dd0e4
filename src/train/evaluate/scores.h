/* scores.h: how good scores of two classes are, summed up example by example. A score is the log odds of class 1. */
#ifndef TRI_TRAIN_EVALUATE_SCORES_H
#define TRI_TRAIN_EVALUATE_SCORES_H

#include <stdint.h>

typedef struct {
    int64_t examples, right, positive; /* right: the likelier class is the label; positive: the label is class 1 */
    double logloss, predicted;         /* Σ −log of the label's probability; Σ probability of class 1 */
} tri__score_sums;

/* The likeliest class of a row of logits. One column is the log odds of class 1. */
int64_t tri__score_guess(const float *row, int64_t columns);

void tri__score_sums_add(tri__score_sums *sums, float score, int32_t label);

/* Means over the examples; NaN where there are none. calibration: the mean prediction divided by the share of class 1; NaN also where no
 * example is of class 1. */
double tri__score_logloss(const tri__score_sums *sums);
double tri__score_accuracy(const tri__score_sums *sums);
double tri__score_calibration(const tri__score_sums *sums);

#endif
