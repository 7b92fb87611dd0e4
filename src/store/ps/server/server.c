/* server.c: connections, and what every server does with gradients.
 *
 * One thread does all: it reads a gradient, applies it and answers from the parameters themselves. A stranger may only say hello; what
 * it says is checked before it becomes anybody. */
#include "store/ps/server/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "store/ps/server/follower.h"
#include "store/ps/server/row_server.h"
#include "store/ps/server/server_inside.h"

#define TICK        INT64_C(50000000)   /* 50 ms */
#define HELD_MOST   (16u << 20)         /* bytes of gradients that may wait for their turn, of all workers */
#define UNSENT_MOST (1u << 20)          /* bytes of answers handed to a connection at a time */
#define FAREWELL    INT64_C(2000000000) /* in which who hears that the job is over hangs up, or comes back to hear it */
#define MOST_PEERS  (TRI_MOST_TASKS + TRI_MOST_SERVERS + 64)

tri__peer *tri__server_attach(tri__server *server)
{
    tri__peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    *peer = (tri__peer){.next = server->peers, .server = server, .task = -1, .heard = tri__clock_now()};
    server->peers = peer;
    return peer;
}

static void detach(tri__peer *peer)
{
    tri__peer **at = &peer->server->peers;
    while (*at != peer)
        at = &(*at)->next;
    *at = peer->next;
    json_decref(peer->hello);
    free(peer->gradient);
    free(peer->due);
    free(peer->text);
    tri__peer_rows_destroy(peer->rows);
    free(peer);
}

void tri__server_end(tri__server *server, tri_status why)
{
    if (server->done)
        tri_status_free(why);
    else
        server->failure = why;
    server->done = true;
    tri__loop_stop(server->loop);
}

/* It said hello, and is welcome, now or later. */
static bool is_known(const tri__peer *peer)
{
    return peer->role != TRI_PEER_STRANGER || peer->hello;
}

static void say_bye(tri__peer *peer)
{
    const char *reason = peer->server->farewell;
    tri__message_send_json(peer->connection, TRI_MSG_BYE, json_pack("{s:s*}", "reason", *reason ? reason : NULL));
}

void tri__server_say_bye(tri__server *server, const char *reason)
{
    snprintf(server->farewell, sizeof server->farewell, "%s", reason ? reason : "");
    for (tri__peer *peer = server->peers; peer; peer = peer->next)
        if (is_known(peer) && peer->role != TRI_PEER_COORDINATOR && peer->role != TRI_PEER_STREAM)
            say_bye(peer);
}

/* The job is over. A peer whose connection broke before it heard so connects again, and is told again. */
static void take_late_hello(tri__peer *peer)
{
    peer->server->unheard -= peer->server->unheard > 0;
    peer->role = TRI_PEER_EVALUATOR; /* as one that is known, of whom nothing more is expected */
    say_bye(peer);
}

void tri__peer_refuse(tri__peer *peer, tri_status why)
{
    const char *text = tri_status_message(why);
    const char *address = tri__connection_peer(peer->connection);
    if (peer->role == TRI_PEER_STRANGER)
        tri__log_limited(peer->server->log, &peer->server->strangers, tri__clock_now(), TRI_LOG_WARNING, "%s was turned away: %s", address,
                         text);
    else
        tri__log_line(peer->server->log, TRI_LOG_WARNING, "%s was turned away: %s", address, text);
    tri__message_send_json(peer->connection, TRI_MSG_REFUSED,
                           json_pack("{s:s, s:b}", "reason", text, "diverged", tri_status_code(why) == TRI_DIVERGED));
    tri_status_free(why);
    peer->state = TRI_PEER_CLOSING;
    if (tri__connection_unsent(peer->connection) == 0)
        tri__connection_close(peer->connection);
}

/* Another process has its place, and may have ended: the end of its connection may still be unread. */
bool tri__peer_in_doubt(const tri__peer *peer, const tri__peer *before)
{
    bool another = before && before->incarnation != peer->incarnation;
    return another && (before->state == TRI_PEER_AHEAD || tri__clock_now() - peer->greeted < 2 * peer->server->options.settings.heartbeat);
}

void tri__peer_replaced(tri__peer *before)
{
    before->role = TRI_PEER_STRANGER;
    before->state = TRI_PEER_CLOSING;
    tri__connection_close(before->connection);
}

