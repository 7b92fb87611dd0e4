/* pushes.c: what a server does with gradients. It applies or gathers them, answers with new parameters, and stops reading from workers that
 * are too far ahead of the others. */
#include "store/ps/server/pushes.h"

#include <inttypes.h>

#include "base/thread/clock.h"
#include "store/ps/server/follower.h"
#include "store/ps/server/peer.h"
#include "store/ps/server/replication/primary.h"
#include "store/ps/server/role.h"
#include "store/ps/server/row_server.h"
#include "store/ps/stretch/gather.h"

#define HELD_MOST (16u << 20) /* bytes of all workers' gradients that may wait for their turn */

/* Parts that wait for their turn are bounded: the server does not read from a worker that is too far ahead until the others catch up. */
static void balance(tri__server *server)
{
    server->ahead = 0;
    for (tri__peer *peer = server->peers; peer; peer = peer->next) {
        if (peer->role != TRI_PEER_WORKER || (peer->state != TRI_TALK_READ && peer->state != TRI_TALK_AHEAD))
            continue;
        size_t held = tri__stretch_held(server->stretch, peer->task);
        size_t share = HELD_MOST / (size_t)(server->options.settings.workers > 0 ? server->options.settings.workers : 1);
        tri__talk_state state = held > share + TRI_CHUNK_BYTES ? TRI_TALK_AHEAD : TRI_TALK_READ;
        if (state != peer->state) {
            peer->state = state;
            tri__connection_pause(peer->connection, state == TRI_TALK_AHEAD);
            peer->heard = tri__clock_now(); /* a peer that we did not read from was not silent */
        }
        server->ahead += state == TRI_TALK_AHEAD;
    }
}

static void balance_again(tri__server *server)
{
    if (server->ahead)
        balance(server);
}

/* ---- going back ---- */

/* A worker that waits for a dropped answer asks again when it hears that all went back. */
void tri__server_forget(tri__server *server)
{
    tri__copy_cancel(server);
    for (tri__peer *peer = server->peers; peer; peer = peer->next) {
        for (uint32_t i = 0; peer->due_count && i < tri__stretch_chunks(server->stretch); i++)
            peer->due[i] = false;
        peer->due_count = 0;
        tri__rows_forget_waiting(peer);
    }
}

/* Nothing is held any more, so no worker is too far ahead: the server reads from all again. */
void tri__server_go_back(tri__server *server, uint32_t generation, int64_t step)
{
    server->generation = generation;
    tri__server_forget(server);
    tri__replication_stop(server);
    tri__stretch_reset(server->stretch, step);
    balance(server);
}

/* ---- steps ---- */

void tri__server_answer_all(tri__server *server, uint32_t chunk)
{
    server->role->chunk_ends(server);
    for (tri__peer *peer = server->peers; peer; peer = peer->next)
        if (peer->role == TRI_PEER_WORKER && tri__stretch_owes(server->stretch, chunk, peer->task))
            tri__primary_answer(peer, chunk);
    tri__rows_answer_waiting(server, chunk);
}

/* Sync: the chunk has its next step. */
static void end_step(tri__server *server, uint32_t chunk)
{
    tri__server_answer_all(server, chunk);
    server->role->chunk_ended(server);
}

void tri__server_settle(tri__server *server)
{
    uint32_t chunk;
    if (tri__replication_is_standby(server))
        return; /* its primary tells it which steps are whole */
    while (server->stretch && tri__stretch_settle(server->stretch, &chunk))
        end_step(server, chunk);
    balance_again(server);
    if (server->stretch) /* with clipping: a worker that left may have been the last one awaited */
        server->role->gathered(server);
}

/* Sync: a part was added. The step is not whole yet, or waits for the norm. */
static void gathered(tri__peer *peer, const tri__message *push)
{
    tri__server *server = peer->server;
    if (server->options.settings.backup)
        server->role->pushed(peer, push);
    server->role->gathered(server);
}

/* Sync: the part was the last one of its step. */
static void take_last_part(tri__server *server, uint32_t chunk)
{
    end_step(server, chunk);
    if (server->options.settings.backup)
        tri__server_settle(server); /* workers chosen for the next step may have left already */
    else
        balance_again(server);
}

/* A push that was computed before ps:0 was lost has no answer: its worker pulls all chunks when the new ps:0 welcomes it, and would take
 * the second answer for that to its next push. */
static void answer(tri__peer *peer, const tri__message *push)
{
    if (push->generation == peer->server->generation)
        tri__primary_answer(peer, push->chunk);
}

/* Async: the push was an update by itself. */
static void take_update(tri__peer *peer, const tri__message *push)
{
    tri__server *server = peer->server;
    if (server->options.settings.log_updates && push->chunk == tri__stretch_first(server->stretch))
        tri__log_line(server->options.log, TRI_LOG_DEBUG, "update by worker:%d, step %" PRId64, peer->task, push->step);
    bool ends_token = server->role->pushed(peer, push);
    answer(peer, push);
    tri__rows_answer_waiting(server, push->chunk);
    if (ends_token)
        server->role->go_on(server);
    if (tri__copy_is_wanted(server))
        tri__follower_stepped(server);
}

/* ---- pushes ---- */

/* With backup workers ps:0 may be ahead of this server. So may be a worker that was late, and now makes the newest step of ps:0. */
static bool is_early(const tri__peer *peer, const tri__message *push)
{
    const tri__server *server = peer->server;
    return server->options.settings.backup && !server->coordinator && push->generation == server->generation &&
           push->step > tri__stretch_step(server->stretch, push->chunk);
}

