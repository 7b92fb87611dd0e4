/* faults.c: draws faults, waits for their moment, and lets them happen. */
#include "sim/faults.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/network.h"
#include "sim/observer.h"
#include "sim/place.h"
#include "sim/task.h"
#include "store/ps/protocol/message.h"

enum { MOST_FAULTS = 6, EVERYBODY = -1 };

typedef struct {
    sim_fault_kind kind;
    int a, b;       /* the places; b of a partition may be EVERYBODY */
    bool follows;   /* it waits until the fault before it has happened */
    uint32_t type;  /* of the messages for which it waits; 0: any; TRI_MSG_TYPES: it waits for a time */
    int64_t number; /* how many such messages it waits for, or how many nanoseconds */
    int64_t later;  /* nanoseconds between the last of these messages and the fault */
    int64_t span;   /* how long it lasts, or how long until the task is started again */
    int64_t speed;
    bool armed, happened;
    int64_t left; /* messages to come before it strikes */
} fault;

static struct {
    fault fault[MOST_FAULTS];
    int count;
    uint64_t random;
    const sim_job *job;
} plan;

static const char *const names[SIM_FAULT_KINDS] = {
    [SIM_FAULT_CUT] = "cut",
    [SIM_FAULT_STALL] = "stall",
    [SIM_FAULT_SLOW] = "slow",
    [SIM_FAULT_STOP] = "stop",
    [SIM_FAULT_WORKER] = "kill",
    [SIM_FAULT_SERVER] = "kill",
    [SIM_FAULT_FIRST] = "kill",
    [SIM_FAULT_EVALUATOR] = "kill",
    [SIM_FAULT_STOP_KILL] = "stop and kill",
    [SIM_FAULT_LONG_STOP] = "long stop",
    [SIM_FAULT_LEAVE] = "kill for good",
    [SIM_FAULT_ASKED] = "ask to end",
    [SIM_FAULT_PARTITION] = "partition of",
};

