/* fleet.c: the coordinator and the other servers: their welcome, their stretch of the model, and going back when one was lost.
 *
 * A server that comes anew has no stretch. In async only that goes back to the last checkpoint, in sync all of the job does: all servers,
 * the data's position, and the workers, who begin anew with what they are given. */
#include <inttypes.h>

#include "base/clock.h"
#include "store/ps/server/coordinator.h"

bool tri__fleet_ready(const tri__coordinator *c)
{
    for (int i = 1; i < c->settings->servers; i++)
        if (!c->follower[i].peer || !c->follower[i].restored)
            return false;
    return c->settled;
}

void tri__fleet_tell(tri__coordinator *c, const tri__message *message)
{
    for (int i = 1; i < c->settings->servers; i++)
        if (c->follower[i].peer)
            tri__message_send(c->follower[i].peer->connection, message, false);
}

void tri__fleet_tell_json(tri__coordinator *c, tri__message_type type, json_t *value)
{
    for (int i = 1; i < c->settings->servers; i++)
        if (c->follower[i].peer)
            tri__message_send_json(c->follower[i].peer->connection, type, json_incref(value));
    json_decref(value);
}

void tri__fleet_welcome(tri__coordinator *c, int index)
{
    tri__message_send_json(c->follower[index].peer->connection, TRI_MSG_WELCOME,
                           json_pack("{s:I, s:o}", "floats", (json_int_t)c->job.floats, "rule", tri__rule_json(&c->job.rule)));
}

void tri__fleet_void_members(tri__coordinator *c)
{
    c->void_due = false;
    c->regathering = true;
    for (int task = 0; task < c->tasks; task++) {
        tri__member *member = &c->member[task];
        member->tokens = 0;
        member->ready = false;
        if (member->peer)
            tri__message_send(member->peer->connection,
                              &(tri__message){.type = TRI_MSG_RESTORED, .step = c->state.step, .view = c->server->generation}, false);
    }
}

static void go_back_together(tri__coordinator *c)
{
    c->server->generation++;
    tri__snapshot_fill_own(c);
    tri__stretch_reset(c->server->stretch, c->state.step);
    tri_status status = tri__tokens_rollback(c->tokens, &c->state);
    if (status)
        tri__coordinator_fail(c, status);
    c->issued = false;
    for (int i = 1; i < c->settings->servers; i++)
        c->follower[i].gathered = false;
    c->changed = c->void_due = true; /* members are told when all servers have their stretch again */
}

/* The last checkpoint is what all, or in async the servers that lost theirs, begin from again. */
void tri__fleet_go_back(tri__coordinator *c)
{
    bool sync = c->settings->mode == TRI_PS_SYNC;
    c->going_back = !tri__snapshot_idle(c); /* then it is done when the snapshot is no longer read */
    if (c->going_back)
        return;
    int64_t step = tri__coordinator_step(c);
    tri_status status = tri__snapshot_load(c);
    if (status) {
        tri__coordinator_fail(c, tri_wrap(status, "going back after a failure"));
        return;
    }
    c->kept = c->state.step;
    c->copied_step = -1; /* what was copied of steps that are to be made again is not of them */
    int64_t lost = step > c->state.step ? step - c->state.step : 0;
    c->lost += lost;
    tri__log_line(c->server->log, TRI_LOG_WARNING, "a server was lost: %s back to step %" PRId64 ", %" PRId64 " updates are lost",
                  sync ? "all go" : "its part goes", c->state.step, lost);
    if (sync)
        go_back_together(c);
    for (int i = 1; i < c->settings->servers; i++)
        if (c->follower[i].peer && (sync || !c->follower[i].restored))
            tri__snapshot_restore(c, i);
}

void tri__fleet_gone(tri__coordinator *c, int server)
{
    c->follower[server].peer = NULL;
    tri__snapshot_give_up(c);
    if (c->phase == TRI_JOB_CLOSING && tri__snapshot_idle(c)) /* the last one is taken again when it is back */
        c->phase = TRI_JOB_STOPPING;
}

