/* stop.c: targets and intervals, read from what the user typed. */
#include "train/options/stop.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/duration.h"

#define SECOND INT64_C(1000000000)

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " \t");
}

static tri_status bad_target(const char *text, const char *why)
{
    return tri_fail(TRI_BAD_CALL, "--until '%s': %s (such as 'loss<=0.35' or 'accuracy>=0.98')", text, why);
}

/* What can be aimed at: which way it goes, and what a user who types another one is told. */
typedef enum { FALLS, RISES, EITHER } direction;

static const struct {
    const char *name;
    direction goes;
    const char *wrong_way, *wrong_value;
} metrics[] = {
    [TRI_TARGET_LOSS] = {"loss", FALLS, "a loss should fall: <= must follow", "a loss is a number of 0 or more"},
    [TRI_TARGET_LOGLOSS] = {"logloss", FALLS, "a loss should fall: <= must follow", "a loss is a number of 0 or more"},
    [TRI_TARGET_ACCURACY] = {"accuracy", RISES, "an accuracy should rise: >= must follow",
                             "accuracy is a share, above 0 and at most 1: write 0.98 or 98%"},
    [TRI_TARGET_AUC] = {"auc", RISES, "an auc should rise: >= must follow", "an auc is a share, above 0 and at most 1: write 0.8 or 80%"},
    [TRI_TARGET_CALIBRATION] = {"calibration", EITHER, "calibration should come near 1: >= or <= must follow",
                                "calibration is the mean prediction over the share of class 1, above 0: write >=0.95 or <=1.05"},
    [TRI_TARGET_MSE] = {"mse", FALLS, "an error should fall: <= must follow", "a mean squared error is a number of 0 or more"},
    [TRI_TARGET_MAE] = {"mae", FALLS, "an error should fall: <= must follow", "a mean absolute error is a number of 0 or more"},
    [TRI_TARGET_R2] = {"r2", RISES, "r2 should rise: >= must follow", "r2 is a share, above 0 and at most 1: write 0.9 or 90%"},
    [TRI_TARGET_F1] = {"f1", RISES, "an f1 should rise: >= must follow", "an f1 is a share, above 0 and at most 1: write 0.8 or 80%"},
};

enum { METRICS = sizeof metrics / sizeof *metrics };

static const char progressive[] = "progressive_";

/* The metric's name, then its comparison: most metrics have only one that makes sense. */
static tri_status parse_metric(const char *text, const char **at, tri__target *out)
{
    *at = skip_spaces(text);
    out->progressive = strncmp(*at, progressive, strlen(progressive)) == 0;
    *at += out->progressive ? strlen(progressive) : 0;
    const size_t length = strcspn(*at, " \t<>=");
    int found = METRICS - 1;
    while (found > TRI_TARGET_NONE && (strlen(metrics[found].name) != length || strncmp(*at, metrics[found].name, length) != 0))
        found--;
    if (found == TRI_TARGET_NONE || ((found == TRI_TARGET_LOSS || found > TRI_TARGET_CALIBRATION) && out->progressive))
        return bad_target(text, "the measure must be loss or accuracy, or of two classes logloss, auc or calibration, or of numbers mse, "
                                "mae or r2, or of sets of labels f1, or of a stream "
                                "progressive_logloss, progressive_accuracy, progressive_auc or progressive_calibration");
    out->kind = (tri__target_kind)found;
    *at = skip_spaces(*at + length);
    const bool less = **at == '<', more = **at == '>';
    if (!(less && metrics[found].goes != RISES) && !(more && metrics[found].goes != FALLS))
        return bad_target(text, metrics[found].wrong_way);
    out->at_most = less;
    *at += 1 + ((*at)[1] == '=');
    return NULL;
}

static bool is_possible(tri__target_kind kind, double value, bool percent)
{
    switch (metrics[kind].goes) {
    case FALLS:
        return !percent && value >= 0;
    case RISES:
        return value > 0 && value <= 1;
    case EITHER:
        return value > 0;
    }
    return false;
}

tri_status tri__target_parse(const char *text, tri__target *out)
{
    const char *at;
    TRI_TRY(parse_metric(text, &at, out));
    char *end = NULL;
    out->value = strtod(at, &end);
    bool percent = end != at && *end == '%';
    if (end == at || *skip_spaces(end + percent) || !isfinite(out->value))
        return bad_target(text, "a number must follow the comparison");
    if (percent)
        out->value /= 100;
    return is_possible(out->kind, out->value, percent) ? NULL : bad_target(text, metrics[out->kind].wrong_value);
}

static double measure_of(tri__target_kind kind, const tri__measured *measured)
{
    switch (kind) {
    case TRI_TARGET_LOSS:
        return measured->loss;
    case TRI_TARGET_LOGLOSS:
        return measured->logloss;
    case TRI_TARGET_ACCURACY:
        return measured->accuracy;
    case TRI_TARGET_AUC:
        return measured->auc;
    case TRI_TARGET_CALIBRATION:
        return measured->calibration;
    case TRI_TARGET_MSE:
        return measured->mse;
    case TRI_TARGET_MAE:
        return measured->mae;
    case TRI_TARGET_R2:
        return measured->r2;
    case TRI_TARGET_F1:
        return measured->f1;
    case TRI_TARGET_NONE:
        break;
    }
    return NAN;
}

const char *tri__target_name(const tri__target *target)
{
    return target->kind == TRI_TARGET_NONE ? "" : metrics[target->kind].name;
}

bool tri__target_reached(const tri__target *target, const tri__measured *measured)
{
    const double value = measure_of(target->kind, measured);
    const direction goes = metrics[target->kind].goes;
    return goes == FALLS || (goes == EITHER && target->at_most) ? value <= target->value : value >= target->value;
}

static tri_status bad_every(const char *option, const char *text, unsigned allowed)
{
    return tri_fail(TRI_BAD_CALL, "--%s %s: expected %s%s%s%s or end", option, text,
                    allowed & 1u << TRI_EVERY_SECONDS ? "a time such as 60s or 5m, " : "",
                    allowed & 1u << TRI_EVERY_STEPS ? "a number of steps such as 500steps" : "",
                    allowed & 1u << TRI_EVERY_EPOCH ? ", epoch" : "", allowed & 1u << TRI_EVERY_NEVER ? ", never" : "");
}

/* A number of steps: plain, or with its unit. */
static bool parse_steps(const char *text, int64_t *steps)
{
    char *unit = NULL;
    errno = 0;
    *steps = strtoll(text, &unit, 10);
    return !errno && unit != text && *steps > 0 && *steps <= INT64_MAX / 4 && (!*unit || !strcmp(unit, "step") || !strcmp(unit, "steps"));
}

static bool parse_seconds(const char *text, int64_t *seconds)
{
    if (!tri__duration_parse(text, seconds) || *seconds % SECOND)
        return false;
    *seconds /= SECOND;
    return true;
}

tri_status tri__every_parse(const char *option, const char *text, unsigned allowed, tri__every *out)
{
    *out = (tri__every){.kind = TRI_EVERY_END};
    if (!strcmp(text, "epoch"))
        out->kind = TRI_EVERY_EPOCH;
    else if (!strcmp(text, "never"))
        out->kind = TRI_EVERY_NEVER;
    else if (parse_steps(text, &out->steps))
        out->kind = TRI_EVERY_STEPS;
    else if (parse_seconds(text, &out->seconds))
        out->kind = TRI_EVERY_SECONDS;
    else if (strcmp(text, "end"))
        return bad_every(option, text, allowed);
    if (!(allowed & 1u << out->kind))
        return bad_every(option, text, allowed);
    return NULL;
}
