/* loss.c: losses that end a model, and their gradients. All are sums over the batch, weighted by example. */
#include "tensor/ref/ref.h"

#include <math.h>
#include <string.h>

/* A row of logits: log Σ e^x = largest + log_sum. The two are kept apart: added to a largest of 1e30, log_sum would be rounded away, and
 * the loss with it. Infinite logits give NaN. */
typedef struct {
    double largest, log_sum;
} log_sum_exp;

static log_sum_exp log_sum_exp_of(int64_t c, const float *x)
{
    double largest = x[0], sum = 0;
    for (int64_t i = 1; i < c; i++)
        largest = x[i] > largest ? x[i] : largest;
    for (int64_t i = 0; i < c; i++)
        sum += exp(x[i] - largest);
    return (log_sum_exp){largest, log(sum)};
}

/* log Σ_c e^x[c] − Σ_c t[c] · x[c], where t is 1 at the label; with smoothing s, 1 − s there and s / c more everywhere */
static double row_loss(int64_t c, float smoothing, const float *x, int32_t label)
{
    const log_sum_exp base = log_sum_exp_of(c, x);
    const double plain = base.largest - x[label] + base.log_sum;
    double others = 0;
    for (int64_t i = 0; smoothing != 0 && i < c; i++)
        others += base.largest - x[i] + base.log_sum;
    return smoothing == 0 ? plain : (1 - smoothing) * plain + smoothing * others / (double)c;
}

/* loss = Σ_n weight · (log Σ_c e^x[c] − Σ_c t[c] · x[c]) */
void tri__ref_softmax_loss(int64_t n, int64_t c, float smoothing, const float *logits, const int32_t *labels, const float *weights,
                           float *loss)
{
    double sum = 0;
    for (int64_t row = 0; row < n; row++) {
        const bool known = labels[row] >= 0 && labels[row] < c;
        if (weights[row] != 0)
            sum += weights[row] * (known ? row_loss(c, smoothing, logits + row * c, labels[row]) : (double)NAN);
    }
    *loss = (float)sum;
}

/* dx[c] = dy · weight · (softmax(x)[c] − t[c]) */
void tri__ref_softmax_loss_grad(int64_t n, int64_t c, float smoothing, const float *dy, const float *logits, const int32_t *labels,
                                const float *weights, float *dx)
{
    memset(dx, 0, (size_t)(n * c) * sizeof *dx);
    for (int64_t row = 0; row < n; row++, logits += c, dx += c) {
        if (weights[row] == 0)
            continue;
        const bool known = labels[row] >= 0 && labels[row] < c;
        const double scale = known ? (double)*dy * weights[row] : (double)NAN;
        const log_sum_exp base = log_sum_exp_of(c, logits);
        for (int64_t i = 0; i < c; i++)
            dx[i] = (float)(scale * (exp(logits[i] - base.largest - base.log_sum) - (1 - (double)smoothing) * (i == labels[row]) -
                                     (double)smoothing / (double)c));
    }
}

/* t[c] = (1 − s) · share[c] + s / c */
static double smoothed(int64_t c, float smoothing, float share)
{
    return (1 - (double)smoothing) * share + (double)smoothing / (double)c;
}

/* loss = Σ_n weight · Σ_c t[c] · (log Σ e^x − x[c]) */
void tri__ref_softmax_loss_of_shares(int64_t n, int64_t c, float smoothing, const float *logits, const float *shares, const float *weights,
                                     float *loss)
{
    double sum = 0;
    for (int64_t row = 0; row < n; row++, logits += c, shares += c) {
        if (weights[row] == 0)
            continue;
        const log_sum_exp base = log_sum_exp_of(c, logits);
        for (int64_t i = 0; i < c; i++) {
            const double target = smoothed(c, smoothing, shares[i]);
            sum += target != 0 ? weights[row] * target * (base.largest - logits[i] + base.log_sum) : 0;
        }
    }
    *loss = (float)sum;
}

