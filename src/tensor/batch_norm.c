/* batch_norm.c: see batch_norm.h.
 *
 * A plane is the part of one example that belongs to one block of channels: [inner][lanes]. It is small enough to stay in a cache while it
 * is read twice. Threads take planes; each adds up its own sums, in double precision, and these are added in the order of the threads.
 * Formulas are in ref/batch_norm.c. */
#include "tensor/batch_norm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/vector.h"
#include "base/memory/memory.h"

#define WORTH_A_TEAM 16384 /* elements */
#define MOST_LANES   16

typedef struct {
    tri__kernel kernel;
    tri__batch_norm spec;
    int64_t groups, inner, lanes; /* x: [n][groups][inner][lanes] */
    int threads;
    bool training, input_gradient;
    double *sums;  /* [threads][2][c] */
    float *factor; /* [3][c] of one run: a of the forward kernel; a, b and d of the gradient */
} batch_norm_kernel;

/* What the forward kernel keeps for the others: [c] each. */
typedef struct {
    float *mean, *variance, *norm; /* norm: 1 / √(variance + epsilon) */
} statistics;

static statistics statistics_in(const batch_norm_kernel *self, float *kept)
{
    const int64_t c = self->spec.c;
    return (statistics){kept, kept + c, kept + 2 * c};
}

/* ---- a plane ---- */

/* Σ x and Σ x² of each lane. The mean of the plane is subtracted before squares are added, so that little precision is lost. */
static inline __attribute__((always_inline)) void lanes_moments(const float *x, int64_t inner, int lanes, double *sum, double *square)
{
    float total[MOST_LANES] = {0}, mean[MOST_LANES], rest[MOST_LANES] = {0}, spread[MOST_LANES] = {0};
    for (int64_t i = 0; i < inner; i++)
        for (int k = 0; k < lanes; k++)
            total[k] += x[i * lanes + k];
    for (int k = 0; k < lanes; k++)
        mean[k] = total[k] / (float)inner;
    for (int64_t i = 0; i < inner; i++)
        for (int k = 0; k < lanes; k++) {
            const float d = x[i * lanes + k] - mean[k];
            rest[k] += d;
            spread[k] += d * d;
        }
    for (int k = 0; k < lanes; k++) {
        const double exact = (double)mean[k] * (double)inner + (double)rest[k];
        sum[k] += exact;
        square[k] += (double)spread[k] - (double)rest[k] * (double)rest[k] / (double)inner + exact * exact / (double)inner;
    }
}

/* Σ dy and Σ dy · (x − mean) of each lane */
static inline __attribute__((always_inline)) void lanes_products(const float *dy, const float *x, const float *mean, int64_t inner,
                                                                 int lanes, double *sum, double *product)
{
    float total[MOST_LANES] = {0}, products[MOST_LANES] = {0};
    for (int64_t i = 0; i < inner; i++)
        for (int k = 0; k < lanes; k++) {
            total[k] += dy[i * lanes + k];
            products[k] += dy[i * lanes + k] * (x[i * lanes + k] - mean[k]);
        }
    for (int k = 0; k < lanes; k++) {
        sum[k] += (double)total[k];
        product[k] += (double)products[k];
    }
}

/* The same along a plane of one channel. */
static inline __attribute__((always_inline)) void channel_moments(const float *x, int64_t inner, double *sum, double *square)
{
    float total = 0, rest = 0, spread = 0;
#pragma omp simd reduction(+ : total)
    for (int64_t i = 0; i < inner; i++)
        total += x[i];
    const float mean = total / (float)inner;
#pragma omp simd reduction(+ : rest, spread)
    for (int64_t i = 0; i < inner; i++) {
        rest += x[i] - mean;
        spread += (x[i] - mean) * (x[i] - mean);
    }
    const double exact = (double)mean * (double)inner + (double)rest;
    *sum += exact;
    *square += (double)spread - (double)rest * (double)rest / (double)inner + exact * exact / (double)inner;
}

static inline __attribute__((always_inline)) void channel_products(const float *dy, const float *x, float mean, int64_t inner, double *sum,
                                                                   double *product)
{
    float total = 0, products = 0;
#pragma omp simd reduction(+ : total, products)
    for (int64_t i = 0; i < inner; i++) {
        total += dy[i];
        products += dy[i] * (x[i] - mean);
    }
    *sum += (double)total;
    *product += (double)products;
}

TRI_FOR_EVERY_CPU static void plane_moments(const float *x, int64_t inner, int64_t lanes, double *sum, double *square)
{
    if (lanes == 1)
        channel_moments(x, inner, sum, square);
    else if (lanes == 8)
        lanes_moments(x, inner, 8, sum, square);
    else if (lanes == 16)
        lanes_moments(x, inner, 16, sum, square);
    else
        for (int64_t k = 0; k < lanes; k++) { /* features: a plane is one row of them */
            sum[k] += (double)x[k];
            square[k] += (double)x[k] * (double)x[k];
        }
}