static void send_chunk(tri__peer *peer, uint32_t chunk, bool more)
{
    tri__stretch *stretch = peer->server->stretch;
    size_t count;
    const float *floats = tri__stretch_floats(stretch, chunk, 0, &count);
    const tri__message message = {
        .type = TRI_MSG_CHUNK,
        .chunk = chunk,
        .view = peer->server->generation,
        .step = tri__stretch_step(stretch, chunk),
        .waited = tri__stretch_waited(stretch, chunk),
    };
    tri__message_send_floats(peer->connection, message, floats, count, more);
}

/* What the kernel does not take soon is kept back: an answer that the next step needs sooner may still come, and goes first. */
void tri__server_answer(tri__peer *peer, uint32_t chunk, bool more)
{
    uint32_t own = chunk - tri__stretch_first(peer->server->stretch);
    if (peer->due_count == 0 && tri__connection_unsent(peer->connection) < UNSENT_MOST) {
        send_chunk(peer, chunk, more);
        return;
    }
    peer->due_count += !peer->due[own];
    peer->due[own] = true;
}

static void send_due(tri__peer *peer)
{
    uint32_t first = peer->due_count ? tri__stretch_first(peer->server->stretch) : 0;
    for (uint32_t i = 0; peer->due_count && tri__connection_unsent(peer->connection) < UNSENT_MOST; i++)
        if (peer->due[i]) {
            peer->due[i] = false;
            peer->due_count--;
            send_chunk(peer, first + i, false);
        }
}

tri_status tri__peer_equip(tri__peer *peer)
{
    uint32_t chunks = tri__stretch_chunks(peer->server->stretch);
    if (peer->due)
        return NULL;
    if (!peer->gradient)
        TRI_TRY(tri__stretch_lend(peer->server->stretch, &peer->gradient));
    return tri__allocate(chunks, sizeof *peer->due, "the answers that a worker is due", &peer->due);
}

/* Parts that wait for their turn are bounded: who is too far ahead of the others is not read from until they have caught up. */
static void balance(tri__server *server)
{
    server->ahead = 0;
    for (tri__peer *peer = server->peers; peer; peer = peer->next) {
        if (peer->role != TRI_PEER_WORKER || (peer->state != TRI_PEER_TALKS && peer->state != TRI_PEER_AHEAD))
            continue;
        size_t held = tri__stretch_held(server->stretch, peer->task);
        size_t share = HELD_MOST / (size_t)(server->options.settings.workers > 0 ? server->options.settings.workers : 1);
        tri__peer_state state = held > share + TRI_CHUNK_BYTES ? TRI_PEER_AHEAD : TRI_PEER_TALKS;
        if (state != peer->state) {
            peer->state = state;
            tri__connection_pause(peer->connection, state == TRI_PEER_AHEAD);
            peer->heard = tri__clock_now(); /* who is not read from is not silent */
        }
        server->ahead += state == TRI_PEER_AHEAD;
    }
}

/* A worker that waits for an answer from before all went back asks again when it hears that they did. */
void tri__server_forget(tri__server *server)
{
    server->snapshot = -1;
    for (tri__peer *peer = server->peers; peer; peer = peer->next) {
        for (uint32_t i = 0; peer->due_count && i < tri__stretch_chunks(server->stretch); i++)
            peer->due[i] = false;
        peer->due_count = 0;
        tri__rows_forget_waiting(peer);
    }
}

/* Nothing is held any more, so nobody is too far ahead: all are read from again. */
void tri__server_go_back(tri__server *server, uint32_t generation, int64_t step)
{
    server->generation = generation;
    tri__server_forget(server);
    tri__replica_part(server);
    tri__stretch_reset(server->stretch, step);
    balance(server);
}

/* Sync: a chunk has its next step: everyone who pushed it gets it. */
void tri__server_answer_all(tri__server *server, uint32_t chunk)
{
    if (server->coordinator)
        tri__coordinator_step_ends(server);
    for (tri__peer *peer = server->peers; peer; peer = peer->next)
        if (peer->role == TRI_PEER_WORKER && tri__stretch_owes(server->stretch, chunk, peer->task))
            tri__replica_answer(peer, chunk);
    tri__rows_answer_waiting(server, chunk);
}

static void moved_on(tri__server *server, uint32_t chunk)
{
    tri__server_answer_all(server, chunk);
    if (server->coordinator)
        tri__coordinator_stepped(server);
    else
        tri__follower_stepped(server);
}

