/* statistics.h: statistics of a few measurements: means and medians, spread, and whether two groups differ. */
#ifndef TRI_LAB_FIGURES_STATISTICS_H
#define TRI_LAB_FIGURES_STATISTICS_H

#include <stdint.h>

/* NaN means not known: such numbers are left out. The result is NaN where no number is left. */
double tri__mean(const double *numbers, int64_t count);
double tri__deviation(const double *numbers, int64_t count); /* the sample's standard deviation; NaN for fewer than two numbers */
double tri__median(const double *numbers, int64_t count);
double tri__quantile(const double *numbers, int64_t count, double share); /* share from 0 to 1; interpolates between two numbers */

typedef struct {
    double low, high;
} tri__interval;

/* A confidence interval of the median; confidence: 0.95. It is the percentile bootstrap of 2,000 samples, whose draws depend only on the
 * numbers. NaN where there are fewer than two numbers. */
tri__interval tri__bootstrap_median(const double *numbers, int64_t count, double confidence);

typedef struct {
    double difference; /* of the means, b − a */
    double t, freedom; /* Welch's t and his degrees of freedom */
    double p;          /* of "both have the same mean", two-sided; NaN where a group has fewer than two numbers */
} tri__welch;

/* Whether two groups, whose spread may differ, have the same mean. Two groups without any spread have p = 1 or 0. */
tri__welch tri__welch_test(const double *a, int64_t a_count, const double *b, int64_t b_count);

#endif
