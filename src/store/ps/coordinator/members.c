/* members.c: workers come and go.
 *
 * A worker is known by its task, and its process by an incarnation. One whose connection closed has half a second to come back; then it
 * has left, and what it had not done is others' to do. One that stays silent is named after two heartbeats, and has left after the
 * timeout. */
#include "store/ps/coordinator/members.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "data/source/digest.h"
#include "store/ps/coordinator/coordinator.h"
#include "store/ps/server/peer.h"
#include "store/ps/server/pushes.h"
#include "store/ps/stretch/gather.h"

#define GRACE INT64_C(500000000)

tri_status tri__members_init(tri__members *members)
{
    return tri__allocate(TRI_MOST_TASKS, sizeof *members->member, "the members", &members->member);
}

void tri__members_fini(tri__members *members)
{
    for (int i = 0; i < members->tasks; i++)
        json_decref(members->member[i].report);
    free(members->member);
}

void tri__members_count_in(tri__members *members, int task)
{
    members->tasks = task >= members->tasks ? task + 1 : members->tasks;
}

static bool is_anybody_left(const tri__members *members)
{
    for (int task = 0; task < members->tasks; task++)
        if (members->member[task].state != TRI_MEMBER_NONE)
            return true;
    return false;
}

bool tri__members_complete(const tri__members *members)
{
    for (int task = 0; task < members->tasks; task++)
        if (members->member[task].state == TRI_MEMBER_WELCOMED)
            return false;
    return true;
}

int tri__members_ready(const tri__members *members)
{
    int count = 0;
    for (int task = 0; task < members->tasks; task++)
        count += members->member[task].state >= TRI_MEMBER_READY;
    return count;
}

/* A new job begins with the workers that were asked for, and a ps:0 in place of one that died with those that made the last steps. */
void tri__members_expect(tri__coordinator *c)
{
    bool again = c->server->options.recovers && tri__books_members(c->snapshot.standing.books, c->members.expected);
    for (int task = 0; task < c->settings->workers && !again; task++)
        c->members.expected[task] = true;
    for (int task = 0; task < TRI_MOST_TASKS && c->server->options.ended; task++)
        c->members.expected[task] &= !c->server->options.ended[task];
}

int tri__members_connected(const tri__members *members)
{
    int count = 0;
    for (int task = 0; task < members->tasks; task++)
        count += members->member[task].peer != NULL;
    return count;
}

int tri__members_missing(const tri__members *members)
{
    int count = 0;
    for (int task = 0; task < TRI_MOST_TASKS; task++)
        count += members->expected[task] && members->member[task].state < TRI_MEMBER_READY;
    return count;
}

/* One whose connection broke may come back, with its report. */
bool tri__members_reported(const tri__members *members)
{
    for (int task = 0; task < members->tasks; task++) {
        const tri__member *member = &members->member[task];
        if (!member->reported && (member->peer || (member->state != TRI_MEMBER_NONE && member->gone)))
            return false;
    }
    return true;
}

/* What each worker said last, with what is in the model of it: a worker cannot know that. */
json_t *tri__members_reports(const tri__coordinator *c)
{
    json_t *list = json_array();
    for (int task = 0; task < c->members.tasks; task++) {
        const tri__member *member = &c->members.member[task];
        tri__share share =
            tri__coordinator_ends_with_snapshot(c) ? tri__books_share(c->snapshot.standing.books, task) : c->books.share[task];
        if (!member->report && !share.steps)
            continue;
        char name[24];
        snprintf(name, sizeof name, "worker:%d", task);
        json_t *report = member->report ? json_copy(member->report) : json_object();
        json_object_set_new(report, "task", json_string(name));
        json_object_set_new(report, "steps", json_integer(share.steps));
        json_object_set_new(report, "examples", json_integer(share.examples));
        json_array_append_new(list, report);
    }
    return list;
}

void tri__members_tell(const tri__members *members, const tri__message *message)
{
    for (int task = 0; task < members->tasks; task++)
        if (members->member[task].peer)
            tri__message_send(members->member[task].peer->connection, message, false);
}

