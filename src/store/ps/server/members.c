/* members.c: workers come and go.
 *
 * A worker is known by its task, and its process by an incarnation. One whose connection closed has half a second to come back; then it
 * has left, and what it had not done is others' to do. One that stays silent is named after two heartbeats, and has left after the
 * timeout. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "data/source/digest.h"
#include "store/ps/server/coordinator.h"

#define GRACE INT64_C(500000000)

/* Does this worker train what the others train? */
static tri_status compare(const tri__coordinator *c, const tri__peer *peer, const json_t *hello)
{
    const char *digest = json_string_value(json_object_get(hello, "digest"));
    int64_t batch = tri__json_integer_of(hello, "batch", 0), examples = tri__json_integer_of(hello, "examples", 0);
    if (!digest || strcmp(digest, c->job.digest))
        return tri_fail(
            TRI_BAD_CALL,
            "worker:%d has another model than the job, or other shapes (digest %.12s, not %.12s as worker:%d, which came first): "
            "start all tasks with the same model and data",
            peer->task, digest ? digest : "missing", c->job.digest, c->job.settled_by);
    if (batch != c->job.work.batch || examples != c->job.work.examples)
        return tri_fail(TRI_BAD_CALL,
                        "worker:%d has %" PRId64 " examples in batches of %" PRId64 ", worker:%d, which came first, has %" PRId64
                        " in batches of %" PRId64 ": start all tasks with the same options",
                        peer->task, examples, batch, c->job.settled_by, c->job.work.examples, c->job.work.batch);
    const char *mode = json_string_value(json_object_get(hello, "mode")), *ours = tri__ps_mode_name(c->settings->mode);
    if (!mode || strcmp(mode, ours))
        return tri_fail(TRI_BAD_CALL, "worker:%d would train %.16s, and the job is %s: start all tasks with the same options", peer->task,
                        mode ? mode : "in no mode", ours);
    const char *terms = json_string_value(json_object_get(hello, "terms"));
    if (!terms || strcmp(terms, c->job.terms) != 0)
        return tri_fail(TRI_BAD_CALL, "worker:%d trains with %.255s, and the job with %s: start all tasks with the same options",
                        peer->task, terms ? terms : "no rate", c->job.terms);
    const char *data = json_string_value(json_object_get(hello, "data"));
    if (tri__data_differs(data ? data : "", c->job.data))
        return tri_fail(TRI_BAD_CALL,
                        "worker:%d has other examples than worker:%d, which came first (digest %.15s, not %s), though as many of the same "
                        "shape: start all tasks on the same data",
                        peer->task, c->job.settled_by, data, c->job.data);
    return NULL;
}

/* Another process has the same number, and may have ended: the end of its connection may still be unread. */
static bool is_in_doubt(const tri__coordinator *c, const tri__peer *peer)
{
    const tri__member *member = &c->member[peer->task];
    bool another = member->peer && member->incarnation != peer->incarnation;
    return another && (member->peer->paused || tri__clock_now() - peer->greeted < 2 * c->settings->heartbeat);
}

/* Another process under a task number that is taken is a mistake; under one that was left it is a successor. */
static tri_status replace_before(tri__coordinator *c, tri__peer *peer)
{
    tri__member *member = &c->member[peer->task];
    bool same = member->known && member->incarnation == peer->incarnation;
    if (member->peer && !same)
        return tri_fail(TRI_BAD_CALL, "there is a worker:%d already, at %s: is the same --task started twice?", peer->task,
                        tri__connection_peer(member->peer->connection));
    if (member->peer) /* its earlier connection has not noticed yet that it is dead */
        tri__peer_replaced(member->peer);
    if (!same && member->known)
        tri__member_leave(c, peer->task, "was replaced by another process");
    if (!same) {
        tri__stretch_welcome(c->server->stretch, peer->task);
        *member = (tri__member){.incarnation = peer->incarnation, .report = member->report, .share = member->share};
    }
    return NULL;
}

