/* numbers.h: how near predicted numbers are to their targets, summed up example by example. */
#ifndef TRI_TRAIN_EVALUATE_NUMBERS_H
#define TRI_TRAIN_EVALUATE_NUMBERS_H

#include <stdint.h>

#include "trireme/status.h"

/* Of one output. Mean and spread of the targets are updated with each example (Welford), so that large targets lose no digits. */
typedef struct {
    double absolute, squared; /* Σ |error|, Σ error² */
    double mean, spread;      /* of the targets: their mean, and Σ (target − mean)² */
} tri__number_sums;

typedef struct {
    int64_t outputs, examples;
    tri__number_sums *output; /* [outputs] */
} tri__numbers;

TRI_MUST_CHECK tri_status tri__numbers_init(tri__numbers *numbers, int64_t outputs);
void tri__numbers_fini(tri__numbers *numbers);
void tri__numbers_clear(tri__numbers *numbers);

void tri__numbers_add(tri__numbers *numbers, const float *guesses, const float *targets); /* [outputs] each */

/* Means over examples and outputs; NaN where there are no examples. r2: the share of the targets' variance that the guesses explain, as a
 * mean over the outputs whose targets vary; NaN where no output's targets vary. */
double tri__numbers_mse(const tri__numbers *numbers);
double tri__numbers_mae(const tri__numbers *numbers);
double tri__numbers_r2(const tri__numbers *numbers);

#endif
