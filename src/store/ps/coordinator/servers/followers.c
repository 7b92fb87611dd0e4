/* followers.c: how ps:0 leads the other servers. A new process of a server has no stretch: ps:0 sends it one, and recovery.c decides what
 * else goes back. */
#include "store/ps/coordinator/servers/followers.h"

#include <inttypes.h>
#include <string.h>

#include "base/text/task.h"
#include "base/thread/clock.h"
#include "store/ps/coordinator/coordinator.h"
#include "store/ps/coordinator/workers/welcome.h"
#include "store/ps/server/follower.h"
#include "store/ps/server/known_pushes.h"
#include "store/ps/server/peer.h"

bool tri__followers_hold(const tri__coordinator *c)
{
    for (int i = 1; i < c->settings->servers; i++)
        if (c->follower[i].state != TRI_FOLLOWER_HOLDING)
            return false;
    return c->settled;
}

/* A server that neither has a stretch nor is being sent one cannot use messages about steps. */
static bool understands(const tri__follower *follower)
{
    return follower->state == TRI_FOLLOWER_RESTORING || follower->state == TRI_FOLLOWER_HOLDING;
}

void tri__followers_tell(tri__coordinator *c, const tri__message *message)
{
    for (int i = 1; i < c->settings->servers; i++) {
        tri__peer *standby = tri__pairs_standby(c, i);
        if (understands(&c->follower[i]))
            tri__message_send(c->follower[i].peer->connection, message, false);
        if (standby)
            tri__message_send(standby->connection, message, false);
    }
}

void tri__followers_tell_json(tri__coordinator *c, tri__message_type type, json_t *value)
{
    for (int i = 1; i < c->settings->servers; i++) {
        tri__peer *standby = tri__pairs_standby(c, i);
        if (understands(&c->follower[i]))
            tri__message_send_json(c->follower[i].peer->connection, type, json_incref(value));
        if (standby)
            tri__message_send_json(standby->connection, type, json_incref(value));
    }
    json_decref(value);
}

void tri__followers_welcome(tri__coordinator *c, int server, tri__peer *peer)
{
    json_t *welcome = json_pack("{s:I, s:o, s:o}", "floats", (json_int_t)c->job.floats, "tables", tri__tables_json(&c->job.tables), "rule",
                                tri__rule_json(&c->job.rule));
    tri__pairs_greet(c, server, peer == c->follower[server].peer, welcome);
    if (c->handover.state != TRI_HANDOVER_NONE)
        json_object_set_new(welcome, "handover", json_true());
    c->follower[server].welcomed |= peer == c->follower[server].peer;
    tri__message_send_json(peer->connection, TRI_MSG_WELCOME, welcome);
}

/* How many updates every chunk of this server has in the snapshot. */
static int64_t restored_updates(const tri__coordinator *c, int server)
{
    int64_t step = c->snapshot.standing.step;
    return c->settings->mode == TRI_PS_SYNC ? step : tri__books_updates(c->snapshot.standing.books, server, step);
}

/* Async: a worker that was not answered pushes again, so the server must know which pushes it has. A list that does not fit the layout is
 * from a job with another number of servers; its processes are gone, and it is left out. */
static void tell_pushed(tri__coordinator *c, int server)
{
    const json_t *list = tri__books_pushed(c->snapshot.standing.books, server);
    for (size_t i = 0; c->settings->mode != TRI_PS_SYNC && i < json_array_size(list); i++) {
        json_t *pushes = json_array_get(list, i);
        tri_status unfit = tri__known_pushes_check(&c->server->layout, server, pushes);
        if (!unfit)
            tri__message_send_json(c->follower[server].peer->connection, TRI_MSG_PUSHED, json_incref(pushes));
        tri_status_free(unfit);
    }
}

/* Async: a server that keeps its stretch from an earlier ps:0 is sent no floats. It answers how many updates every chunk has, but no more
 * than there were steps: what ps:0 has lost is made again, and counts once. In sync all servers begin from the same step, so every server
 * is sent its whole stretch. */
static void restore(tri__coordinator *c, int server)
{
    tri__follower *follower = &c->follower[server];
    bool keeps = follower->keeps && c->settings->mode != TRI_PS_SYNC;
    int64_t updates = keeps ? c->snapshot.standing.step : restored_updates(c, server);
    tri__pairs_separate(c, server);
    follower->state = TRI_FOLLOWER_RESTORING;
    follower->keeps = keeps;
    if (!keeps) {
        tri__books_restored(c, server, updates);
        tri__snapshot_send_stretch(c, server, follower->peer->connection);
        tell_pushed(c, server);
    }
    const tri__message end = {.type = TRI_MSG_RESTORED, .step = updates, .generation = c->server->generation};
    tri__message_send(follower->peer->connection, &end, false);
}