TRI_FOR_EVERY_CPU static void plane_products(const float *dy, const float *x, const float *mean, int64_t inner, int64_t lanes, double *sum,
                                             double *product)
{
    if (lanes == 1)
        channel_products(dy, x, *mean, inner, sum, product);
    else if (lanes == 8)
        lanes_products(dy, x, mean, inner, 8, sum, product);
    else if (lanes == 16)
        lanes_products(dy, x, mean, inner, 16, sum, product);
    else
        for (int64_t k = 0; k < lanes; k++) {
            sum[k] += (double)dy[k];
            product[k] += (double)dy[k] * (double)(x[k] - mean[k]);
        }
}

/* y = (x − mean) · a + b of each lane */
TRI_FOR_EVERY_CPU static void plane_scale(const float *x, const float *mean, const float *a, const float *b, int64_t inner, int64_t lanes,
                                          float *y)
{
    if (lanes == 1) {
        const float middle = *mean, slope = *a, shift = *b;
        for (int64_t i = 0; i < inner; i++)
            y[i] = (x[i] - middle) * slope + shift;
        return;
    }
    for (int64_t i = 0; i < inner; i++)
        for (int64_t k = 0; k < lanes; k++)
            y[i * lanes + k] = (x[i * lanes + k] - mean[k]) * a[k] + b[k];
}

/* What all planes of the input gradient share. */
typedef struct {
    const float *mean, *a, *b, *d; /* of each channel: dx = dy · a + (x − mean) · b + d */
} gradient_factors;

TRI_FOR_EVERY_CPU static void plane_gradient(const float *dy, const float *x, gradient_factors f, int64_t inner, int64_t lanes, float *dx)
{
    if (lanes == 1) {
        const float mean = *f.mean, a = *f.a, b = *f.b, d = *f.d;
        for (int64_t i = 0; i < inner; i++)
            dx[i] = dy[i] * a + (x[i] - mean) * b + d;
        return;
    }
    for (int64_t i = 0; i < inner; i++)
        for (int64_t k = 0; k < lanes; k++)
            dx[i * lanes + k] = dy[i * lanes + k] * f.a[k] + (x[i * lanes + k] - f.mean[k]) * f.b[k] + f.d[k];
}

/* dx = dy · a */
static void plane_outside(const float *dy, const float *a, int64_t inner, int64_t lanes, float *dx)
{
    for (int64_t i = 0; i < inner; i++)
        for (int64_t k = 0; k < lanes; k++)
            dx[i * lanes + k] = dy[i * lanes + k] * a[k];
}

/* ---- all planes ---- */

/* Elements of a channel that count; NaN where a weight is no number. */
static double count_of(const batch_norm_kernel *self, const float *weights)
{
    double rows = 0;
    for (int64_t n = 0; n < self->spec.n; n++)
        rows += weights[n] == 0 ? 0 : 1 + 0.0 * (double)weights[n];
    return rows * (double)self->spec.inner;
}

static double total_of(const batch_norm_kernel *self, const float *weights)
{
    double sum = 0;
    for (int64_t n = 0; n < self->spec.n; n++)
        sum += (double)weights[n];
    return sum;
}

/* Add up the sums of all threads into sums[0]. */
static void join_sums(const batch_norm_kernel *self)
{
    const int64_t count = 2 * self->spec.c;
    for (int t = 1; t < self->threads; t++)
        for (int64_t i = 0; i < count; i++)
            self->sums[i] += self->sums[t * count + i];
}

/* The first plane of a thread. */
static int64_t first_of(const batch_norm_kernel *self, int64_t planes, int thread)
{
    return planes * thread / self->threads;
}

/* Σ x and Σ x² of every channel, of the examples that count, into sums */
static void sum_moments(const batch_norm_kernel *self, const float *x, const float *weights)
{
    const int64_t planes = self->spec.n * self->groups, plane = self->inner * self->lanes, c = self->spec.c;
    memset(self->sums, 0, (size_t)(self->threads * 2 * c) * sizeof *self->sums);
#pragma omp parallel for schedule(static) num_threads(self->threads) if (self->threads > 1)
    for (int t = 0; t < self->threads; t++) {
        double *sum = self->sums + t * 2 * c;
        for (int64_t p = first_of(self, planes, t); p < first_of(self, planes, t + 1); p++)
            if (weights[p / self->groups] != 0)
                plane_moments(x + p * plane, self->inner, self->lanes, sum + p % self->groups * self->lanes,
                              sum + c + p % self->groups * self->lanes);
    }
    join_sums(self);
}

