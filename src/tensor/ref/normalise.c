/* normalise.c: softmax over classes, local response normalisation over channels. */
#include "tensor/ref/ref.h"

#include <math.h>

/* y[c] = e^(x[c] − max x) / Σ of these */
static void softmax_row(int64_t c, const float *x, float *y)
{
    float most = x[0];
    for (int64_t i = 1; i < c; i++)
        most = x[i] > most ? x[i] : most;
    double sum = 0;
    for (int64_t i = 0; i < c; i++)
        sum += y[i] = expf(x[i] - most);
    for (int64_t i = 0; i < c; i++)
        y[i] = (float)(y[i] / sum);
}

void tri__ref_softmax(int64_t n, int64_t c, const float *x, float *y)
{
    for (int64_t row = 0; row < n; row++)
        softmax_row(c, x + row * c, y + row * c);
}

/* dx[c] = y[c] · (dy[c] − Σ_k dy[k] · y[k]) */
void tri__ref_softmax_grad(int64_t n, int64_t c, const float *dy, const float *y, float *dx)
{
    for (int64_t row = 0; row < n; row++, dy += c, y += c, dx += c) {
        double sum = 0;
        for (int64_t i = 0; i < c; i++)
            sum += (double)dy[i] * y[i];
        for (int64_t i = 0; i < c; i++)
            dx[i] = (float)(y[i] * (dy[i] - sum));
    }
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* bias + alpha/size · Σ over the window around c of x². x points to one example's position: channels lie s->inner apart. */
static double lrn_base(const tri__ref_lrn_shape *s, const float *x, int64_t c)
{
    double sum = 0;
    for (int64_t i = larger(c - s->size / 2, 0); i < smaller(c + (s->size - 1) / 2 + 1, s->c); i++)
        sum += (double)x[i * s->inner] * x[i * s->inner];
    return s->bias + s->alpha / (double)s->size * sum;
}

/* y[n][c][i] = x[n][c][i] / base^beta */
void tri__ref_lrn(const tri__ref_lrn_shape *s, const float *x, float *y)
{
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t c = 0; c < s->c; c++)
            for (int64_t i = 0; i < s->inner; i++) {
                const int64_t at = n * s->c * s->inner + i;
                y[at + c * s->inner] = (float)(x[at + c * s->inner] * pow(lrn_base(s, x + at, c), -(double)s->beta));
            }
}

/* dx[c] = dy[c] · base[c]^−beta − 2 · beta · alpha/size · x[c] · Σ over the k whose window holds c of dy[k] · x[k] · base[k]^(−beta − 1) */
static double lrn_grad_at(const tri__ref_lrn_shape *s, const float *dy, const float *x, int64_t c)
{
    double sum = 0;
    for (int64_t k = larger(c - (s->size - 1) / 2, 0); k < smaller(c + s->size / 2 + 1, s->c); k++)
        sum += dy[k * s->inner] * x[k * s->inner] * pow(lrn_base(s, x, k), -(double)s->beta - 1);
    const double direct = dy[c * s->inner] * pow(lrn_base(s, x, c), -(double)s->beta);
    return direct - 2.0 * s->beta * s->alpha / (double)s->size * x[c * s->inner] * sum;
}

void tri__ref_lrn_grad(const tri__ref_lrn_shape *s, const float *dy, const float *x, float *dx)
{
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t c = 0; c < s->c; c++)
            for (int64_t i = 0; i < s->inner; i++) {
                const int64_t at = n * s->c * s->inner + i;
                dx[at + c * s->inner] = (float)lrn_grad_at(s, dy + at, x + at, c);
            }
}

typedef struct {
    double mean, norm; /* norm: 1 / √(variance + epsilon) */
} row_moments;

static row_moments moments_of_row(int64_t width, float epsilon, const float *x)
{
    double mean = 0, spread = 0;
    for (int64_t i = 0; i < width; i++)
        mean += x[i];
    mean /= (double)width;
    for (int64_t i = 0; i < width; i++)
        spread += (x[i] - mean) * (x[i] - mean);
    return (row_moments){mean, 1 / sqrt(spread / (double)width + epsilon)};
}

/* y = scale · x̂ + shift, x̂ = (x − mean) / √(variance + epsilon) of the row */
void tri__ref_layer_norm(int64_t n, int64_t width, float epsilon, const float *x, const float *scale, const float *shift, float *y)
{
    for (int64_t row = 0; row < n; row++, x += width, y += width) {
        const row_moments m = moments_of_row(width, epsilon, x);
        for (int64_t i = 0; i < width; i++)
            y[i] = (float)((x[i] - m.mean) * m.norm * scale[i] + shift[i]);
    }
}

/* dx = norm · (g − mean of g − x̂ · mean of g · x̂), g = dy · scale */
void tri__ref_layer_norm_grad(int64_t n, int64_t width, float epsilon, const float *dy, const float *x, const float *scale, float *dx)
{
    for (int64_t row = 0; row < n; row++, dy += width, x += width, dx += width) {
        const row_moments m = moments_of_row(width, epsilon, x);
        double sum = 0, product = 0;
        for (int64_t i = 0; i < width; i++) {
            sum += (double)dy[i] * scale[i];
            product += (double)dy[i] * scale[i] * (x[i] - m.mean) * m.norm;
        }
        for (int64_t i = 0; i < width; i++)
            dx[i] = (float)(m.norm * ((double)dy[i] * scale[i] - (sum + (x[i] - m.mean) * m.norm * product) / (double)width));
    }
}

/* dscale = Σ over rows of dy · x̂ */
void tri__ref_layer_norm_grad_scale(int64_t n, int64_t width, float epsilon, const float *dy, const float *x, float *dscale)
{
    for (int64_t i = 0; i < width; i++)
        dscale[i] = 0;
    for (int64_t row = 0; row < n; row++, dy += width, x += width) {
        const row_moments m = moments_of_row(width, epsilon, x);
        for (int64_t i = 0; i < width; i++)
            dscale[i] += (float)(dy[i] * (x[i] - m.mean) * m.norm);
    }
}