void tri__server_settle(tri__server *server)
{
    uint32_t chunk;
    if (tri__replica_is_twin(server))
        return; /* its leader tells which steps are whole */
    while (server->stretch && tri__stretch_settle(server->stretch, &chunk))
        moved_on(server, chunk);
    if (server->ahead)
        balance(server);
    if (server->stretch && !server->coordinator)
        tri__follower_stepped(server);
    if (server->stretch && server->coordinator) /* with clipping: the last part that was waited for may be one that does not come */
        tri__coordinator_clip(server->coordinator);
}

/* Sync: a part is in, and the step is not whole yet, or waits for the norm. */
static void gathered(tri__peer *peer, const tri__message *push)
{
    tri__server *server = peer->server;
    if (server->options.settings.backup && server->coordinator)
        tri__coordinator_pushed(peer, push);
    if (server->coordinator)
        tri__coordinator_clip(server->coordinator);
    else
        tri__follower_stepped(server);
}

/* With backup workers ps:0 may be ahead of another server, and with it who was late, and does its newest step. */
static bool is_early(const tri__peer *peer, const tri__message *push)
{
    const tri__server *server = peer->server;
    return server->options.settings.backup && !server->coordinator && push->view == server->generation &&
           push->step > tri__stretch_step(server->stretch, push->chunk);
}

/* A gradient that would spoil the model: its worker is out, as if it had left. ps:0 hears of another server's refusal from the worker. */
static tri_status refuse_gradient(tri__peer *peer, tri_status why)
{
    json_t *bye = json_pack("{s:s, s:b}", "reason", tri_status_message(why), "diverged", true);
    const tri__message message = {.type = TRI_MSG_BYE};
    tri__peer_refuse(peer, why);
    tri_status status = peer->server->coordinator ? tri__coordinator_message(peer, &message, bye) : NULL;
    json_decref(bye);
    return status;
}

/* The stretch holds what was pushed: the next gradient is read to other memory. */
static tri_status give_memory(tri__peer *peer, const tri__message *push)
{
    if (push->type == TRI_MSG_PUSH_ROWS) {
        tri__rows_part_taken(peer);
        return NULL;
    }
    peer->gradient = NULL;
    return tri__stretch_lend(peer->server->stretch, &peer->gradient);
}

static tri_status take_push(tri__peer *peer, const tri__message *message)
{
    tri__server *server = peer->server;
    if (server->holds != TRI_HOLDS_ALL || message->view != server->generation)
        return NULL; /* computed before all went back */
    if (is_early(peer, message)) {
        peer->state = TRI_PEER_EARLY;
        tri__connection_pause(peer->connection, true);
        return NULL;
    }
    bool sync = server->options.settings.mode == TRI_PS_SYNC;
    const tri__push push = {
        .chunk = message->chunk,
        .task = peer->task,
        .step = message->step,
        .serial = sync ? message->step : message->serial,
        .weight = (double)message->weight,
        .rate = message->rate,
        .gradient = peer->gradient,
        .rows = message->type == TRI_MSG_PUSH_ROWS ? tri__rows_part(peer) : NULL,
    };
    tri__push_outcome outcome;
    tri_status status = tri__stretch_push(server->stretch, &push, &outcome);
    if (tri_status_code(status) == TRI_DIVERGED)
        return refuse_gradient(peer, status);
    TRI_TRY(status);
    switch (outcome) {
    case TRI_PUSH_KNOWN:
        return NULL;
    case TRI_PUSH_TAKEN:
        gathered(peer, message);
        if (server->ahead)
            balance(server);
        return NULL;
    case TRI_PUSH_STALE:
        tri__replica_answer(peer, message->chunk);
        return NULL;
    case TRI_PUSH_HELD:
        TRI_TRY(give_memory(peer, message));
        gathered(peer, message);
        balance(server);
        return NULL;
    case TRI_PUSH_APPLIED:
        if (sync) {
            moved_on(server, message->chunk);
            if (server->options.settings.backup)
                tri__server_settle(server); /* those chosen for the next step may have left already */
            else if (server->ahead)
                balance(server);
        } else {
            if (server->options.settings.log_updates && message->chunk == tri__stretch_first(server->stretch))
                tri__log_line(server->log, TRI_LOG_DEBUG, "update by worker:%d, step %" PRId64, peer->task, message->step);
            bool done = server->coordinator && tri__coordinator_pushed(peer, message);
            tri__replica_answer(peer, message->chunk);
            tri__rows_answer_waiting(server, message->chunk);
            if (done)
                tri__coordinator_go_on(server->coordinator);
            if (server->snapshot >= 0)
                tri__follower_stepped(server);
        }
        return NULL;
    }
    return NULL;
}

