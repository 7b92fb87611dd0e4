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

/* The metric's name, then its comparison: each metric has only one that makes sense. */
static tri_status parse_metric(const char *text, const char **at, tri__target_kind *kind)
{
    *at = skip_spaces(text);
    size_t length = strcspn(*at, " \t<>=");
    if (length == 4 && !strncmp(*at, "loss", 4))
        *kind = TRI_TARGET_LOSS;
    else if (length == 8 && !strncmp(*at, "accuracy", 8))
        *kind = TRI_TARGET_ACCURACY;
    else
        return bad_target(text, "the measure must be loss or accuracy");
    *at = skip_spaces(*at + length);
    char wanted = *kind == TRI_TARGET_LOSS ? '<' : '>';
    if (**at != wanted)
        return bad_target(text,
                          *kind == TRI_TARGET_LOSS ? "a loss should fall: <= must follow" : "an accuracy should rise: >= must follow");
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
    if (out->kind == TRI_TARGET_ACCURACY && !(out->value > 0 && out->value <= 1))
        return bad_target(text, "accuracy is a share, above 0 and at most 1: write 0.98 or 98%");
    if (out->kind == TRI_TARGET_LOSS && (percent || out->value < 0))
        return bad_target(text, "a loss is a number of 0 or more");
    return NULL;
}

bool tri__target_reached(const tri__target *target, double loss, double accuracy)
{
    switch (target->kind) {
    case TRI_TARGET_LOSS:
        return loss <= target->value;
    case TRI_TARGET_ACCURACY:
        return accuracy >= target->value;
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
