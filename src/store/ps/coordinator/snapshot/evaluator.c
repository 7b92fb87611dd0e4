/* evaluator.c: the evaluator connects, disconnects, and is awaited when a snapshot is to be evaluated. snapshot.c takes its answers. */
#include "store/ps/coordinator/snapshot/evaluator.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/thread/clock.h"
#include "store/ps/coordinator/coordinator.h"
#include "store/ps/server/peer.h"

void tri__evaluator_ask(const tri__coordinator *c)
{
    if (c->evaluator.state == TRI_EVALUATOR_HERE)
        tri__message_send(c->evaluator.peer->connection, &(tri__message){.type = TRI_MSG_EVALUATE, .step = c->snapshot.standing.step},
                          false);
}

static void enter(tri__coordinator *c, tri__evaluator_state state, tri__peer *peer)
{
    c->evaluator.state = state;
    c->evaluator.peer = peer;
    if (!tri__snapshot_is_evaluated(&c->snapshot))
        return;
    if (state == TRI_EVALUATOR_NONE)
        tri__snapshot_not_evaluated(c);
    else
        tri__evaluator_ask(c);
}

tri_status tri__evaluator_hello(tri__peer *peer, const json_t *hello)
{
    tri__coordinator *c = peer->server->coordinator;
    tri__peer *before = c->evaluator.peer;
    if (before && before->incarnation != peer->incarnation)
        return tri_fail(TRI_BAD_CALL, "there is an evaluator already, at %s: is a second one started?",
                        tri__connection_peer(before->connection));
    if (before) /* its earlier connection has not noticed yet that it is dead */
        tri__peer_replaced(before);
    peer->role = TRI_PEER_EVALUATOR;
    tri__message_send_json(peer->connection, TRI_MSG_WELCOME, json_object());
    enter(c, json_is_true(json_object_get(hello, "none")) ? TRI_EVALUATOR_NONE : TRI_EVALUATOR_HERE, peer);
    return NULL;
}

void tri__evaluator_disconnected(tri__coordinator *c, const tri__peer *peer)
{
    if (c->evaluator.peer == peer)
        enter(c, TRI_EVALUATOR_AWAITED, NULL);
}

/* The evaluator cannot read the test examples. As in a local run, this ends the job. */
void tri__evaluator_bye(tri__coordinator *c, const char *reason)
{
    if (tri__snapshot_is_evaluated(&c->snapshot))
        tri__coordinator_fail(c, tri_fail(TRI_BAD_DATA, "evaluator:0 cannot evaluate step %" PRId64 ": %s", c->snapshot.standing.step,
                                          reason ? reason : "it gave no reason"));
}

static void do_without(tri__coordinator *c, const char *why)
{
    tri__log_line(c->server->options.log, TRI_LOG_WARNING, "%s: %s", why,
                  c->phase < TRI_JOB_STOPPING ? "training goes on without evaluations" : "the last model is not evaluated");
    enter(c, TRI_EVALUATOR_NONE, NULL);
}

static void check_absent(tri__coordinator *c, int64_t now)
{
    if (!c->evaluator.missed)
        c->evaluator.missed = now;
    const volatile sig_atomic_t *unevaluated = c->server->options.unevaluated;
    bool never = unevaluated && *unevaluated, named = now - c->evaluator.missed > 2 * c->settings->heartbeat;
    if (named && !c->evaluator.named)
        tri__log_line(c->server->options.log, TRI_LOG_INFO, "waiting for the evaluator: step %" PRId64 " is to be evaluated",
                      c->snapshot.standing.step);
    c->evaluator.named |= named;
    never |= named && *c->server->options.stop; /* the same signal may have reached all tasks */
    if (!never && now - c->evaluator.missed < c->settings->timeout)
        return;
    char why[96] = "there is no evaluator any more";
    if (!never)
        snprintf(why, sizeof why, "there is no evaluator since %.0f s (--timeout)", tri__clock_seconds(c->settings->timeout));
    do_without(c, why);
}

/* It has a connection, and sends nothing on it, not even heartbeats. */
static void check_silent(tri__coordinator *c, int64_t now)
{
    tri__peer *peer = c->evaluator.peer;
    double silent = tri__clock_seconds(now - peer->heard);
    bool named = now - peer->heard > 2 * c->settings->heartbeat;
    if (named && !c->evaluator.named)
        tri__log_line(c->server->options.log, TRI_LOG_WARNING, "the evaluator at %s has been silent for %.1f s; waiting for it",
                      tri__connection_peer(peer->connection), silent);
    if (c->evaluator.named && !named)
        tri__log_line(c->server->options.log, TRI_LOG_INFO, "the evaluator is heard again");
    c->evaluator.named = named;
    if (now - peer->heard <= c->settings->timeout)
        return;
    char why[160];
    snprintf(why, sizeof why, "the evaluator has been silent for %.0f s (--timeout; is it stopped, or the network cut?)", silent);
    tri__peer_replaced(peer);
    do_without(c, why);
}

void tri__evaluator_check(tri__coordinator *c, int64_t now)
{
    bool evaluated = tri__snapshot_is_evaluated(&c->snapshot);
    if (!evaluated || c->evaluator.state != TRI_EVALUATOR_AWAITED)
        c->evaluator.missed = 0;
    if (evaluated && c->evaluator.state == TRI_EVALUATOR_AWAITED)
        check_absent(c, now);
    else if (evaluated && c->evaluator.state == TRI_EVALUATOR_HERE)
        check_silent(c, now);
}
