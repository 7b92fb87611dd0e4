/* members.c: the workers that take part, from their welcome (welcome.c) until they leave.
 *
 * ps:0 knows a worker by its task, and its process by an incarnation. A worker whose connection closed has half a second to come back; then
 * it has left, and other workers do what it had not done. stragglers.c looks for workers that are connected and silent. */
#include "store/ps/coordinator/workers/members.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "store/ps/coordinator/coordinator.h"
#include "store/ps/coordinator/workers/welcome.h"
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

static bool is_known_to_have_ended(const tri__coordinator *c, int task)
{
    return c->server->options.ended && c->server->options.ended[task];
}

/* A new job begins with the workers that the user asked for; after ps:0 was restarted, with the workers that made the last steps. */
void tri__members_expect(tri__coordinator *c)
{
    bool again = c->server->options.recovers && tri__books_members(c->snapshot.standing.books, c->members.expected);
    for (int task = 0; task < c->settings->workers && !again; task++)
        c->members.expected[task] = true;
    for (int task = 0; task < TRI_MOST_TASKS; task++)
        if (is_known_to_have_ended(c, task)) {
            c->members.expected[task] = false;
            tri__members_count_in(&c->members, task); /* it has a row, even if nothing of it is in the model */
        }
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

/* A worker whose connection broke may come back and report. */
bool tri__members_reported(const tri__members *members)
{
    for (int task = 0; task < members->tasks; task++) {
        const tri__member *member = &members->member[task];
        if (!member->reported && (member->peer || (member->state != TRI_MEMBER_NONE && member->gone)))
            return false;
    }
    return true;
}

/* The last report of each worker, and how many of its steps are in the model, which a worker cannot know. */
json_t *tri__members_reports(const tri__coordinator *c)
{
    json_t *list = json_array();
    for (int task = 0; task < c->members.tasks; task++) {
        const tri__member *member = &c->members.member[task];
        tri__share share =
            tri__coordinator_ends_with_snapshot(c) ? tri__books_share(c->snapshot.standing.books, task) : c->books.share[task];
        if (!member->report && !share.steps && !is_known_to_have_ended(c, task))
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

void tri__member_leave(tri__coordinator *c, int task, const char *why)
{
    tri__member *member = &c->members.member[task];
    tri__coordinator_notice(c, TRI_PS_LEFT, "worker", task, "%s", why);
    tri__log_line(c->server->options.log, TRI_LOG_WARNING, "worker:%d %s at step %" PRId64 "; the others go on", task, why,
                  tri__coordinator_step(c));
    if (c->settings->mode == TRI_PS_SYNC)
        tri__books_count_leaver(c, task);
    tri__snapshot_want_checkpoint(c); /* no other task could tell a new ps:0 what this worker has brought */
    member->state = TRI_MEMBER_NONE;
    drop_tokens(member);
    tri__steps_members_changed(&c->steps);
    if (c->settings->mode != TRI_PS_SYNC) {
        tri__tokens_leave(c->tokens, task);
        return;
    }
    int64_t step = tri__steps_last_issued(c); /* it has no part in the next step */
    if (step >= 0)
        tri__steps_expect_nothing(c, task, step);
    if (c->settings->backup)
        tri__steps_choose(c); /* perhaps all other gradients are here */
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
        return NULL; /* sent before all went back, and it will be READY again; or it has left */
    member->ahead = message->ahead < 1 ? 1 : message->ahead > TRI_MOST_HELD ? TRI_MOST_HELD : (int)message->ahead;
    if (member->state == TRI_MEMBER_WELCOMED)
        member->state = TRI_MEMBER_READY;
    if (c->phase < TRI_JOB_STOPPING) /* later than that, its final report still counts, though all went back */
        member->reported = false;
    tri__steps_members_changed(&c->steps);
    if (c->settings->mode != TRI_PS_SYNC && member->state == TRI_MEMBER_READY)
        tri__member_join(member, c->tokens, peer->task);
    bool late = c->phase == TRI_JOB_RUNNING && tri__clock_now() - c->started > 2 * c->settings->heartbeat; /* it joins, or comes back */
    tri__log_line(c->server->options.log, late ? TRI_LOG_INFO : TRI_LOG_DEBUG, "worker:%d takes part from step %" PRId64 " on", peer->task,
                  tri__coordinator_step(c));
    if (late || peer->task >= c->settings->workers)
        tri__coordinator_notice(c, TRI_PS_JOINED, "worker", peer->task, "takes part");
    tri__coordinator_go_on(c);
    return NULL;
}

void tri__member_report(tri__coordinator *c, tri__peer *peer, const json_t *body)
{
    tri__member *member = &c->members.member[peer->task];
    json_decref(member->report);
    member->report = json_deep_copy(body);
    const tri__server_options *options = &c->server->options;
    const char *samples = json_string_value(json_object_get(body, TRI_REPORT_SAMPLES));
    if (samples && options->owner->sampled)
        options->owner->sampled(options->context, peer->task, samples);
    json_object_del(member->report, TRI_REPORT_SAMPLES);
    if (!json_is_true(json_object_get(body, "final")))
        return;
    member->reported = true;
    tri__coordinator_go_on(c);
}

/* Workers that left would fail again for the same reason, so the job does not wait for them. */
static void end_where_nobody_is_left(tri__coordinator *c, int task, tri_code code, const char *reason)
{
    if (!is_anybody_left(&c->members) && c->phase == TRI_JOB_RUNNING)
        tri__coordinator_fail(c, tri_fail(code, "no worker is left; worker:%d was the last: %s", task, reason));
}

/* A worker's data is damaged. Perhaps only its own copy is; then other workers can do its steps. If a second worker reports the very same
 * damage, every worker would find it in turn: the job ends now, before it loses worker after worker. */
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

/* A worker that leaves by itself says why: for example, its data is damaged, or it was asked to end. */
void tri__member_bye(tri__coordinator *c, tri__peer *peer, const json_t *body)
{
    const char *reason = json_string_value(json_object_get(body, "reason"));
    char why[512];
    if (c->server->done) /* the job has ended: it is not true that the others go on, and nobody need know who left after that */
        return;
    snprintf(why, sizeof why, "has left%s%.400s", reason ? ": " : "", reason ? reason : "");
    if (c->members.member[peer->task].state != TRI_MEMBER_NONE)
        tri__member_leave(c, peer->task, why);
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

void tri__members_check_gone(tri__coordinator *c, int64_t now)
{
    for (int task = 0; task < c->members.tasks; task++) {
        tri__member *member = &c->members.member[task];
        if (member->gone && tri__welcome_is_due(c, task))
            member->gone = now;
        if (member->gone && now - member->gone > GRACE && member->state != TRI_MEMBER_NONE && c->phase < TRI_JOB_STOPPING)
            tri__member_leave(c, task, "is gone");
        if (member->gone && now - member->gone > GRACE)
            member->gone = 0;
    }
}
