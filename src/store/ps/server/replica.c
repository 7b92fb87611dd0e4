/* replica.c: both ends of the stream between a leader and its twin. */
#include "store/ps/server/replica.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/ps/server/follower.h"
#include "store/ps/server/server_inside.h"

#define RETRY       INT64_C(50000000) /* between two attempts to reach the twin */
#define MOST_AHEAD  16u               /* pairs that a leader may know of before its twin does */
#define UNSENT_MOST (1u << 20)        /* bytes of the filling handed to the stream at a time, so that updates are not far behind */

bool tri__replica_is_twin(const tri__server *server)
{
    return server->replica.state == TRI_REPLICA_TWIN;
}

void tri__replica_fini(tri__server *server)
{
    free(server->replica.owed);
}

/* ---- answers ---- */

/* Do answers wait for the twin? */
static bool waits(const tri__replica *replica)
{
    return replica->state == TRI_REPLICA_JOINING || replica->state == TRI_REPLICA_PAIRED || replica->state == TRI_REPLICA_ASKING;
}

/* Answer what the twin has; all: whether or not it has. */
static void answer_owed(tri__replica *replica, bool all)
{
    while (replica->count > 0 && (all || replica->owed[replica->first].after <= replica->had)) {
        tri__owed_answer owed = replica->owed[replica->first++];
        if (--replica->count == 0)
            replica->first = 0;
        if (owed.peer)
            tri__server_answer(owed.peer, owed.chunk, false);
    }
}

static bool make_room(tri__replica *replica)
{
    if (replica->first + replica->count < replica->capacity)
        return true;
    if (replica->first > replica->capacity / 2) {
        memmove(replica->owed, replica->owed + replica->first, replica->count * sizeof *replica->owed);
        replica->first = 0;
        return true;
    }
    size_t capacity = replica->capacity ? 2 * replica->capacity : 64;
    tri__owed_answer *owed = realloc(replica->owed, capacity * sizeof *owed);
    if (!owed)
        return false;
    replica->owed = owed;
    replica->capacity = capacity;
    return true;
}

void tri__replica_answer(tri__peer *peer, uint32_t chunk)
{
    tri__replica *replica = &peer->server->replica;
    bool asks = replica->state == TRI_REPLICA_ASKING;
    if (!waits(replica) || (!asks && replica->had == replica->sent && replica->count == 0)) {
        tri__server_answer(peer, chunk, false);
        return;
    }
    if (!make_room(replica)) {
        tri__server_end(peer->server, tri_fail(TRI_NO_MEMORY, "no memory for answers that wait for a server's twin"));
        return;
    }
    int64_t after = asks ? INT64_MAX : replica->sent;
    replica->owed[replica->first + replica->count++] = (tri__owed_answer){after, peer, chunk};
}

void tri__replica_forget(const tri__peer *peer)
{
    tri__replica *replica = &peer->server->replica;
    for (size_t i = 0; i < replica->count; i++)
        if (replica->owed[replica->first + i].peer == peer)
            replica->owed[replica->first + i].peer = NULL;
}

/* ---- the leader ---- */

static void hang_up(tri__replica *replica)
{
    if (replica->stream)
        tri__peer_replaced(replica->stream);
    replica->stream = NULL;
    replica->open = false;
    replica->filled = 0;
    replica->sent = replica->had = 0;
}

static void lead_alone(tri__server *server)
{
    hang_up(&server->replica);
    server->replica.state = TRI_REPLICA_ALONE;
    answer_owed(&server->replica, true);
}

void tri__replica_part(tri__server *server)
{
    tri__replica *replica = &server->replica;
    replica->first = replica->count = 0;
    if (replica->state != TRI_REPLICA_TWIN)
        lead_alone(server);
}

static void send_update(void *context, const tri__applied *update)
{
    tri__server *server = context;
    tri__replica *replica = &server->replica;
    if (!replica->open || replica->state == TRI_REPLICA_TWIN || update->chunk - tri__stretch_first(server->stretch) >= replica->filled)
        return; /* or it goes with the chunk */
    size_t count;
    tri__stretch_floats(server->stretch, update->chunk, 0, &count);
    const tri__message message = {
        .type = TRI_MSG_UPDATE,
        .chunk = update->chunk,
        .view = (uint32_t)(update->task + 1),
        .step = update->step,
        .serial = update->serial,
        .rate = update->rate,
        .weight = update->scale,
    };
    replica->sent++;
    if (update->scale > 0)
        tri__message_copy_floats(replica->stream->connection, message, update->gradient, count);
    else
        tri__message_send(replica->stream->connection, &message, false);
}

void tri__replica_watch(tri__server *server)
{
    if (tri__ps_is_replicated(&server->options.settings, server->options.index))
        tri__stretch_watch(server->stretch, send_update, server);
}

