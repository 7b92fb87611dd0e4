/* standby.c: the standby's end of the stream: it is filled, and applies the primary's updates. */
#include "store/ps/server/replication/standby.h"

#include <string.h>

#include "store/ps/server/follower.h"
#include "store/ps/server/peer.h"
#include "store/ps/server/pushes.h"
#include "store/ps/server/reception.h"
#include "store/ps/server/replication/primary.h"
#include "store/ps/server/row_server.h"
#include "store/ps/stretch/gather.h"
#include "store/ps/stretch/key_cells.h"
#include "store/ps/stretch/replay.h"

#define MOST_AHEAD 16u /* how much higher a primary's pair number may be than its standby's */

/* The server drops what it held as the primary, or as the standby of another pair. */
void tri__standby_become(tri__server *server, uint32_t pair)
{
    tri__replication *replication = &server->replication;
    tri__replication_stop(server);
    tri__replication_hang_up(replication);
    replication->state = TRI_REPLICATION_STANDBY;
    replication->pair = pair;
    server->holds = TRI_HOLDS_NOTHING;
    tri__server_forget(server);
    tri__replication_forget_states(replication);
    tri__stretch_reset(server->stretch, 0);
    memset(server->welcomed, 0, sizeof server->welcomed);
    for (int task = 0; task < TRI_MOST_TASKS; task++)
        if (server->worker[task]) {
            tri__peer_replaced(server->worker[task]);
            server->worker[task] = NULL;
        }
}

/* The primary may hear of a new pair before its standby does. A primary of an earlier pair, or of a job before ps:0 was restarted, is
 * refused. */
static bool is_primary(const tri__server *server, const tri__peer *peer, const json_t *hello)
{
    const tri__replication *replication = &server->replication;
    uint32_t ahead = (uint32_t)tri__json_integer_of(hello, "pair", 0) - replication->pair;
    return peer->task == server->options.index && tri__replication_is_standby(server) && server->stretch && ahead <= MOST_AHEAD;
}

tri_status tri__standby_hello(tri__peer *peer, const json_t *body)
{
    tri__server *server = peer->server;
    tri__replication *replication = &server->replication;
    if (!is_primary(server, peer, body)) {
        tri__connection_close(peer->connection);
        return NULL;
    }
    tri__replication_hang_up(replication);
    replication->pair = (uint32_t)tri__json_integer_of(body, "pair", 0);
    TRI_TRY(tri__peer_equip(peer));
    peer->role = TRI_PEER_STREAM;
    replication->stream = peer;
    server->generation = (uint32_t)tri__json_integer_of(body, "generation", 0);
    memset(server->welcomed, 0, sizeof server->welcomed);
    for (int task = 0; task < TRI_MOST_TASKS; task++)
        tri__stretch_welcome(server->stretch, task);
    tri__message_send_json(peer->connection, TRI_MSG_WELCOME, json_object());
    return NULL;
}

static tri_status find_keys_body(const tri__peer *peer, const tri__message *message, void **body)
{
    const tri__server *server = peer->server;
    if (!tri__replication_is_standby(server) || peer != server->replication.stream || !tri__stretch_map(server->stretch))
        return tri_fail(TRI_BAD_DATA, "keys of a table that does not grow here");
    TRI_TRY(tri__key_cells_check(message));
    *body = peer->gradient;
    return NULL;
}

tri_status tri__standby_body(tri__peer *peer, const tri__message *message, void **body)
{
    tri__server *server = peer->server;
    size_t count = 0;
    bool ours =
        tri__replication_is_standby(server) && peer == server->replication.stream && tri__stretch_has(server->stretch, message->chunk);
    float *floats = NULL;
    if (message->type == TRI_MSG_KEYS)
        return find_keys_body(peer, message, body);
    if (ours && message->type == TRI_MSG_UPDATE_ROWS)
        return tri__rows_body(peer, message, body);
    if (ours && message->type == TRI_MSG_RESTORE && tri__stretch_table(server->stretch, message->chunk)) {
        TRI_TRY(tri__table_piece_check(&server->layout, message, (uint32_t)tri__stretch_slots(server->stretch)));
        *body = peer->gradient;
        return NULL;
    }
    if (ours && message->type == TRI_MSG_UPDATE) {
        tri__stretch_floats(server->stretch, message->chunk, 0, &count);
        floats = peer->gradient;
    } else if (ours && message->type == TRI_MSG_RESTORE && message->slot < TRI_STRETCH_SLOTS) {
        floats = tri__stretch_floats(server->stretch, message->chunk, (int)message->slot, &count);
    }
    if (!floats || message->size != count * sizeof *floats)
        return tri_fail(TRI_BAD_DATA, "a %s of %u bytes for chunk %u, which is none of ours", tri__message_name(message->type),
                        message->size, message->chunk);
    *body = floats;
    return NULL;
}