static void drop_tokens(tri__member *member)
{
    member->tokens = 0;
    member->arrived = 0;
}

void tri__members_drop_tokens(tri__members *members)
{
    for (int task = 0; task < members->tasks; task++)
        drop_tokens(&members->member[task]);
}

bool tri__members_all_named(const tri__members *members)
{
    for (int task = 0; task < members->tasks; task++)
        if (members->member[task].tokens > 0 && !members->member[task].named)
            return false;
    return true;
}

void tri__member_give(tri__member *member, const tri__token *token, bool more)
{
    member->token[member->tokens++] = *token;
    if (member->peer)
        tri__steps_send_token(member->peer, token, more);
}

bool tri__member_can_use(const tri__member *member, int most)
{
    return member->state == TRI_MEMBER_TAKES_PART && member->tokens < most;
}

bool tri__member_pushed(tri__member *member, int64_t step, uint32_t chunks)
{
    if (!member->tokens || step != member->token[0].step || ++member->arrived < chunks)
        return false;
    member->arrived = 0;
    return true;
}

void tri__member_end_token(tri__member *member)
{
    memmove(member->token, member->token + 1, (size_t)--member->tokens * sizeof *member->token);
}

void tri__member_join(tri__member *member, tri__tokens *tokens, int task)
{
    if (member->state >= TRI_MEMBER_READY)
        member->state = tri__tokens_join(tokens, task) ? TRI_MEMBER_TAKES_PART : TRI_MEMBER_READY;
}

/* Who said what the job trains: "ps:0", "worker:2, which came first". */
static const char *definer(const tri__coordinator *c, char text[48])
{
    if (c->job.settled_by < 0)
        return "ps:0";
    snprintf(text, 48, "worker:%d, which came first", c->job.settled_by);
    return text;
}

/* Does this worker train what the others train? */
static tri_status compare(const tri__coordinator *c, const tri__peer *peer, const json_t *hello)
{
    const char *digest = json_string_value(json_object_get(hello, "digest"));
    char first[48];
    int64_t batch = tri__json_integer_of(hello, "batch", 0), examples = tri__json_integer_of(hello, "examples", 0);
    if (!digest || strcmp(digest, c->job.digest))
        return tri_fail(TRI_BAD_CALL,
                        "worker:%d has another model than the job, or other shapes (digest %.12s, not %.12s as %s): "
                        "start all tasks with the same model and data",
                        peer->task, digest ? digest : "missing", c->job.digest, definer(c, first));
    if (json_is_true(json_object_get(hello, "own_files")) != c->job.own_files)
        return tri_fail(TRI_BAD_CALL, "worker:%d reads %s, and the job does not: start all tasks with the same --shard", peer->task,
                        c->job.own_files ? "the examples that all share" : "files of its own");
    if (batch != c->job.work.batch || (!c->job.own_files && examples != c->job.work.examples))
        return tri_fail(TRI_BAD_CALL,
                        "worker:%d has %" PRId64 " examples in batches of %" PRId64 ", %s has %" PRId64 " in batches of %" PRId64
                        ": start all tasks with the same options",
                        peer->task, examples, batch, definer(c, first), c->job.work.examples, c->job.work.batch);
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
                        "worker:%d has other examples than %s (digest %.15s, not %s), though as many of the same "
                        "shape: start all tasks on the same data",
                        peer->task, definer(c, first), data, c->job.data);
    return NULL;
}

/* A worker, not a server or an evaluator, which may have to wait too. */
static bool awaits_welcome(const tri__peer *peer)
{
    const char *role = json_string_value(json_object_get(peer->hello, "role"));
    return role && !strcmp(role, "worker");
}

