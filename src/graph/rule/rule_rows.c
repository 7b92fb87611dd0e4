/* rule_rows.c: the update rules: for each its numbers, its loop with the formula beside it, and its row. Everything about a rule stands
 * here: command line, help, `.model` files, checkpoints and the protocol of parameter servers read it from these rows. To add a rule, write
 * a loop and a row, and put the row into the list at the end.
 *
 * In the formulas p is a parameter, g the mean gradient (the offered sum times scale), r the rate. l2 is added inside the rule: a plan's
 * gradient never contains it. Where PyTorch has the rule, the formula is PyTorch's. A loop computes each element from that element alone.
 * So it vectorises, and a range may be cut anywhere without changing a bit. */
#include "graph/rule/rule_rows.h"

#include <math.h>

#include "base/bytes/vector.h"

/* The numbers. A name has one meaning, whichever rules have it. */

#define NUMBER(name_, argument_) .name = name_, .argument = argument_, .kind = TRI_OPTION_NUMBER

static const tri__rule_number l2_number = {
    .key = "l2",
    .standard = 0,
    .option = {NUMBER("l2", "X"), .elsewhere = "weight-decay wd regularization", .otherwise = "the model's",
               .meaning = "add X times the parameters to the gradient"},
};
static const tri__rule_number momentum_number = {
    .key = "momentum",
    .standard = 0.9F,
    .option = {NUMBER("momentum", "M"), .most = 1, .above = true, .below = true, .hint = "rule sgd is without momentum",
               .otherwise = "the model's, or 0.9", .meaning = "with --rule momentum or nesterov: what is kept of the last update"},
};
static const tri__rule_number beta1_number = {
    .key = "beta1",
    .standard = 0.9F,
    .option = {NUMBER("beta1", "B"), .most = 1, .below = true, .otherwise = "the model's, or 0.9",
               .meaning = "with --rule adam or adamw: what is kept of the mean gradient"},
};
static const tri__rule_number beta2_number = {
    .key = "beta2",
    .standard = 0.999F,
    .option = {NUMBER("beta2", "B"), .most = 1, .below = true, .otherwise = "the model's, or 0.999",
               .meaning = "with --rule adam or adamw: what is kept of the mean squared gradient"},
};
static const tri__rule_number epsilon_number = {
    .key = "epsilon",
    .standard = 1e-8F,
    .option = {NUMBER("epsilon", "E"), .above = true, .otherwise = "the model's, or 1e-8",
               .meaning = "with --rule adagrad, adam or adamw: what is added to the root that divides, so that it is never 0"},
};
static const tri__rule_number decay_number = {
    .key = "decay",
    .standard = 0.01F,
    .option = {NUMBER("decay", "X"), .otherwise = "the model's, or 0.01",
               .meaning = "with --rule adamw: how much of each parameter is taken off in a step, times the rate"},
};
static const tri__rule_number ftrl_beta_number = {
    .key = "ftrl_beta",
    .standard = 1,
    .option = {NUMBER("ftrl-beta", "B"), .otherwise = "the model's, or 1",
               .meaning = "with --rule ftrl: the paper's beta; larger, and the first steps are shorter"},
};
static const tri__rule_number l1_number = {
    .key = "l1",
    .standard = 0,
    .option = {NUMBER("l1", "X"), .otherwise = "the model's, or 0",
               .meaning = "with --rule ftrl: parameters whose gradients add up to less than X are 0"},
};

/* The rule is complete: it has all numbers of its row. */
static float number_of(const tri_rule *rule, const tri__rule_number *number)
{
    for (int i = 0; i < TRI_RULE_NUMBERS && rule->set[i].name; i++)
        if (rule->set[i].name == number->key)
            return rule->set[i].value;
    return number->standard;
}

/* The rules */

/* g ← g + l2·p;  p ← p − r·g */
TRI_FOR_EVERY_CPU static void apply_sgd(const tri_rule *rule, const tri__update *update)
{
    float *restrict p = update->parameters;
    const float *restrict gradient = update->gradient;
    float scale = update->scale, rate = update->step.rate, l2 = number_of(rule, &l2_number);
    for (size_t i = 0; i < update->count; i++) {
        float g = gradient[i] * scale + l2 * p[i];
        p[i] -= rate * g;
    }
}