void tri__followers_restore(tri__coordinator *c, bool all)
{
    for (int i = 1; i < c->settings->servers; i++)
        if (c->follower[i].peer && (all || c->follower[i].state == TRI_FOLLOWER_GREETED))
            restore(c, i);
}

void tri__followers_settled(tri__coordinator *c)
{
    for (int i = 1; i < c->settings->servers; i++)
        if (c->follower[i].state == TRI_FOLLOWER_GREETED) {
            if (!c->follower[i].welcomed)
                tri__followers_welcome(c, i, c->follower[i].peer);
            restore(c, i);
        }
    tri__pairs_settled(c);
}

void tri__followers_take_over(tri__coordinator *c, int server, tri__peer *standby)
{
    c->follower[server] = (tri__follower){.state = TRI_FOLLOWER_HOLDING, .peer = standby, .incarnation = (int64_t)standby->incarnation};
    standby->role = TRI_PEER_SERVER;
}

void tri__followers_gone(tri__coordinator *c, int server)
{
    c->follower[server].state = TRI_FOLLOWER_GONE;
    c->follower[server].peer = NULL;
    tri__snapshot_give_up(c);
    bool goes_on = tri__pairs_promote(c, server);
    tri__coordinator_reopen(c);
    if (goes_on)
        tri__coordinator_go_on(c);
}

/* The server holds its stretch: what waited for that goes on. */
static void holds(tri__coordinator *c, int server)
{
    c->follower[server].state = TRI_FOLLOWER_HOLDING;
    tri__pairs_offer(c, server);
    tri__recovery_go_on(c);
    tri__welcome_admit(c);
    tri__coordinator_go_on(c);
}

void tri__followers_restored(tri__coordinator *c, int server, const tri__message *message)
{
    tri__follower *follower = &c->follower[server];
    if (follower->state != TRI_FOLLOWER_RESTORING || message->generation != c->server->generation)
        return;
    if (follower->keeps) {
        tri__books_count_kept(c, message->updates);
        tri__books_restored(c, server, message->step);
    }
    follower->keeps = false;
    holds(c, server);
}

/* A server with another mode would take gradients otherwise than ps:0 does. */
static tri_status compare_settings(const tri__coordinator *c, int server, const json_t *hello)
{
    char name[TRI_TASK_SIZE];
    return tri__ps_settings_agree(c->settings, tri__task_name((tri__task){TRI_ROLE_SERVER, server}, name),
                                  json_string_value(json_object_get(hello, "settings")));
}

static tri_status check_hello(const tri__coordinator *c, const tri__peer *peer, const json_t *hello)
{
    bool standby = c->pair && peer->task == 0 && json_object_get(hello, "second"); /* of ps:0's range */
    if (!standby && (peer->task < 1 || peer->task >= c->settings->servers))
        return tri_fail(TRI_BAD_CALL, "ps:%d is not one of the %d servers of this job", peer->task, c->settings->servers);
    TRI_TRY(compare_settings(c, peer->task, hello));
    const tri__follower *follower = &c->follower[peer->task];
    if (!c->pair && follower->peer && follower->incarnation != (int64_t)peer->incarnation)
        return tri_fail(TRI_BAD_CALL, "there is a ps:%d already, at %s: is the same --task started twice?", peer->task,
                        tri__connection_peer(follower->peer->connection));
    return NULL;
}

/* A new process of a server has no stretch. A server that still holds its stretch had a broken connection, or ps:0 was restarted. In sync
 * it may have missed which workers came and went meanwhile, so all go back. */
tri_status tri__followers_hello(tri__peer *peer, const json_t *hello)
{
    tri__coordinator *c = peer->server->coordinator;
    bool leads;
    TRI_TRY(check_hello(c, peer, hello));
    TRI_TRY(tri__pairs_hello(peer, hello, &leads));
    if (!leads)
        return NULL;
    tri__follower *follower = &c->follower[peer->task];
    if (follower->peer) { /* its earlier connection has not noticed yet that it is dead */
        tri__peer_replaced(follower->peer);
        tri__followers_gone(c, peer->task);
    }
    bool again = follower->incarnation != 0, same = follower->incarnation == (int64_t)peer->incarnation;
    bool sync = c->settings->mode == TRI_PS_SYNC;
    follower->keeps = json_is_true(json_object_get(hello, "holding"));
    follower->updates = tri__json_integer_of(hello, "updates", 0);
    follower->incarnation = (int64_t)peer->incarnation;
    follower->generation = (uint32_t)tri__json_integer_of(hello, "generation", 0);
    follower->peer = peer;
    follower->welcomed = false;
    follower->leave = TRI_FOLLOWER_STAYS;
    follower->state = TRI_FOLLOWER_GREETED;
    peer->role = TRI_PEER_SERVER;
    if (!c->settled)
        return NULL; /* it is welcomed when the model is known */
    tri__followers_welcome(c, peer->task, peer);
    bool current = follower->keeps && tri__json_integer_of(hello, "generation", 0) == peer->server->generation;
    if (again && same && !sync && current) /* even if its RESTORED has not reached us */
        holds(c, peer->task);
    else if (again || (sync && follower->keeps))
        tri__recovery_begin(c);
    else
        restore(c, peer->task);
    return NULL;
}