static tri_status admit(tri__peer *peer, const json_t *hello)
{
    tri__coordinator *c = peer->server->coordinator;
    TRI_TRY(compare(c, peer, hello));
    TRI_TRY(replace_before(c, peer));
    TRI_TRY(tri__peer_equip(peer));
    int64_t reached = tri__json_integer_of(hello, "reached", 0);
    if (c->phase == TRI_JOB_WAITING && reached > 0 && reached <= TRI_FURTHEST && reached - c->state.step > c->recovery.lost)
        c->recovery.lost = reached - c->state.step; /* by a ps:0 before this one */
    if (c->phase == TRI_JOB_WAITING && json_is_true(json_object_get(hello, "stopped")))
        c->was_stopping = true;
    tri__member *member = &c->member[peer->task];
    member->peer = peer;
    member->gone = 0;
    member->known = true;
    peer->role = TRI_PEER_WORKER;
    peer->server->worker[peer->task] = peer;
    c->tasks = peer->task >= c->tasks ? peer->task + 1 : c->tasks;
    tri__message_send_json(peer->connection, TRI_MSG_WELCOME,
                           json_pack("{s:I, s:I, s:b, s:I}", "floats", (json_int_t)c->job.floats, "generation",
                                     (json_int_t)peer->server->generation, "member", member->ready, "step",
                                     (json_int_t)tri__coordinator_step(c)));
    for (int i = 0; i < member->tokens; i++) /* those it has may have been lost on the way */
        tri__coordinator_send_token(peer, &member->token[i], false);
    if (c->phase >= TRI_JOB_STOPPING)
        tri__message_send(peer->connection, &(tri__message){.type = TRI_MSG_STOP, .step = tri__coordinator_step(c)}, false);
    return NULL;
}

/* A number that nobody has, in turn, so that two who ask at once get two. */
static int free_number(tri__coordinator *c)
{
    int first = c->settings->workers;
    for (int i = first; i < TRI_MOST_TASKS; i++) {
        c->invited = c->invited >= first && c->invited + 1 < TRI_MOST_TASKS ? c->invited + 1 : first;
        if (!c->member[c->invited].known)
            break;
    }
    return c->invited;
}

void tri__members_invite(tri__peer *peer)
{
    tri__coordinator *c = peer->server->coordinator;
    json_t *servers = json_array();
    for (int i = 0; i < c->settings->servers; i++) {
        const tri__address *address = &peer->server->options.servers[i];
        json_array_append_new(servers, json_sprintf(strchr(address->host, ':') ? "[%s]:%u" : "%s:%u", address->host, address->port));
    }
    tri__message_send_json(peer->connection, TRI_MSG_WELCOME,
                           json_pack("{s:i, s:i, s:s, s:o}", "task", free_number(c), "workers", c->settings->workers, "mode",
                                     tri__ps_mode_name(c->settings->mode), "servers", servers));
}

void tri__members_admit(tri__coordinator *c)
{
    if (!tri__followers_hold(c))
        return;
    for (tri__peer *peer = c->server->peers; peer; peer = peer->next) {
        json_t *hello = peer->hello;
        if (!hello || is_in_doubt(c, peer))
            continue;
        peer->hello = NULL;
        tri_status status = admit(peer, hello);
        json_decref(hello);
        if (status)
            tri__peer_refuse(peer, status);
    }
}

void tri__member_leave(tri__coordinator *c, int task, const char *why)
{
    tri__member *member = &c->member[task];
    tri__log_line(c->server->log, TRI_LOG_WARNING, "worker:%d %s at step %" PRId64 "; the others go on", task, why,
                  tri__coordinator_step(c));
    if (c->settings->mode == TRI_PS_SYNC)
        tri__books_count_leaver(c, task);
    member->ready = member->known = false;
    member->tokens = 0;
    member->arrived = 0;
    c->changed = true;
    if (c->settings->mode != TRI_PS_SYNC) {
        tri__tokens_leave(c->tokens, task);
        member->member = false;
        return;
    }
    int64_t step = tri__coordinator_step(c) - !c->issued; /* the last one whose tokens are out: in the next it has no part */
    if (step >= 0) {
        tri__followers_tell(c, &(tri__message){.type = TRI_MSG_LEFT, .chunk = (uint32_t)task, .step = step});
        tri__stretch_leave(c->server->stretch, task, step);
        tri__server_settle(c->server);
    }
    if (c->settings->backup)
        tri__steps_choose(c); /* perhaps nobody else is left to be waited for */
}

