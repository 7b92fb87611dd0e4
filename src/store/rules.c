/* rules.c: the update rules, one small loop each, with its formula beside it.
 *
 * In the formulas p is a parameter, g the mean gradient (the offered sum times scale), r the rate. l2 is added inside the rule: a
 * plan's gradient never contains it. Where PyTorch has the rule, the formula is PyTorch's. A loop touches one element at a time and no
 * other, so it vectorises, and a range may be cut anywhere without changing a bit. */
#include "store/rules.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"

enum {
    PIECE = 1 << 14,    /* floats that one thread updates at a time: parameters, gradient and slots fit L2 together */
    PARALLEL = 1 << 16, /* floats from which waking the team costs less than it gains */
};

typedef void rule_loop(const tri_rule *rule, const tri__update *update);

/* g ← g + l2·p;  p ← p − r·g */
TRI_FOR_EVERY_CPU static void apply_sgd(const tri_rule *rule, const tri__update *update)
{
    float *restrict p = update->parameters;
    const float *restrict gradient = update->gradient;
    float scale = update->scale, rate = update->step.rate, l2 = rule->l2;
    for (size_t i = 0; i < update->count; i++) {
        float g = gradient[i] * scale + l2 * p[i];
        p[i] -= rate * g;
    }
}

/* g ← g + l2·p;  v ← μ·v + g;  p ← p − r·v */
TRI_FOR_EVERY_CPU static void apply_momentum(const tri_rule *rule, const tri__update *update)
{
    float *restrict p = update->parameters;
    float *restrict v = update->slot[0];
    const float *restrict gradient = update->gradient;
    float scale = update->scale, rate = update->step.rate, l2 = rule->l2, momentum = rule->momentum;
    for (size_t i = 0; i < update->count; i++) {
        float g = gradient[i] * scale + l2 * p[i];
        v[i] = momentum * v[i] + g;
        p[i] -= rate * v[i];
    }
}

/* g ← g + l2·p;  s ← s + g²;  p ← p − r·g / (√s + ε) */
TRI_FOR_EVERY_CPU static void apply_adagrad(const tri_rule *rule, const tri__update *update)
{
    float *restrict p = update->parameters;
    float *restrict s = update->slot[0];
    const float *restrict gradient = update->gradient;
    float scale = update->scale, rate = update->step.rate, l2 = rule->l2, epsilon = rule->epsilon;
    for (size_t i = 0; i < update->count; i++) {
        float g = gradient[i] * scale + l2 * p[i];
        s[i] += g * g;
        p[i] -= rate * g / (sqrtf(s[i]) + epsilon);
    }
}

/* g ← g + l2·p;  m ← β₁·m + (1 − β₁)·g;  v ← β₂·v + (1 − β₂)·g²;  p ← p − r·m̂ / (√v̂ + ε),
 * where m̂ = m / (1 − β₁ᵗ), v̂ = v / (1 − β₂ᵗ), t = 1 for the first update. */
TRI_FOR_EVERY_CPU static void apply_adam(const tri_rule *rule, const tri__update *update)
{
    float *restrict p = update->parameters;
    float *restrict m = update->slot[0];
    float *restrict v = update->slot[1];
    const float *restrict gradient = update->gradient;
    float scale = update->scale, l2 = rule->l2, beta1 = rule->beta1, beta2 = rule->beta2, epsilon = rule->epsilon;
    double t = (double)update->step.step + 1;
    float rate = (float)(update->step.rate / (1 - pow(beta1, t)));
    float correction = (float)(1 / sqrt(1 - pow(beta2, t)));
    for (size_t i = 0; i < update->count; i++) {
        float g = gradient[i] * scale + l2 * p[i];
        m[i] = beta1 * m[i] + (1 - beta1) * g;
        v[i] = beta2 * v[i] + (1 - beta2) * g * g;
        p[i] -= rate * m[i] / (sqrtf(v[i]) * correction + epsilon);
    }
}

/* FTRL-Proximal (McMahan et al., "Ad click prediction", 2013, algorithm 1), with α = r and λ = l1, l2:
 * σ = (√(n + g²) − √n) / α;  z ← z + g − σ·p;  n ← n + g²;
 * p ← 0 where |z| ≤ λ₁, else −(z − sign(z)·λ₁) / ((β + √n) / α + λ₂).
 * The paper starts at p = 0. An element that was never updated (n = z = 0) gets the z of which its p is the solution, so that initial
 * values other than 0 are kept as well. */
