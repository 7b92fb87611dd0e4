/* stragglers.c: workers that keep others waiting.
 *
 * Who owes something depends on the mode: in sync all wait for each other's part of a step, otherwise for nobody but at the beginning and
 * at the end. */
#include "store/ps/coordinator/workers/stragglers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/thread/clock.h"
#include "store/ps/coordinator/coordinator.h"
#include "store/ps/stretch/gather.h"

/* All members wait for each other's part of a step; with backup workers, for no one in particular. */
static bool is_in_step(const tri__coordinator *c)
{
    return c->settings->mode == TRI_PS_SYNC && c->settings->backup == 0 && c->phase == TRI_JOB_RUNNING;
}

/* With backup workers, too, when more are silent than can be done without. */
static bool is_held_up(const tri__coordinator *c)
{
    return c->settings->mode == TRI_PS_SYNC && c->phase == TRI_JOB_RUNNING &&
           tri__clock_now() - c->steps.moved >= 2 * c->settings->heartbeat;
}

/* Between two steps. Where no member is ready, all wait for those that pull the parameters. In sync, all pull them anew after going back,
 * and the next step waits for all of them; and a server cannot copy its stretch as long as it lacks a part of the last step that ps:0
 * has. */
static bool holds_up_next_step(const tri__coordinator *c, const tri__member *member)
{
    if (c->phase != TRI_JOB_RUNNING)
        return false;
    if (member->state == TRI_MEMBER_WELCOMED)
        return c->recovery.state == TRI_RECOVERY_REGATHERING || tri__members_ready(&c->members) == 0;
    return c->settings->mode == TRI_PS_SYNC && member->state == TRI_MEMBER_TAKES_PART && tri__snapshot_holds_up(c);
}

/* With clipping: ps:0 has all parts of the step, and waits for the norm of a server that has not. Whose part that lacks ps:0 cannot
 * know. */
static bool lacks_elsewhere(const tri__coordinator *c)
{
    bool open = c->job.rule.clip > 0 && is_in_step(c) && !tri__steps_is_between(&c->steps);
    for (int i = 0; open && i < c->steps.view.count; i++)
        open = !tri__stretch_lacks(c->server->stretch, c->steps.view.task[i]);
    return open;
}

/* Is anything awaited of this worker? In sync, those that wait for others owe nothing. elsewhere: a server other than ps:0 lacks a part. */
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

/* For how long it has kept others waiting without a word. In sync nobody waits for it before the step has begun. */
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

/* Tell people once, and the live line as long as it lasts. */
static void name_straggler(tri__coordinator *c, int task, int64_t silent)
{
    tri__member *member = &c->members.member[task];
    size_t used = strlen(c->members.straggler);
    if (!member->named)
        tri__log_line(c->server->options.log, TRI_LOG_WARNING, "step %" PRId64 " %s worker:%d, silent for %.1f s", tri__coordinator_step(c),
                      is_held_up(c) ? "waits for" : "goes on without", task, tri__clock_seconds(silent));
    if (!member->named)
        tri__coordinator_notice(c, TRI_PS_STRAGGLES, "worker", task, is_held_up(c) ? "the others wait for it" : "the others go on");
    member->named = true;
    if (used < sizeof c->members.straggler - 32)
        snprintf(c->members.straggler + used, sizeof c->members.straggler - used, "%sworker:%d (%.0f s)", used ? ", " : "", task,
                 tri__clock_seconds(silent));
}

/* A worker that keeps others waiting is named after two heartbeats. After the timeout it counts as gone. */
void tri__stragglers_check(tri__coordinator *c, int64_t now)
{
    c->members.straggler[0] = 0;
    bool elsewhere = lacks_elsewhere(c);
    for (int task = 0; task < c->members.tasks; task++) {
        if (!owes(c, task, elsewhere))
            continue;
        int64_t silent = silence_of(c, &c->members.member[task], now);
        if (silent > c->settings->timeout)
            evict(c, task);
        else if (silent >= 2 * c->settings->heartbeat)
            name_straggler(c, task, silent);
        else
            c->members.member[task].named = false;
    }
}
