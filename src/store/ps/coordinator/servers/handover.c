/* handover.c: a new ps:0 asks the surviving servers for copies, and begins the job from them. */
#include "store/ps/coordinator/servers/handover.h"

#include <inttypes.h>

#include "base/thread/clock.h"
#include "store/ps/coordinator/coordinator.h"
#include "store/ps/coordinator/snapshot/snapshot_keys.h"
#include "store/ps/server/peer.h"
#include "store/ps/server/replication/primary.h"

static bool is_sync(const tri__coordinator *c)
{
    return c->settings->mode == TRI_PS_SYNC;
}

void tri__handover_fini(tri__handover *handover)
{
    tri__standing_fini(&handover->standing);
}

/* ---- while the job runs ---- */

void tri__handover_tell(tri__coordinator *c)
{
    tri__standing standing;
    if (!c->pair || !tri__replication_is_open(&c->server->replication))
        return;
    tri_status status = tri__tokens_standing(c->tokens, &standing);
    if (status) {
        tri__coordinator_fail(c, status);
        return;
    }
    standing.books = tri__books_write(c);
    if (c->phase == TRI_JOB_WAITING) /* the workers that are here are not all that the job begins with */
        json_object_del(standing.books, "members");
    tri__primary_state(c->server, tri__standing_json(&standing));
    tri__standing_fini(&standing);
}

/* ---- a new ps:0 ---- */

void tri__handover_greeted(tri__coordinator *c, const json_t *hello)
{
    c->handover.keeper = (tri__keeper){
        .whole = json_is_true(json_object_get(hello, "whole")),
        .pair = (uint32_t)tri__json_integer_of(hello, "pair", 0),
        .generation = (uint32_t)tri__json_integer_of(hello, "generation", 0),
        .updates = tri__json_integer_of(hello, "updates", -1),
        .state = tri__json_integer_of(hello, "state", -1),
    };
}

/* The last ps:0 noted that the standby of its range is whole. */
static bool is_noted(const tri__coordinator *c)
{
    const tri__server_options *options = &c->server->options;
    return c->pair && options->recovers && options->owner->noted && options->owner->noted(options->context);
}

bool tri__handover_is_awaited(const tri__coordinator *c)
{
    return !c->settled && is_noted(c);
}

int64_t tri__handover_patience(const tri__coordinator *c)
{
    const int64_t least = 2 * c->settings->heartbeat, half = c->settings->timeout / 2;
    return half > least ? half : least;
}

bool tri__handover_begin(tri__coordinator *c)
{
    if (!is_noted(c))
        return false;
    c->handover.state = TRI_HANDOVER_AWAITING;
    c->handover.since = tri__clock_now();
    tri__handover_check(c, c->handover.since);
    return c->handover.state != TRI_HANDOVER_NONE;
}

/* The job begins from the checkpoint. */
static void give_up(tri__coordinator *c, const char *why)
{
    bool begun = c->handover.state == TRI_HANDOVER_COPYING;
    tri__peer *keeper = c->pair[0].standby;
    c->handover.state = TRI_HANDOVER_NONE;
    if (begun && keeper) { /* it connects again, and is treated as empty */
        tri__pairs_standby_gone(c, keeper);
        tri__peer_replaced(keeper);
    }
    tri__log_line(c->server->options.log, TRI_LOG_WARNING, "ps:0 was lost, and %s: the job goes back to its last checkpoint", why);
    tri_status status = begun ? tri__snapshot_load(c) : NULL;
    if (status)
        tri__coordinator_fail(c, status);
    else
        tri__coordinator_take_up(c);
}

/* The connection of the server that has the range; NULL: it is not here. */
static tri__peer *source_of(const tri__coordinator *c, int server)
{
    return server == 0 ? c->pair[0].standby : c->follower[server].peer;
}

/* How many ranges are needed: in sync those of all servers, otherwise only that of ps:0. */
static int sources(const tri__coordinator *c)
{
    return is_sync(c) ? c->settings->servers : 1;
}

static bool are_here(const tri__coordinator *c)
{
    for (int i = 0; i < sources(c); i++)
        if (!source_of(c, i))
            return false;
    return true;
}

/* Why a handover is impossible; NULL: the servers that are here have what is needed. */
static const char *find_obstacle(const tri__coordinator *c)
{
    const tri__server_options *options = &c->server->options;
    const tri__keeper *keeper = &c->handover.keeper;
    const bool here = source_of(c, 0);
    if (here && (!keeper->whole || keeper->pair != options->owner->noted(options->context) || keeper->state < 0))
        return "the standby of its range does not have all of it";
    for (int i = 1; i < sources(c); i++)
        if (source_of(c, i) && (!c->follower[i].keeps || (here && c->follower[i].generation != keeper->generation)))
            return "another server was lost with it";
    return NULL;
}

/* The last step that all servers have made, and after which the standby knows where the job stood. */
static int64_t common_step(const tri__coordinator *c)
{
    const tri__keeper *keeper = &c->handover.keeper;
    int64_t step = keeper->state;
    if (is_sync(c) && keeper->updates < step)
        step = keeper->updates;
    for (int i = 1; i < sources(c); i++)
        step = c->follower[i].updates < step ? c->follower[i].updates : step;
    return step;
}

