/* primary.c: the primary's end of the stream: answers that wait for the standby, and updates that go to it. filling.c fills the standby. */
#include "store/ps/server/replication/primary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/text/task.h"
#include "base/thread/clock.h"
#include "store/ps/protocol/keyed.h"
#include "store/ps/server/peer.h"
#include "store/ps/server/reception.h"
#include "store/ps/server/replication/filling.h"
#include "store/ps/server/role.h"

#define RETRY INT64_C(50000000) /* between two attempts to reach the standby */

/* ---- answers ---- */

/* Do answers wait until the standby has the update? */
static bool waits(const tri__replication *replication)
{
    return replication->state == TRI_REPLICATION_JOINING || replication->state == TRI_REPLICATION_PAIRED ||
           replication->state == TRI_REPLICATION_ASKING;
}

/* Sends the answers whose updates the standby has; all: also those whose updates it lacks. */
static void answer_owed(tri__replication *replication, bool all)
{
    while (replication->count > 0 && (all || replication->owed[replication->first].after <= replication->had)) {
        tri__owed_answer owed = replication->owed[replication->first++];
        if (--replication->count == 0)
            replication->first = 0;
        if (owed.peer)
            tri__peer_answer(owed.peer, owed.chunk, false);
    }
}

static tri_status make_room(tri__replication *replication)
{
    const int64_t used = replication->first + replication->count;
    if (used == replication->room && replication->first > replication->room / 2) {
        memmove(replication->owed, replication->owed + replication->first, (size_t)replication->count * sizeof *replication->owed);
        replication->first = 0;
        return NULL;
    }
    return tri__grow(&replication->owed, &replication->room, used + 1, sizeof *replication->owed,
                     "answers that wait for a server's standby");
}

void tri__primary_answer(tri__peer *peer, uint32_t chunk)
{
    tri__replication *replication = &peer->server->replication;
    bool asks = replication->state == TRI_REPLICATION_ASKING;
    if (!waits(replication) || (!asks && replication->had == replication->sent && replication->count == 0)) {
        tri__peer_answer(peer, chunk, false);
        return;
    }
    tri_status status = make_room(replication);
    if (status) {
        tri__server_end(peer->server, status);
        return;
    }
    int64_t after = asks ? INT64_MAX : replication->sent;
    replication->owed[replication->first + replication->count++] = (tri__owed_answer){after, peer, chunk};
}

void tri__primary_forget(const tri__peer *peer)
{
    tri__replication *replication = &peer->server->replication;
    for (int64_t i = 0; i < replication->count; i++)
        if (replication->owed[replication->first + i].peer == peer)
            replication->owed[replication->first + i].peer = NULL;
}

/* ---- alone ---- */

void tri__primary_lead_alone(tri__server *server)
{
    tri__replication_hang_up(&server->replication);
    server->replication.state = TRI_REPLICATION_ALONE;
    answer_owed(&server->replication, true);
}

/* ---- updates ---- */

/* Where tables grow, an update names keys; the standby, like every server, is sent the numbers that the keys have there (layout.h). */
static tri_status write_grown(tri__server *server, const tri__applied *update, int64_t width, size_t *size)
{
    tri__replication *replication = &server->replication;
    const tri__row_part *part = update->rows;
    TRI_TRY(tri__row_list_reserve(&replication->rows, part->count + 1));
    for (int64_t i = 0; i < part->count; i++)
        replication->rows.rows[i] = part->rows[i] / server->layout.servers;
    *size = tri__keyed_write_seen(replication->rows.rows, part->count, part->values, width, replication->body);
    return NULL;
}

static tri_status send_rows(tri__server *server, tri__message message, const tri__applied *update)
{
    tri__replication *replication = &server->replication;
    const bool grows = tri__layout_grows(&server->layout);
    const int64_t count = tri__filling_count_rows(server, update), width = tri__stretch_table(server->stretch, update->chunk)->width;
    const int64_t most = tri__keyed_most_bytes(count, width) + (grows ? count * TRI_KEYED_ROW_MOST : 0);
    if (most > TRI_KEYED_DENSE_MOST)
        return tri_fail(TRI_UNSUPPORTED,
                        "--replicas 2: a step changes %" PRId64 " rows of a table, more than a message holds: use more "
                        "--servers, or a smaller --batch",
                        count);
    TRI_TRY(tri__reserve(&replication->body, &replication->body_room, most, 1, "an update of rows"));
    size_t size = 0;
    if (grows)
        TRI_TRY(write_grown(server, update, width, &size));
    else
        size = tri__keyed_write(update->rows->rows, count, update->rows->values, width, replication->body);
    message.size = (uint32_t)size;
    const tri__frame frame = tri__message_encode(&message);
    tri__connection_send_copy(replication->stream->connection, &frame, replication->body, false);
    return NULL;
}

static void send_update(void *context, const tri__applied *update)
{
    tri__server *server = context;
    tri__replication *replication = &server->replication;
    if (!tri__replication_is_open(replication) || !tri__filling_has(server, update->chunk))
        return; /* this chunk is sent later, with this update already in it */
    size_t count;
    tri__stretch_floats(server->stretch, update->chunk, 0, &count);
    const tri__message message = {
        .type = update->rows ? TRI_MSG_UPDATE_ROWS : TRI_MSG_UPDATE,
        .chunk = update->chunk,
        .task = (uint32_t)(update->task + 1),
        .step = update->step,
        .serial = update->serial,
        .rate = update->rate,
        .weight = update->scale,
    };
    tri_status status = NULL;
    replication->sent++;
    if (update->scale > 0 && update->rows)
        status = send_rows(server, message, update);
    else if (update->scale > 0)
        tri__message_copy_floats(replication->stream->connection, message, update->gradient, count);
    else
        tri__message_send(replication->stream->connection, &message, false);
    if (status)
        tri__server_end(server, status);
}

