/* primary.c: the primary's end of the stream: answers that wait for the standby, updates that are sent to it, and its filling. */
#include "store/ps/server/primary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "store/ps/server/peer.h"
#include "store/ps/server/reception.h"
#include "store/ps/stretch/gather.h"
#include "store/ps/stretch/replay.h"

#define RETRY       INT64_C(50000000) /* between two attempts to reach the standby */
#define UNSENT_MOST (1u << 20)        /* bytes of the filling handed to the stream at a time, so that updates are not far behind */

/* The standby takes updates. */
static bool is_open(const tri__replication *replication)
{
    return replication->state >= TRI_REPLICATION_FILLING && replication->state <= TRI_REPLICATION_PAIRED;
}

/* ---- answers ---- */

/* Do answers wait until the standby has the update? */
static bool waits(const tri__replication *replication)
{
    return replication->state == TRI_REPLICATION_JOINING || replication->state == TRI_REPLICATION_PAIRED ||
           replication->state == TRI_REPLICATION_ASKING;
}

/* Send the answers whose updates the standby has; all: also those whose updates it lacks. */
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

static void send_update(void *context, const tri__applied *update)
{
    tri__server *server = context;
    tri__replication *replication = &server->replication;
    if (!is_open(replication) || update->chunk - tri__stretch_first(server->stretch) >= replication->filled)
        return; /* a chunk that is not sent yet goes with this update in it */
    size_t count;
    tri__stretch_floats(server->stretch, update->chunk, 0, &count);
    const tri__message message = {
        .type = TRI_MSG_UPDATE,
        .chunk = update->chunk,
        .task = (uint32_t)(update->task + 1),
        .step = update->step,
        .serial = update->serial,
        .rate = update->rate,
        .weight = update->scale,
    };
    replication->sent++;
    if (update->scale > 0)
        tri__message_copy_floats(replication->stream->connection, message, update->gradient, count);
    else
        tri__message_send(replication->stream->connection, &message, false);
}

void tri__primary_watch(tri__server *server)
{
    if (tri__ps_is_replicated(&server->options.settings, server->options.index))
        tri__stretch_on_applied(server->stretch, send_update, server);
}

void tri__primary_met(tri__server *server, int task)
{
    const tri__replication *replication = &server->replication;
    const tri__message message = {.type = TRI_MSG_MET, .chunk = (uint32_t)task, .incarnation = server->welcomed[task]};
    if (is_open(replication))
        tri__message_send(replication->stream->connection, &message, true);
}

/* ---- filling ---- */

/* The standby did not hear what ps:0 said before it came: which workers are known, which have left, and who makes up which steps. */
static void send_news(tri__server *server)
{
    tri__connection *connection = server->replication.stream->connection;
    for (int task = 0; task < TRI_MOST_TASKS; task++) {
        int64_t left = tri__stretch_left(server->stretch, task);
        if (server->welcomed[task])
            tri__primary_met(server, task);
        if (left >= 0)
            tri__message_send(connection, &(tri__message){.type = TRI_MSG_LEFT, .chunk = (uint32_t)task, .step = left}, true);
    }
    int64_t step;
    const int *tasks;
    int count;
    for (int i = 0; tri__stretch_order(server->stretch, i, &step, &tasks, &count); i++) {
        json_t *list = json_array();
        for (int j = 0; j < count; j++)
            json_array_append_new(list, json_integer(tasks[j]));
        tri__message_send_json(connection, TRI_MSG_VIEW, json_pack("{s:I, s:o}", "step", (json_int_t)step, "tasks", list));
    }
    tri__clip_factor clip = tri__stretch_clip(server->stretch);
    if (clip.steps > 0)
        tri__message_send(connection, &(tri__message){.type = TRI_MSG_NORM, .step = clip.steps - 1, .norm = clip.factor}, true);
}

static void send_whole_chunk(tri__server *server, uint32_t chunk)
{
    tri__connection *connection = server->replication.stream->connection;
    bool sync = server->options.settings.mode == TRI_PS_SYNC; /* there a chunk's step tells which pushes are in it */
    for (int task = 0; !sync && task < TRI_MOST_TASKS; task++) {
        int64_t serial = tri__stretch_known(server->stretch, chunk, task);
        if (serial >= 0)
            tri__message_send(connection, &(tri__message){.type = TRI_MSG_KNOWN, .chunk = chunk, .task = (uint32_t)task, .serial = serial},
                              true);
    }
    size_t count;
    const float *floats;
    for (uint32_t slot = 0; slot < TRI_STRETCH_SLOTS && (floats = tri__stretch_floats(server->stretch, chunk, (int)slot, &count)); slot++)
        tri__message_copy_floats(connection,
                                 (tri__message){.type = TRI_MSG_RESTORE,
                                                .chunk = chunk,
                                                .generation = server->generation,
                                                .step = tri__stretch_step(server->stretch, chunk),
                                                .slot = slot},
                                 floats, count);
}

/* Send as many chunks as the stream takes. Answers wait for the standby from the moment when the last chunk is sent; updates that were
 * answered before are on the stream before FILLED. */
static void fill(tri__server *server)
{
    tri__replication *replication = &server->replication;
    if (replication->state != TRI_REPLICATION_FILLING || !replication->stream)
        return;
    uint32_t first = tri__stretch_first(server->stretch), chunks = tri__stretch_chunks(server->stretch);
    while (replication->filled < chunks && tri__connection_unsent(replication->stream->connection) < UNSENT_MOST)
        send_whole_chunk(server, first + replication->filled++);
    if (replication->filled < chunks)
        return;
    tri__message_send(replication->stream->connection, &(tri__message){.type = TRI_MSG_FILLED, .pair = replication->pair}, false);
    replication->state = TRI_REPLICATION_JOINING;
}

void tri__primary_drained(tri__server *server)
{
    fill(server);
}

static void reach_standby(tri__server *server, int64_t now)
{
    tri__replication *replication = &server->replication;
    tri__peer *peer = tri__peer_attach(server);
    if (!peer)
        return; /* tried again */
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
    }
    tri_status_free(status);
}

/* The network between the two may be cut though both live and speak with ps:0. Nobody is told of that but by the silence. */
static void hang_up_on_silence(tri__server *server, int64_t now)
{
    const tri__peer *stream = tri__replication_is_standby(server) ? NULL : server->replication.stream;
    int64_t longest = 2 * server->options.settings.heartbeat;
    if (!stream || now - stream->heard <= longest)
        return;
    if (server->replication.state > TRI_REPLICATION_FILLING) /* then it is tried again and again */
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
    fill(server);
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
    if (server->upstream)
        tri__message_send(server->upstream->connection, &(tri__message){.type = TRI_MSG_LONE, .pair = replication->pair}, false);
}

tri_status tri__primary_hear(tri__server *server, const tri__message *message)
{
    tri__replication *replication = &server->replication;
    switch (message->type) {
    case TRI_MSG_WELCOME:
        if (replication->state != TRI_REPLICATION_REACHING)
            return tri_fail(TRI_BAD_DATA, "a second welcome");
        replication->state = TRI_REPLICATION_FILLING;
        send_news(server);
        fill(server);
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
        if (server->upstream)
            tri__message_send(server->upstream->connection, &(tri__message){.type = TRI_MSG_FILLED, .pair = replication->pair}, false);
        return NULL;
    default:
        return tri_fail(TRI_BAD_DATA, "a %s from a standby", tri__message_name(message->type));
    }
}
