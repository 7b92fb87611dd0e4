/* loss.c: losses that end a model, and their gradients. Both are sums over the batch, weighted by example. */
#include "tensor/ref/ref.h"

#include <math.h>
#include <string.h>

/* max x + log Σ e^(x − max x) */
static double log_sum_exp(int64_t c, const float *x)
{
    double most = x[0], sum = 0;
    for (int64_t i = 1; i < c; i++)
        most = x[i] > most ? x[i] : most;
    for (int64_t i = 0; i < c; i++)
        sum += exp(x[i] - most);
    return most + log(sum);
}

/* loss = Σ_n weight · (log Σ_c e^x[c] − x[label]) */
void tri__ref_softmax_loss(int64_t n, int64_t c, const float *logits, const int32_t *labels, const float *weights, float *loss)
{
    double sum = 0;
    for (int64_t row = 0; row < n; row++) {
        const float *x = logits + row * c;
        const bool known = labels[row] >= 0 && labels[row] < c;
        if (weights[row] != 0)
            sum += weights[row] * (known ? log_sum_exp(c, x) - x[labels[row]] : (double)NAN);
    }
    *loss = (float)sum;
}

/* dx[c] = dy · weight · (softmax(x)[c] − (c is the label)) */
void tri__ref_softmax_loss_grad(int64_t n, int64_t c, const float *dy, const float *logits, const int32_t *labels, const float *weights,
                                float *dx)
{
    memset(dx, 0, (size_t)(n * c) * sizeof *dx);
    for (int64_t row = 0; row < n; row++, logits += c, dx += c) {
        if (weights[row] == 0)
            continue;
        const bool known = labels[row] >= 0 && labels[row] < c;
        const double scale = known ? (double)*dy * weights[row] : (double)NAN, base = log_sum_exp(c, logits);
        for (int64_t i = 0; i < c; i++)
            dx[i] = (float)(scale * (exp(logits[i] - base) - (i == labels[row])));
    }
}

/* loss = Σ_n weight · (max(x, 0) + log(1 + e^−|x|) − x · label) */
void tri__ref_logistic_loss(int64_t n, const float *logits, const int32_t *labels, const float *weights, float *loss)
{
    double sum = 0;
    for (int64_t row = 0; row < n; row++) {
        const double x = logits[row], label = labels[row] == 0 || labels[row] == 1 ? labels[row] : (double)NAN;
        if (weights[row] != 0)
            sum += weights[row] * (fmax(x, 0) + log1p(exp(-fabs(x))) - x * label);
    }
    *loss = (float)sum;
}

/* dx = dy · weight · (1 / (1 + e^−x) − label) */
void tri__ref_logistic_loss_grad(int64_t n, const float *dy, const float *logits, const int32_t *labels, const float *weights, float *dx)
{
    for (int64_t row = 0; row < n; row++) {
        const double x = logits[row], label = labels[row] == 0 || labels[row] == 1 ? labels[row] : (double)NAN;
        dx[row] = weights[row] == 0 ? 0 : (float)(*dy * (double)weights[row] * (1 / (1 + exp(-x)) - label));
    }
}