TRI_FOR_EVERY_CPU static void apply_ftrl(const tri_rule *rule, const tri__update *update)
{
    float *restrict p = update->parameters;
    float *restrict z = update->slot[0];
    float *restrict n = update->slot[1];
    const float *restrict gradient = update->gradient;
    float scale = update->scale, alpha = update->step.rate, beta = rule->ftrl_beta, l1 = rule->l1, l2 = rule->l2;
    if (alpha == 0)
        return; /* nothing moves; the formula would divide by it */
    for (size_t i = 0; i < update->count; i++) {
        float g = gradient[i] * scale;
        /* 1 or 0, a factor below: a choice between computed values makes gcc branch around what might trap, and vectorise less. */
        float fresh = (z[i] == 0) & (n[i] == 0);
        float root = sqrtf(n[i] + g * g);
        float sigma = (root - sqrtf(n[i])) / alpha;
        z[i] += g - sigma * p[i] - fresh * (p[i] * (beta / alpha + l2) + copysignf(p[i] != 0 ? l1 : 0, p[i]));
        n[i] += g * g;
        float beyond = fabsf(z[i]) - l1;
        p[i] = -copysignf(beyond > 0 ? beyond : 0, z[i]) / ((beta + root) / alpha + l2);
    }
}

static const struct {
    const char *name;
    int slots;
    rule_loop *apply;
} rules[] = {
    [TRI_RULE_SGD] = {"sgd", 0, apply_sgd},
    [TRI_RULE_MOMENTUM] = {"momentum", 1, apply_momentum},
    [TRI_RULE_ADAGRAD] = {"adagrad", 1, apply_adagrad},
    [TRI_RULE_ADAM] = {"adam", 2, apply_adam},
    [TRI_RULE_FTRL] = {"ftrl", 2, apply_ftrl},
};

enum { RULES = sizeof rules / sizeof *rules };

static tri__update piece_of(const tri__update *update, size_t first)
{
    tri__update piece = *update;
    piece.parameters += first;
    piece.gradient += first;
    for (int i = 0; i < 2; i++)
        if (piece.slot[i])
            piece.slot[i] += first;
    piece.count = update->count - first < PIECE ? update->count - first : PIECE;
    return piece;
}

void tri__rule_apply(const tri_rule *rule, const tri__update *update)
{
    rule_loop *apply = rules[rule->kind].apply;
    if (update->count < PARALLEL) {
        apply(rule, update);
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_t first = 0; first < update->count; first += PIECE) {
        tri__update piece = piece_of(update, first);
        apply(rule, &piece);
    }
}

TRI_FOR_EVERY_CPU double tri__sum_of_squares(const float *x, size_t count)
{
    enum { LANES = 16 };
    double lane[LANES] = {0}, sum = 0;
    size_t whole = count - count % LANES;
    for (size_t i = 0; i < whole; i += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] += (double)x[i + k] * x[i + k];
    for (int k = 0; k < LANES; k++)
        sum += lane[k];
    for (size_t i = whole; i < count; i++)
        sum += (double)x[i] * x[i];
    return sum;
}

tri_status tri_rule_parse(const char *name, tri_rule_kind *out)
{
    for (int kind = 0; kind < RULES; kind++)
        if (strcmp(name, rules[kind].name) == 0) {
            *out = (tri_rule_kind)kind;
            return NULL;
        }
    return tri_fail(TRI_BAD_CALL, "there is no update rule '%s': choose sgd, momentum, adagrad, adam or ftrl", name);
}

const char *tri_rule_name(tri_rule_kind kind)
{
    return rules[kind].name;
}

int tri_rule_slots(tri_rule_kind kind)
{
    return rules[kind].slots;
}

static void put_default(float *value, float standard)
{
    if (*value == 0)
        *value = standard;
}

/* Bounds are written so that NaN fails them. */
static tri_status check_share(float value, const char *what)
{
    if (value >= 0 && value < 1)
        return NULL;
    return tri_fail(TRI_BAD_CALL, "%s is %g: it must be at least 0 and below 1", what, (double)value);
}

static tri_status check_amount(float value, const char *what)
{
    if (value >= 0 && isfinite(value))
        return NULL;
    return tri_fail(TRI_BAD_CALL, "%s is %g: it must be 0 or a positive number", what, (double)value);
}

tri_status tri__rule_complete(tri_rule *rule)
{
    if ((unsigned)rule->kind >= RULES)
        return tri_fail(TRI_BAD_CALL, "there is no update rule number %d", (int)rule->kind);
    put_default(&rule->momentum, 0.9F);
    put_default(&rule->beta1, 0.9F);
    put_default(&rule->beta2, 0.999F);
    put_default(&rule->epsilon, 1e-8F);
    put_default(&rule->ftrl_beta, 1);
    TRI_TRY(check_share(rule->momentum, "momentum"));
    TRI_TRY(check_share(rule->beta1, "beta1"));
    TRI_TRY(check_share(rule->beta2, "beta2"));
    TRI_TRY(check_amount(rule->epsilon, "epsilon"));
    TRI_TRY(check_amount(rule->ftrl_beta, "ftrl's beta"));
    TRI_TRY(check_amount(rule->l1, "l1"));
    TRI_TRY(check_amount(rule->l2, "l2"));
    TRI_TRY(check_amount(rule->clip, "the bound of the gradient's norm"));
    if (rule->l1 > 0 && rule->kind != TRI_RULE_FTRL)
        return tri_fail(TRI_BAD_CALL, "l1 is part of ftrl only, and the rule is %s", rules[rule->kind].name);
    return NULL;
}
