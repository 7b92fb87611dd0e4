/* schedule.c: the learning rate as a function of the step. A pure function: resuming needs no state. */
#include "train/options/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tri_status bad(const char *text, const char *why)
{
    return tri_fail(
        TRI_BAD_CALL,
        "--schedule %s: %s (constant, step:EVERY:FACTOR such as step:10epochs:0.1, exponential:EVERY:FACTOR, or cosine[:FLOOR])", text,
        why);
}

/* What follows the name, and a colon: "1000:0.5", "10epochs:0.1" */
static tri_status parse_fall(const char *text, tri__schedule *out)
{
    char *end = NULL;
    out->every = strtoll(strchr(text, ':') + 1, &end, 10);
    out->in_epochs = !strncmp(end, "epoch", 5);
    end += out->in_epochs ? 5 + (end[5] == 's') : !strncmp(end, "steps", 5) ? 5 : 0;
    if (out->every < 1 || *end != ':')
        return bad(text, "EVERY must be a number of steps, or of epochs such as 10epochs");
    const char *factor = end + 1;
    out->factor = strtod(factor, &end);
    if (end == factor || *end || !(out->factor > 0 && out->factor <= 1))
        return bad(text, "FACTOR must be above 0 and at most 1");
    return NULL;
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
        return parse_fall(text, out);
    }
    if (!strncmp(text, "exponential:", 12)) {
        out->kind = TRI_SCHEDULE_EXPONENTIAL;
        return parse_fall(text, out);
    }
    if (!strcmp(text, "cosine") || !strncmp(text, "cosine:", 7)) {
        out->kind = TRI_SCHEDULE_COSINE;
        return parse_cosine(text, out);
    }
    return bad(text, !strcmp(text, "step") || !strcmp(text, "exponential") ? "it needs two numbers" : "there is no such schedule");
}

tri_status tri__schedule_bind(tri__schedule *schedule, int64_t steps_per_epoch, int64_t total)
{
    if (schedule->in_epochs && __builtin_mul_overflow(schedule->every, steps_per_epoch, &schedule->every))
        return tri_fail(TRI_BAD_CALL, "--schedule: that many epochs have more steps than can be counted");
    schedule->in_epochs = false;
    if (schedule->kind == TRI_SCHEDULE_COSINE && !total)
        return tri_fail(TRI_BAD_CALL,
                        "--schedule cosine needs to know the last step: give --epochs, --steps or, with --until, --max-steps");
    schedule->total = total;
    return NULL;
}

/* From the base rate at 0 to floor times it at total. */
static double cosine(const tri__schedule *schedule, double step)
{
    double span = (double)(schedule->total - schedule->warmup);
    double share = span > 0 && step < span ? step / span : 1;
    return schedule->floor + (1 - schedule->floor) * (1 + cos(M_PI * share)) / 2;
}

float tri__schedule_rate(const tri__schedule *schedule, int64_t step)
{
    if (step < schedule->warmup)
        return (float)(schedule->rate * (double)(step + 1) / (double)schedule->warmup);
    step -= schedule->warmup;
    int64_t cuts = schedule->kind == TRI_SCHEDULE_STEP ? step / schedule->every : 0;
    switch (schedule->kind) {
    case TRI_SCHEDULE_STEP:
        return (float)(schedule->rate * pow(schedule->factor, (double)cuts));
    case TRI_SCHEDULE_EXPONENTIAL:
        return (float)(schedule->rate * pow(schedule->factor, (double)step / (double)schedule->every));
    case TRI_SCHEDULE_COSINE:
        return (float)(schedule->rate * cosine(schedule, (double)step));
    case TRI_SCHEDULE_CONSTANT:
        break;
    }
    return (float)schedule->rate;
}
