/* regression.h: ordinary least squares with an intercept, and how significant each slope is. */
#ifndef TRI_LAB_FIGURES_REGRESSION_H
#define TRI_LAB_FIGURES_REGRESSION_H

#include <stdint.h>

#include "trireme/status.h"

enum { TRI_MOST_REGRESSORS = 8 };

/* y = intercept + Σ slope[j] · x[j] + noise. Where the data cannot answer, a number is NaN: t without degrees of freedom, R² where y never
 * changes. */
typedef struct {
    int64_t rows;
    int columns;
    int64_t freedom; /* rows − columns − 1 */
    double intercept;
    struct {
        double slope, error; /* its standard error */
        double t, p;         /* of "the slope is 0", two-sided, by Student's t with `freedom` degrees of freedom */
    } column[TRI_MOST_REGRESSORS];
    double r2; /* share of y's variance that is explained */
} tri__regression;

/* Fit y [rows] to x [rows][columns]. TRI_BAD_CALL where a column is constant or is a sum of others,
 * or where there are fewer rows than unknowns. */
TRI_MUST_CHECK tri_status tri__regression_fit(const double *x, const double *y, int64_t rows, int columns, tri__regression *out);

/* The probability that |T| ≥ |t| for Student's t with `freedom` degrees of freedom, which are above 0. */
double tri__student_p(double t, double freedom);

/* The probability that F ≥ f, for the F distribution with `above` and `below` degrees of freedom, each above 0. It tests whether several
 * slopes are 0. */
double tri__fisher_p(double f, double above, double below);

#endif
