/* reduce.c: sums over dimensions, and broadcasts, which are their gradients. */
#include "tensor/ref/ref.h"

/* y[outer][inner] = scale · Σ_length x[outer][length][inner] */
void tri__ref_sum(int64_t outer, int64_t length, int64_t inner, float scale, const float *x, float *y)
{
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            double sum = 0;
            for (int64_t l = 0; l < length; l++)
                sum += x[(o * length + l) * inner + i];
            y[o * inner + i] = (float)(scale * sum);
        }
}

/* dx[outer][length][inner] = scale · dy[outer][inner] */
void tri__ref_broadcast(int64_t outer, int64_t length, int64_t inner, float scale, const float *dy, float *dx)
{
    for (int64_t o = 0; o < outer; o++)
        for (int64_t l = 0; l < length; l++)
            for (int64_t i = 0; i < inner; i++)
                dx[(o * length + l) * inner + i] = scale * dy[o * inner + i];
}

/* y[n][c][inner] = x[n][c][inner] + b[c] */
void tri__ref_bias(int64_t n, int64_t c, int64_t inner, const float *x, const float *b, float *y)
{
    for (int64_t row = 0; row < n; row++)
        for (int64_t channel = 0; channel < c; channel++)
            for (int64_t i = 0; i < inner; i++)
                *y++ = *x++ + b[channel];
}

/* db[c] = Σ_n,inner dy[n][c][inner] */
void tri__ref_bias_grad(int64_t n, int64_t c, int64_t inner, const float *dy, float *db)
{
    for (int64_t channel = 0; channel < c; channel++) {
        double sum = 0;
        for (int64_t row = 0; row < n; row++)
            for (int64_t i = 0; i < inner; i++)
                sum += dy[(row * c + channel) * inner + i];
        db[channel] = (float)sum;
    }
}