/* Σ dy and Σ dy · (x − mean) of every channel, of all examples, into sums */
static void sum_products(const batch_norm_kernel *self, const float *dy, const float *x, const float *mean)
{
    const int64_t planes = self->spec.n * self->groups, plane = self->inner * self->lanes, c = self->spec.c;
    memset(self->sums, 0, (size_t)(self->threads * 2 * c) * sizeof *self->sums);
#pragma omp parallel for schedule(static) num_threads(self->threads) if (self->threads > 1)
    for (int t = 0; t < self->threads; t++) {
        double *sum = self->sums + t * 2 * c;
        for (int64_t p = first_of(self, planes, t); p < first_of(self, planes, t + 1); p++) {
            const int64_t channel = p % self->groups * self->lanes;
            plane_products(dy + p * plane, x + p * plane, mean + channel, self->inner, self->lanes, sum + channel, sum + c + channel);
        }
    }
    join_sums(self);
}

static void find_statistics(const batch_norm_kernel *self, const float *x, const float *weights, statistics out)
{
    const double count = count_of(self, weights), divisor = count == 0 ? 1 : count;
    sum_moments(self, x, weights);
    for (int64_t c = 0; c < self->spec.c; c++) {
        const double mean = self->sums[c] / divisor, variance = self->sums[self->spec.c + c] / divisor - mean * mean;
        out.mean[c] = (float)mean;
        out.variance[c] = (float)(variance < 0 ? 0 : variance);
        out.norm[c] = (float)(1 / sqrt((double)out.variance[c] + (double)self->spec.epsilon));
    }
}

/* ---- the kernels ---- */

static tri_status run_forward(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    (void)moment;
    const batch_norm_kernel *self = (batch_norm_kernel *)kernel;
    const float *x = data[0], *scale = data[1], *shift = data[2], *mean = data[3], *variance = data[4];
    float *y = data[6], *a = self->factor;
    if (self->training) {
        const statistics found = statistics_in(self, data[7]);
        find_statistics(self, x, data[5], found);
        mean = found.mean;
        variance = found.variance;
    }
    for (int64_t c = 0; c < self->spec.c; c++)
        a[c] = scale[c] / sqrtf(variance[c] + self->spec.epsilon);
    const int64_t planes = self->spec.n * self->groups, plane = self->inner * self->lanes;
#pragma omp parallel for schedule(static) num_threads(self->threads) if (self->threads > 1)
    for (int64_t p = 0; p < planes; p++) {
        const int64_t channel = p % self->groups * self->lanes;
        plane_scale(x + p * plane, mean + channel, a + channel, shift + channel, self->inner, self->lanes, y + p * plane);
    }
    return NULL;
}

/* dx = a · (dy − (Σ dy + x̂ · Σ dy · x̂) / count), a = scale · norm; for an example that does not count, dx = a · dy. */
static void give_input_gradient(const batch_norm_kernel *self, const float *dy, const float *x, const float *weights, const float *mean,
                                float *dx)
{
    const int64_t planes = self->spec.n * self->groups, plane = self->inner * self->lanes, c = self->spec.c;
    const float *a = self->factor, *b = a + c, *d = b + c;
#pragma omp parallel for schedule(static) num_threads(self->threads) if (self->threads > 1)
    for (int64_t p = 0; p < planes; p++) {
        const int64_t channel = p % self->groups * self->lanes;
        const gradient_factors factors = {mean + channel, a + channel, b + channel, d + channel};
        if (weights[p / self->groups] != 0)
            plane_gradient(dy + p * plane, x + p * plane, factors, self->inner, self->lanes, dx + p * plane);
        else
            plane_outside(dy + p * plane, a + channel, self->inner, self->lanes, dx + p * plane);
    }
}

static tri_status run_backward(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    (void)moment;
    const batch_norm_kernel *self = (batch_norm_kernel *)kernel;
    const float *dy = data[0], *x = data[1], *scale = data[2], *weights = data[3];
    float *dscale = data[4], *dshift = data[5];
    const int64_t channels = self->spec.c;
    const statistics kept = statistics_in(self, data[kernel->inputs + kernel->outputs]);
    const double count = count_of(self, weights), divisor = count == 0 ? 1 : count;
    float *a = self->factor, *b = a + channels, *d = b + channels;
    sum_products(self, dy, x, kept.mean);
    for (int64_t c = 0; c < channels; c++) {
        const double norm = (double)kept.norm[c], sum = self->sums[c], product = self->sums[channels + c] * norm;
        const double first = (double)scale[c] * norm, slope = -first * norm * product / divisor;
        dshift[c] = (float)sum;
        dscale[c] = (float)product;
        a[c] = (float)first;
        b[c] = (float)slope;
        d[c] = (float)(-first * sum / divisor);
    }
    if (self->input_gradient)
        give_input_gradient(self, dy, x, weights, kept.mean, data[6]);
    return NULL;
}

