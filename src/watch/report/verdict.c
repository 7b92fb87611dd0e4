/* verdict.c: the sentence about the bottleneck.
 *
 * What samples show comes first: a full link, a worker that is slower than the others, other programs that have the CPUs, more threads than
 * CPUs. These are reasons why workers wait, whichever phase the waiting counts for. If there are none, a phase is the bottleneck if it
 * takes at least half of the time and clearly more than the next phase. Otherwise the sentence says that nothing stands out, and shows the
 * two largest phases. Shares are evidence, not proof, so the sentence always has the numbers. The most that can be saved is the time spent
 * waiting for the bottleneck. */
#include "watch/report/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text/text.h"

static const double half = 0.5;          /* share of the time: a smaller phase is not a bottleneck */
static const double clear_lead = 0.1;    /* shares of two phases that are closer than this could change places in the next run */
static const double least_seconds = 0.2; /* a shorter run measures only start-up */
static const double idle = 0.6;          /* share of the CPUs that compute had: if they were less busy, they waited for something */
static const double full = 0.8;          /* share of a link, or of a server's CPU: the rest is gaps between messages */
static const double noticed = 0.2;       /* CPUs that decoding or other programs take from compute */
static const double held_up = 0.2;       /* share of all workers' time spent waiting for others; of two workers, only the fast one waits */
static const double slower = 1.5;        /* times the median worker's time: a straggler */
static const double most = 0.7;          /* share of the waiting for last parts that is for one worker: more than chance */
static const double crowded = 0.9;       /* share of a host's CPUs in use: threads have to take turns */
/* Bytes a second of a disk. With less, it is another disk that threads wait for, as on a server of files. */
static const double least_reading = 1e5;

static int percent(double share)
{
    return (int)lround(100 * share);
}

static double hundredths(double value)
{
    return round(100 * value) / 100;
}