void tri__followers_bye(tri__coordinator *c, tri__peer *peer)
{
    tri__follower *follower = &c->follower[peer->task];
    if (peer != follower->peer) { /* a standby: the primary has all that it has */
        tri__server_say_bye_to(peer);
        return;
    }
    if (follower->leave != TRI_FOLLOWER_STAYS)
        return;
    follower->leave = TRI_FOLLOWER_ASKS;
    follower->asked = tri__coordinator_step(c);
    tri__log_line(c->server->options.log, TRI_LOG_INFO, "ps:%d is asked to end: it stays until a checkpoint has its part", peer->task);
}

static bool is_kept(const tri__coordinator *c, const tri__follower *follower)
{
    return c->snapshot.kept >= follower->asked;
}

bool tri__followers_ask_to_leave(const tri__coordinator *c)
{
    for (int i = 1; i < c->settings->servers; i++)
        if (c->follower[i].peer && c->follower[i].leave == TRI_FOLLOWER_ASKS && !is_kept(c, &c->follower[i]))
            return true;
    return false;
}

/* While the job ends, the last snapshot needs all servers. */
void tri__followers_let_go(tri__coordinator *c)
{
    const bool ends = c->phase > TRI_JOB_RUNNING || tri__coordinator_ends(c);
    for (int i = 1; i < c->settings->servers && !ends; i++) {
        tri__follower *follower = &c->follower[i];
        const bool may = c->phase == TRI_JOB_WAITING || (is_kept(c, follower) && tri__snapshot_idle(&c->snapshot));
        if (!follower->peer || follower->leave != TRI_FOLLOWER_ASKS || !may)
            continue;
        follower->leave = TRI_FOLLOWER_LEAVES;
        tri__server_say_bye_to(follower->peer);
    }
}

static void check_gone(tri__coordinator *c, int server, int64_t now)
{
    tri__follower *follower = &c->follower[server];
    if (follower->leave == TRI_FOLLOWER_LEAVES && c->ending == TRI_ENDING_ASKED) { /* the same signal may have reached all tasks */
        tri__coordinator_fail(
            c, tri_fail(TRI_STOPPED, "ps:%d has left: the run ends with its checkpoint of step %" PRId64, server, c->snapshot.kept));
        return;
    }
    if (!follower->gone) {
        follower->gone = now;
        tri__log_line(c->server->options.log, TRI_LOG_WARNING, "ps:%d is gone; waiting for it to come back", server);
        tri__coordinator_notice(c, TRI_PS_LEFT, "ps", server, "the job waits for it to come back");
    }
    if (now - follower->gone > c->settings->timeout)
        tri__coordinator_fail(c, tri_fail(TRI_TIMEOUT, "ps:%d is gone and has not come back within %.0f s (--timeout)", server,
                                          tri__clock_seconds(c->settings->timeout)));
}

/* It has a connection, and sends nothing on it, not even heartbeats. */
static void check_silent(tri__coordinator *c, int server, int64_t now)
{
    tri__follower *follower = &c->follower[server];
    const char *where = tri__connection_peer(follower->peer->connection);
    double silent = tri__clock_seconds(now - follower->peer->heard);
    bool named = now - follower->peer->heard > 2 * c->settings->heartbeat;
    if (named && !follower->named)
        tri__log_line(c->server->options.log, TRI_LOG_WARNING, "ps:%d at %s has been silent for %.1f s; waiting for it", server, where,
                      silent);
    if (follower->named && !named)
        tri__log_line(c->server->options.log, TRI_LOG_INFO, "ps:%d is heard again", server);
    follower->named = named;
    if (now - follower->peer->heard > c->settings->timeout)
        tri__coordinator_fail(c, tri_fail(TRI_TIMEOUT,
                                          "ps:%d at %s has been silent for %.0f s (--timeout): is it stopped, or the network cut?", server,
                                          where, silent));
}

void tri__followers_check(tri__coordinator *c, int64_t now)
{
    for (int i = 1; i < c->settings->servers && !c->server->done; i++) {
        tri__follower *follower = &c->follower[i];
        bool never_came = !follower->incarnation && c->phase == TRI_JOB_WAITING; /* the job waits for its beginning until the timeout */
        if (follower->peer || never_came)
            follower->gone = 0;
        else
            check_gone(c, i, now);
        if (follower->peer)
            check_silent(c, i, now);
    }
}