static uint64_t draw(uint64_t below)
{
    uint64_t z = (plan.random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % below;
}

/* A number from least to most; small numbers are as likely as large ones. */
static int64_t draw_span(int64_t least, int64_t most)
{
    int64_t top = least;
    while (top < most && draw(3))
        top *= 2;
    top = top < most ? top : most;
    return least + (int64_t)draw((uint64_t)(top - least) + 1);
}

static void arm(int index);

/* While ps:0 waits for its first worker, the job fails if a worker is away for longer than the timeout, as it should. So no such fault
 * happens then. */
static void stop_for_long(fault *one)
{
    bool first_dies = false;
    for (int i = 0; i < plan.count; i++)
        first_dies |= plan.fault[i].kind >= SIM_FAULT_WORKER && plan.fault[i].a == 0;
    if (!sim_process_at(one->a) || !sim_job_begun() || first_dies)
        return;
    sim_note("STOP of %s for %" PRId64 " ms", sim_place_name(one->a), one->span / SIM_MS);
    sim_freeze(sim_process_at(one->a), sim_now() + one->span);
}

static void part(const fault *one, const sim_job *job)
{
    sim_note("PARTITION of %s and %s for %" PRId64 " ms", sim_place_name(one->a),
             one->b == EVERYBODY ? "everybody" : sim_place_name(one->b), one->span / SIM_MS);
    for (int place = 0; place < sim_places(job); place++)
        if (place != one->a && (one->b == EVERYBODY || one->b == place))
            sim_link_stall(one->a, place, sim_now() + one->span);
    sim_job_partitioned(one->a);
}

static void happen(void *context, int64_t index)
{
    fault *one = &plan.fault[index];
    (void)context;
    one->happened = true;
    switch (one->kind) {
    case SIM_FAULT_CUT:
        sim_note("CUT between %s and %s", sim_place_name(one->a), sim_place_name(one->b));
        sim_link_cut(one->a, one->b, one->span);
        break;
    case SIM_FAULT_STALL:
        sim_note("STALL between %s and %s for %" PRId64 " ms", sim_place_name(one->a), sim_place_name(one->b), one->span / SIM_MS);
        sim_link_stall(one->a, one->b, sim_now() + one->span);
        break;
    case SIM_FAULT_SLOW:
        sim_note("SLOW between %s and %s for %" PRId64 " ms", sim_place_name(one->a), sim_place_name(one->b), one->span / SIM_MS);
        sim_link_slow(one->a, one->b, one->speed, sim_now() + one->span);
        break;
    case SIM_FAULT_STOP:
        if (sim_process_at(one->a)) {
            sim_note("STOP of %s for %" PRId64 " ms", sim_place_name(one->a), one->span / SIM_MS);
            sim_freeze(sim_process_at(one->a), sim_now() + one->span);
        }
        break;
    case SIM_FAULT_STOP_KILL:
        if (sim_process_at(one->a) && !one->speed) {
            sim_note("STOP of %s, and death in %" PRId64 " ms", sim_place_name(one->a), one->span / SIM_MS);
            sim_freeze(sim_process_at(one->a), sim_now() + 2 * one->span);
            one->speed = 1;
            sim_at(sim_now() + one->span, happen, NULL, index);
            return;
        }
        sim_task_kill(one->a, one->span);
        break;
    case SIM_FAULT_LONG_STOP:
        stop_for_long(one);
        break;
    case SIM_FAULT_ASKED:
        sim_note("ps:0 is asked to end the job");
        sim_task_stop_job();
        break;
    case SIM_FAULT_LEAVE:
        sim_task_kill(one->a, SIM_FOREVER);
        break;
    case SIM_FAULT_PARTITION:
        part(one, plan.job);
        break;
    default:
        sim_task_kill(one->a, one->span);
    }
    if (index + 1 < plan.count && plan.fault[index + 1].follows)
        arm((int)index + 1);
}

static void arm(int index)
{
    fault *one = &plan.fault[index];
    one->armed = true;
    if (one->type == TRI_MSG_TYPES)
        sim_at(sim_now() + one->number, happen, NULL, index);
    else
        one->left = one->number;
}

static void sent(int place, uint32_t type)
{
    (void)place;
    if (type == TRI_MSG_BEAT)
        return;
    for (int i = 0; i < plan.count; i++) {
        fault *one = &plan.fault[i];
        if (one->armed && one->left > 0 && (one->type == 0 || one->type == type) && --one->left == 0)
            sim_at(sim_now() + one->later, happen, NULL, i);
    }
}

/* ---- drawing ---- */

static sim_fault_kind draw_kind(const sim_job *job)
{
    for (;;) {
        sim_fault_kind kind = (sim_fault_kind)draw(SIM_FAULT_PARTITION); /* a partition is drawn elsewhere */
        bool possible = (kind != SIM_FAULT_SERVER || job->settings.servers > 1) && (kind != SIM_FAULT_EVALUATOR || job->evaluator);
        bool rare = kind > SIM_FAULT_STOP_KILL;
        if (possible && (!rare || draw(4) == 0))
            return kind;
    }
}

/* Messages that are sent while a task recovers; the first four also between servers. */
static const uint32_t recovery[] = {TRI_MSG_HELLO, TRI_MSG_WELCOME, TRI_MSG_RESTORE, TRI_MSG_RESTORED, TRI_MSG_PULL, TRI_MSG_READY};

static bool is_death(const fault *one)
{
    return one->kind >= SIM_FAULT_WORKER && one->kind <= SIM_FAULT_STOP_KILL;
}

static void draw_moment(const sim_job *job, fault *one)
{
    static const uint32_t rare[] = {TRI_MSG_HELLO,     TRI_MSG_WELCOME,  TRI_MSG_READY,  TRI_MSG_TOKEN,   TRI_MSG_VIEW,
                                    TRI_MSG_SEEN,      TRI_MSG_LEFT,     TRI_MSG_CHOSEN, TRI_MSG_RESTORE, TRI_MSG_RESTORED,
                                    TRI_MSG_PULL,      TRI_MSG_SNAPSHOT, TRI_MSG_COPIED, TRI_MSG_COPY,    TRI_MSG_EVALUATE,
                                    TRI_MSG_EVALUATED, TRI_MSG_NORM,     TRI_MSG_STOP,   TRI_MSG_REPORT,  TRI_MSG_BYE};
    static const uint32_t pairs[] = {TRI_MSG_PAIR,   TRI_MSG_FILLED, TRI_MSG_LONE, TRI_MSG_PROMOTE, TRI_MSG_PRIMARY,
                                     TRI_MSG_UPDATE, TRI_MSG_HAVE,   TRI_MSG_MET,  TRI_MSG_KNOWN};
    one->later = draw(3) ? (int64_t)draw(2 * SIM_MS) : draw_span(SIM_MS, 100 * SIM_MS);
    if (one->follows && is_death(one - 1) && draw(2)) { /* in the middle of the recovery */
        one->type = recovery[draw(sizeof recovery / sizeof *recovery)];
        one->number = draw_span(1, 8);
        return;
    }
    if (job->settings.replicas == 2 && draw(3) == 0) {
        one->type = pairs[draw(sizeof pairs / sizeof *pairs)];
        one->number = draw_span(1, 60);
        return;
    }
    int64_t a_step = 2 * (int64_t)(job->floats / 256 + 1) * job->settings.workers;
    switch (draw(4)) {
    case 0:
        one->type = TRI_MSG_TYPES;
        one->number = draw_span(SIM_MS, 500 * SIM_MS);
        break;
    case 1:
        one->type = 0;
        one->number = 1 + (int64_t)draw((uint64_t)(a_step * job->steps));
        break;
    case 2:
        one->type = draw(2) ? TRI_MSG_PUSH : TRI_MSG_CHUNK;
        one->number = 1 + (int64_t)draw((uint64_t)(a_step / 2 * job->steps));
        break;
    default:
        one->type = rare[draw(sizeof rare / sizeof *rare)];
        one->number = draw_span(1, 40);
    }
}

/* Any server but ps:0, or any second server. */
static int draw_server(const sim_job *job)
{
    int server = (int)draw((uint64_t)job->settings.servers);
    if (job->settings.replicas == 2 && draw(2))
        return sim_place_second(job, server);
    return server > 0 ? server : 1 + (int)draw((uint64_t)job->settings.servers - 1);
}

static int draw_place(const sim_job *job)
{
    return (int)draw((uint64_t)sim_places(job));
}

/* If the fault follows another, it often hits the connection of the same task to ps:0. */
static void draw_victims(const sim_job *job, fault *one)
{
    int servers = job->settings.servers;
    const fault *before = one->follows ? one - 1 : NULL;
    if (before && one->kind <= SIM_FAULT_SLOW && before->a != 0 && draw(2)) {
        one->a = 0;
        one->b = before->a;
        return;
    }
    switch (one->kind) {
    case SIM_FAULT_CUT:
    case SIM_FAULT_STALL:
    case SIM_FAULT_SLOW:
        one->a = job->settings.replicas == 2 && draw(2) ? draw_server(job) : (int)draw((uint64_t)servers);
        do
            one->b = draw_place(job);
        while (one->b == one->a);
        break;
    case SIM_FAULT_WORKER:
        one->a = sim_place_worker(job, (int)draw((uint64_t)job->settings.workers));
        break;
    case SIM_FAULT_SERVER:
        one->a = draw_server(job);
        break;
    case SIM_FAULT_FIRST:
        one->a = 0;
        break;
    case SIM_FAULT_EVALUATOR:
        one->a = sim_place_evaluator(job);
        break;
    case SIM_FAULT_LONG_STOP:
        one->a = servers + (int)draw((uint64_t)job->settings.workers + 1);
        break;
    case SIM_FAULT_LEAVE: /* the last worker, or the evaluator, so that a worker is left */
        one->a = sim_place_evaluator(job) - (job->settings.workers > 1 ? (int)draw(2) : 0);
        break;
    case SIM_FAULT_ASKED:
        one->a = 0;
        break;
    default:
        one->a = draw_place(job);
    }
}

/* A server is lost, and its connection to ps:0 breaks while its stretch is restored. By chance alone this would be rare. */
static void draw_broken_recovery(const sim_job *job)
{
    fault *death = &plan.fault[0], *cut = &plan.fault[1];
    int server = 1 + (int)draw((uint64_t)job->settings.servers - 1);
    plan.count = plan.count < 2 ? 2 : plan.count;
    *death = (fault){.kind = SIM_FAULT_SERVER, .a = server, .span = death->span};
    draw_moment(job, death);
    death->span = draw_span(6 * SIM_MS, 100 * SIM_MS);
    *cut = (fault){.kind = SIM_FAULT_CUT, .b = server, .follows = true, .type = recovery[draw(4)], .number = 1 + (int64_t)draw(3)};
    cut->later = (int64_t)draw(2 * SIM_MS);
    cut->span = draw(2) ? 0 : (int64_t)draw(4 * SIM_MS);
}

/* A worker is stopped for longer than it takes to be named, and ps:0 is lost meanwhile. */
static void draw_first_lost_without_a_worker(const sim_job *job)
{
    fault *stop = &plan.fault[0], *death = &plan.fault[1];
    plan.count = 2;
    *stop = (fault){.kind = SIM_FAULT_STOP, .a = sim_place_worker(job, (int)draw((uint64_t)job->settings.workers))};
    draw_moment(job, stop);
    stop->span = draw_span(3 * job->settings.heartbeat, job->settings.timeout / 2);
    *death = (fault){.kind = SIM_FAULT_FIRST, .follows = true, .type = TRI_MSG_TYPES, .number = draw_span(SIM_MS, 100 * SIM_MS)};
    death->span = draw_span(6 * SIM_MS, 100 * SIM_MS);
}

/* One server is lost, and nothing else happens. */
static void draw_one_loss(const sim_job *job)
{
    fault *death = &plan.fault[0];
    plan.count = 1;
    *death = (fault){.kind = SIM_FAULT_SERVER, .a = draw_server(job)};
    if (draw(3) == 0)
        *death = (fault){.kind = SIM_FAULT_FIRST};
    draw_moment(job, death);
    death->span = draw_span(6 * SIM_MS, 1000 * SIM_MS);
    sim_job_one_loss();
}

/* A server is lost. When its range lives on two servers again, ps:0 is lost, and nothing else happens. So the new ps:0 may find either of
 * the two as the primary. */
static void draw_losses_in_turn(const sim_job *job)
{
    fault *death = &plan.fault[0], *first = &plan.fault[1];
    plan.count = 2;
    *death = (fault){.kind = SIM_FAULT_SERVER, .a = draw_server(job)};
    draw_moment(job, death);
    death->span = draw_span(6 * SIM_MS, 20 * SIM_MS);
    *first = (fault){.kind = SIM_FAULT_FIRST, .follows = true, .type = TRI_MSG_FILLED, .number = draw_span(2, 8)};
    first->later = draw_span(SIM_MS, 20 * SIM_MS);
    first->span = draw_span(6 * SIM_MS, 100 * SIM_MS);
    sim_job_one_loss();
}

/* A server is stopped until the other one of its range has taken its place. Then ps:0 is lost, too, and the server goes on before ps:0 is
 * back. So the new ps:0 finds two servers that hold the range, and only one of them has all updates. */
static void draw_first_lost_after_a_takeover(const sim_job *job)
{
    fault *stop = &plan.fault[0], *death = &plan.fault[1];
    const int64_t taken_over = 5 * job->settings.heartbeat / 2;
    plan.count = 2;
    *stop = (fault){.kind = SIM_FAULT_STOP, .a = 1 + (int)draw((uint64_t)job->settings.servers - 1)};
    draw_moment(job, stop);
    *death = (fault){.kind = SIM_FAULT_FIRST, .follows = true, .type = TRI_MSG_TYPES};
    death->number = taken_over + (int64_t)draw(100 * SIM_MS);
    stop->span = death->number + (int64_t)draw(100 * SIM_MS);
    death->span = stop->span - death->number + (int64_t)draw(100 * SIM_MS);
    sim_job_one_loss();
}

/* The network is cut, though all servers live: between the two servers of a range, between ps:0 and one of them, or between one server or
 * ps:0 and everybody else. A task gives ps:0 up after the timeout, so a cut of ps:0 is shorter than that. */
static void draw_partition(const sim_job *job)
{
    fault *one = &plan.fault[0];
    int server = draw_server(job), range = sim_range_at(job, server);
    int other = server == range ? sim_place_second(job, range) : range;
    plan.count = 1;
    *one = (fault){.kind = SIM_FAULT_PARTITION, .a = server};
    bool first = false;
    switch (draw(5)) {
    case 0:
    case 1:
        one->b = other;
        break;
    case 2:
        first = true;
        break;
    case 3:
        first = true;
        one->b = EVERYBODY;
        break;
    default:
        first = true;
        one->a = 0;
        one->b = EVERYBODY;
    }
    draw_moment(job, one);
    one->span = draw_span(job->settings.heartbeat, first ? job->settings.timeout / 2 : 2 * job->settings.timeout);
    sim_job_one_loss();
}

void sim_faults_begin(const sim_job *job, uint64_t seed)
{
    memset(&plan, 0, sizeof plan);
    plan.job = job;
    plan.random = seed * UINT64_C(0x2545f4914f6cdd1d) + 99;
    plan.count = 1 + (int)draw(4);
    for (int i = 0; i < plan.count; i++) {
        fault *one = &plan.fault[i];
        one->follows = i > 0 && draw(2);
        one->kind = draw_kind(job);
        draw_victims(job, one);
        draw_moment(job, one);
        bool lasts = one->kind == SIM_FAULT_STALL || one->kind == SIM_FAULT_SLOW || one->kind == SIM_FAULT_STOP;
        one->span = one->kind == SIM_FAULT_CUT         ? (draw(2) ? 0 : draw_span(SIM_MS, 300 * SIM_MS))
                    : one->kind == SIM_FAULT_LONG_STOP ? job->settings.timeout + draw_span(100 * SIM_MS, 3000 * SIM_MS)
                    : lasts                            ? draw_span(SIM_MS, 1000 * SIM_MS)
                                                       : draw_span(6 * SIM_MS, 1000 * SIM_MS);
        one->speed = one->kind == SIM_FAULT_SLOW ? 10000 + (int64_t)draw(200000) : 0;
    }
    if (job->settings.servers > 1 && draw(6) == 0)
        draw_broken_recovery(job);
    if (job->settings.replicas == 2 && draw(3) == 0)
        draw_one_loss(job);
    if (draw(20) == 0)
        draw_first_lost_without_a_worker(job);
    else if (job->settings.replicas == 2 && draw(5) == 0)
        draw_partition(job);
    else if (job->settings.replicas == 2 && draw(5) == 0)
        draw_losses_in_turn(job);
    else if (job->settings.replicas == 2 && draw(5) == 0)
        draw_first_lost_after_a_takeover(job);
    sim_message_sent = sent;
    for (int i = 0; i < plan.count; i++)
        if (!plan.fault[i].follows)
            arm(i);
}

bool sim_faults_ask(void)
{
    for (int i = 0; i < plan.count; i++)
        if (plan.fault[i].kind == SIM_FAULT_ASKED)
            return true;
    return false;
}

void sim_faults_print(void)
{
    for (int i = 0; i < plan.count; i++) {
        const fault *one = &plan.fault[i];
        printf("  %s %s", names[one->kind], sim_place_name(one->a));
        if (one->kind == SIM_FAULT_PARTITION && one->b == EVERYBODY)
            printf(" and everybody");
        else if (one->kind <= SIM_FAULT_SLOW || one->kind == SIM_FAULT_PARTITION)
            printf(" and %s", sim_place_name(one->b));
        printf(" for %" PRId64 " ms, %s", one->span / SIM_MS, one->follows ? "after that " : "");
        if (one->type == TRI_MSG_TYPES)
            printf("at %" PRId64 " ms", one->number / SIM_MS);
        else
            printf("%" PRId64 " µs after %s %" PRId64, one->later / 1000, one->type ? tri__message_name(one->type) : "message",
                   one->number);
        printf("%s\n", one->happened ? "" : " (did not happen)");
    }
}