static void leave(tri__coordinator *c, int task, const char *why)
{
    tri__member *member = &c->members.member[task];
    tri__log_line(c->server->options.log, TRI_LOG_WARNING, "worker:%d %s at step %" PRId64 "; the others go on", task, why,
                  tri__coordinator_step(c));
    if (c->settings->mode == TRI_PS_SYNC)
        tri__books_count_leaver(c, task);
    member->state = TRI_MEMBER_NONE;
    drop_tokens(member);
    tri__steps_members_changed(&c->steps);
    if (c->settings->mode != TRI_PS_SYNC) {
        tri__tokens_leave(c->tokens, task);
        return;
    }
    int64_t step = tri__steps_last_issued(c); /* in the next it has no part */
    if (step >= 0) {
        tri__followers_tell(c, &(tri__message){.type = TRI_MSG_LEFT, .chunk = (uint32_t)task, .step = step});
        tri__stretch_leave(c->server->stretch, task, step);
        tri__server_settle(c->server);
    }
    if (c->settings->backup)
        tri__steps_choose(c); /* perhaps nobody else is left to be waited for */
}

/* Another process under a task number that is taken is a mistake; under one that was left it is a successor. */
static tri_status replace_before(tri__coordinator *c, tri__peer *peer)
{
    tri__member *member = &c->members.member[peer->task];
    bool same = member->state != TRI_MEMBER_NONE && member->incarnation == peer->incarnation;
    if (member->peer && !same)
        return tri_fail(TRI_BAD_CALL, "there is a worker:%d already, at %s: is the same --task started twice?", peer->task,
                        tri__connection_peer(member->peer->connection));
    if (member->peer) /* its earlier connection has not noticed yet that it is dead */
        tri__peer_replaced(member->peer);
    if (!same && member->state != TRI_MEMBER_NONE)
        leave(c, peer->task, "was replaced by another process");
    if (!same) {
        tri__stretch_welcome(c->server->stretch, peer->task);
        *member = (tri__member){.incarnation = peer->incarnation, .report = member->report};
    }
    return NULL;
}

static tri_status admit(tri__peer *peer, const json_t *hello)
{
    tri__coordinator *c = peer->server->coordinator;
    TRI_TRY(compare(c, peer, hello));
    TRI_TRY(replace_before(c, peer));
    TRI_TRY(tri__peer_equip(peer));
    tri__books_count_taken_back(c, peer->task, hello);
    if (c->phase == TRI_JOB_WAITING && json_is_true(json_object_get(hello, "stopped")))
        tri__coordinator_end_for(c, TRI_ENDING_FORETOLD);
    tri__member *member = &c->members.member[peer->task];
    member->peer = peer;
    member->gone = 0;
    if (member->state == TRI_MEMBER_NONE)
        member->state = TRI_MEMBER_WELCOMED;
    peer->role = TRI_PEER_WORKER;
    peer->server->worker[peer->task] = peer;
    tri__members_count_in(&c->members, peer->task);
    tri__message_send_json(peer->connection, TRI_MSG_WELCOME,
                           json_pack("{s:I, s:o, s:I, s:b, s:I, s:I, s:o}", "floats", (json_int_t)c->job.floats, "tables",
                                     tri__tables_json(&c->job.tables), "generation", (json_int_t)peer->server->generation, "member",
                                     member->state >= TRI_MEMBER_READY, "step", (json_int_t)tri__coordinator_step(c), "done",
                                     (json_int_t)c->books.share[peer->task].steps, "primaries", tri__pairs_primaries(c)));
    for (int i = 0; i < member->tokens; i++) /* those it has may have been lost on the way */
        tri__steps_send_token(peer, &member->token[i], false);
    if (c->phase >= TRI_JOB_STOPPING)
        tri__message_send(peer->connection, &(tri__message){.type = TRI_MSG_STOP, .step = tri__coordinator_step(c)}, false);
    return NULL;
}

/* A number that nobody has, in turn, so that two who ask at once get two. */
static int free_number(tri__coordinator *c)
{
    int first = c->settings->workers;
    for (int i = first; i < TRI_MOST_TASKS; i++) {
        c->members.invited = c->members.invited >= first && c->members.invited + 1 < TRI_MOST_TASKS ? c->members.invited + 1 : first;
        if (c->members.member[c->members.invited].state == TRI_MEMBER_NONE)
            break;
    }
    return c->members.invited;
}

