/* stragglers.c: workers that keep others waiting.
 *
 * What the job waits for depends on the mode. In sync all workers wait for each other's part of a step. In the other modes nobody waits for
 * a worker, except at the beginning and at the end of the job, and at the bound of staleness.
 *
 * A worker that sends heartbeats lives, and may take as long as it needs for a step. But if others wait for it for longer than the timeout,
 * it is named, too: perhaps the disk with its examples does not answer. */
#include "store/ps/coordinator/workers/stragglers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/thread/clock.h"
#include "store/ps/coordinator/coordinator.h"
#include "store/ps/stretch/gather.h"

/* All workers wait for each other's part of a step. With backup workers they wait for no worker in particular. */
static bool is_in_step(const tri__coordinator *c)
{
    return c->settings->mode == TRI_PS_SYNC && c->settings->backup == 0 && c->phase == TRI_JOB_RUNNING;
}

/* Sync: no update was made for two heartbeats. With backup workers this happens when more workers are silent than the backup, or when one
 * is stopped in the middle of a push. */
static bool is_held_up(const tri__coordinator *c)
{
    return c->settings->mode == TRI_PS_SYNC && c->phase == TRI_JOB_RUNNING &&
           tri__clock_now() - c->steps.moved >= 2 * c->settings->heartbeat;
}

/* Does the next step wait for this worker? If no worker is ready, the job waits for workers that pull the parameters. In sync, all workers
 * pull them anew after going back, and the next step waits for all of them. Also in sync, a server cannot copy its stretch while it lacks a
 * part of the last step that ps:0 has. */
static bool holds_up_next_step(const tri__coordinator *c, const tri__member *member)
{
    if (c->phase != TRI_JOB_RUNNING)
        return false;
    if (member->state == TRI_MEMBER_WELCOMED)
        return c->recovery.state == TRI_RECOVERY_REGATHERING || tri__members_ready(&c->members) == 0;
    return c->settings->mode == TRI_PS_SYNC && member->state == TRI_MEMBER_TAKES_PART && tri__snapshot_holds_up(c);
}

/* With clipping: ps:0 has all parts of the step, and waits for the norm of a server that lacks some. ps:0 cannot know which worker's part
 * that server lacks. */
static bool lacks_elsewhere(const tri__coordinator *c)
{
    bool open = c->job.rule.clip > 0 && is_in_step(c) && !tri__steps_is_between(&c->steps);
    for (int i = 0; open && i < c->steps.view.count; i++)
        open = !tri__stretch_lacks(c->server->stretch, c->steps.view.task[i]);
    return open;
}

/* Does the job wait for this worker? In sync, a worker that itself waits for others owes nothing. elsewhere: a server other than ps:0 lacks
 * a part. */
static bool owes(const tri__coordinator *c, int task, bool elsewhere)
{
    const tri__member *member = &c->members.member[task];
    if (c->phase == TRI_JOB_STOPPING)
        return member->peer && !member->reported;
    if (member->peer && member->peer->state == TRI_TALK_AHEAD)
        return false; /* it is not read from until others have caught up */
    if (holds_up_next_step(c, member))
        return true;
    return member->state == TRI_MEMBER_TAKES_PART && member->tokens > 0 &&
           (!is_in_step(c) || elsewhere || tri__stretch_lacks(c->server->stretch, task));
}

/* How long the worker has been silent while others waited for it. In sync nobody waits for it before the step has begun. */
static int64_t silence_of(const tri__coordinator *c, const tri__member *member, int64_t now)
{
    int64_t since = member->peer ? member->peer->heard : member->gone ? member->gone : now;
    if (is_in_step(c))
        since = member->peer && since > c->steps.moved ? since : c->steps.moved;
    return now - since;
}

static void evict(tri__coordinator *c, int task)
{
    tri__member *member = &c->members.member[task];
    char why[96];
    snprintf(why, sizeof why, "has been silent for %.0f s (--timeout): it takes no part any more",
             tri__clock_seconds(c->settings->timeout));
    tri__peer *peer = member->peer;
    member->peer = NULL;
    if (c->phase < TRI_JOB_STOPPING)
        tri__member_leave(c, task, why);
    else
        tri__log_line(c->server->options.log, TRI_LOG_WARNING, "worker:%d %s", task, why);
    if (peer)
        tri__connection_close(peer->connection);
}