void tri__coordinator_gone(tri__peer *peer)
{
    tri__coordinator *c = peer->server->coordinator;
    if (peer->role == TRI_PEER_SERVER && c->follower[peer->task].peer == peer)
        tri__followers_gone(c, peer->task);
    if (peer->role == TRI_PEER_EVALUATOR && c->evaluator_peer == peer)
        tri__snapshot_evaluator(c, NULL, false);
    if (peer->role != TRI_PEER_WORKER || c->member[peer->task].peer != peer)
        return;
    c->member[peer->task].peer = NULL;
    c->member[peer->task].gone = tri__clock_now();
    if (c->phase >= TRI_JOB_STOPPING)
        tri__coordinator_go_on(c);
}

tri_status tri__member_ready(tri__coordinator *c, tri__peer *peer, const tri__message *message)
{
    tri__member *member = &c->member[peer->task];
    if (message->view != c->server->generation)
        return NULL; /* from before all went back: it will be ready again */
    member->ahead = message->what < 1 ? 1 : message->what > TRI_MOST_AHEAD ? TRI_MOST_AHEAD : (int)message->what;
    member->ready = true;
    if (c->phase < TRI_JOB_STOPPING) /* then it has said its last word, and all went back meanwhile */
        member->reported = false;
    c->changed = true;
    if (c->settings->mode != TRI_PS_SYNC && !member->member)
        member->member = tri__tokens_join(c->tokens, peer->task);
    bool late = c->phase == TRI_JOB_RUNNING && tri__clock_now() - c->started > 2 * c->settings->heartbeat; /* it joins, or comes back */
    tri__log_line(c->server->log, late ? TRI_LOG_INFO : TRI_LOG_DEBUG, "worker:%d takes part from step %" PRId64 " on", peer->task,
                  tri__coordinator_step(c));
    tri__coordinator_go_on(c);
    return NULL;
}

bool tri__members_complete(const tri__coordinator *c)
{
    for (int task = 0; task < c->tasks; task++)
        if (c->member[task].known && !c->member[task].ready)
            return false;
    return true;
}

int tri__members_ready(const tri__coordinator *c)
{
    int count = 0;
    for (int task = 0; task < c->tasks; task++)
        count += c->member[task].ready;
    return count;
}

void tri__member_report(tri__coordinator *c, tri__peer *peer, const json_t *body)
{
    tri__member *member = &c->member[peer->task];
    json_decref(member->report);
    member->report = json_deep_copy(body);
    if (!json_is_true(json_object_get(body, "final")))
        return;
    member->reported = true;
    tri__coordinator_go_on(c);
}

/* Those that have left would fail again for the same reason: nobody is waited for. */
static void end_where_nobody_is_left(tri__coordinator *c, int task, tri_code code, const char *reason)
{
    bool left = false;
    for (int i = 0; i < c->tasks; i++)
        left |= c->member[i].known;
    if (!left && c->phase == TRI_JOB_RUNNING)
        tri__coordinator_fail(c, tri_fail(code, "no worker is left; worker:%d was the last: %s", task, reason));
}

/* A worker's data is damaged. That may be its own copy, and another one can do what it left. Where another one has found the very same,
 * everybody would in turn: better to end than to lose worker after worker. */
static void judge_damage(tri__coordinator *c, int task, const char *reason)
{
    bool again = !strncmp(c->damage, reason, sizeof c->damage - 1);
    if (c->phase != TRI_JOB_RUNNING)
        return;
    if (again)
        tri__coordinator_fail(c, tri_fail(TRI_BAD_DATA, "worker:%d and worker:%d found the same damage, and so would the others: %s",
                                          c->damaged_task, task, reason));
    else
        end_where_nobody_is_left(c, task, TRI_BAD_DATA, reason);
    snprintf(c->damage, sizeof c->damage, "%s", reason);
    c->damaged_task = task;
}

/* A worker that leaves by itself says why: its data is damaged, it was asked to end. */
void tri__member_bye(tri__coordinator *c, tri__peer *peer, const json_t *body)
{
    const char *reason = json_string_value(json_object_get(body, "reason"));
    char why[512];
    snprintf(why, sizeof why, "has left%s%.400s", reason ? ": " : "", reason ? reason : "");
    if (c->member[peer->task].known)
        tri__member_leave(c, peer->task, why);
    c->member[peer->task].reported = true;
    if (reason && json_is_true(json_object_get(body, "damaged")))
        judge_damage(c, peer->task, reason);
    else if (reason && json_is_true(json_object_get(body, "diverged")))
        end_where_nobody_is_left(c, peer->task, TRI_DIVERGED, reason);
    tri__coordinator_go_on(c);
}