static void take_early_from(tri__peer *peer)
{
    peer->state = TRI_PEER_TALKS;
    tri__connection_pause(peer->connection, false);
    tri_status status = take_push(peer, &peer->message);
    if (status) {
        tri__log_line(peer->server->log, TRI_LOG_INFO, "worker:%d: %s", peer->task, tri_status_message(status));
        tri__connection_close(peer->connection);
    }
    tri_status_free(status);
}

/* Those whose step has begun by now; each may let another one's begin. */
static void take_early(tri__server *server)
{
    bool taken = server->options.settings.backup > 0;
    while (taken) {
        taken = false;
        for (tri__peer *peer = server->peers; peer; peer = peer->next)
            if (peer->state == TRI_PEER_EARLY && !is_early(peer, &peer->message)) {
                take_early_from(peer);
                taken = true;
            }
    }
}

/* A worker, or an evaluator, that wants to be known here. On ps:0 the coordinator judges; elsewhere ps:0 has. */
static tri_status take_hello(tri__peer *peer, const json_t *body)
{
    tri__server *server = peer->server;
    const char *role = json_string_value(json_object_get(body, "role"));
    int64_t protocol = tri__json_integer_of(body, "protocol", 0), task = tri__json_integer_of(body, "task", -1);
    int64_t incarnation = tri__json_integer_of(body, "incarnation", 0);
    if (peer->role != TRI_PEER_STRANGER || peer->hello)
        return tri_fail(TRI_BAD_DATA, "a second hello");
    if (protocol != TRI_PROTOCOL)
        return tri_fail(TRI_BAD_CALL, "it speaks protocol %" PRId64 ", ps:%d speaks %d: all tasks need the same version of trireme",
                        protocol, server->options.index, TRI_PROTOCOL);
    bool worker = role && !strcmp(role, "worker");
    if (!role || task < 0 || task >= TRI_MOST_TASKS)
        return tri_fail(TRI_BAD_DATA, "a hello without a role, or with a task number beyond %d", TRI_MOST_TASKS - 1);
    peer->task = (int)task;
    peer->incarnation = (uint64_t)incarnation;
    peer->greeted = tri__clock_now();
    if (!server->coordinator && !strcmp(role, "leader"))
        return tri__replica_hello(peer, body);
    if (server->coordinator)
        return tri__coordinator_hello(peer, json_deep_copy(body));
    if (!worker)
        return tri_fail(TRI_BAD_CALL, "a %s has nothing to ask of ps:%d; ps:0 coordinates", role, server->options.index);
    peer->hello = json_deep_copy(body);
    tri__server_admit(server);
    return NULL;
}

/* On servers other than ps:0. An earlier connection of the task is gone or about to be. */
static tri_status admit_worker(tri__peer *peer)
{
    tri__server *server = peer->server;
    tri__peer *before = server->worker[peer->task];
    if (server->welcomed[peer->task] != peer->incarnation)
        tri__stretch_welcome(server->stretch, peer->task);
    server->welcomed[peer->task] = peer->incarnation;
    tri__replica_met(server, peer->task);
    if (before) {
        before->task = -1;
        tri__peer_replaced(before);
    }
    TRI_TRY(tri__peer_equip(peer));
    server->worker[peer->task] = peer;
    peer->role = TRI_PEER_WORKER;
    tri__message_send_json(peer->connection, TRI_MSG_WELCOME,
                           json_pack("{s:I, s:o, s:I}", "floats", (json_int_t)server->layout.floats, "tables",
                                     tri__tables_json(&server->layout.tables), "generation", (json_int_t)server->generation));
    return NULL;
}

void tri__server_admit(tri__server *server)
{
    if (server->holds != TRI_HOLDS_ALL)
        return;
    for (tri__peer *peer = server->peers; peer; peer = peer->next) {
        if (!peer->hello || server->coordinator)
            continue;
        json_decref(peer->hello);
        peer->hello = NULL;
        tri_status status = admit_worker(peer);
        if (status)
            tri__peer_refuse(peer, status);
    }
}