/* The log says it once; the live line shows it as long as it lasts. */
static void name_straggler(tri__coordinator *c, int task, int64_t silent)
{
    const bool waits = c->members.straggler_holds_up;
    tri__member *member = &c->members.member[task];
    size_t used = strlen(c->members.straggler);
    if (!member->named)
        tri__log_line(c->server->options.log, TRI_LOG_WARNING, "step %" PRId64 " %s worker:%d, silent for %.1f s", tri__coordinator_step(c),
                      waits ? "waits for" : "goes on without", task, tri__clock_seconds(silent));
    if (!member->named)
        tri__coordinator_notice(c, TRI_PS_STRAGGLES, "worker", task, waits ? "the others wait for it" : "the others go on");
    member->named = true;
    if (used < sizeof c->members.straggler - 32)
        snprintf(c->members.straggler + used, sizeof c->members.straggler - used, "%sworker:%d (%.0f s)", used ? ", " : "", task,
                 tri__clock_seconds(silent));
}

static bool is_late(const tri__coordinator *c, int64_t silent)
{
    return silent >= 2 * c->settings->heartbeat;
}

/* Does anybody wait for a worker that owes something? In async only the end of the job does. */
static bool anybody_waits(const tri__coordinator *c, bool elsewhere)
{
    bool owed = false, waits = c->phase == TRI_JOB_STOPPING;
    for (int task = 0; task < c->members.tasks; task++) {
        const bool owing = owes(c, task, elsewhere);
        owed |= owing;
        waits |= !owing && c->settings->mode != TRI_PS_ASYNC && c->members.member[task].state == TRI_MEMBER_TAKES_PART;
    }
    return owed && waits;
}

/* How long others have waited, without any progress, for workers that may live. */
static int64_t count_waiting(tri__coordinator *c, bool elsewhere, int64_t now)
{
    int64_t *since = &c->members.waited_since;
    if (!anybody_waits(c, elsewhere) || !*since || *since < c->steps.moved)
        *since = now;
    return now - *since;
}

/* Once each time that the job stands still. */
static void name_busy(tri__coordinator *c, int task, int64_t waited)
{
    tri__member *member = &c->members.member[task];
    if (!member->busy)
        tri__log_line(c->server->options.log, TRI_LOG_WARNING,
                      "step %" PRId64 " has waited for worker:%d for %.0f s: it lives, and computes or reads its examples",
                      tri__coordinator_step(c), task, tri__clock_seconds(waited));
    if (!member->busy)
        tri__coordinator_notice(c, TRI_PS_STRAGGLES, "worker", task, "the others wait for it, though it lives");
    member->busy = true;
}

/* Do the others wait, or do they go on: do backup workers stand in for all that are late, or is the bound of staleness still ahead? */
static bool others_wait(const tri__coordinator *c, bool elsewhere, int64_t now)
{
    int late = 0;
    if (c->settings->mode != TRI_PS_SYNC)
        return c->phase == TRI_JOB_RUNNING && anybody_waits(c, elsewhere);
    if (!is_held_up(c))
        return false;
    for (int task = 0; task < c->members.tasks; task++)
        late += owes(c, task, elsewhere) && is_late(c, silence_of(c, &c->members.member[task], now));
    return late > c->settings->backup;
}

/* A worker that keeps others waiting is named after two heartbeats, and steps with backup workers wait for it no longer. After the timeout
 * it counts as gone. */
void tri__stragglers_check(tri__coordinator *c, int64_t now)
{
    c->members.straggler[0] = 0;
    const bool elsewhere = lacks_elsewhere(c), held_up = is_held_up(c);
    c->members.straggler_holds_up = others_wait(c, elsewhere, now);
    const int64_t waited = count_waiting(c, elsewhere, now);
    for (int task = 0; task < c->members.tasks; task++) {
        tri__member *member = &c->members.member[task];
        member->busy &= waited > c->settings->timeout;
        if (!owes(c, task, elsewhere))
            continue;
        int64_t silent = silence_of(c, member, now);
        if (silent > c->settings->timeout)
            evict(c, task);
        else if (!is_late(c, silent)) {
            member->named = false;
            if (waited > c->settings->timeout)
                name_busy(c, task, waited);
        } else {
            if (held_up && c->settings->backup)
                tri__steps_go_on_without(c, task);
            name_straggler(c, task, silent);
        }
    }
}