void tri__primary_watch(tri__server *server)
{
    if (tri__ps_is_replicated(&server->options.settings, server->options.index))
        tri__stretch_on_applied(server->stretch, send_update, server);
}

void tri__primary_state(tri__server *server, json_t *state)
{
    server->replication.sent++;
    tri__message_send_json(server->replication.stream->connection, TRI_MSG_STATE, state);
}

void tri__primary_met(tri__server *server, int task)
{
    const tri__replication *replication = &server->replication;
    const tri__message message = {.type = TRI_MSG_MET, .chunk = (uint32_t)task, .incarnation = server->welcomed[task]};
    if (tri__replication_is_open(replication))
        tri__message_send(replication->stream->connection, &message, true);
}

/* ---- the standby ---- */

void tri__primary_drained(tri__server *server)
{
    tri__filling_go_on(server);
}

static void reach_standby(tri__server *server, int64_t now)
{
    tri__replication *replication = &server->replication;
    tri__peer *peer = tri__peer_attach(server);
    if (!peer)
        return; /* the next tick tries again */
    const tri__connection_options options = {
        .handlers = &tri__server_handlers, .context = peer, .tls = server->options.tls, .timeout = 2 * server->options.settings.timeout};
    replication->attempt = now + RETRY;
    peer->role = TRI_PEER_STREAM;
    peer->task = server->options.index;
    tri_status status = tri__connection_open(server->loop, &replication->standby, &options, &peer->connection);
    if (status) {
        server->peers = peer->next;
        free(peer);
    } else {
        replication->stream = peer;
        const tri__task process = {TRI_ROLE_SERVER, tri__replication_other_process(server)};
        char name[TRI_TASK_SIZE];
        tri__connection_name_peer(peer->connection, tri__task_name(process, name));
    }
    tri_status_free(status);
}

/* The network between the two servers may be cut though both live and speak with ps:0. Only the silence shows it. */
static void hang_up_on_silence(tri__server *server, int64_t now)
{
    const tri__peer *stream = tri__replication_is_standby(server) ? NULL : server->replication.stream;
    int64_t longest = 2 * server->options.settings.heartbeat;
    if (!stream || now - stream->heard <= longest)
        return;
    if (server->replication.state > TRI_REPLICATION_FILLING) /* earlier, it tries again and again, without a log line */
        tri__log_line(server->options.log, TRI_LOG_WARNING, "the other server of the range of ps:%d is silent for %.1f s",
                      server->options.index, tri__clock_seconds(now - stream->heard));
    tri__primary_stream_closed(server);
}

void tri__primary_tick(tri__server *server)
{
    tri__replication *replication = &server->replication;
    int64_t now = tri__clock_now();
    hang_up_on_silence(server, now);
    if (replication->state == TRI_REPLICATION_REACHING && !replication->stream && now >= replication->attempt &&
        server->holds == TRI_HOLDS_ALL)
        reach_standby(server, now);
    tri__filling_go_on(server);
}

void tri__primary_greet(tri__peer *peer)
{
    const tri__server *server = peer->server;
    tri__message_send_json(peer->connection, TRI_MSG_HELLO,
                           json_pack("{s:i, s:s, s:i, s:I, s:I, s:I}", "protocol", TRI_PROTOCOL, "role", "primary", "task",
                                     server->options.index, "incarnation", (json_int_t)server->incarnation, "pair",
                                     (json_int_t)server->replication.pair, "generation", (json_int_t)server->generation));
}

/* ---- the stream ---- */

/* The stream has broken. */
void tri__primary_stream_closed(tri__server *server)
{
    tri__replication *replication = &server->replication;
    tri__replication_hang_up(replication);
    if (replication->state == TRI_REPLICATION_JOINING) {
        replication->state = TRI_REPLICATION_REACHING;
        answer_owed(replication, true); /* ps:0 has not heard that the standby is filled, so it will not make it the primary */
    }
    if (replication->state != TRI_REPLICATION_PAIRED)
        return;
    for (int64_t i = 0; i < replication->count; i++)
        replication->owed[replication->first + i].after = INT64_MAX;
    replication->state = TRI_REPLICATION_ASKING;
    server->role->paired(server, TRI_MSG_LONE);
}

tri_status tri__primary_hear(tri__server *server, const tri__message *message)
{
    tri__replication *replication = &server->replication;
    switch (message->type) {
    case TRI_MSG_WELCOME:
        if (replication->state != TRI_REPLICATION_REACHING)
            return tri_fail(TRI_BAD_DATA, "a second welcome");
        replication->state = TRI_REPLICATION_FILLING;
        tri__filling_begin(server);
        return NULL;
    case TRI_MSG_HAVE:
        if (message->step < replication->had || message->step > replication->sent)
            return tri_fail(TRI_BAD_DATA, "it has %" PRId64 " updates of %" PRId64, message->step, replication->sent);
        replication->had = message->step;
        answer_owed(replication, false);
        return NULL;
    case TRI_MSG_FILLED:
        if (replication->state != TRI_REPLICATION_JOINING)
            return tri_fail(TRI_BAD_DATA, "it is filled before it can be");
        replication->state = TRI_REPLICATION_PAIRED;
        server->role->paired(server, TRI_MSG_FILLED);
        return NULL;
    default:
        return tri_fail(TRI_BAD_DATA, "a %s from a standby", tri__message_name(message->type));
    }
}