static const tri__rule_row sgd_rule = {.name = "sgd", .numbers = {&l2_number}, .slots = 0, .apply = apply_sgd, .is_linear = true};

/* g ← g + l2·p;  v ← μ·v + g;  p ← p − r·d, where d is v or, looking one step ahead, g + μ·v. Inlined, so that looks_ahead is a
 * constant in the loop, and each caller's copies for every CPU contain the loop. */
__attribute__((always_inline)) static inline void move_with_momentum(const tri_rule *rule, const tri__update *update, bool looks_ahead)
{
    float *restrict p = update->parameters;
    float *restrict v = update->slot[0];
    const float *restrict gradient = update->gradient;
    float scale = update->scale, rate = update->step.rate, l2 = number_of(rule, &l2_number), momentum = number_of(rule, &momentum_number);
    for (size_t i = 0; i < update->count; i++) {
        float g = gradient[i] * scale + l2 * p[i];
        v[i] = momentum * v[i] + g;
        p[i] -= rate * (looks_ahead ? g + momentum * v[i] : v[i]);
    }
}

TRI_FOR_EVERY_CPU static void apply_momentum(const tri_rule *rule, const tri__update *update)
{
    move_with_momentum(rule, update, false);
}

static const tri__rule_row momentum_rule = {
    .name = "momentum", .numbers = {&momentum_number, &l2_number}, .slots = 1, .apply = apply_momentum};

TRI_FOR_EVERY_CPU static void apply_nesterov(const tri_rule *rule, const tri__update *update)
{
    move_with_momentum(rule, update, true);
}

static const tri__rule_row nesterov_rule = {
    .name = "nesterov", .numbers = {&momentum_number, &l2_number}, .slots = 1, .apply = apply_nesterov};

/* g ← g + l2·p;  s ← s + g²;  p ← p − r·g / (√s + ε) */
TRI_FOR_EVERY_CPU static void apply_adagrad(const tri_rule *rule, const tri__update *update)
{
    float *restrict p = update->parameters;
    float *restrict s = update->slot[0];
    const float *restrict gradient = update->gradient;
    float scale = update->scale, rate = update->step.rate, l2 = number_of(rule, &l2_number), epsilon = number_of(rule, &epsilon_number);
    for (size_t i = 0; i < update->count; i++) {
        float g = gradient[i] * scale + l2 * p[i];
        s[i] += g * g;
        p[i] -= rate * g / (sqrtf(s[i]) + epsilon);
    }
}

static const tri__rule_row adagrad_rule = {.name = "adagrad", .numbers = {&epsilon_number, &l2_number}, .slots = 1, .apply = apply_adagrad};

/* g ← g + l2·p;  m ← β₁·m + (1 − β₁)·g;  v ← β₂·v + (1 − β₂)·g²;  p ← p − r·m̂ / (√v̂ + ε),
 * where m̂ = m / (1 − β₁ᵗ), v̂ = v / (1 − β₂ᵗ), t = 1 for the first update. */