/* Where a body goes. */
static tri_status find_body(tri__peer *peer, const tri__message *message, void **body)
{
    tri__server *server = peer->server;
    bool streams = peer->role == TRI_PEER_STREAM && (message->type == TRI_MSG_RESTORE || message->type == TRI_MSG_UPDATE);
    if (streams)
        return tri__replica_place(peer, message, body);
    switch (message->type) {
    case TRI_MSG_PUSH: {
        size_t count = 0;
        bool known = peer->role == TRI_PEER_WORKER && server->stretch && tri__stretch_has(server->stretch, message->chunk);
        if (known)
            tri__stretch_floats(server->stretch, message->chunk, 0, &count);
        if (!known || count == 0 || message->size != count * sizeof(float))
            return tri_fail(TRI_BAD_DATA, "a gradient of %u bytes for chunk %u, which is none of ours", message->size, message->chunk);
        *body = peer->gradient;
        return NULL;
    }
    case TRI_MSG_PULL_ROWS:
    case TRI_MSG_PUSH_ROWS:
        return tri__rows_body(peer, message, body);
    case TRI_MSG_RESTORE:
    case TRI_MSG_COPY:
        return server->coordinator ? tri__snapshot_body(peer, message, body) : tri__follower_body(peer, message, body);
    case TRI_MSG_HELLO:
    case TRI_MSG_REPORT:
    case TRI_MSG_EVALUATED:
    case TRI_MSG_WELCOME:
    case TRI_MSG_VIEW:
    case TRI_MSG_CHOSEN:
    case TRI_MSG_BYE:
    case TRI_MSG_REFUSED:
    case TRI_MSG_TWIN:
        free(peer->text);
        peer->text = NULL;
        TRI_TRY(tri__allocate((size_t)message->size + 1, 1, "a message", &peer->text));
        *body = peer->text;
        return NULL;
    default:
        return tri_fail(TRI_BAD_DATA, "a %s with a body", tri__message_name(message->type));
    }
}

static tri_status on_begin(void *context, tri__connection *connection, const tri__frame *frame, void **body)
{
    tri__peer *peer = context;
    (void)connection;
    TRI_TRY(tri__message_decode(frame, &peer->message));
    if (peer->role == TRI_PEER_STRANGER && peer->message.type != TRI_MSG_HELLO)
        return tri_fail(TRI_BAD_DATA, "a %s before its hello", tri__message_name(peer->message.type));
    return find_body(peer, &peer->message, body);
}

static tri_status dispatch(tri__peer *peer, const tri__message *message, const json_t *body)
{
    tri__server *server = peer->server;
    if (message->type == TRI_MSG_BEAT)
        return NULL;
    if (message->type == TRI_MSG_HELLO)
        return take_hello(peer, body);
    if (peer->role == TRI_PEER_STREAM)
        return tri__replica_message(peer, message, body);
    if (message->type == TRI_MSG_PULL && peer->role == TRI_PEER_WORKER) {
        if (!tri__stretch_has(server->stretch, message->chunk) || tri__stretch_table(server->stretch, message->chunk))
            return tri_fail(TRI_BAD_DATA, "it asks for chunk %u, which is none of ours", message->chunk);
        if (server->holds == TRI_HOLDS_ALL) /* else all go back, and it will ask again when it is told */
            tri__server_answer(peer, message->chunk, false);
        return NULL;
    }
    if (message->type == TRI_MSG_BYE && peer->role == TRI_PEER_WORKER) {
        peer->state = TRI_PEER_LEAVING;
        return server->coordinator && json_object_get(body, "reason") ? tri__coordinator_message(peer, message, body) : NULL;
    }
    return server->coordinator ? tri__coordinator_message(peer, message, body) : tri__follower_message(peer, message, body);
}

