/* elementwise.c: functions of one element at a time. */
#include "tensor/ref/ref.h"

#include <math.h>

/* y = max(x, 0); NaN for NaN */
void tri__ref_relu(int64_t count, const float *x, float *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = x[i] <= 0 ? 0 : x[i];
}

/* y = tanh x */
void tri__ref_tanh(int64_t count, const float *x, float *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = tanhf(x[i]);
}

/* y = 1 / (1 + e^−x) */
void tri__ref_sigmoid(int64_t count, const float *x, float *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = 1 / (1 + expf(-x[i]));
}

/* Φ(x), the share of a normal distribution that lies below x */
static double normal_below(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}

/* y = x · Φ(x) */
void tri__ref_gelu(int64_t count, const float *x, float *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = (float)(x[i] * normal_below(x[i]));
}

/* dx = dy · (Φ(x) + x · φ(x)), φ(x) = e^(−x²/2) / √(2π) */
void tri__ref_gelu_grad(int64_t count, const float *dy, const float *x, float *dx)
{
    for (int64_t i = 0; i < count; i++)
        dx[i] = (float)(dy[i] * (normal_below(x[i]) + x[i] * exp(-0.5 * x[i] * x[i]) * 0.5 * M_SQRT1_2 * M_2_SQRTPI));
}

/* dx = dy where y > 0, 0 where y ≤ 0, NaN where y is NaN */
void tri__ref_relu_grad(int64_t count, const float *dy, const float *y, float *dx)
{
    for (int64_t i = 0; i < count; i++)
        dx[i] = y[i] > 0 ? dy[i] : y[i] <= 0 ? 0 : y[i];
}

/* dx = dy · (1 − y²) */
void tri__ref_tanh_grad(int64_t count, const float *dy, const float *y, float *dx)
{
    for (int64_t i = 0; i < count; i++)
        dx[i] = dy[i] * (1 - y[i] * y[i]);
}

/* dx = dy · y · (1 − y) */
void tri__ref_sigmoid_grad(int64_t count, const float *dy, const float *y, float *dx)
{
    for (int64_t i = 0; i < count; i++)
        dx[i] = dy[i] * y[i] * (1 - y[i]);
}

/* y = x · scale + offset */
static void affine(int64_t count, const float *x, float scale, float offset, float *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = x[i] * scale + offset;
}

/* y = a + b */
void tri__ref_add(int64_t count, const float *a, int64_t b_count, const float *b, float *y)
{
    if (b_count == 1)
        affine(count, a, 1, *b, y);
    else
        for (int64_t i = 0; i < count; i++)
            y[i] = a[i] + b[i];
}

/* y = a · b */
void tri__ref_multiply(int64_t count, const float *a, int64_t b_count, const float *b, float *y)
{
    if (b_count == 1)
        affine(count, a, *b, 0, y);
    else
        for (int64_t i = 0; i < count; i++)
            y[i] = a[i] * b[i];
}

/* y = x / (1 − rate) where u ≥ rate, 0 elsewhere; u uniform in [0, 1), element e of the stream (key, epoch, id of the row) */
void tri__ref_dropout(int64_t n, int64_t elements, float rate, tri__key key, int64_t epoch, int64_t first, const int64_t *ids,
                      const float *x, float *y)
{
    enum { CHUNK = 256 };
    const float keep = 1 / (1 - rate);
    const tri__key of_epoch = tri__key_split(key, (uint64_t)epoch);
    for (int64_t row = first; row < first + n; row++) {
        const tri__key of_row = tri__key_split(of_epoch, (uint64_t)(ids ? ids[row] : row));
        for (int64_t done = 0; done < elements; done += CHUNK) {
            const int64_t count = elements - done < CHUNK ? elements - done : CHUNK;
            float u[CHUNK];
            tri__random_fill_uniform(of_row, (uint64_t)done, count, u);
            for (int64_t e = 0; e < count; e++, x++)
                *y++ = *x * (u[e] < rate ? 0 : keep); /* a product, so that a NaN stays one */
        }
    }
}
