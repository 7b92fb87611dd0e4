/* stop.c: targets and intervals, read from what the user typed. */
#include "train/options/stop.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"

#define SECOND INT64_C(1000000000)

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " \t");
}

static tri_status bad_target(const char *text, const char *why)
{
    return tri_fail(TRI_BAD_CALL, "--until '%s': %s (such as 'loss<=0.35' or 'accuracy>=0.98')", text, why);
}

/* What can be aimed at: a loss should fall, a share to rise. */
static const struct {
    const char *name;
    bool falls;
} metrics[] = {
    [TRI_TARGET_LOSS] = {"loss", true},
    [TRI_TARGET_LOGLOSS] = {"logloss", true},
    [TRI_TARGET_ACCURACY] = {"accuracy", false},
    [TRI_TARGET_AUC] = {"auc", false},
};

enum { METRICS = sizeof metrics / sizeof *metrics };

/* The metric's name, then its comparison: each metric has only one that makes sense. */
static tri_status parse_metric(const char *text, const char **at, tri__target_kind *kind)
{
    *at = skip_spaces(text);
    const size_t length = strcspn(*at, " \t<>=");
    int found = METRICS - 1;
    while (found > TRI_TARGET_NONE && (strlen(metrics[found].name) != length || strncmp(*at, metrics[found].name, length) != 0))
        found--;
    if (found == TRI_TARGET_NONE)
        return bad_target(text, "the measure must be loss or accuracy, or of two classes logloss or auc");
    *kind = (tri__target_kind)found;
    *at = skip_spaces(*at + length);
    if (**at != (metrics[found].falls ? '<' : '>'))
        return bad_target(text, metrics[found].falls      ? "a loss should fall: <= must follow"
                                : found == TRI_TARGET_AUC ? "an auc should rise: >= must follow"
                                                          : "an accuracy should rise: >= must follow");
    *at += 1 + ((*at)[1] == '=');
    return NULL;
}

tri_status tri__target_parse(const char *text, tri__target *out)
{
    const char *at;
    TRI_TRY(parse_metric(text, &at, &out->kind));
    char *end = NULL;
    out->value = strtod(at, &end);
    bool percent = end != at && *end == '%';
    if (end == at || *skip_spaces(end + percent) || !isfinite(out->value))
        return bad_target(text, "a number must follow the comparison");
    if (percent)
        out->value /= 100;
    if (!metrics[out->kind].falls && !(out->value > 0 && out->value <= 1))
        return bad_target(text, out->kind == TRI_TARGET_AUC ? "an auc is a share, above 0 and at most 1: write 0.8 or 80%"
                                                            : "accuracy is a share, above 0 and at most 1: write 0.98 or 98%");
    if (metrics[out->kind].falls && (percent || out->value < 0))
        return bad_target(text, "a loss is a number of 0 or more");
    return NULL;
}

bool tri__target_reached(const tri__target *target, const tri__measured *measured)
{
    switch (target->kind) {
    case TRI_TARGET_LOSS:
        return measured->loss <= target->value;
    case TRI_TARGET_LOGLOSS:
        return measured->logloss <= target->value;
    case TRI_TARGET_ACCURACY:
        return measured->accuracy >= target->value;
    case TRI_TARGET_AUC:
        return measured->auc >= target->value;
    case TRI_TARGET_NONE:
        break;
    }
    return false;
}

static tri_status bad_every(const char *option, const char *text, unsigned allowed)
{
    return tri_fail(TRI_BAD_CALL, "--%s %s: expected %s%s%s or end", option, text,
                    allowed & 1u << TRI_EVERY_SECONDS ? "a time such as 60s or 5m, " : "",
                    allowed & 1u << TRI_EVERY_STEPS ? "a number of steps such as 500steps" : "",
                    allowed & 1u << TRI_EVERY_EPOCH ? ", epoch" : "");
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