void tri__members_invite(tri__peer *peer)
{
    tri__coordinator *c = peer->server->coordinator;
    json_t *servers = json_array();
    for (int i = 0; i < c->settings->servers; i++) {
        const tri__address *address = tri__pairs_address(c, i);
        json_array_append_new(servers, json_sprintf(strchr(address->host, ':') ? "[%s]:%u" : "%s:%u", address->host, address->port));
    }
    tri__message_send_json(peer->connection, TRI_MSG_WELCOME,
                           json_pack("{s:i, s:i, s:s, s:i, s:i, s:i, s:b, s:o}", "task", free_number(c), "workers", c->settings->workers,
                                     "mode", tri__ps_mode_name(c->settings->mode), "staleness", c->settings->staleness, "backup",
                                     c->settings->backup, "replicas", c->pair ? 2 : 1, "sum", c->settings->sum, "servers", servers));
}

void tri__members_admit(tri__coordinator *c)
{
    if (!tri__followers_hold(c))
        return;
    for (tri__peer *peer = c->server->peers; peer; peer = peer->next) {
        json_t *hello = peer->hello;
        if (!awaits_welcome(peer) || tri__peer_in_doubt(peer, c->members.member[peer->task].peer))
            continue;
        peer->hello = NULL;
        tri_status status = admit(peer, hello);
        json_decref(hello);
        if (status)
            tri__peer_refuse(peer, status);
    }
}

void tri__member_disconnected(tri__coordinator *c, tri__peer *peer)
{
    tri__member *member = &c->members.member[peer->task];
    if (member->peer != peer)
        return;
    member->peer = NULL;
    member->gone = tri__clock_now();
    if (c->phase >= TRI_JOB_STOPPING)
        tri__coordinator_go_on(c);
}

tri_status tri__member_ready(tri__coordinator *c, tri__peer *peer, const tri__message *message)
{
    tri__member *member = &c->members.member[peer->task];
    if (message->generation != c->server->generation || member->state == TRI_MEMBER_NONE)
        return NULL; /* from before all went back: it will be ready again; or it has left */
    member->ahead = message->ahead < 1 ? 1 : message->ahead > TRI_MOST_AHEAD ? TRI_MOST_AHEAD : (int)message->ahead;
    if (member->state == TRI_MEMBER_WELCOMED)
        member->state = TRI_MEMBER_READY;
    if (c->phase < TRI_JOB_STOPPING) /* then it has said its last word, and all went back meanwhile */
        member->reported = false;
    tri__steps_members_changed(&c->steps);
    if (c->settings->mode != TRI_PS_SYNC && member->state == TRI_MEMBER_READY)
        tri__member_join(member, c->tokens, peer->task);
    bool late = c->phase == TRI_JOB_RUNNING && tri__clock_now() - c->started > 2 * c->settings->heartbeat; /* it joins, or comes back */
    tri__log_line(c->server->options.log, late ? TRI_LOG_INFO : TRI_LOG_DEBUG, "worker:%d takes part from step %" PRId64 " on", peer->task,
                  tri__coordinator_step(c));
    tri__coordinator_go_on(c);
    return NULL;
}

void tri__member_report(tri__coordinator *c, tri__peer *peer, const json_t *body)
{
    tri__member *member = &c->members.member[peer->task];
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
    if (!is_anybody_left(&c->members) && c->phase == TRI_JOB_RUNNING)
        tri__coordinator_fail(c, tri_fail(code, "no worker is left; worker:%d was the last: %s", task, reason));
}

/* A worker's data is damaged. That may be its own copy, and another one can do what it left. Where another one has found the very same,
 * everybody would in turn: better to end than to lose worker after worker. */