static tri_status run_statistics(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    (void)moment;
    const batch_norm_kernel *self = (batch_norm_kernel *)kernel;
    const float *weights = data[0];
    float *mean = data[1], *variance = data[2];
    const statistics kept = statistics_in(self, data[3]);
    const double count = count_of(self, weights), total = total_of(self, weights), unbiased = count > 1 ? count / (count - 1) : 1;
    for (int64_t c = 0; c < self->spec.c; c++) {
        mean[c] = (float)(total * (double)kept.mean[c]);
        variance[c] = (float)(total * (double)kept.variance[c] * unbiased);
    }
    return NULL;
}

static void destroy(tri__kernel *kernel)
{
    batch_norm_kernel *self = (batch_norm_kernel *)kernel;
    free(self->sums);
    free(self->factor);
    free(self);
}

static tri_status create(const tri__batch_norm *spec, const char *name, batch_norm_kernel **out)
{
    batch_norm_kernel *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a kernel", &self));
    self->kernel = (tri__kernel){.name = name, .destroy = destroy};
    self->spec = *spec;
    bool features = spec->inner == 1 && spec->block == 1;
    self->lanes = features ? spec->c : spec->block;
    self->groups = spec->c / self->lanes;
    self->inner = spec->inner;
    self->threads = spec->n * spec->c * spec->inner >= WORTH_A_TEAM ? spec->threads : 1;
    tri_status status = tri__allocate((size_t)(self->threads * 2 * spec->c), sizeof *self->sums, "a kernel", &self->sums);
    if (!status)
        status = tri__allocate((size_t)(3 * spec->c), sizeof *self->factor, "a kernel", &self->factor);
    if (status) {
        destroy(&self->kernel);
        return status;
    }
    *out = self;
    return NULL;
}

/* Sizes of arguments: those like x, [c], [n], and the workspace. */
static tri__kernel_argument images(const tri__batch_norm *spec)
{
    return (tri__kernel_argument){spec->layout, (size_t)(spec->n * spec->c * spec->inner) * sizeof(float)};
}

static tri__kernel_argument floats(int64_t count)
{
    return (tri__kernel_argument){NULL, (size_t)count * sizeof(float)};
}

tri_status tri__batch_norm_forward(const tri__batch_norm *spec, bool training, tri__kernel **out)
{
    batch_norm_kernel *self;
    TRI_TRY(create(spec, "batch_norm", &self));
    tri__kernel *kernel = &self->kernel;
    kernel->inputs = 6;
    kernel->outputs = 1;
    kernel->workspaces = training;
    kernel->run = run_forward;
    self->training = training;
    kernel->argument[0] = kernel->argument[6] = images(spec);
    for (int i = 1; i < 5; i++)
        kernel->argument[i] = floats(spec->c);
    kernel->argument[5] = floats(spec->n);
    kernel->argument[7] = floats(3 * spec->c);
    *out = kernel;
    return NULL;
}

tri_status tri__batch_norm_backward(const tri__batch_norm *spec, bool input_gradient, tri__kernel **out)
{
    batch_norm_kernel *self;
    TRI_TRY(create(spec, "batch_norm_grad", &self));
    tri__kernel *kernel = &self->kernel;
    kernel->inputs = 4;
    kernel->outputs = input_gradient ? 3 : 2;
    kernel->workspaces = 1;
    kernel->run = run_backward;
    self->input_gradient = input_gradient;
    kernel->argument[0] = kernel->argument[1] = images(spec);
    kernel->argument[2] = kernel->argument[4] = kernel->argument[5] = floats(spec->c);
    kernel->argument[3] = floats(spec->n);
    kernel->argument[6] = input_gradient ? images(spec) : floats(3 * spec->c);
    kernel->argument[7] = floats(3 * spec->c);
    *out = kernel;
    return NULL;
}

tri_status tri__batch_norm_statistics(const tri__batch_norm *spec, tri__kernel **out)
{
    batch_norm_kernel *self;
    TRI_TRY(create(spec, "batch_statistics", &self));
    tri__kernel *kernel = &self->kernel;
    kernel->inputs = 1;
    kernel->outputs = 2;
    kernel->workspaces = 1;
    kernel->run = run_statistics;
    kernel->argument[0] = floats(spec->n);
    kernel->argument[1] = kernel->argument[2] = floats(spec->c);
    kernel->argument[3] = floats(3 * spec->c);
    *out = kernel;
    return NULL;
}