/* A chunk's floats were read into their place already. Rows of a table are written here; without a body they are zeros. */
static tri_status take_restore(tri__peer *peer, const tri__message *message)
{
    tri__server *server = peer->server;
    tri_table *table = tri__stretch_has(server->stretch, message->chunk) ? tri__stretch_table(server->stretch, message->chunk) : NULL;
    if (!table && !message->size)
        return tri_fail(TRI_BAD_DATA, "a restore without floats");
    if (table) {
        TRI_TRY(tri__table_piece_check(&server->layout, message, (uint32_t)tri__stretch_slots(server->stretch)));
        tri__table_write(table, message->position, 1, tri__layout_piece_rows(&server->layout, message->chunk, message->position),
                         (int)message->slot, message->size ? peer->gradient : NULL);
    }
    tri__stretch_stand(server->stretch, message->chunk, message->step);
    return NULL;
}

static tri_status take_keys(tri__peer *peer, const tri__message *message)
{
    tri__server *server = peer->server;
    if (message->size == 0)
        return tri_fail(TRI_BAD_DATA, "keys of nothing");
    TRI_TRY(tri__stretch_learn_keys(server->stretch, server->options.index, server->layout.servers, message->position,
                                    (const tri__key_cell *)peer->gradient, (int64_t)(message->size / sizeof(tri__key_cell))));
    tri__stretch_learn_counted_step(server->stretch, message->step - 1);
    return NULL;
}

static void have(tri__peer *peer)
{
    tri__message_send(peer->connection, &(tri__message){.type = TRI_MSG_HAVE, .step = ++peer->server->replication.had}, false);
}

static tri_status take_update(tri__peer *peer, const tri__message *message)
{
    tri__server *server = peer->server;
    const bool of_rows = message->type == TRI_MSG_UPDATE_ROWS;
    if (of_rows && message->size)
        TRI_TRY(tri__rows_read_push(peer, message));
    const tri__applied update = {
        .chunk = message->chunk,
        .task = (int)message->task - 1,
        .step = message->step,
        .serial = message->serial,
        .rate = message->rate,
        .scale = message->weight,
        .gradient = peer->gradient,
        .rows = of_rows ? tri__rows_part(peer) : NULL,
    };
    if (!tri__stretch_has(server->stretch, message->chunk) || message->task > TRI_MOST_TASKS || (message->weight > 0 && !message->size))
        return tri_fail(TRI_BAD_DATA, "an update of chunk %u, which makes no sense", message->chunk);
    TRI_TRY(tri__stretch_replay(server->stretch, &update));
    have(peer);
    return NULL;
}

int64_t tri__standby_state(const tri__server *server)
{
    return tri__json_integer_of(server->replication.states[0], "step", -1);
}

/* Keeps the states of the last two steps: in sync ps:0 may be one step further than other servers. */
static tri_status take_state(tri__peer *peer, const json_t *body)
{
    tri__replication *replication = &peer->server->replication;
    if (!body)
        return tri_fail(TRI_BAD_DATA, "a state that says nothing");
    bool again = tri__json_integer_of(body, "step", -1) == tri__standby_state(peer->server);
    json_decref(replication->states[!again]);
    if (!again)
        replication->states[1] = replication->states[0];
    replication->states[0] = json_deep_copy(body);
    have(peer);
    return NULL;
}

