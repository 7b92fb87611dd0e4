/* verdict.c: the sentence about the bottleneck.
 *
 * A phase is the bottleneck when it takes at least half of the time and clearly more than the next one. Otherwise the sentence says
 * that nothing stands out, and shows the two largest. Shares are evidence, not proof, so the numbers always stand beside the claim. */
#include "watch/report/verdict.h"

#include <inttypes.h>
#include <math.h>

#include "watch/progress/text.h"

static const double half = 0.5;          /* less than this is no bottleneck */
static const double clear_lead = 0.1;    /* two phases closer than this could change places in the next run */
static const double least_seconds = 0.2; /* shorter runs measure start-up */
static const double idle = 0.6;          /* of the CPUs that compute had: below it they waited for something */
static const double full = 0.8;          /* of a link: the rest are gaps between messages */
static const double noticed = 0.2;       /* CPUs that decoding takes from compute */

/* What a phase is called as a bottleneck, what the time went into, and what a user may try. */
static const struct {
    const char *name, *into, *advice;
} words[TRI_PHASES] = {
    [TRI_PHASE_INPUT] = {"input-bound", "waiting for data", "--cache or data convert saves decoding again, a larger batch asks less often"},
    [TRI_PHASE_COMPUTE] = {"compute-bound", "in forward and backward", NULL},
    [TRI_PHASE_SEND] = {"network-bound", "sending gradients", "a larger batch sends less often"},
    [TRI_PHASE_SERVER] = {"server-bound", "waiting for parameter servers", "a larger batch asks them less often"},
    [TRI_PHASE_PEERS] = {"held up by other workers", "waiting for them", NULL},
    [TRI_PHASE_UPDATE] = {"update-bound", "applying updates", "a larger batch updates less often"},
    [TRI_PHASE_OTHER] = {"bound by what is around the steps", "outside them (logging, checkpoints)",
                         "a larger --log-every or --checkpoint-every may help"},
};

static int percent(double share)
{
    return (int)lround(100 * share);
}

static void find_largest_two(const double *share, int *first, int *second)
{
    *first = 0;
    for (int i = 1; i < TRI_PHASES; i++)
        if (share[i] > share[*first])
            *first = i;
    *second = *first == 0 ? 1 : 0;
    for (int i = 0; i < TRI_PHASES; i++)
        if (i != *first && share[i] > share[*second])
            *second = i;
}

/* "; input waits 2 %": in a compute-bound run, whether faster input would help is the next question, so input comes first there. */
static void add_runner_up(tri__text *text, const double *share, int first, int second)
{
    if (first == TRI_PHASE_COMPUTE)
        tri__text_add(text, "; input waits %d %%", percent(share[TRI_PHASE_INPUT]));
    if (second != TRI_PHASE_INPUT || first != TRI_PHASE_COMPUTE)
        if (percent(share[second]) > 0)
            tri__text_add(text, "; %s %d %%", tri__phase_name((tri__phase)second), percent(share[second]));
}

static void add_bottleneck(tri__text *text, const tri__evidence *evidence, int first, int second)
{
    tri__text_add(text, "%s: %d %% of the time %s", words[first].name, percent(evidence->share[first]), words[first].into);
    add_runner_up(text, evidence->share, first, second);
    double busy = evidence->cpu_percent / 100 / evidence->threads;
    if (first == TRI_PHASE_COMPUTE && evidence->threads == 1 && busy < idle)
        tri__text_add(text, ". But its thread had only %.1f CPUs: other programs' load", evidence->cpu_percent / 100);
    else if (first == TRI_PHASE_COMPUTE && evidence->threads > 0 && busy < idle)
        tri__text_add(text,
                      ". But its %d threads had only %.1f CPUs: other programs' load, or steps too small to share out: try --threads 1",
                      evidence->threads, evidence->cpu_percent / 100);
    else if (first == TRI_PHASE_COMPUTE && evidence->decoding >= noticed)
        tri__text_add(text, ". Decoding took %.1f CPUs beside it: --cache or data convert gives them back", evidence->decoding);
    else if (words[first].advice)
        tri__text_add(text, ". %s", words[first].advice);
}

/* A full link is the reason for which workers wait, whoever they seem to wait for. */
static bool waits_for_link(const tri__evidence *evidence)
{
    const double *share = evidence->share;
    return evidence->link.host && evidence->link.fill >= full &&
           share[TRI_PHASE_SEND] + share[TRI_PHASE_SERVER] + share[TRI_PHASE_PEERS] >= half;
}

static void add_link(tri__text *text, const tri__evidence *evidence)
{
    const double *share = evidence->share;
    const double waiting = share[TRI_PHASE_SEND] + share[TRI_PHASE_SERVER] + share[TRI_PHASE_PEERS];
    tri__text_add(text,
                  "network-bound: %s %s at %d %% of its link's %.3g Mbit/s, and %d %% of the time is waiting for others; compute %d %%. A "
                  "larger batch sends less often; a faster link saves %d %% at most",
                  evidence->link.host, evidence->link.sends ? "sends" : "receives", percent(evidence->link.fill),
                  evidence->link.most * 8 / 1e6, percent(waiting), percent(share[TRI_PHASE_COMPUTE]), percent(waiting));
}

const char *tri__verdict(const tri__evidence *evidence, char *buffer, size_t size)
{
    tri__text text;
    int first, second;
    const double *share = evidence->share;
    tri__text_init(&text, buffer, size);
    find_largest_two(share, &first, &second);
    if (evidence->seconds < least_seconds || evidence->steps < 2)
        tri__text_add(&text, "too short to tell: %" PRId64 " step%s in %.2f s", evidence->steps, evidence->steps == 1 ? "" : "s",
                      evidence->seconds);
    else if (waits_for_link(evidence))
        add_link(&text, evidence);
    else if (share[first] < half || share[first] - share[second] < clear_lead)
        tri__text_add(&text, "no single bottleneck: %s %d %%, %s %d %%, %s", tri__phase_name((tri__phase)first), percent(share[first]),
                      tri__phase_name((tri__phase)second), percent(share[second]),
                      share[first] - share[second] < clear_lead ? "too close to call" : "the rest spread over the other phases");
    else
        add_bottleneck(&text, evidence, first, second);
    return buffer;
}
