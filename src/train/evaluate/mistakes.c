/* mistakes.c: a short list, kept in order. */
#include "train/evaluate/mistakes.h"

#include <math.h>
#include <string.h>

/* The softmax of one class; the logistic function where there is one column. */
static double probability(const float *scores, int64_t columns, int64_t class)
{
    if (columns == 1)
        return 1 / (1 + exp((class ? -1 : 1) * (double)scores[0]));
    double sum = 0;
    for (int64_t i = 0; i < columns; i++)
        sum += exp((double)(scores[i] - scores[class]));
    return 1 / sum;
}

void tri__mistakes_add(tri__mistakes *mistakes, int64_t record, int64_t label, int64_t guess, const float *scores, int64_t columns)
{
    if (label == guess)
        return;
    const tri__mistake mistake = {.record = record,
                                  .label = label,
                                  .guess = guess,
                                  .sure = probability(scores, columns, guess),
                                  .right = probability(scores, columns, label)};
    int at = mistakes->count;
    while (at > 0 && mistakes->worst[at - 1].sure < mistake.sure)
        at--;
    if (at == TRI_MISTAKES)
        return;
    const int moved = (mistakes->count < TRI_MISTAKES ? mistakes->count : TRI_MISTAKES - 1) - at;
    memmove(&mistakes->worst[at + 1], &mistakes->worst[at], (size_t)moved * sizeof mistake);
    mistakes->worst[at] = mistake;
    mistakes->count = at + moved + 1;
}