TRI_FOR_EVERY_CPU static void apply_adam(const tri_rule *rule, const tri__update *update)
{
    float *restrict p = update->parameters;
    float *restrict m = update->slot[0];
    float *restrict v = update->slot[1];
    const float *restrict gradient = update->gradient;
    float scale = update->scale, l2 = number_of(rule, &l2_number), beta1 = number_of(rule, &beta1_number),
          beta2 = number_of(rule, &beta2_number), epsilon = number_of(rule, &epsilon_number);
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

static const tri__rule_row adam_rule = {
    .name = "adam", .numbers = {&beta1_number, &beta2_number, &epsilon_number, &l2_number}, .slots = 2, .apply = apply_adam};

/* p ← p − r·λ·p, then adam without l2: the decay λ is not divided by √v̂ (Loshchilov and Hutter, 2019). */
TRI_FOR_EVERY_CPU static void apply_adamw(const tri_rule *rule, const tri__update *update)
{
    float *restrict p = update->parameters;
    float kept = 1 - update->step.rate * number_of(rule, &decay_number);
    for (size_t i = 0; i < update->count; i++)
        p[i] *= kept;
    apply_adam(rule, update); /* adamw has no l2, so it is 0 there */
}

static const tri__rule_row adamw_rule = {
    .name = "adamw", .numbers = {&beta1_number, &beta2_number, &epsilon_number, &decay_number}, .slots = 2, .apply = apply_adamw};

/* FTRL-Proximal (McMahan et al., "Ad click prediction", 2013, algorithm 1), with α = r and λ = l1, l2:
 * σ = (√(n + g²) − √n) / α;  z ← z + g − σ·p;  n ← n + g²;
 * p ← 0 where |z| ≤ λ₁, else −(z − sign(z)·λ₁) / ((β + √n) / α + λ₂).
 * The paper starts at p = 0. An element that was never updated (n = z = 0) first gets the z that belongs to its p, so that initial
 * values other than 0 are kept, too. */
TRI_FOR_EVERY_CPU static void apply_ftrl(const tri_rule *rule, const tri__update *update)
{
    float *restrict p = update->parameters;
    float *restrict z = update->slot[0];
    float *restrict n = update->slot[1];
    const float *restrict gradient = update->gradient;
    float scale = update->scale, alpha = update->step.rate, beta = number_of(rule, &ftrl_beta_number), l1 = number_of(rule, &l1_number),
          l2 = number_of(rule, &l2_number);
    if (alpha == 0)
        return; /* with a rate of 0 nothing moves; the formula would divide by it */
    for (size_t i = 0; i < update->count; i++) {
        float g = gradient[i] * scale;
        /* 1 or 0, a factor below. With a conditional expression instead, gcc branches around what might trap, and vectorises less. */
        float fresh = (z[i] == 0) & (n[i] == 0);
        float root = sqrtf(n[i] + g * g);
        float sigma = (root - sqrtf(n[i])) / alpha;
        z[i] += g - sigma * p[i] - fresh * (p[i] * (beta / alpha + l2) + copysignf(p[i] != 0 ? l1 : 0, p[i]));
        n[i] += g * g;
        float beyond = fabsf(z[i]) - l1;
        p[i] = -copysignf(beyond > 0 ? beyond : 0, z[i]) / ((beta + root) / alpha + l2);
    }
}

static const tri__rule_row ftrl_rule = {
    .name = "ftrl", .numbers = {&ftrl_beta_number, &l1_number, &l2_number}, .slots = 2, .apply = apply_ftrl};

/* The list, in the order in which help shows it. The first rule is the default. */
static const tri__rule_row *const rules[] = {&sgd_rule, &momentum_rule, &nesterov_rule, &adagrad_rule, &adam_rule, &adamw_rule, &ftrl_rule};

/* The numbers of all rules, each once, in the order in which help lists them. */
static const tri__rule_number *const numbers[] = {&l2_number,    &momentum_number, &epsilon_number,   &beta1_number,
                                                  &beta2_number, &decay_number,    &ftrl_beta_number, &l1_number};

static const tri__option rule_option = {
    .name = "rule",
    .elsewhere = "optimizer optimiser solver",
    .argument = "RULE",
    .kind = TRI_OPTION_CHOICE,
    .choices = "sgd momentum nesterov adagrad adam adamw ftrl",
    .otherwise = "the model's",
    .meaning = "how a gradient becomes an update: sgd, momentum, nesterov, adagrad, adam, adamw, ftrl",
};

const tri__rule_row *tri__rule_row_at(int index)
{
    return index >= 0 && index < (int)(sizeof rules / sizeof *rules) ? rules[index] : NULL;
}

const tri__rule_number *tri__rule_number_at(int index)
{
    return index >= 0 && index < (int)(sizeof numbers / sizeof *numbers) ? numbers[index] : NULL;
}

const tri__option *tri__rule_choice(void)
{
    return &rule_option;
}