static tri_status on_frame(void *context, tri__connection *connection, const tri__frame *frame, void *body)
{
    tri__peer *peer = context;
    (void)connection;
    if (frame->size == 0)
        TRI_TRY(tri__message_decode(frame, &peer->message));
    const tri__message message = peer->message;
    if (peer->server->done) {
        if (message.type == TRI_MSG_HELLO && !is_known(peer))
            take_late_hello(peer);
        return NULL;
    }
    if (is_known(peer) || message.type == TRI_MSG_HELLO) /* nothing else keeps a stranger its place */
        peer->heard = tri__clock_now();
    if (peer->state == TRI_PEER_CLOSING)
        return NULL;
    if (message.type == TRI_MSG_PULL_ROWS && frame->size)
        return peer->role == TRI_PEER_EVALUATOR ? tri__snapshot_pulled_rows(peer, &message) : tri__rows_pulled(peer, &message);
    if (message.type == TRI_MSG_PUSH_ROWS && frame->size)
        TRI_TRY(tri__rows_read_push(peer, &message));
    if ((message.type == TRI_MSG_PUSH || message.type == TRI_MSG_PUSH_ROWS) && frame->size) {
        TRI_TRY(take_push(peer, &message));
        take_early(peer->server);
        return NULL;
    }
    json_t *json = NULL;
    if (body && body == peer->text)
        TRI_TRY(tri__message_json(&message, body, &json));
    tri_status status = dispatch(peer, &message, json);
    json_decref(json);
    if (message.type == TRI_MSG_HELLO && is_known(peer))
        tri__connection_greeted(peer->connection);
    take_early(peer->server);
    if (status && message.type == TRI_MSG_HELLO) {
        tri__peer_refuse(peer, status);
        return NULL;
    }
    return status;
}

static void on_open(void *context, tri__connection *connection)
{
    tri__peer *peer = context;
    (void)connection;
    if (peer->role == TRI_PEER_COORDINATOR)
        tri__follower_greet(peer);
    if (peer->role == TRI_PEER_STREAM)
        tri__replica_greet(peer);
}

static void on_drained(void *context, tri__connection *connection)
{
    tri__peer *peer = context;
    if (peer->state == TRI_PEER_CLOSING)
        tri__connection_close(connection);
    else if (peer->role == TRI_PEER_STREAM)
        tri__replica_drained(peer->server);
    else
        send_due(peer);
}

/* Why a connection ended. That a stranger went, or who said so before, is worth a word only to those who look for it. */
static void tell_loss(const tri__peer *peer, tri_status why)
{
    static const char *const roles[] = {[TRI_PEER_WORKER] = "worker",
                                        [TRI_PEER_SERVER] = "ps",
                                        [TRI_PEER_EVALUATOR] = "evaluator",
                                        [TRI_PEER_TWIN] = "the twin of ps",
                                        [TRI_PEER_STREAM] = "the other server of the range of ps"};
    if (peer->role == TRI_PEER_STRANGER)
        tri__log_limited(peer->server->log, &peer->server->strangers, tri__clock_now(), TRI_LOG_DEBUG, "a stranger: %s",
                         tri_status_message(why));
    else
        tri__log_line(peer->server->log, peer->state == TRI_PEER_LEAVING || peer->role == TRI_PEER_STREAM ? TRI_LOG_DEBUG : TRI_LOG_INFO,
                      "%s:%d: %s", roles[peer->role], peer->task, tri_status_message(why));
}

static void on_closed(void *context, tri__connection *connection, tri_status why)
{
    tri__peer *peer = context;
    tri__server *server = peer->server;
    (void)connection;
    if (why && peer->role != TRI_PEER_COORDINATOR)
        tell_loss(peer, why);
    if (peer->role == TRI_PEER_WORKER && server->worker[peer->task] == peer)
        server->worker[peer->task] = NULL;
    tri__replica_forget(peer);
    if (peer == server->upstream)
        tri__follower_lost(server, why), why = NULL;
    else if (peer->role == TRI_PEER_STREAM)
        tri__replica_closed(peer);
    else if (server->coordinator && !server->done)
        tri__coordinator_gone(peer);
    else if (server->done && why && is_known(peer) && peer->state != TRI_PEER_LEAVING)
        server->unheard++;
    tri_status_free(why);
    detach(peer);
}

const tri__connection_handlers tri__server_handlers = {
    .open = on_open,
    .begin = on_begin,
    .frame = on_frame,
    .drained = on_drained,
    .closed = on_closed,
};

static void *on_accepted(void *context, tri__connection *connection)
{
    tri__peer *peer = tri__server_attach(context);
    if (peer)
        peer->connection = connection;
    return peer;
}