/* dx[c] = dy · weight · (Σ t · softmax(x)[c] − t[c]) */
void tri__ref_softmax_loss_of_shares_grad(int64_t n, int64_t c, float smoothing, const float *dy, const float *logits, const float *shares,
                                          const float *weights, float *dx)
{
    memset(dx, 0, (size_t)(n * c) * sizeof *dx);
    for (int64_t row = 0; row < n; row++, logits += c, shares += c, dx += c) {
        if (weights[row] == 0)
            continue;
        const log_sum_exp base = log_sum_exp_of(c, logits);
        const double scale = (double)*dy * weights[row];
        double all = 0;
        for (int64_t i = 0; i < c; i++)
            all += smoothed(c, smoothing, shares[i]);
        for (int64_t i = 0; i < c; i++)
            dx[i] = (float)(scale * (all * exp(logits[i] - base.largest - base.log_sum) - smoothed(c, smoothing, shares[i])));
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

/* loss = Σ_n weight · (t[0] · log(1 + e^x) + t[1] · log(1 + e^−x)) */
void tri__ref_logistic_loss_of_shares(int64_t n, const float *logits, const float *shares, const float *weights, float *loss)
{
    double sum = 0;
    for (int64_t row = 0; row < n; row++, shares += 2) {
        const double x = logits[row], all = (double)shares[0] + shares[1];
        if (weights[row] != 0)
            sum += weights[row] * (all * (fmax(x, 0) + log1p(exp(-fabs(x)))) - x * shares[1]);
    }
    *loss = (float)sum;
}

/* dx = dy · weight · ((t[0] + t[1]) / (1 + e^−x) − t[1]) */
void tri__ref_logistic_loss_of_shares_grad(int64_t n, const float *dy, const float *logits, const float *shares, const float *weights,
                                           float *dx)
{
    for (int64_t row = 0; row < n; row++, shares += 2) {
        const double x = logits[row], all = (double)shares[0] + shares[1];
        dx[row] = weights[row] == 0 ? 0 : (float)(*dy * (double)weights[row] * (all / (1 + exp(-x)) - shares[1]));
    }
}

/* (x − t)², 2(x − t) */
tri__element_loss tri__ref_squared(double x, double target, double delta)
{
    (void)delta;
    const double error = x - target;
    return (tri__element_loss){error * error, 2 * error};
}

/* |x − t| ≤ δ: ½(x − t)², x − t; beyond: δ(|x − t| − ½δ), ±δ */
tri__element_loss tri__ref_huber(double x, double target, double delta)
{
    const double error = x - target, size = fabs(error);
    if (!(size > delta))
        return (tri__element_loss){error * error / 2, error};
    return (tri__element_loss){delta * (size - delta / 2), error > 0 ? delta : -delta};
}

/* max(x, 0) + log(1 + e^−|x|) − x · t, 1 / (1 + e^−x) − t */
tri__element_loss tri__ref_log_odds(double x, double target, double delta)
{
    (void)delta;
    return (tri__element_loss){fmax(x, 0) + log1p(exp(-fabs(x))) - x * target, 1 / (1 + exp(-x)) - target};
}

/* loss = Σ_n weight · 1/k · Σ_k rule(x[k], t[k]) */
void tri__ref_mean_loss(tri__element_rule *rule, int64_t n, int64_t k, float delta, const float *x, const float *targets,
                        const float *weights, float *loss)
{
    double sum = 0;
    for (int64_t row = 0; row < n; row++, x += k, targets += k) {
        double mean = 0;
        for (int64_t i = 0; weights[row] != 0 && i < k; i++)
            mean += rule(x[i], targets[i], delta).loss / (double)k;
        sum += weights[row] != 0 ? weights[row] * mean : 0;
    }
    *loss = (float)sum;
}

/* dx[k] = dy · weight / k · rule'(x[k], t[k]) */
void tri__ref_mean_loss_grad(tri__element_rule *rule, int64_t n, int64_t k, float delta, const float *dy, const float *x,
                             const float *targets, const float *weights, float *dx)
{
    for (int64_t row = 0; row < n; row++, x += k, targets += k, dx += k)
        for (int64_t i = 0; i < k; i++)
            dx[i] = weights[row] == 0 ? 0 : (float)((double)*dy * weights[row] / (double)k * rule(x[i], targets[i], delta).slope);
}