void tri__standby_send_state(tri__server *server, int64_t step)
{
    json_t *const *states = server->replication.states;
    bool sync = server->options.settings.mode == TRI_PS_SYNC;
    bool earlier = sync && states[1] && tri__standby_state(server) != step;
    if (states[earlier])
        tri__message_send_json(server->upstream->connection, TRI_MSG_STATE, json_incref(states[earlier]));
}

static tri_status take_known(tri__server *server, const tri__message *message)
{
    if (!tri__stretch_has(server->stretch, message->chunk) || message->task >= TRI_MOST_TASKS)
        return tri_fail(TRI_BAD_DATA, "what task %u pushed of chunk %u", message->task, message->chunk);
    TRI_TRY(tri__stretch_know(server->stretch, message->chunk, (int)message->task, message->serial));
    tri__stretch_learn_counted(server->stretch, (int)message->task, message->step - 1);
    return NULL;
}

static tri_status take_met(tri__server *server, const tri__message *message)
{
    if (message->chunk >= TRI_MOST_TASKS)
        return tri_fail(TRI_BAD_DATA, "a task number that is none");
    if (server->welcomed[message->chunk] != message->incarnation)
        tri__stretch_welcome(server->stretch, (int)message->chunk);
    server->welcomed[message->chunk] = message->incarnation;
    return NULL;
}

static tri_status take_order(tri__server *server, const json_t *body)
{
    int tasks[TRI_MOST_TASKS], count;
    int64_t step;
    TRI_TRY(tri__follower_read_tasks(body, &step, tasks, &count));
    return tri__stretch_learn_order(server->stretch, step, tasks, count);
}

/* ps:0 may have sent a later factor meanwhile. */
static tri_status take_clip(tri__server *server, const tri__message *message)
{
    tri__clip_factor clip;
    TRI_TRY(tri__follower_read_clip(message, &clip));
    if (clip.steps > tri__stretch_clip(server->stretch).steps)
        (void)tri__stretch_scale(server->stretch, clip); /* a standby gathers nothing */
    return NULL;
}

tri_status tri__standby_hear(tri__peer *peer, const tri__message *message, const json_t *body)
{
    tri__server *server = peer->server;
    switch (message->type) {
    case TRI_MSG_RESTORE:
        return take_restore(peer, message);
    case TRI_MSG_KEYS:
        return take_keys(peer, message);
    case TRI_MSG_UPDATE:
    case TRI_MSG_UPDATE_ROWS:
        return take_update(peer, message);
    case TRI_MSG_STATE:
        return take_state(peer, body);
    case TRI_MSG_KNOWN:
        return take_known(server, message);
    case TRI_MSG_MET:
        return take_met(server, message);
    case TRI_MSG_VIEW:
        return take_order(server, body);
    case TRI_MSG_LEFT:
        if (message->chunk >= TRI_MOST_TASKS)
            return tri_fail(TRI_BAD_DATA, "a task number that is none");
        tri__stretch_learn_left(server->stretch, (int)message->chunk, message->step);
        return NULL;
    case TRI_MSG_NORM:
        return take_clip(server, message);
    case TRI_MSG_FILLED:
        server->replication.state = TRI_REPLICATION_WHOLE;
        tri__message_send(peer->connection, message, false);
        return NULL;
    default:
        return tri_fail(TRI_BAD_DATA, "a %s from a primary", tri__message_name(message->type));
    }
}

/* From here on this server does not listen to the old primary, which therefore answers nobody. Workers that came early may be waiting. */
tri_status tri__standby_promote(tri__server *server, uint32_t pair)
{
    tri__replication *replication = &server->replication;
    char name[TRI_RANGE_SERVER_NAME];
    if (replication->state != TRI_REPLICATION_WHOLE)
        return tri_fail(TRI_BAD_DATA, "it is to be the primary, and is not filled");
    tri__replication_hang_up(replication);
    replication->state = TRI_REPLICATION_ALONE;
    replication->pair = pair;
    server->holds = TRI_HOLDS_ALL;
    tri__log_line(server->options.log, TRI_LOG_INFO, "%s leads",
                  tri__range_server_name(server->options.second != NULL, server->options.index, name));
    tri__server_admit(server);
    tri__server_settle(server);
    return NULL;
}
