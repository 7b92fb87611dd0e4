/* regression.c: ordinary least squares.
 *
 * Columns and y are centred, which removes the intercept and most of the cancellation, and scaled to length 1. Then Householder reflections
 * make the columns triangular, Q·R. Slopes follow from R and Qᵀy; XᵀX is never computed, since it would square the condition number.
 * (XᵀX)⁻¹ = R⁻¹·R⁻ᵀ gives the standard errors. */
#include "lab/figures/regression.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory/memory.h"

#define DEPENDENT 1e-10 /* if less than this is left of a column of length 1, it is a sum of earlier columns */

typedef struct {
    int64_t rows;
    int columns;
    double *a; /* [columns + 1][rows]: the centred columns, then y; afterwards R above the diagonal and Qᵀy */
    double mean[TRI_MOST_REGRESSORS + 1], length[TRI_MOST_REGRESSORS + 1];
    double total; /* Σ (y − mean)² */
} system_of_equations;

static double *column_of(const system_of_equations *s, int column)
{
    return s->a + column * s->rows;
}

static double dot(const double *a, const double *b, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Centre twice: the second pass removes the rounding error of the first. */
static double centre(double *values, int64_t count)
{
    double mean = 0;
    for (int pass = 0; pass < 2; pass++) {
        double sum = 0;
        for (int64_t i = 0; i < count; i++)
            sum += values[i];
        for (int64_t i = 0; i < count; i++)
            values[i] -= sum / (double)count;
        mean += sum / (double)count;
    }
    return mean;
}

static tri_status load(system_of_equations *s, const double *x, const double *y)
{
    for (int column = 0; column <= s->columns; column++) {
        double *to = column_of(s, column);
        for (int64_t row = 0; row < s->rows; row++)
            to[row] = column < s->columns ? x[row * s->columns + column] : y[row];
        s->mean[column] = centre(to, s->rows);
        s->length[column] = sqrt(dot(to, to, s->rows));
        if (!isfinite(s->length[column]))
            return tri_fail(TRI_BAD_CALL, "a regression over values that are no numbers");
        if (column == s->columns)
            break;
        if (s->length[column] <= DEPENDENT * fabs(s->mean[column]))
            return tri_fail(TRI_BAD_CALL, "a regression on column %d, which has one value only: give it at least two", column + 1);
        for (int64_t row = 0; row < s->rows; row++)
            to[row] /= s->length[column];
    }
    s->total = s->length[s->columns] * s->length[s->columns];
    return NULL;
}

/* One reflection, H = I − 2·v·vᵀ/(vᵀv): column k becomes 0 below its diagonal, and all columns to its right are reflected, too. */
static tri_status reflect(system_of_equations *s, int k)
{
    double *v = column_of(s, k) + k;
    int64_t left = s->rows - k;
    double length = sqrt(dot(v, v, left)), diagonal = v[0] > 0 ? -length : length;
    if (length < DEPENDENT)
        return tri_fail(TRI_BAD_CALL, "a regression on column %d, which follows from the columns before it: leave one of them out", k + 1);
    v[0] -= diagonal;
    double square = dot(v, v, left);
    for (int column = k + 1; column <= s->columns; column++) {
        double *other = column_of(s, column) + k, factor = 2 * dot(v, other, left) / square;
        for (int64_t i = 0; i < left; i++)
            other[i] -= factor * v[i];
    }
    v[0] = diagonal;
    return NULL;
}

/* Solve R·x = b by back substitution. Column k of R has rows 0 … k. */
static void solve(const system_of_equations *s, const double *b, double *x)
{
    for (int row = s->columns - 1; row >= 0; row--) {
        double sum = b[row];
        for (int column = row + 1; column < s->columns; column++)
            sum -= column_of(s, column)[row] * x[column];
        x[row] = sum / column_of(s, row)[row];
    }
}

/* The diagonal of (RᵀR)⁻¹: the squares of the rows of R⁻¹, summed. */
static void invert_diagonal(const system_of_equations *s, double *diagonal)
{
    for (int j = 0; j < s->columns; j++)
        diagonal[j] = 0;
    for (int k = 0; k < s->columns; k++) {
        double unit[TRI_MOST_REGRESSORS] = {0}, x[TRI_MOST_REGRESSORS];
        unit[k] = 1;
        solve(s, unit, x);
        for (int j = 0; j < s->columns; j++)
            diagonal[j] += x[j] * x[j];
    }
}

static void tell(const system_of_equations *s, tri__regression *out)
{
    const double *y = column_of(s, s->columns);
    double slope[TRI_MOST_REGRESSORS], diagonal[TRI_MOST_REGRESSORS];
    solve(s, y, slope);
    invert_diagonal(s, diagonal);
    double residual = dot(y + s->columns, y + s->columns, s->rows - s->columns);
    out->freedom = s->rows - s->columns - 1;
    out->r2 = s->total > 0 ? 1 - residual / s->total : NAN;
    out->intercept = s->mean[s->columns];
    for (int j = 0; j < s->columns; j++) {
        double error = out->freedom > 0 ? sqrt(residual / (double)out->freedom * diagonal[j]) : NAN;
        out->column[j].slope = slope[j] / s->length[j];
        out->column[j].error = error / s->length[j];
        out->column[j].t = slope[j] / error;
        out->column[j].p = tri__student_p(out->column[j].t, (double)out->freedom);
        out->intercept -= out->column[j].slope * s->mean[j];
    }
}

tri_status tri__regression_fit(const double *x, const double *y, int64_t rows, int columns, tri__regression *out)
{
    *out = (tri__regression){.rows = rows, .columns = columns};
    if (columns < 1 || columns > TRI_MOST_REGRESSORS)
        return tri_fail(TRI_BAD_CALL, "a regression on %d columns: there may be 1 to %d", columns, TRI_MOST_REGRESSORS);
    if (rows < columns + 1)
        return tri_fail(TRI_BAD_CALL, "a regression with %d unknowns needs as many measurements, and there are %lld", columns + 1,
                        (long long)rows);
    system_of_equations s = {.rows = rows, .columns = columns};
    TRI_TRY(tri__allocate((size_t)rows * (size_t)(columns + 1), sizeof *s.a, "a regression", &s.a));
    tri_status status = load(&s, x, y);
    for (int k = 0; k < columns && !status; k++)
        status = reflect(&s, k);
    if (!status)
        tell(&s, out);
    free(s.a);
    return status;
}

/* The continued fraction of the incomplete beta function by Lentz's method (Numerical Recipes, 6.4);
 * converges for x < (a + 1)/(a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    enum { MOST_TERMS = 10000 };
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m < MOST_TERMS; m++) {
        const double term[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                                -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
        double change = 1;
        for (int half = 0; half < 2; half++) {
            d = 1 + term[half] * d;
            c = 1 + term[half] / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            change = d * c;
            value *= change;
        }
        if (fabs(change - 1) < 1e-16)
            break;
    }
    return value;
}

/* x^a · (1 − x)^b / (a · B(a, b)), by logarithms. rest: 1 − x, which the caller knows with more digits. */
static double beta_front(double x, double rest, double a, double b)
{
    return exp(a * log(x) + b * log(rest) + lgamma(a + b) - lgamma(a) - lgamma(b)) / a;
}

/* The regularised incomplete beta function I_x(a, b), a and b > 0; rest is 1 − x. */
static double incomplete_beta(double x, double rest, double a, double b)
{
    if (x <= 0 || rest <= 0)
        return x <= 0 ? 0 : 1;
    if (x < (a + 1) / (a + b + 2))
        return beta_front(x, rest, a, b) * beta_fraction(x, a, b);
    return 1 - beta_front(rest, x, b, a) * beta_fraction(rest, b, a);
}

/* P(|T| ≥ t) = I_{f/(f + t²)}(f/2, 1/2) */
double tri__student_p(double t, double freedom)
{
    if (isnan(t) || !(freedom > 0))
        return NAN;
    if (isinf(t))
        return 0;
    double sum = freedom + t * t;
    return incomplete_beta(freedom / sum, t * t / sum, freedom / 2, 0.5);
}

/* P(F ≥ f) = I_{d/(d + n·f)}(d/2, n/2), with n degrees of freedom above the fraction line and d below it */
double tri__fisher_p(double f, double above, double below)
{
    if (isnan(f) || f < 0 || !(above > 0) || !(below > 0))
        return NAN;
    if (isinf(f))
        return 0;
    double sum = below + above * f;
    return incomplete_beta(below / sum, above * f / sum, below / 2, above / 2);
}