/* A server that comes anew has lost its stretch. In async only that goes back to the last checkpoint, in sync all of the job. One that
 * holds its stretch comes back from a broken connection, or meets a coordinator that was restarted. */
tri_status tri__fleet_hello(tri__peer *peer, const json_t *hello)
{
    tri__coordinator *c = peer->server->coordinator;
    if (peer->task < 1 || peer->task >= c->settings->servers)
        return tri_fail(TRI_BAD_CALL, "ps:%d is not one of the %d servers of this job", peer->task, c->settings->servers);
    tri__follower_state *follower = &c->follower[peer->task];
    if (follower->peer && follower->incarnation != (int64_t)peer->incarnation)
        return tri_fail(TRI_BAD_CALL, "there is a ps:%d already, at %s: is the same --task started twice?", peer->task,
                        tri__connection_peer(follower->peer->connection));
    if (follower->peer) { /* its earlier connection has not noticed yet that it is dead */
        tri__peer_replaced(follower->peer);
        tri__fleet_gone(c, peer->task);
    }
    bool again = follower->incarnation != 0, same = follower->incarnation == (int64_t)peer->incarnation;
    follower->holding = json_is_true(json_object_get(hello, "holding"));
    follower->incarnation = (int64_t)peer->incarnation;
    follower->peer = peer;
    peer->role = TRI_PEER_SERVER;
    if (!c->settled)
        return NULL; /* welcomed when the model is known */
    tri__fleet_welcome(c, peer->task);
    bool sync = c->settings->mode == TRI_PS_SYNC; /* then it may have missed who came and went */
    if (again && same && !sync && tri__json_integer_of(hello, "generation", 0) == peer->server->generation) {
        tri__coordinator_go_on(c);
        return NULL;
    }
    follower->restored = false;
    if (again || (sync && follower->holding))
        tri__fleet_go_back(c);
    else
        tri__snapshot_restore(c, peer->task);
    return NULL;
}

static void check_gone(tri__coordinator *c, int server, int64_t now)
{
    tri__follower_state *follower = &c->follower[server];
    if (!follower->gone) {
        follower->gone = now;
        tri__log_line(c->server->log, TRI_LOG_WARNING, "ps:%d is gone; waiting for it to come back", server);
    }
    if (now - follower->gone > c->settings->timeout)
        tri__coordinator_fail(c, tri_fail(TRI_TIMEOUT, "ps:%d is gone and has not come back within %.0f s (--timeout)", server,
                                          tri__clock_seconds(c->settings->timeout)));
}

/* It has a connection, on which nothing comes, not even that it lives. */
static void check_silent(tri__coordinator *c, int server, int64_t now)
{
    tri__follower_state *follower = &c->follower[server];
    const char *where = tri__connection_peer(follower->peer->connection);
    double silent = tri__clock_seconds(now - follower->peer->heard);
    bool named = now - follower->peer->heard > 2 * c->settings->heartbeat;
    if (named && !follower->named)
        tri__log_line(c->server->log, TRI_LOG_WARNING, "ps:%d at %s has been silent for %.1f s; waiting for it", server, where, silent);
    if (follower->named && !named)
        tri__log_line(c->server->log, TRI_LOG_INFO, "ps:%d is heard again", server);
    follower->named = named;
    if (now - follower->peer->heard > c->settings->timeout)
        tri__coordinator_fail(c, tri_fail(TRI_TIMEOUT,
                                          "ps:%d at %s has been silent for %.0f s (--timeout): is it stopped, or the network cut?", server,
                                          where, silent));
}

void tri__fleet_check(tri__coordinator *c, int64_t now)
{
    for (int i = 1; i < c->settings->servers && !c->server->done; i++) {
        tri__follower_state *follower = &c->follower[i];
        if (follower->peer || c->phase == TRI_JOB_WAITING)
            follower->gone = 0;
        else
            check_gone(c, i, now);
        if (follower->peer)
            check_silent(c, i, now);
    }
}
