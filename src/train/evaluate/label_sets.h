/* label_sets.h: how well a model finds sets of labels, summed up example by example. An output above 0 says that the example has this
 * label. */
#ifndef TRI_TRAIN_EVALUATE_LABEL_SETS_H
#define TRI_TRAIN_EVALUATE_LABEL_SETS_H

#include "train/evaluate/confusion.h"

/* Of one label. count: examples that have it; found: examples in which the model found it; right: examples that have it and in which it was
 * found. */
typedef struct {
    int64_t count, found, right;
} tri__label_sums;

typedef struct {
    int64_t labels, examples;
    int64_t correct;        /* correct decisions; there are labels × examples */
    tri__label_sums *label; /* [labels] */
} tri__label_sets;

TRI_MUST_CHECK tri_status tri__label_sets_init(tri__label_sets *sets, int64_t labels);
void tri__label_sets_fini(tri__label_sets *sets);
void tri__label_sets_clear(tri__label_sets *sets);

void tri__label_sets_add(tri__label_sets *sets, const float *outputs, const float *targets); /* [labels] each */

double tri__label_sets_accuracy(const tri__label_sets *sets);                       /* share of correct decisions, label by label */
tri__class_score tri__label_sets_score(const tri__label_sets *sets, int64_t label); /* precision, recall and F1 of a label */
double tri__label_sets_f1(const tri__label_sets *sets);                             /* the mean over the labels that occur or were found */

#endif