static void ask_for_copies(tri__coordinator *c)
{
    tri__handover *handover = &c->handover;
    tri_status status = c->snapshot.grown ? tri__snapshot_drop_keys(c, sources(c)) : NULL;
    if (status) {
        tri__coordinator_fail(c, status);
        return;
    }
    tri__message message = {.type = TRI_MSG_SNAPSHOT, .snapshot = ++c->snapshot.number, .slots = tri__snapshot_all_slots(c)};
    handover->state = TRI_HANDOVER_COPYING;
    handover->since = tri__clock_now();
    handover->step = message.step = common_step(c);
    handover->known = false;
    handover->asked = c->pair[0].standby;
    handover->left = 0;
    message.updates = is_sync(c) ? handover->step : 0;
    for (int i = 0; i < sources(c); i++) {
        handover->left += message.slots * tri__layout_server_pieces(&c->server->layout, i);
        tri__followers_welcome(c, i, source_of(c, i));
        tri__message_send(source_of(c, i)->connection, &message, false);
    }
}

/* The servers that were asked for a copy are still there, on the same connections. */
static bool are_still_here(const tri__coordinator *c)
{
    bool here = are_here(c) && c->pair[0].standby == c->handover.asked;
    for (int i = 1; here && i < sources(c); i++)
        here = c->follower[i].welcomed;
    return here;
}

/* Servers that live, but not those that are stopped, come within two heartbeats. So if it is clear that there will be no handover, ps:0
 * waits no longer than that. */
static void check_awaited(tri__coordinator *c, int64_t now)
{
    const char *obstacle = find_obstacle(c);
    const int64_t longest = obstacle ? 2 * c->settings->heartbeat : tri__handover_patience(c);
    if (are_here(c) && !obstacle)
        ask_for_copies(c);
    else if (are_here(c) || (obstacle && now - c->handover.since > longest))
        give_up(c, obstacle);
    else if (now - c->handover.since > longest)
        give_up(c, is_sync(c) ? "not all servers have come" : "the standby of its range has not come");
}

void tri__handover_check(tri__coordinator *c, int64_t now)
{
    const tri__handover *handover = &c->handover;
    if (handover->state == TRI_HANDOVER_AWAITING) {
        check_awaited(c, now);
    } else if (handover->state == TRI_HANDOVER_COPYING && !are_still_here(c)) {
        give_up(c, "another server was lost during the handover");
    } else if (handover->state == TRI_HANDOVER_COPYING && now - handover->since > c->settings->timeout) {
        give_up(c, "the copies of the servers that live have not come within the timeout");
    }
}

/* The whole model is here, as it was after that step. */
static void finish(tri__coordinator *c)
{
    tri__handover *handover = &c->handover;
    tri__peer *keeper = c->pair[0].standby;
    handover->state = TRI_HANDOVER_NONE;
    handover->taken = true;
    handover->seconds = tri__books_seconds(handover->standing.books) - tri__books_seconds(c->snapshot.standing.books);
    tri__log_line(c->server->options.log, TRI_LOG_WARNING,
                  "ps:0 was lost: the job goes on at step %" PRId64 ", from the standby of its range, and no update is lost",
                  handover->standing.step);
    tri__snapshot_take_standing(c, &handover->standing);
    tri__pairs_standby_gone(c, keeper); /* it connects again at once, and is filled anew */
    tri__peer_replaced(keeper);
    tri__coordinator_take_up(c);
}

static tri_status take_state(tri__coordinator *c, const json_t *body)
{
    tri__standing_fini(&c->handover.standing);
    TRI_TRY(tri__standing_read(body, &c->handover.standing));
    c->handover.known = !is_sync(c) || c->handover.standing.step == c->handover.step;
    return NULL;
}

/* Messages of servers that are about the step or the pairs of an earlier ps:0. */
static bool is_of_the_past(const tri__peer *peer, const tri__message *message)
{
    return (peer->role == TRI_PEER_SERVER || peer->role == TRI_PEER_STANDBY) &&
           (message->type == TRI_MSG_FILLED || message->type == TRI_MSG_LONE || message->type == TRI_MSG_NORM ||
            message->type == TRI_MSG_SEEN);
}

tri_status tri__handover_message(tri__peer *peer, const tri__message *message, const json_t *body)
{
    tri__coordinator *c = peer->server->coordinator;
    tri__handover *handover = &c->handover;
    bool ours = handover->state == TRI_HANDOVER_COPYING && peer->task < sources(c) && source_of(c, peer->task) == peer;
    if (is_of_the_past(peer, message))
        return NULL;
    if (!ours)
        return tri_fail(TRI_BAD_DATA, "a %s before there is a job", tri__message_name(message->type));
    if (message->type == TRI_MSG_STATE && peer->task == 0)
        return take_state(c, body);
    if (message->type == TRI_MSG_COPIED) {
        if (is_sync(c) && message->updates != handover->step)
            give_up(c, "a server is further than the others");
        return NULL;
    }
    if (message->type == TRI_MSG_PUSHED)
        return NULL; /* not needed: pushes that are repeated are of an earlier generation, and void */
    if (message->type != TRI_MSG_COPY && message->type != TRI_MSG_KEYS)
        return tri_fail(TRI_BAD_DATA, "a %s before there is a job", tri__message_name(message->type));
    if (message->snapshot != c->snapshot.number)
        return NULL; /* an earlier ps:0 asked for it */
    if (message->type == TRI_MSG_KEYS)
        return message->size > 0 ? tri__snapshot_receive_keys(c, peer, message) : NULL;
    TRI_TRY(tri__snapshot_receive(peer, message));
    if (--handover->left > 0)
        return NULL;
    if (handover->known)
        finish(c);
    else
        give_up(c, "the standby of its range does not know where the job stood");
    return NULL;
}
