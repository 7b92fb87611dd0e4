/* label_sets.c: precision, recall and F1 by label. */
#include "train/evaluate/label_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

tri_status tri__label_sets_init(tri__label_sets *sets, int64_t labels)
{
    *sets = (tri__label_sets){.labels = labels};
    return tri__allocate((size_t)labels + 1, sizeof *sets->label, "the counts of labels", &sets->label);
}

void tri__label_sets_fini(tri__label_sets *sets)
{
    free(sets->label);
    *sets = (tri__label_sets){0};
}

void tri__label_sets_clear(tri__label_sets *sets)
{
    sets->examples = sets->correct = 0;
    memset(sets->label, 0, (size_t)sets->labels * sizeof *sets->label);
}

void tri__label_sets_add(tri__label_sets *sets, const float *outputs, const float *targets)
{
    sets->examples++;
    for (int64_t i = 0; i < sets->labels; i++) {
        const bool found = outputs[i] > 0, holds = targets[i] != 0;
        sets->label[i].count += holds;
        sets->label[i].found += found;
        sets->label[i].right += found && holds;
        sets->correct += found == holds;
    }
}

double tri__label_sets_accuracy(const tri__label_sets *sets)
{
    return sets->examples ? (double)sets->correct / (double)sets->examples / (double)sets->labels : NAN;
}

tri__class_score tri__label_sets_score(const tri__label_sets *sets, int64_t label)
{
    const tri__label_sums *sums = &sets->label[label];
    return tri__class_score_of(sums->right, sums->found, sums->count);
}

double tri__label_sets_f1(const tri__label_sets *sets)
{
    double sum = 0;
    int64_t labels = 0;
    for (int64_t i = 0; i < sets->labels; i++) {
        const double f1 = tri__label_sets_score(sets, i).f1;
        if (isnan(f1))
            continue;
        sum += f1;
        labels++;
    }
    return labels ? sum / (double)labels : NAN;
}
