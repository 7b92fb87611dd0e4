/* batch_norm.c: batch normalisation. A channel's mean and variance are taken over all positions of the examples whose weight is not 0.
 * Padded rows, of weight 0, are normalised, too, but do not count. */
#include "tensor/ref/ref.h"

#include <math.h>

typedef struct {
    double count; /* elements */
    double mean, variance;
} moments;

/* 1 for an example that counts, 0 for others; NaN where the weight is not finite */
static double presence(const float *weights, int64_t n)
{
    return weights[n] == 0 ? 0 : 1 + 0.0 * weights[n];
}

static double sum_of_plane(const float *x, int64_t inner)
{
    double sum = 0;
    for (int64_t i = 0; i < inner; i++)
        sum += x[i];
    return sum;
}

static double spread_of_plane(const float *x, int64_t inner, double mean)
{
    double sum = 0;
    for (int64_t i = 0; i < inner; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sum;
}

/* x: [n][c][inner] */
static const float *plane(const tri__ref_batch_shape *s, const float *x, int64_t n, int64_t c)
{
    return x + (n * s->c + c) * s->inner;
}

/* mean = Σ x / count, variance = Σ (x − mean)² / count, of channel c */
static moments moments_of(const tri__ref_batch_shape *s, const float *x, const float *weights, int64_t c)
{
    moments m = {0};
    for (int64_t n = 0; n < s->n; n++)
        if (weights[n] != 0) {
            m.count += presence(weights, n) * (double)s->inner;
            m.mean += sum_of_plane(plane(s, x, n, c), s->inner);
        }
    m.mean /= m.count == 0 ? 1 : m.count;
    for (int64_t n = 0; n < s->n; n++)
        if (weights[n] != 0)
            m.variance += spread_of_plane(plane(s, x, n, c), s->inner, m.mean);
    m.variance /= m.count == 0 ? 1 : m.count;
    return m;
}

/* y = scale · (x − mean) / √(variance + epsilon) + shift */
void tri__ref_batch_norm(const tri__ref_batch_shape *s, const float *x, const float *scale, const float *shift, const float *mean,
                         const float *variance, const float *weights, float *y)
{
    for (int64_t c = 0; c < s->c; c++) {
        const moments m = weights ? moments_of(s, x, weights, c) : (moments){0, mean[c], variance[c]};
        const double factor = scale[c] / sqrt(m.variance + s->epsilon);
        for (int64_t n = 0; n < s->n; n++)
            for (int64_t i = 0; i < s->inner; i++) {
                const int64_t at = (n * s->c + c) * s->inner + i;
                y[at] = (float)((x[at] - m.mean) * factor + shift[c]);
            }
    }
}

/* Σ dy and Σ dy · x̂ of a channel, where x̂ = (x − mean) / √(variance + epsilon) */
static void sums_of(const tri__ref_batch_shape *s, const float *dy, const float *x, int64_t c, const moments *m, double *sum,
                    double *product)
{
    *sum = *product = 0;
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t i = 0; i < s->inner; i++) {
            const int64_t at = (n * s->c + c) * s->inner + i;
            *sum += dy[at];
            *product += dy[at] * (x[at] - m->mean);
        }
    *product /= sqrt(m->variance + s->epsilon);
}

/* dx = scale / √(variance + epsilon) · (dy − there · (Σ dy + x̂ · Σ dy · x̂) / count), there: 1 for examples that count, 0 for others */
void tri__ref_batch_norm_grad(const tri__ref_batch_shape *s, const float *dy, const float *x, const float *scale, const float *weights,
                              float *dx)
{
    for (int64_t c = 0; c < s->c; c++) {
        const moments m = moments_of(s, x, weights, c);
        const double norm = 1 / sqrt(m.variance + s->epsilon);
        double sum, product;
        sums_of(s, dy, x, c, &m, &sum, &product);
        for (int64_t n = 0; n < s->n; n++)
            for (int64_t i = 0; i < s->inner; i++) {
                const int64_t at = (n * s->c + c) * s->inner + i;
                const double through = (sum + (x[at] - m.mean) * norm * product) / (m.count == 0 ? 1 : m.count);
                dx[at] = (float)(scale[c] * norm * (dy[at] - presence(weights, n) * through));
            }
    }
}

/* dscale = Σ dy · x̂ */
void tri__ref_batch_norm_grad_scale(const tri__ref_batch_shape *s, const float *dy, const float *x, const float *weights, float *dscale)
{
    for (int64_t c = 0; c < s->c; c++) {
        const moments m = moments_of(s, x, weights, c);
        double sum, product;
        sums_of(s, dy, x, c, &m, &sum, &product);
        dscale[c] = (float)product;
    }
}

static double total(const tri__ref_batch_shape *s, const float *weights)
{
    double sum = 0;
    for (int64_t n = 0; n < s->n; n++)
        sum += weights[n];
    return sum;
}

/* out = Σ weight · mean */
void tri__ref_batch_mean(const tri__ref_batch_shape *s, const float *x, const float *weights, float *out)
{
    for (int64_t c = 0; c < s->c; c++)
        out[c] = (float)(total(s, weights) * moments_of(s, x, weights, c).mean);
}

/* out = Σ weight · variance · count / (count − 1): the unbiased variance; 0 where there is a single element */
void tri__ref_batch_variance(const tri__ref_batch_shape *s, const float *x, const float *weights, float *out)
{
    for (int64_t c = 0; c < s->c; c++) {
        const moments m = moments_of(s, x, weights, c);
        out[c] = (float)(total(s, weights) * m.variance * (m.count > 1 ? m.count / (m.count - 1) : 1));
    }
}