/* The push waits until its step has begun here. Until then the server does not read from this worker. */
static void keep_early(tri__peer *peer)
{
    peer->state = TRI_TALK_EARLY;
    tri__connection_pause(peer->connection, true);
}

/* A gradient that would spoil the model. Its worker is refused, as if it had left. If another server refuses it, the worker tells ps:0. */
static tri_status refuse_gradient(tri__peer *peer, tri_status why)
{
    json_t *bye = json_pack("{s:s, s:b}", "reason", tri_status_message(why), "diverged", true);
    const tri__message message = {.type = TRI_MSG_BYE};
    tri__peer_refuse(peer, why);
    tri_status status = peer->server->coordinator ? peer->server->role->message(peer, &message, bye) : NULL;
    json_decref(bye);
    return status;
}

/* The stretch owns the memory of this push now: the next gradient is read into other memory. */
static tri_status give_memory(tri__peer *peer, const tri__message *push)
{
    if (push->type == TRI_MSG_PUSH_ROWS) {
        tri__rows_part_taken(peer);
        return NULL;
    }
    peer->gradient = NULL;
    return tri__stretch_lend(peer->server->stretch, &peer->gradient);
}

static tri__push read_push(const tri__peer *peer, const tri__message *message)
{
    bool sync = peer->server->options.settings.mode == TRI_PS_SYNC;
    return (tri__push){
        .chunk = message->chunk,
        .task = peer->task,
        .step = message->step,
        .serial = sync ? message->step : message->serial,
        .weight = (double)message->weight,
        .rate = message->rate,
        .gradient = peer->gradient,
        .rows = message->type == TRI_MSG_PUSH_ROWS ? tri__rows_part(peer) : NULL,
    };
}

static tri_status follow_up(tri__peer *peer, const tri__message *push, tri__push_outcome outcome)
{
    tri__server *server = peer->server;
    switch (outcome) {
    case TRI_PUSH_KNOWN:
        break;
    case TRI_PUSH_STALE:
        answer(peer, push);
        break;
    case TRI_PUSH_TAKEN:
        gathered(peer, push);
        balance_again(server);
        break;
    case TRI_PUSH_HELD:
        TRI_TRY(give_memory(peer, push));
        gathered(peer, push);
        balance(server);
        break;
    case TRI_PUSH_APPLIED:
        if (server->options.settings.mode == TRI_PS_SYNC) {
            take_last_part(server, push->chunk);
            if (push->chunk == tri__stretch_first(server->stretch))
                server->late[peer->task] += tri__stretch_waited(server->stretch, push->chunk);
        } else
            take_update(peer, push);
        break;
    }
    return NULL;
}

/* Was the push computed for what this server holds? In async only ps:0 goes back, or goes on from its standby. The other servers keep their
 * updates, and ps:0 may have counted a step of which this push is the rest. */
static bool is_current(const tri__server *server, const tri__message *push)
{
    return push->generation == server->generation || (server->options.settings.mode == TRI_PS_ASYNC && !server->coordinator);
}

static tri_status take(tri__peer *peer, const tri__message *message)
{
    tri__server *server = peer->server;
    if (server->holds != TRI_HOLDS_ALL || !is_current(server, message))
        return NULL; /* computed before all went back */
    if (is_early(peer, message)) {
        keep_early(peer);
        return NULL;
    }
    if (!server->role->expects(peer, message)) {
        tri__peer_refuse(peer, tri_fail(TRI_BAD_DATA, "worker:%d pushes a gradient for step %" PRId64 ", for which it has no token",
                                        peer->task, message->step));
        return NULL;
    }
    const tri__push push = read_push(peer, message);
    tri__push_outcome outcome;
    const int64_t begin = tri__trace_begin(server->lane);
    tri_status status = tri__stretch_push(server->stretch, &push, &outcome);
    if (server->lane)
        tri__trace_end_message(server->lane, TRI_SPAN_GATHER, begin, push.step, TRI_FLOW_RECEIVES,
                               tri__trace_message(TRI_SPAN_PUSH, push.task, push.chunk, push.serial));
    if (tri_status_code(status) == TRI_DIVERGED)
        return refuse_gradient(peer, status);
    TRI_TRY(status);
    return follow_up(peer, message, outcome);
}

static void take_early_from(tri__peer *peer)
{
    peer->state = TRI_TALK_READ;
    tri__connection_pause(peer->connection, false);
    tri_status status = take(peer, &peer->message);
    if (status) {
        tri__log_line(peer->server->options.log, TRI_LOG_INFO, "worker:%d: %s", peer->task, tri_status_message(status));
        tri__connection_close(peer->connection);
    }
    tri_status_free(status);
}

void tri__server_take_early(tri__server *server)
{
    bool taken = server->options.settings.backup > 0;
    while (taken) {
        taken = false;
        for (tri__peer *peer = server->peers; peer; peer = peer->next)
            if (peer->state == TRI_TALK_EARLY && !is_early(peer, &peer->message)) {
                take_early_from(peer);
                taken = true;
            }
    }
}

tri_status tri__server_take_push(tri__peer *peer, const tri__message *message)
{
    TRI_TRY(take(peer, message));
    tri__server_take_early(peer->server);
    return NULL;
}