/* The same process is back, and waits for its welcome, as while servers are restored. */
static bool waits_for_welcome(const tri__coordinator *c, int task)
{
    for (const tri__peer *peer = c->server->peers; peer; peer = peer->next)
        if (peer->hello && peer->task == task && peer->incarnation == c->member[task].incarnation)
            return true;
    return false;
}

void tri__members_check_gone(tri__coordinator *c, int64_t now)
{
    for (int task = 0; task < c->tasks; task++) {
        tri__member *member = &c->member[task];
        if (member->gone && waits_for_welcome(c, task))
            member->gone = now;
        if (member->gone && now - member->gone > GRACE && member->known && c->phase < TRI_JOB_STOPPING)
            tri__member_leave(c, task, "is gone");
        if (member->gone && now - member->gone > GRACE)
            member->gone = 0;
    }
}

/* All members wait for each other's part of a step; with backup workers, for no one in particular. */
static bool is_in_step(const tri__coordinator *c)
{
    return c->settings->mode == TRI_PS_SYNC && c->settings->backup == 0 && c->phase == TRI_JOB_RUNNING;
}

/* With backup workers, too, when more are silent than can be done without. */
static bool is_held_up(const tri__coordinator *c)
{
    return c->settings->mode == TRI_PS_SYNC && c->phase == TRI_JOB_RUNNING && tri__clock_now() - c->moved >= 2 * c->settings->heartbeat;
}

/* Is anything awaited of this worker? In sync, those that wait for others owe nothing. */
static bool owes(const tri__coordinator *c, int task)
{
    const tri__member *member = &c->member[task];
    if (c->phase == TRI_JOB_STOPPING)
        return member->peer && !member->reported;
    if (member->peer && member->peer->paused)
        return false; /* it is not read from until others have caught up */
    return member->member && member->tokens > 0 && (!is_in_step(c) || tri__stretch_lacks(c->server->stretch, task));
}

/* For how long it has kept others waiting without a word. In sync nobody waits for it before the step has begun. */
static int64_t silence_of(const tri__coordinator *c, const tri__member *member, int64_t now)
{
    int64_t since = member->peer ? member->peer->heard : member->gone ? member->gone : now;
    if (is_in_step(c))
        since = member->peer && since > c->moved ? since : c->moved;
    return now - since;
}

static void evict(tri__coordinator *c, int task)
{
    tri__member *member = &c->member[task];
    char why[96];
    snprintf(why, sizeof why, "has been silent for %.0f s (--timeout): it takes no part any more",
             tri__clock_seconds(c->settings->timeout));
    tri__peer *peer = member->peer;
    member->peer = NULL;
    if (c->phase < TRI_JOB_STOPPING)
        tri__member_leave(c, task, why);
    else
        tri__log_line(c->server->log, TRI_LOG_WARNING, "worker:%d %s", task, why);
    if (peer)
        tri__connection_close(peer->connection);
}

/* Tell people once, and the live line as long as it lasts. */
static void name_straggler(tri__coordinator *c, int task, int64_t silent)
{
    tri__member *member = &c->member[task];
    size_t used = strlen(c->straggler);
    if (!member->named)
        tri__log_line(c->server->log, TRI_LOG_WARNING, "step %" PRId64 " %s worker:%d, silent for %.1f s", tri__coordinator_step(c),
                      is_held_up(c) ? "waits for" : "goes on without", task, tri__clock_seconds(silent));
    member->named = true;
    if (used < sizeof c->straggler - 32)
        snprintf(c->straggler + used, sizeof c->straggler - used, "%sworker:%d (%.0f s)", used ? ", " : "", task,
                 tri__clock_seconds(silent));
}

/* Who is waited for is named after two heartbeats; after the timeout it has left. */
void tri__members_check_silent(tri__coordinator *c, int64_t now)
{
    c->straggler[0] = 0;
    for (int task = 0; task < c->tasks; task++) {
        if (!owes(c, task))
            continue;
        int64_t silent = silence_of(c, &c->member[task], now);
        if (silent > c->settings->timeout)
            evict(c, task);
        else if (silent >= 2 * c->settings->heartbeat)
            name_straggler(c, task, silent);
        else
            c->member[task].named = false;
    }
}
