/* stop.c: parses targets and intervals. */
#include "train/options/stop.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/duration.h"
#include "base/text/text.h"
#include "base/thread/clock.h"

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " \t");
}

static tri_status bad_target(const char *text, const char *why)
{
    return tri_fail(TRI_BAD_CALL, "--until '%s': %s (such as 'loss<=0.35' or 'accuracy>=0.98')", text, why);
}

/* How a target of each kind of measure is written, and what the message says about the measure where it is written differently. */
static const struct {
    bool at_most, at_least; /* the comparisons that make sense */
    bool is_share;          /* up to 1, and may be written in percent */
    double above;           /* every number above this one is possible … */
    bool or_equal;          /* … and this one, too */
    const char *wrong_way, *wrong_value;
} kinds[] = {
    [TRI_MEASURE_LOSS] = {true, false, false, 0, true, "should fall: <= must follow", "is a number of 0 or more"},
    [TRI_MEASURE_SHARE] = {false, true, true, 0, false, "should rise: >= must follow",
                           "is a share, above 0 and at most 1: write 0.98 or 98%"},
    [TRI_MEASURE_FIT] = {false, true, true, -INFINITY, false, "should rise: >= must follow", "is at most 1: write 0.9 or 90%"},
    [TRI_MEASURE_RATIO] = {true, true, false, 0, false, "should come near 1: >= or <= must follow",
                           "is the mean prediction over the share of class 1, above 0: write >=0.95 or <=1.05"},
};

static const char progressive[] = "progressive_";

static tri_status bad_measure(const char *text, const tri__target *target, const char *why)
{
    char reason[128];
    snprintf(reason, sizeof reason, "%s%s %s", target->progressive ? progressive : "", target->measure->name, why);
    return bad_target(text, reason);
}

/* "loss, accuracy, auc, …, progressive_accuracy, …" */
static tri_status unknown_measure(const char *text)
{
    char known[256];
    tri__text list;
    tri__text_init(&list, known, sizeof known);
    tri__text_add(&list, "the measure must be one of");
    const tri__measure *measure;
    for (int of_stream = 0; of_stream < 2; of_stream++)
        for (int i = 0; (measure = tri__measure_at(i)); i++)
            if (!of_stream || measure->progressive)
                tri__text_add(&list, "%s %s%s", of_stream || i ? "," : "", of_stream ? progressive : "", measure->name);
    return bad_target(text, known);
}

/* Parse the measure's name and its comparison. For most measures only one comparison makes sense. */
static tri_status parse_measure(const char *text, const char **at, tri__target *out)
{
    *at = skip_spaces(text);
    out->progressive = strncmp(*at, progressive, strlen(progressive)) == 0;
    *at += out->progressive ? strlen(progressive) : 0;
    const size_t length = strcspn(*at, " \t<>=");
    out->measure = tri__measure_find(*at, length);
    if (!out->measure || (out->progressive && !out->measure->progressive))
        return unknown_measure(text);
    *at = skip_spaces(*at + length);
    out->at_most = **at == '<';
    if (!(**at == '<' && kinds[out->measure->kind].at_most) && !(**at == '>' && kinds[out->measure->kind].at_least))
        return bad_measure(text, out, kinds[out->measure->kind].wrong_way);
    *at += 1 + ((*at)[1] == '=');
    return NULL;
}

static bool is_possible(const tri__target *target, bool percent)
{
    const tri__measure_kind kind = target->measure->kind;
    if (kinds[kind].is_share ? target->value > 1 : percent)
        return false;
    return target->value > kinds[kind].above || (kinds[kind].or_equal && target->value == kinds[kind].above);
}

tri_status tri__target_parse(const char *text, tri__target *out)
{
    const char *at;
    TRI_TRY(parse_measure(text, &at, out));
    char *end = NULL;
    out->value = strtod(at, &end);
    bool percent = end != at && *end == '%';
    if (end == at || *skip_spaces(end + percent) || !isfinite(out->value))
        return bad_target(text, "a number must follow the comparison");
    if (percent)
        out->value /= 100;
    return is_possible(out, percent) ? NULL : bad_measure(text, out, kinds[out->measure->kind].wrong_value);
}

bool tri__target_reached(const tri__target *target, const tri__evaluation *evaluation)
{
    const double value = target->measure ? tri__measure_of(target->measure, evaluation) : NAN;
    return target->at_most ? value <= target->value : value >= target->value;
}

static tri_status bad_every(const char *option, const char *text, unsigned allowed)
{
    return tri_fail(TRI_BAD_CALL, "--%s %s: expected %s%s%s%s or end", option, text,
                    allowed & 1u << TRI_EVERY_SECONDS ? "a time such as 60s or 5m, " : "",
                    allowed & 1u << TRI_EVERY_STEPS ? "a number of steps such as 500steps" : "",
                    allowed & 1u << TRI_EVERY_EPOCH ? ", epoch" : "", allowed & 1u << TRI_EVERY_NEVER ? ", never" : "");
}

/* A number of steps: "500" or "500steps". */
static bool parse_steps(const char *text, int64_t *steps)
{
    char *unit = NULL;
    errno = 0;
    *steps = strtoll(text, &unit, 10);
    return !errno && unit != text && *steps > 0 && *steps <= INT64_MAX / 4 && (!*unit || !strcmp(unit, "step") || !strcmp(unit, "steps"));
}

static bool parse_seconds(const char *text, int64_t *seconds)
{
    if (!tri__duration_parse(text, seconds) || *seconds % TRI_SECOND)
        return false;
    *seconds /= TRI_SECOND;
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