static void take_damage(tri__coordinator *c, int task, const char *reason)
{
    bool again = !strncmp(c->members.damage, reason, sizeof c->members.damage - 1);
    if (c->phase != TRI_JOB_RUNNING)
        return;
    if (again)
        tri__coordinator_fail(c, tri_fail(TRI_BAD_DATA, "worker:%d and worker:%d found the same damage, and so would the others: %s",
                                          c->members.damaged_task, task, reason));
    else
        end_where_nobody_is_left(c, task, TRI_BAD_DATA, reason);
    snprintf(c->members.damage, sizeof c->members.damage, "%s", reason);
    c->members.damaged_task = task;
}

/* A worker that leaves by itself says why: its data is damaged, it was asked to end. */
void tri__member_bye(tri__coordinator *c, tri__peer *peer, const json_t *body)
{
    const char *reason = json_string_value(json_object_get(body, "reason"));
    char why[512];
    snprintf(why, sizeof why, "has left%s%.400s", reason ? ": " : "", reason ? reason : "");
    if (c->members.member[peer->task].state != TRI_MEMBER_NONE)
        leave(c, peer->task, why);
    c->members.member[peer->task].reported = true;
    if (reason && json_is_true(json_object_get(body, "damaged")))
        take_damage(c, peer->task, reason);
    else if (reason && json_is_true(json_object_get(body, "diverged")))
        end_where_nobody_is_left(c, peer->task, TRI_DIVERGED, reason);
    tri__coordinator_go_on(c);
}

void tri__members_go_back(tri__coordinator *c)
{
    for (int task = 0; task < c->members.tasks; task++) {
        tri__member *member = &c->members.member[task];
        drop_tokens(member);
        if (member->state != TRI_MEMBER_NONE)
            member->state = TRI_MEMBER_WELCOMED;
    }
    tri__members_tell(&c->members,
                      &(tri__message){.type = TRI_MSG_RESTORED, .step = c->snapshot.standing.step, .generation = c->server->generation});
}

void tri__members_check_nobody(tri__coordinator *c, int64_t now)
{
    if (is_anybody_left(&c->members) || c->phase != TRI_JOB_RUNNING) {
        c->members.alone = 0;
        return;
    }
    if (!c->members.alone)
        c->members.alone = now;
    if (now - c->members.alone > c->settings->timeout)
        tri__coordinator_fail(c, tri_fail(TRI_TIMEOUT, "no worker is left, and none has come for %.0f s (--timeout)",
                                          tri__clock_seconds(c->settings->timeout)));
}

/* As long as servers are awaited, no worker is welcome, and one that has come has done what it can. */
bool tri__members_is_awaited(const tri__coordinator *c, int task)
{
    const tri__member *member = &c->members.member[task];
    if (c->settled ? !c->members.expected[task] : task >= c->settings->workers)
        return false;
    for (const tri__peer *peer = c->server->peers; peer && !tri__followers_hold(c); peer = peer->next)
        if (peer->task == task && awaits_welcome(peer))
            return false;
    return !member->peer || member->state < TRI_MEMBER_READY;
}

/* The same process is back, and waits for its welcome, as while servers are restored. */
static bool waits_for_welcome(const tri__coordinator *c, int task)
{
    for (const tri__peer *peer = c->server->peers; peer; peer = peer->next)
        if (peer->task == task && awaits_welcome(peer) && peer->incarnation == c->members.member[task].incarnation)
            return true;
    return false;
}

void tri__members_check_gone(tri__coordinator *c, int64_t now)
{
    for (int task = 0; task < c->members.tasks; task++) {
        tri__member *member = &c->members.member[task];
        if (member->gone && waits_for_welcome(c, task))
            member->gone = now;
        if (member->gone && now - member->gone > GRACE && member->state != TRI_MEMBER_NONE && c->phase < TRI_JOB_STOPPING)
            leave(c, task, "is gone");
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
        leave(c, task, why);
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
    member->named = true;
    if (used < sizeof c->members.straggler - 32)
        snprintf(c->members.straggler + used, sizeof c->members.straggler - used, "%sworker:%d (%.0f s)", used ? ", " : "", task,
                 tri__clock_seconds(silent));
}

/* A worker that keeps others waiting is named after two heartbeats. After the timeout it counts as gone. */
void tri__members_check_silent(tri__coordinator *c, int64_t now)
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