/* Tell every peer that this server lives. A peer to which other bytes are on their way sees it from those. */
static void beat(tri__server *server)
{
    int64_t now = tri__clock_now();
    if (now - server->beaten < server->options.settings.heartbeat)
        return;
    server->beaten = now;
    for (tri__peer *peer = server->peers; peer; peer = peer->next)
        if (is_known(peer) && tri__connection_unsent(peer->connection) == 0)
            tri__message_send(peer->connection, &(tri__message){.type = TRI_MSG_BEAT}, false);
}

/* A server that was stopped itself, or had no CPU, cannot tell which peers were silent meanwhile: it has yet to read what they said. */
static void excuse_silence(tri__server *server)
{
    int64_t now = tri__clock_now();
    bool slept = server->ticked && now - server->ticked > server->options.settings.heartbeat;
    for (tri__peer *peer = server->peers; slept && peer; peer = peer->next)
        peer->heard = now;
    server->ticked = now;
}

/* A place is for who says hello. */
static void close_strangers(tri__server *server)
{
    int64_t now = tri__clock_now();
    for (tri__peer *peer = server->peers; peer; peer = peer->next)
        if (!is_known(peer) && now - peer->heard > server->options.settings.timeout)
            tri__connection_close(peer->connection);
}

static void on_tick(void *context)
{
    tri__server *server = context;
    if (server->done)
        return;
    excuse_silence(server);
    close_strangers(server);
    beat(server);
    if (server->coordinator)
        tri__coordinator_tick(server);
    else
        tri__follower_tick(server);
    if (!server->done)
        tri__replica_tick(server);
}

static tri_status start(tri__server *server)
{
    const tri__server_options *options = &server->options;
    TRI_TRY(tri__loop_create(&server->loop));
    tri__loop_set_patience(server->loop, TRI_PS_PATIENCE);
    const tri__listener_options listening = {
        .connection = {.handlers = &tri__server_handlers, .context = server, .tls = options->tls, .timeout = 2 * options->settings.timeout},
        .accepted = on_accepted,
        .most = MOST_PEERS,
        .awaits_hello = true,
    };
    TRI_TRY(tri__listener_create(server->loop, options->listen_fd, &listening, &server->listener));
    TRI_TRY(tri__timer_create(server->loop, on_tick, server, &server->tick));
    tri__timer_start(server->tick, TICK, TICK);
    if (options->owner)
        return tri__coordinator_create(server, &server->coordinator);
    tri__follower_start(server);
    return NULL;
}

static bool all_have_heard(const tri__server *server)
{
    for (const tri__peer *peer = server->peers; peer; peer = peer->next)
        if (server->coordinator ? is_known(peer) : tri__connection_unsent(peer->connection) > 0)
            return false;
    return server->unheard == 0;
}

/* The last words are sent before the connections close. A peer that hears ps:0's hangs up; one whose connection breaks before that may
 * come back. */
static void close_all(tri__server *server)
{
    int64_t heartbeat = server->options.settings.heartbeat, now = tri__clock_now();
    int64_t deadline = now + (heartbeat > FAREWELL ? heartbeat : FAREWELL);
    while (!all_have_heard(server) && tri__clock_now() < deadline)
        tri__loop_turn(server->loop, deadline);
    tri__listener_destroy(server->listener);
    for (tri__peer *peer = server->peers; peer; peer = peer->next)
        tri__connection_close(peer->connection);
    while (server->peers)
        tri__loop_turn(server->loop, deadline + server->options.settings.timeout);
}

tri_status tri__server_run(const tri__server_options *options, tri__ps_status *status)
{
    tri__server *server;
    TRI_TRY(tri__allocate(1, sizeof *server, "a parameter server", &server));
    server->options = *options;
    server->log = options->log;
    server->snapshot = -1;
    tri_status failed = start(server);
    if (!failed) {
        tri__loop_run(server->loop);
        failed = server->failure;
    }
    server->done = true;
    if (status && server->coordinator)
        tri__coordinator_status(server, status);
    if (server->loop)
        close_all(server);
    tri__log_limit_tell(server->log, &server->strangers);
    tri__timer_destroy(server->tick);
    tri__coordinator_destroy(server->coordinator);
    tri__replica_fini(server);
    tri__stretch_destroy(server->stretch);
    for (int i = 0; i < 3; i++)
        tri__buffer_free(server->copy[i]);
    for (int i = 0; i < TRI_LAYOUT_TABLES; i++)
        tri__buffer_free(server->table_copy[i]);
    tri__loop_destroy(server->loop);
    free(server);
    return failed;
}
