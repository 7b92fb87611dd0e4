/* scores.c: log loss, accuracy and calibration of two classes. */
#include "train/evaluate/scores.h"

#include <math.h>

/* −log of the probability that the score gives to the label: log(1 + e^∓score), without overflow. */
static double log_loss(double score, int32_t label)
{
    double against = label ? -score : score;
    return against > 0 ? against + log1p(exp(-against)) : log1p(exp(against));
}

int64_t tri__score_guess(const float *row, int64_t columns)
{
    int64_t best = 0;
    if (columns == 1)
        return row[0] > 0;
    for (int64_t column = 1; column < columns; column++)
        if (row[column] > row[best])
            best = column;
    return best;
}

void tri__score_sums_add(tri__score_sums *sums, float score, int32_t label)
{
    sums->examples++;
    sums->right += (score > 0) == (label != 0);
    sums->positive += label != 0;
    sums->logloss += log_loss(score, label);
    sums->predicted += 1 / (1 + exp(-(double)score));
}

double tri__score_logloss(const tri__score_sums *sums)
{
    return sums->examples ? sums->logloss / (double)sums->examples : NAN;
}

double tri__score_accuracy(const tri__score_sums *sums)
{
    return sums->examples ? (double)sums->right / (double)sums->examples : NAN;
}

double tri__score_calibration(const tri__score_sums *sums)
{
    return sums->positive ? sums->predicted / (double)sums->positive : NAN;
}