static double waiting(const tri__evidence *evidence)
{
    const double *share = evidence->share;
    return share[TRI_PHASE_SEND] + share[TRI_PHASE_SERVER] + share[TRI_PHASE_PEERS];
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

/* ---- what samples show ---- */

/* In sync mode all workers first receive parameters, and then all send gradients. So a link may be full in one direction after the other,
 * while on average each direction seems to have room. */
static bool is_full_in_turns(const tri__evidence *evidence)
{
    return evidence->link.fill < full && evidence->link.fill + evidence->link.other >= 1 && evidence->share[TRI_PHASE_SERVER] > 0 &&
           evidence->share[TRI_PHASE_PEERS] > 0;
}

/* If a link is full, workers wait because of it, whatever phase the waiting counts for. */
static bool waits_for_link(const tri__evidence *evidence)
{
    return evidence->link.host && (evidence->link.fill >= full || is_full_in_turns(evidence)) && waiting(evidence) >= half;
}

static void add_link(tri__text *text, const tri__evidence *evidence)
{
    tri__text_add(text, "network-bound: %s %s at %d %% of its link's %.3g Mbit/s", evidence->link.host,
                  evidence->link.sends ? "sends" : "receives", percent(evidence->link.fill), evidence->link.most * 8 / 1e6);
    if (is_full_in_turns(evidence))
        tri__text_add(text, " and, in turns with that, %s at %d %%", evidence->link.sends ? "receives" : "sends",
                      percent(evidence->link.other));
    tri__text_add(
        text,
        ", and %d %% of the time is waiting for others; compute %d %%. A larger batch sends less often; a faster link saves %d %% "
        "at most",
        percent(waiting(evidence)), percent(evidence->share[TRI_PHASE_COMPUTE]), percent(waiting(evidence)));
}

/* saving: the share of the time that would be saved without the straggler. */
static void add_remedy(tri__text *text, const tri__evidence *evidence, const char *what, double saving)
{
    tri__text_add(text, ". Look at its host (trireme watch)%s%s; without it %s%d %% less time at most", evidence->remedy ? ", or " : "",
                  evidence->remedy ? evidence->remedy : "", what, percent(saving));
}

/* If servers know whose parts came last, that must be the slowest worker. */
static bool waits_for_straggler(const tri__evidence *evidence)
{
    if (evidence->late.task && evidence->slowest.task && strcmp(evidence->late.task, evidence->slowest.task) != 0)
        return false;
    return evidence->slowest.task && evidence->slowest.times >= slower && evidence->share[TRI_PHASE_PEERS] >= held_up;
}

static void add_straggler(tri__text *text, const tri__evidence *evidence)
{
    tri__text_add(
        text,
        "straggler-bound: %s takes %.1f times as long for a step as the others (median), and %d %% of all workers' time is waiting for "
        "others",
        evidence->slowest.task, evidence->slowest.times, percent(evidence->share[TRI_PHASE_PEERS]));
    add_remedy(text, evidence, "steps take ", 1 - 1 / evidence->slowest.times);
}

/* How many CPUs other programs used on the host; NaN if unknown. With time that was denied, a host may be busy for more than it has. */
static double taken_by_others(const tri__evidence *evidence)
{
    return evidence->host.cpus > 0 ? (fmin(evidence->host.busy, 1) - evidence->host.own) * evidence->host.cpus : NAN;
}

/* If other programs have most of the CPUs, tasks wait for tasks that wait for a CPU, whatever phase the waiting counts for. */
static bool is_crowded_out(const tri__evidence *evidence)
{
    return evidence->host.cpus > 0 && evidence->host.busy >= crowded && evidence->host.own < half && waiting(evidence) >= half;
}

/* A worker that is paused, or that has a slow connection to the servers, does not work longer than others; but the others wait for it.
 * Where tasks take turns with other programs, one of them is late for some of the time by chance. */
static bool waits_for_latest(const tri__evidence *evidence)
{
    const double least = is_crowded_out(evidence) ? half : held_up;
    return evidence->late.task && evidence->late.share >= least && evidence->late.of_all >= most && waiting(evidence) >= held_up;
}

static void add_latest(tri__text *text, const tri__evidence *evidence)
{
    tri__text_add(
        text, "straggler-bound: for %d %% of the time a step lacked %s's part alone (%d %% of all waiting for a last part); compute %d %%",
        percent(evidence->late.share), evidence->late.task, percent(evidence->late.of_all), percent(evidence->share[TRI_PHASE_COMPUTE]));
    add_remedy(text, evidence, "", evidence->late.share);
}

/* For the number of threads, a part of a CPU counts as one CPU. */
static bool is_oversubscribed(const tri__evidence *evidence)
{
    return evidence->host.cpus > 0 && evidence->host.threads > ceil(evidence->host.cpus) && evidence->host.busy >= crowded &&
           evidence->host.own >= half && evidence->share[TRI_PHASE_COMPUTE] + waiting(evidence) >= half;
}

static void add_oversubscribed(tri__text *text, const tri__evidence *evidence)
{
    tri__text_add(
        text,
        "oversubscribed CPUs: %d threads compute on %.3g CPU%s, %d %% of whose time is in use; compute %d %%, waiting for others %d %%. "
        "Fewer --threads or --workers take no turns; that saves %d %% at most",
        evidence->host.threads, evidence->host.cpus, evidence->host.cpus <= 1 ? "" : "s", percent(evidence->host.busy),
        percent(evidence->share[TRI_PHASE_COMPUTE]), percent(waiting(evidence)),
        percent(evidence->share[TRI_PHASE_COMPUTE] + waiting(evidence)));
}

/* The CPU time that the run used is needed in any case. What others had is rounded so that both add up to no more than the host has. */
static void add_crowded_out(tri__text *text, const tri__evidence *evidence)
{
    const double own = hundredths(evidence->host.own * evidence->host.cpus);
    const double others = hundredths(fmin(evidence->host.busy, 1) * evidence->host.cpus - own);
    tri__text_add(text,
                  "oversubscribed CPUs: other programs had %g of the host's %g, and this run %g; compute %d %%, waiting for others "
                  "%d %%. Without them it takes %d %% less time at most",
                  others, hundredths(evidence->host.cpus), own, percent(evidence->share[TRI_PHASE_COMPUTE]), percent(waiting(evidence)),
                  percent(1 - evidence->host.own));
}

/* ---- phases ---- */

static void add_saving(tri__text *text, double share, const char *what)
{
    tri__text_add(text, "; %s saves %d %% at most", what, percent(share));
}

static void add_missing_cpus(tri__text *text, const tri__evidence *evidence, double busy)
{
    const double others = taken_by_others(evidence);
    tri__text_add(text, ". But its %d thread%s had only %.1f CPUs", evidence->threads, evidence->threads == 1 ? "" : "s",
                  evidence->cpu_percent / 100);
    if (others >= noticed && evidence->host.busy >= crowded)
        tri__text_add(text, ", and other programs had %.1f: without them %d %% less time at most", others,
                      percent(evidence->share[TRI_PHASE_COMPUTE] * (1 - busy)));
    else
        tri__text_add(text, ": other programs' load%s; without that %d %% less time at most",
                      evidence->threads == 1 ? "" : ", or steps too small to share out (try --threads 1)",
                      percent(evidence->share[TRI_PHASE_COMPUTE] * (1 - busy)));
}

/* Whether the memory is what the phase waits for. */
static bool fills_memory(const tri__evidence *evidence, double moved)
{
    return evidence->memory.copy > 0 && moved >= full * evidence->memory.copy;
}

/* How near the memory comes to what it can do. */
static void add_memory(tri__text *text, const tri__evidence *evidence, double moved)
{
    if (moved > 0 && evidence->memory.copy > 0)
        tri__text_add(text, ". Memory at %d %% of the %.3g GB/s of a copy", percent(fmin(1, moved / evidence->memory.copy)),
                      evidence->memory.copy / 1e9);
}

/* How near the CPUs come to what they can do. Where they wait for memory, larger products do not help. */
static void add_flops(tri__text *text, const tri__evidence *evidence)
{
    const double reached = evidence->flops.reached, sgemm = evidence->flops.sgemm;
    if (!(reached > 0))
        return;
    tri__text_add(text, ". Products and convolutions reach %.3g GFLOP/s", reached / 1e9);
    if (sgemm > 0)
        tri__text_add(text, ", large products %.3g", sgemm / 1e9);
    if (sgemm > reached && !fills_memory(evidence, evidence->memory.compute))
        tri__text_add(text, ": a larger batch or wider layers come nearer to it; that saves %d %% at most",
                      percent(evidence->share[TRI_PHASE_COMPUTE] * (1 - reached / sgemm)));
}

static void add_compute(tri__text *text, const tri__evidence *evidence)
{
    const bool known = evidence->host.cpus > 0 && evidence->host.cpus < evidence->threads;
    const double share = evidence->share[TRI_PHASE_COMPUTE];
    const double busy = evidence->cpu_percent / 100 / (known ? evidence->host.cpus : evidence->threads);
    if (evidence->threads > 0 && busy < idle)
        add_missing_cpus(text, evidence, busy);
    else if (evidence->decoding >= noticed)
        tri__text_add(text, ". Decoding took %.1f CPUs beside it: --cache or data convert gives them back; that saves %d %% at most",
                      evidence->decoding, percent(share * fmin(1, evidence->decoding / evidence->threads)));
    else {
        add_flops(text, evidence);
        add_memory(text, evidence, evidence->memory.compute);
        tri__text_add(text, "%s; all else saves %d %% at most",
                      fills_memory(evidence, evidence->memory.compute)
                          ? ": more CPUs on this host wait for it, too; workers on other hosts help"
                          : ". More CPUs or workers help",
                      percent(1 - share));
    }
}

/* The most that the disk was seen to read is what it can do at least. If it mostly reads less, it is asked for too little at a time. */
static void add_disk(tri__text *text, const tri__evidence *evidence)
{
    const double read = evidence->disk.read, best = evidence->disk.best, others = read - evidence->disk.own;
    tri__text_add(text, ". %.1f threads read, and next to no CPU is used for it: the disk", evidence->decoding);
    if (read >= least_reading)
        tri__text_add(text, ", at %.3g of the %.3g MB/s of its best sample", read / 1e6, best / 1e6);
    if (read >= least_reading && others >= noticed * read)
        tri__text_add(text, ", %.3g of them for other programs", others / 1e6);
    tri__text_add(text, ". --cache keeps what was read in memory");
    if (read >= least_reading && read < half * best)
        tri__text_add(text, ", data convert makes larger files that are read faster");
}

/* Threads that decode use CPUs, unless no CPU is left for them. Threads that wait for a disk do not use CPUs. */
static void add_input(tri__text *text, const tri__evidence *evidence)
{
    const double share = evidence->share[TRI_PHASE_INPUT];
    const double computing = evidence->share[TRI_PHASE_COMPUTE] * evidence->threads, cpus = evidence->cpu_percent / 100 - computing;
    const bool known = isfinite(cpus) && evidence->decoding > 0, lacks_cpus = evidence->host.cpus > 0 && evidence->host.busy >= crowded;
    if (evidence->stream) {
        tri__text_add(text, ". What writes to standard input is slow, or the text costs much to read");
        add_saving(text, share, "quicker input");
        return;
    }
    if (known && lacks_cpus && evidence->host.own < half)
        tri__text_add(text,
                      ". Decoding lacks CPUs: other programs had %.2g of the host's %.3g. --cache or data convert saves doing it again",
                      taken_by_others(evidence), evidence->host.cpus);
    else if (known && (cpus >= half * share || lacks_cpus))
        tri__text_add(text, ". Decoding keeps %.2g CPUs busy%s: --cache or data convert saves doing it again", fmax(cpus, 0),
                      lacks_cpus ? ", and the host has no more" : "");
    else if (known)
        add_disk(text, evidence);
    else
        tri__text_add(text, ". --cache or data convert saves decoding again, a larger batch asks less often");
    add_saving(text, share, known ? "that" : "faster input");
}

/* A server may be the bottleneck with less than one CPU, if its host has no more to give. */
static void add_server(tri__text *text, const tri__evidence *evidence)
{
    const double share = evidence->share[TRI_PHASE_SERVER];
    if (evidence->server.task && evidence->server.cpu_percent >= 100 * full)
        tri__text_add(text, ". %s is busy for %.0f %% of a CPU: more --servers share its work, a larger batch asks less often",
                      evidence->server.task, evidence->server.cpu_percent);
    else if (evidence->server.task && evidence->server.host_busy >= crowded)
        tri__text_add(text, ". %s uses %.0f %% of a CPU, and its host has no more to give: more --servers on other hosts share its work",
                      evidence->server.task, evidence->server.cpu_percent);
    else if (evidence->server.task)
        tri__text_add(text, ". The busiest one, %s, uses %.0f %% of a CPU: it is the way there and back. A larger batch asks less often",
                      evidence->server.task, evidence->server.cpu_percent);
    else
        tri__text_add(text, ". A larger batch asks them less often");
    add_saving(text, share, "a quicker answer");
}

static void add_peers(tri__text *text, const tri__evidence *evidence)
{
    if (evidence->slowest.task)
        tri__text_add(text, ". No worker is much slower than the others (%s: %.1f times the median)", evidence->slowest.task,
                      evidence->slowest.times);
    tri__text_add(text, ". A larger batch exchanges less often");
    add_saving(text, evidence->share[TRI_PHASE_PEERS], "a quicker exchange");
}

static void add_update(tri__text *text, const tri__evidence *evidence)
{
    add_memory(text, evidence, evidence->memory.update);
    tri__text_add(text, ". A larger batch updates less often");
    add_saving(text, evidence->share[TRI_PHASE_UPDATE],
               fills_memory(evidence, evidence->memory.update) ? "a rule that keeps less" : "a cheaper rule");
}

static void add_send(tri__text *text, const tri__evidence *evidence)
{
    tri__text_add(text, ". A larger batch sends less often");
    add_saving(text, evidence->share[TRI_PHASE_SEND], "a faster link");
}

static void add_other(tri__text *text, const tri__evidence *evidence)
{
    tri__text_add(text, ". A larger --log-every or --checkpoint-every may help");
    add_saving(text, evidence->share[TRI_PHASE_OTHER], "that");
}

/* For each phase: the name of the bottleneck, where the time went, and the function that adds advice. */
static const struct {
    const char *name, *into;
    void (*add)(tri__text *text, const tri__evidence *evidence);
} words[TRI_PHASES] = {
    [TRI_PHASE_INPUT] = {"input-bound", "waiting for data", add_input},
    [TRI_PHASE_COMPUTE] = {"compute-bound", "in forward and backward", add_compute},
    [TRI_PHASE_SEND] = {"network-bound", "sending gradients", add_send},
    [TRI_PHASE_SERVER] = {"server-bound", "waiting for parameter servers", add_server},
    [TRI_PHASE_PEERS] = {"held up by other workers", "waiting for them", add_peers},
    [TRI_PHASE_UPDATE] = {"update-bound", "applying updates", add_update},
    [TRI_PHASE_OTHER] = {"bound by what is around the steps", "outside them (logging, checkpoints)", add_other},
};

/* Add "; input waits 2 %". In a compute-bound run the next question is whether faster input would help, so input comes first there. */
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
    words[first].add(text, evidence);
}

