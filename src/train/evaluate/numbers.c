/* numbers.c: squared and absolute errors, and R². */
#include "train/evaluate/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

tri_status tri__numbers_init(tri__numbers *numbers, int64_t outputs)
{
    *numbers = (tri__numbers){.outputs = outputs};
    return tri__allocate((size_t)outputs + 1, sizeof *numbers->output, "the errors of outputs", &numbers->output);
}

void tri__numbers_fini(tri__numbers *numbers)
{
    free(numbers->output);
    *numbers = (tri__numbers){0};
}

void tri__numbers_clear(tri__numbers *numbers)
{
    numbers->examples = 0;
    memset(numbers->output, 0, (size_t)numbers->outputs * sizeof *numbers->output);
}

/* mean ← mean + (t − mean) / n, spread ← spread + (t − mean before) · (t − mean after) */
void tri__numbers_add(tri__numbers *numbers, const float *guesses, const float *targets)
{
    numbers->examples++;
    for (int64_t i = 0; i < numbers->outputs; i++) {
        tri__number_sums *sums = &numbers->output[i];
        const double target = targets[i], error = guesses[i] - target, before = target - sums->mean;
        sums->absolute += fabs(error);
        sums->squared += error * error;
        sums->mean += before / (double)numbers->examples;
        sums->spread += before * (target - sums->mean);
    }
}

static double mean_of(const tri__numbers *numbers, double sum)
{
    return numbers->examples && numbers->outputs ? sum / (double)numbers->examples / (double)numbers->outputs : NAN;
}

double tri__numbers_mse(const tri__numbers *numbers)
{
    double sum = 0;
    for (int64_t i = 0; i < numbers->outputs; i++)
        sum += numbers->output[i].squared;
    return mean_of(numbers, sum);
}

double tri__numbers_mae(const tri__numbers *numbers)
{
    double sum = 0;
    for (int64_t i = 0; i < numbers->outputs; i++)
        sum += numbers->output[i].absolute;
    return mean_of(numbers, sum);
}

/* 1 − Σ error² / Σ (target − mean)² */
double tri__numbers_r2(const tri__numbers *numbers)
{
    double sum = 0;
    int64_t varied = 0;
    for (int64_t i = 0; i < numbers->outputs; i++) {
        if (!(numbers->output[i].spread > 0))
            continue;
        sum += 1 - numbers->output[i].squared / numbers->output[i].spread;
        varied++;
    }
    return varied ? sum / (double)varied : NAN;
}