void tri__replica_met(tri__server *server, int task)
{
    const tri__replica *replica = &server->replica;
    const tri__message message = {.type = TRI_MSG_MET, .chunk = (uint32_t)task, .incarnation = server->welcomed[task]};
    if (replica->open && replica->state != TRI_REPLICA_TWIN)
        tri__message_send(replica->stream->connection, &message, true);
}

/* Who is known, and who makes up which steps: what ps:0 said before there was this twin. */
static void send_books(tri__server *server)
{
    tri__connection *connection = server->replica.stream->connection;
    for (int task = 0; task < TRI_MOST_TASKS; task++) {
        int64_t left = tri__stretch_left(server->stretch, task);
        if (server->welcomed[task])
            tri__replica_met(server, task);
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
}

static void send_whole_chunk(tri__server *server, uint32_t chunk)
{
    tri__connection *connection = server->replica.stream->connection;
    bool sync = server->options.settings.mode == TRI_PS_SYNC; /* then steps tell what is in the chunk, and parts of the next one are not */
    for (int task = 0; !sync && task < TRI_MOST_TASKS; task++) {
        int64_t serial = tri__stretch_known(server->stretch, chunk, task);
        if (serial >= 0)
            tri__message_send(connection, &(tri__message){.type = TRI_MSG_KNOWN, .chunk = chunk, .view = (uint32_t)task, .serial = serial},
                              true);
    }
    size_t count;
    const float *floats;
    for (uint32_t slot = 0; slot < 3 && (floats = tri__stretch_floats(server->stretch, chunk, (int)slot, &count)); slot++)
        tri__message_copy_floats(connection,
                                 (tri__message){.type = TRI_MSG_RESTORE,
                                                .chunk = chunk,
                                                .view = server->generation,
                                                .step = tri__stretch_step(server->stretch, chunk),
                                                .slot = slot},
                                 floats, count);
}

/* As much as the stream takes. What was answered until all is sent is on its way before the last word; what comes later waits. */
static void fill(tri__server *server)
{
    tri__replica *replica = &server->replica;
    if (replica->state != TRI_REPLICA_FILLING || !replica->open || !replica->stream)
        return;
    uint32_t first = tri__stretch_first(server->stretch), chunks = tri__stretch_chunks(server->stretch);
    while (replica->filled < chunks && tri__connection_unsent(replica->stream->connection) < UNSENT_MOST)
        send_whole_chunk(server, first + replica->filled++);
    if (replica->filled < chunks)
        return;
    tri__message_send(replica->stream->connection, &(tri__message){.type = TRI_MSG_FILLED, .view = replica->pair}, false);
    replica->state = TRI_REPLICA_JOINING;
}

void tri__replica_drained(tri__server *server)
{
    fill(server);
}

static void reach_twin(tri__server *server, int64_t now)
{
    tri__replica *replica = &server->replica;
    tri__peer *peer = tri__server_attach(server);
    if (!peer)
        return; /* tried again */
    const tri__connection_options options = {
        .handlers = &tri__server_handlers, .context = peer, .tls = server->options.tls, .timeout = 2 * server->options.settings.timeout};
    replica->attempt = now + RETRY;
    peer->role = TRI_PEER_STREAM;
    peer->task = server->options.index;
    tri_status status = tri__connection_open(server->loop, &replica->twin, &options, &peer->connection);
    if (status) {
        server->peers = peer->next;
        free(peer);
    } else {
        replica->stream = peer;
    }
    tri_status_free(status);
}

void tri__replica_tick(tri__server *server)
{
    tri__replica *replica = &server->replica;
    int64_t now = tri__clock_now();
    if (replica->state == TRI_REPLICA_FILLING && !replica->stream && now >= replica->attempt && server->holds == TRI_HOLDS_ALL)
        reach_twin(server, now);
    fill(server);
}

void tri__replica_greet(tri__peer *peer)
{
    const tri__server *server = peer->server;
    tri__message_send_json(peer->connection, TRI_MSG_HELLO,
                           json_pack("{s:i, s:s, s:i, s:I, s:I, s:I}", "protocol", TRI_PROTOCOL, "role", "leader", "task",
                                     server->options.index, "incarnation", (json_int_t)server->incarnation, "pair",
                                     (json_int_t)server->replica.pair, "generation", (json_int_t)server->generation));
}

void tri__replica_closed(tri__peer *peer)
{
    tri__server *server = peer->server;
    tri__replica *replica = &server->replica;
    if (replica->stream != peer)
        return;
    replica->stream = NULL; /* it closes already */
    if (replica->state == TRI_REPLICA_TWIN)
        return; /* what it has it keeps: it may have to lead */
    hang_up(replica);
    if (replica->state == TRI_REPLICA_JOINING) {
        replica->state = TRI_REPLICA_FILLING;
        answer_owed(replica, true); /* ps:0 was not told of the pair, so the twin cannot lead */
    }
    if (replica->state != TRI_REPLICA_PAIRED)
        return;
    for (size_t i = 0; i < replica->count; i++)
        replica->owed[replica->first + i].after = INT64_MAX;
    replica->state = TRI_REPLICA_ASKING;
    if (server->upstream)
        tri__message_send(server->upstream->connection, &(tri__message){.type = TRI_MSG_LONE, .view = replica->pair}, false);
}

static tri_status hear_twin(tri__server *server, const tri__message *message)
{
    tri__replica *replica = &server->replica;
    switch (message->type) {
    case TRI_MSG_WELCOME:
        if (replica->open)
            return tri_fail(TRI_BAD_DATA, "a second welcome");
        replica->open = true;
        send_books(server);
        fill(server);
        return NULL;
    case TRI_MSG_HAVE:
        if (message->step < replica->had || message->step > replica->sent)
            return tri_fail(TRI_BAD_DATA, "it has %" PRId64 " updates of %" PRId64, message->step, replica->sent);
        replica->had = message->step;
        answer_owed(replica, false);
        return NULL;
    case TRI_MSG_FILLED:
        if (replica->state != TRI_REPLICA_JOINING)
            return tri_fail(TRI_BAD_DATA, "it is filled before it can be");
        replica->state = TRI_REPLICA_PAIRED;
        if (server->upstream)
            tri__message_send(server->upstream->connection, &(tri__message){.type = TRI_MSG_FILLED, .view = replica->pair}, false);
        return NULL;
    default:
        return tri_fail(TRI_BAD_DATA, "a %s from a twin", tri__message_name(message->type));
    }
}

/* ---- the twin ---- */

/* What it led, or followed, until now is another's. */
static void become_twin(tri__server *server, uint32_t pair)
{
    tri__replica *replica = &server->replica;
    tri__replica_part(server);
    hang_up(replica);
    replica->state = TRI_REPLICA_TWIN;
    replica->pair = pair;
    server->holds = TRI_HOLDS_NOTHING;
    tri__server_forget(server);
    tri__stretch_reset(server->stretch, 0);
    memset(server->welcomed, 0, sizeof server->welcomed);
    for (int task = 0; task < TRI_MOST_TASKS; task++)
        if (server->worker[task]) {
            tri__peer_replaced(server->worker[task]);
            server->worker[task] = NULL;
        }
}

void tri__replica_welcomed(tri__server *server, bool leads, uint32_t pair)
{
    tri__replica *replica = &server->replica;
    if (!leads) {
        become_twin(server, pair);
        return;
    }
    replica->pair = pair;
    lead_alone(server);
}

/* Its leader may have heard of a new pair before we do. One of an earlier pair, or of an earlier ps:0, is none of ours. */
static bool is_leader(const tri__server *server, const tri__peer *peer, const json_t *hello)
{
    const tri__replica *replica = &server->replica;
    uint32_t ahead = (uint32_t)tri__json_integer_of(hello, "pair", 0) - replica->pair;
    return peer->task == server->options.index && replica->state == TRI_REPLICA_TWIN && server->stretch && ahead <= MOST_AHEAD;
}

tri_status tri__replica_hello(tri__peer *peer, const json_t *body)
{
    tri__server *server = peer->server;
    tri__replica *replica = &server->replica;
    if (!is_leader(server, peer, body)) {
        tri__connection_close(peer->connection);
        return NULL;
    }
    hang_up(replica);
    replica->pair = (uint32_t)tri__json_integer_of(body, "pair", 0);
    TRI_TRY(tri__peer_equip(peer));
    peer->role = TRI_PEER_STREAM;
    replica->stream = peer;
    server->generation = (uint32_t)tri__json_integer_of(body, "generation", 0);
    memset(server->welcomed, 0, sizeof server->welcomed);
    for (int task = 0; task < TRI_MOST_TASKS; task++)
        tri__stretch_welcome(server->stretch, task);
    tri__message_send_json(peer->connection, TRI_MSG_WELCOME, json_object());
    return NULL;
}

tri_status tri__replica_place(tri__peer *peer, const tri__message *message, void **body)
{
    tri__server *server = peer->server;
    size_t count = 0;
    bool ours = tri__replica_is_twin(server) && peer == server->replica.stream && tri__stretch_has(server->stretch, message->chunk);
    float *floats = NULL;
    if (ours && message->type == TRI_MSG_UPDATE) {
        tri__stretch_floats(server->stretch, message->chunk, 0, &count);
        floats = peer->gradient;
    } else if (ours && message->type == TRI_MSG_RESTORE && message->slot < 3) {
        floats = tri__stretch_floats(server->stretch, message->chunk, (int)message->slot, &count);
    }
    if (!floats || message->size != count * sizeof *floats)
        return tri_fail(TRI_BAD_DATA, "a %s of %u bytes for chunk %u, which is none of ours", tri__message_name(message->type),
                        message->size, message->chunk);
    *body = floats;
    return NULL;
}

static tri_status take_update(tri__peer *peer, const tri__message *message)
{
    tri__server *server = peer->server;
    const tri__applied update = {
        .chunk = message->chunk,
        .task = (int)message->view - 1,
        .step = message->step,
        .serial = message->serial,
        .rate = message->rate,
        .scale = message->weight,
        .gradient = peer->gradient,
    };
    if (!tri__stretch_has(server->stretch, message->chunk) || message->view > TRI_MOST_TASKS || (message->weight > 0 && !message->size))
        return tri_fail(TRI_BAD_DATA, "an update of chunk %u, which makes no sense", message->chunk);
    TRI_TRY(tri__stretch_replay(server->stretch, &update));
    tri__message_send(peer->connection, &(tri__message){.type = TRI_MSG_HAVE, .step = ++server->replica.had}, false);
    return NULL;
}

static tri_status take_known(tri__server *server, const tri__message *message)
{
    if (!tri__stretch_has(server->stretch, message->chunk) || message->view >= TRI_MOST_TASKS)
        return tri_fail(TRI_BAD_DATA, "what task %u pushed of chunk %u", message->view, message->chunk);
    return tri__stretch_know(server->stretch, message->chunk, (int)message->view, message->serial);
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

static tri_status hear_leader(tri__peer *peer, const tri__message *message, const json_t *body)
{
    tri__server *server = peer->server;
    switch (message->type) {
    case TRI_MSG_RESTORE:
        if (!message->size)
            return tri_fail(TRI_BAD_DATA, "a restore without floats");
        tri__stretch_stand(server->stretch, message->chunk, message->step);
        return NULL;
    case TRI_MSG_UPDATE:
        return take_update(peer, message);
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
    case TRI_MSG_FILLED:
        server->replica.open = true;
        tri__message_send(peer->connection, message, false);
        return NULL;
    default:
        return tri_fail(TRI_BAD_DATA, "a %s from a leader", tri__message_name(message->type));
    }
}

tri_status tri__replica_message(tri__peer *peer, const tri__message *message, const json_t *body)
{
    if (peer->server->replica.stream != peer)
        return NULL; /* it is being closed */
    return tri__replica_is_twin(peer->server) ? hear_leader(peer, message, body) : hear_twin(peer->server, message);
}

/* From here on the old leader is not heard, and so answers nobody. Workers that came before may have been waiting. */
static tri_status lead(tri__server *server, uint32_t pair)
{
    tri__replica *replica = &server->replica;
    if (replica->state != TRI_REPLICA_TWIN || !replica->open)
        return tri_fail(TRI_BAD_DATA, "it is to lead, and is no whole twin");
    hang_up(replica);
    replica->state = TRI_REPLICA_ALONE;
    replica->pair = pair;
    server->holds = TRI_HOLDS_ALL;
    tri__log_line(server->log, TRI_LOG_INFO, "the twin of ps:%d leads", server->options.index);
    tri__server_admit(server);
    tri__server_settle(server);
    return NULL;
}

/* ---- what ps:0 says ---- */

static tri_status take_pair(tri__server *server, const json_t *body)
{
    tri__replica *replica = &server->replica;
    const char *host = json_string_value(json_object_get(body, "host"));
    int64_t port = tri__json_integer_of(body, "port", 0);
    uint32_t pair = (uint32_t)tri__json_integer_of(body, "pair", 0);
    if (tri__replica_is_twin(server)) {
        if (replica->pair != pair) /* else its leader was here before */
            hang_up(replica);
        replica->pair = pair;
        return NULL;
    }
    if (!host || strlen(host) >= sizeof replica->host || port < 1 || port > UINT16_MAX)
        return tri_fail(TRI_BAD_DATA, "a twin without an address");
    lead_alone(server);
    snprintf(replica->host, sizeof replica->host, "%s", host);
    replica->twin = (tri__address){.host = replica->host, .port = (uint16_t)port};
    replica->pair = pair;
    replica->attempt = 0;
    replica->state = TRI_REPLICA_FILLING;
    tri__replica_tick(server);
    return NULL;
}

tri_status tri__replica_told(tri__server *server, const tri__message *message, const json_t *body)
{
    tri__replica *replica = &server->replica;
    if (message->type == TRI_MSG_TWIN)
        return take_pair(server, body);
    if (message->type == TRI_MSG_PROMOTE)
        return lead(server, message->view);
    if (replica->state != TRI_REPLICA_TWIN && message->view == replica->pair)
        lead_alone(server);
    return NULL;
}
