/* statistics.c: means, quantiles, the bootstrap and Welch's test. Groups are small, so everything is computed as it is defined. */
#include "lab/figures/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"
#include "lab/figures/regression.h"

enum { SAMPLES = 2000 };

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The known numbers, sorted; free() them. NULL where there are none, or no memory. */
static double *sorted(const double *numbers, int64_t count, int64_t *kept)
{
    double *copy = count > 0 ? malloc((size_t)count * sizeof *copy) : NULL;
    *kept = 0;
    for (int64_t i = 0; copy && i < count; i++)
        if (!isnan(numbers[i]))
            copy[(*kept)++] = numbers[i];
    if (*kept)
        qsort(copy, (size_t)*kept, sizeof *copy, compare);
    return copy;
}

static double quantile_of_sorted(const double *numbers, int64_t count, double share)
{
    double at = share * (double)(count - 1);
    int64_t below = (int64_t)at, above = below + 1 < count ? below + 1 : below;
    return numbers[below] + (at - (double)below) * (numbers[above] - numbers[below]);
}

double tri__quantile(const double *numbers, int64_t count, double share)
{
    int64_t kept;
    double *copy = sorted(numbers, count, &kept), found = kept ? quantile_of_sorted(copy, kept, share) : NAN;
    free(copy);
    return found;
}

double tri__median(const double *numbers, int64_t count)
{
    return tri__quantile(numbers, count, 0.5);
}

static int64_t known(const double *numbers, int64_t count)
{
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++)
        found += !isnan(numbers[i]);
    return found;
}

double tri__mean(const double *numbers, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += isnan(numbers[i]) ? 0 : numbers[i];
    return sum / (double)known(numbers, count);
}

double tri__deviation(const double *numbers, int64_t count)
{
    double mean = tri__mean(numbers, count), sum = 0;
    int64_t left = known(numbers, count);
    for (int64_t i = 0; i < count; i++)
        sum += isnan(numbers[i]) ? 0 : (numbers[i] - mean) * (numbers[i] - mean);
    return left > 1 ? sqrt(sum / (double)(left - 1)) : NAN;
}

/* ---- the bootstrap ---- */

/* The key of the draws: the same numbers give the same interval. */
static tri__key key_of(const double *numbers, int64_t count)
{
    tri__key key = tri__key_of((uint64_t)count);
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        key = tri__key_split(key, bits);
    }
    return key;
}

static void draw_medians(const double *numbers, int64_t count, double *drawn, double *medians)
{
    const tri__key key = key_of(numbers, count);
    for (int sample = 0; sample < SAMPLES; sample++) {
        for (int64_t i = 0; i < count; i++)
            drawn[i] = numbers[tri__random_below(key, (uint64_t)(sample * count + i), (uint64_t)count)];
        qsort(drawn, (size_t)count, sizeof *drawn, compare);
        medians[sample] = quantile_of_sorted(drawn, count, 0.5);
    }
}

tri__interval tri__bootstrap_median(const double *numbers, int64_t count, double confidence)
{
    tri__interval interval = {NAN, NAN};
    int64_t kept;
    double *copy = sorted(numbers, count, &kept);
    double *memory = kept > 1 ? malloc((size_t)(kept + SAMPLES) * sizeof *memory) : NULL;
    if (memory) {
        draw_medians(copy, kept, memory, memory + kept);
        interval.low = tri__quantile(memory + kept, SAMPLES, (1 - confidence) / 2);
        interval.high = tri__quantile(memory + kept, SAMPLES, (1 + confidence) / 2);
    }
    free(memory);
    free(copy);
    return interval;
}

/* ---- two groups ---- */

/* t = (mean b − mean a)/√(va + vb), v = s²/n; Welch's degrees of freedom (va + vb)²/(va²/(na − 1) + vb²/(nb − 1)) */
tri__welch tri__welch_test(const double *a, int64_t a_count, const double *b, int64_t b_count)
{
    double na = (double)known(a, a_count), nb = (double)known(b, b_count);
    double sa = tri__deviation(a, a_count), sb = tri__deviation(b, b_count), va = sa * sa / na, vb = sb * sb / nb;
    tri__welch test = {.difference = tri__mean(b, b_count) - tri__mean(a, a_count), .t = NAN, .freedom = NAN, .p = NAN};
    if (isnan(va) || isnan(vb))
        return test;
    if (va + vb == 0) {
        test.p = test.difference == 0;
        return test;
    }
    test.t = test.difference / sqrt(va + vb);
    test.freedom = (va + vb) * (va + vb) / (va * va / (na - 1) + vb * vb / (nb - 1));
    test.p = tri__student_p(test.t, test.freedom);
    return test;
}
