/* statistics.h: what a few measurements say: middles, spread, and whether two groups of them differ. */
#ifndef TRI_LAB_FIGURES_STATISTICS_H
#define TRI_LAB_FIGURES_STATISTICS_H

#include <stdint.h>

/* Numbers that are NaN are not known, and are left out. NaN where none is left. */
double tri__mean(const double *numbers, int64_t count);
double tri__deviation(const double *numbers, int64_t count); /* the sample's standard deviation; NaN below two numbers */
double tri__median(const double *numbers, int64_t count);
double tri__quantile(const double *numbers, int64_t count, double share); /* share from 0 to 1; between two numbers by a straight line */

typedef struct {
    double low, high;
} tri__interval;

/* An interval that holds the median of what the numbers were drawn from, with this confidence (0.95): the percentile bootstrap of 2,000
 * samples, whose draws depend on the numbers alone. NaN below two numbers. */
tri__interval tri__bootstrap_median(const double *numbers, int64_t count, double confidence);

typedef struct {
    double difference; /* of the means, b − a */
    double t, freedom; /* Welch's t and his degrees of freedom */
    double p;          /* of "both have the same mean", two-sided; NaN where a group has fewer than two numbers */
} tri__welch;

/* Whether two groups, whose spread may differ, have the same mean. Two groups without any spread have p = 1 or 0. */
tri__welch tri__welch_test(const double *a, int64_t a_count, const double *b, int64_t b_count);

#endif