/* Most of the waiting for servers is waiting for ps:0 to hand out the next step. */
static bool waits_for_coordinator(const tri__evidence *evidence)
{
    return evidence->tokens >= half && evidence->share[TRI_PHASE_SERVER] >= half;
}

static void add_coordinator(tri__text *text, const tri__evidence *evidence)
{
    tri__text_add(text, "waiting for the coordinator: %d %% of the time until ps:0 hands out the next step; compute %d %%",
                  percent(evidence->tokens), percent(evidence->share[TRI_PHASE_COMPUTE]));
    if (evidence->server.task)
        tri__text_add(text, "; %s uses %.0f %% of a CPU", evidence->server.task, evidence->server.cpu_percent);
    tri__text_add(text, ". A larger batch takes fewer steps, --async hands out several at once");
    add_saving(text, evidence->tokens, "a quicker ps:0");
}

static void add_undecided(tri__text *text, const double *share, int first, int second)
{
    const bool close = share[first] - share[second] < clear_lead;
    tri__text_add(text, "no single bottleneck: %s %d %%, %s %d %%, %s", tri__phase_name((tri__phase)first), percent(share[first]),
                  tri__phase_name((tri__phase)second), percent(share[second]),
                  close ? "too close to call" : "the rest spread over the other phases");
    tri__text_add(text, ". No one change saves more than %d %%", percent(share[first]));
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
    else if (waits_for_latest(evidence))
        add_latest(&text, evidence);
    else if (is_crowded_out(evidence))
        add_crowded_out(&text, evidence);
    else if (waits_for_straggler(evidence))
        add_straggler(&text, evidence);
    else if (is_oversubscribed(evidence))
        add_oversubscribed(&text, evidence);
    else if (waits_for_coordinator(evidence))
        add_coordinator(&text, evidence);
    else if (share[first] < half || share[first] - share[second] < clear_lead)
        add_undecided(&text, share, first, second);
    else
        add_bottleneck(&text, evidence, first, second);
    return buffer;
}
