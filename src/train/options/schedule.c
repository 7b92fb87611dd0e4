/* schedule.c: the learning rate as a pure function of the step and the number of cuts: resuming needs no other state. */
#include "train/options/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tri_status bad(const char *text, const char *why)
{
    return tri_fail(TRI_BAD_CALL,
                    "--schedule %s: %s (constant, step:EVERY:FACTOR such as step:10epochs:0.1, exponential:EVERY:FACTOR, cosine[:FLOOR], "
                    "plateau:N:FACTOR or sweep:LOW:HIGH)",
                    text, why);
}

static const char by_length[] = "EVERY must be a number of steps, or of epochs such as 10epochs";

/* Parse what follows the name and a colon: "1000:0.5", "10epochs:0.1". every: the message where the first part is not such a number. */
static tri_status parse_fall(const char *text, const char *every, tri__schedule *out)
{
    char *end = NULL;
    out->every = strtoll(strchr(text, ':') + 1, &end, 10);
    out->in_epochs = !strncmp(end, "epoch", 5);
    end += out->in_epochs ? 5 + (end[5] == 's') : !strncmp(end, "steps", 5) ? 5 : 0;
    if (out->every < 1 || *end != ':')
        return bad(text, every);
    const char *factor = end + 1;
    out->factor = strtod(factor, &end);
    if (end == factor || *end || !(out->factor > 0 && out->factor <= 1))
        return bad(text, "FACTOR must be above 0 and at most 1");
    return NULL;
}

/* "plateau:5:0.1" */
static tri_status parse_plateau(const char *text, tri__schedule *out)
{
    TRI_TRY(parse_fall(text, "N must be a number of evaluations, at least 1", out));
    return out->in_epochs || out->factor == 1 ? bad(text, "it takes a number of evaluations, and a FACTOR below 1") : NULL;
}

/* "sweep:1e-6:10" */
static tri_status parse_sweep(const char *text, tri__schedule *out)
{
    char *end = NULL;
    out->low = strtod(strchr(text, ':') + 1, &end);
    const bool more = *end == ':';
    out->high = more ? strtod(end + 1, &end) : 0;
    return more && !*end && out->low > 0 && out->high > out->low && isfinite(out->high) ? NULL
                                                                                        : bad(text, "LOW and HIGH are rates, LOW above 0");
}

static tri_status parse_cosine(const char *text, tri__schedule *out)
{
    const char *floor = text + strlen("cosine");
    if (!*floor)
        return NULL;
    char *end = NULL;
    out->floor = strtod(floor + 1, &end);
    if (end == floor + 1 || *end || !(out->floor >= 0 && out->floor <= 1))
        return bad(text, "FLOOR is a share of the rate, from 0 to 1");
    return NULL;
}

tri_status tri__schedule_parse(const char *text, tri__schedule *out)
{
    *out = (tri__schedule){.kind = TRI_SCHEDULE_CONSTANT};
    if (!strcmp(text, "constant"))
        return NULL;
    if (!strncmp(text, "step:", 5)) {
        out->kind = TRI_SCHEDULE_STEP;
        return parse_fall(text, by_length, out);
    }
    if (!strncmp(text, "exponential:", 12)) {
        out->kind = TRI_SCHEDULE_EXPONENTIAL;
        return parse_fall(text, by_length, out);
    }
    if (!strncmp(text, "plateau:", 8)) {
        out->kind = TRI_SCHEDULE_PLATEAU;
        return parse_plateau(text, out);
    }
    if (!strncmp(text, "sweep:", 6)) {
        out->kind = TRI_SCHEDULE_SWEEP;
        return parse_sweep(text, out);
    }
    if (!strcmp(text, "cosine") || !strncmp(text, "cosine:", 7)) {
        out->kind = TRI_SCHEDULE_COSINE;
        return parse_cosine(text, out);
    }
    return bad(text, !strcmp(text, "step") || !strcmp(text, "exponential") || !strcmp(text, "plateau") || !strcmp(text, "sweep")
                         ? "it needs two numbers"
                         : "there is no such schedule");
}

tri_status tri__schedule_bind(tri__schedule *schedule, int64_t steps_per_epoch, int64_t total)
{
    if (schedule->in_epochs && __builtin_mul_overflow(schedule->every, steps_per_epoch, &schedule->every))
        return tri_fail(TRI_BAD_CALL, "--schedule: that many epochs have more steps than can be counted");
    schedule->in_epochs = false;
    const bool ends = schedule->kind == TRI_SCHEDULE_COSINE || schedule->kind == TRI_SCHEDULE_SWEEP;
    if (ends && !total)
        return tri_fail(TRI_BAD_CALL, "--schedule %s needs to know the last step: give --epochs, --steps or, with --until, --max-steps",
                        schedule->kind == TRI_SCHEDULE_COSINE ? "cosine" : "sweep");
    schedule->total = total;
    return NULL;
}

/* The share of the base rate: from 1 at step 0 to floor at total. */
static double cosine(const tri__schedule *schedule, double step)
{
    double span = (double)(schedule->total - schedule->warmup);
    double share = span > 0 && step < span ? step / span : 1;
    return schedule->floor + (1 - schedule->floor) * (1 + cos(M_PI * share)) / 2;
}

int64_t tri__schedule_cuts(const tri__schedule *schedule, int64_t without_gain)
{
    return schedule->cuts + (schedule->kind == TRI_SCHEDULE_PLATEAU && without_gain > 0 && without_gain % schedule->every == 0);
}

/* The rate rises by the same factor in each step. */
static double sweep(const tri__schedule *schedule, int64_t step)
{
    const double span = schedule->total > 1 ? (double)(schedule->total - 1) : 1;
    return schedule->low * pow(schedule->high / schedule->low, (double)step / span);
}

const char *tri__schedule_rate_text(const tri__schedule *schedule, char text[TRI_RATE_TEXT])
{
    if (schedule->kind == TRI_SCHEDULE_SWEEP)
        snprintf(text, TRI_RATE_TEXT, "%g to %g", schedule->low, schedule->high);
    else
        snprintf(text, TRI_RATE_TEXT, "%g", schedule->rate);
    return text;
}

float tri__schedule_rate(const tri__schedule *schedule, int64_t step)
{
    if (step < schedule->warmup)
        return (float)(schedule->rate * (double)(step + 1) / (double)schedule->warmup);
    step -= schedule->warmup;
    const int64_t cuts = schedule->kind == TRI_SCHEDULE_STEP ? step / schedule->every : schedule->cuts;
    switch (schedule->kind) {
    case TRI_SCHEDULE_STEP:
    case TRI_SCHEDULE_PLATEAU:
        return (float)(schedule->rate * pow(schedule->factor, (double)cuts));
    case TRI_SCHEDULE_EXPONENTIAL:
        return (float)(schedule->rate * pow(schedule->factor, (double)step / (double)schedule->every));
    case TRI_SCHEDULE_COSINE:
        return (float)(schedule->rate * cosine(schedule, (double)step));
    case TRI_SCHEDULE_SWEEP:
        return (float)sweep(schedule, step);
    case TRI_SCHEDULE_CONSTANT:
        break;
    }
    return (float)schedule->rate;
}
