/* reception.c: takes the messages of a server's connections. A stranger may only say hello; its hello is checked before it gets a role. */
#include "store/ps/server/reception.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/text/task.h"
#include "base/thread/clock.h"
#include "store/ps/server/follower.h"
#include "store/ps/server/peer.h"
#include "store/ps/server/pushes.h"
#include "store/ps/server/replication/primary.h"
#include "store/ps/server/replication/standby.h"
#include "store/ps/server/role.h"
#include "store/ps/server/row_server.h"

/* ---- hellos ---- */

/* Servers call themselves by what they do here (server, primary), and by their range, which need not be that of their process. */
static tri__task task_of(const tri__peer *peer, const char *role, const json_t *hello)
{
    const tri__server *server = peer->server;
    if (!strcmp(role, TRI_WORKER_ROLE))
        return (tri__task){TRI_ROLE_WORKER, peer->task};
    if (!strcmp(role, TRI_EVALUATOR_ROLE))
        return (tri__task){TRI_ROLE_EVALUATOR, peer->task};
    if (!strcmp(role, "primary"))
        return (tri__task){TRI_ROLE_SERVER, tri__replication_other_process(server)};
    return (tri__task){TRI_ROLE_SERVER, tri__ps_process(&server->options.settings, peer->task, json_object_get(hello, "second"))};
}

/* Bytes are counted by the task that sends or receives them. A joining worker has no number yet. */
static void name_peer(const tri__peer *peer, const char *role, const json_t *hello)
{
    char name[TRI_TASK_SIZE];
    if (strcmp(role, "join") != 0)
        tri__connection_name_peer(peer->connection, tri__task_name(task_of(peer, role, hello), name));
}

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
    if (!role || task < 0 || task >= TRI_MOST_TASKS)
        return tri_fail(TRI_BAD_DATA, "a hello without a role, or with a task number beyond %d", TRI_MOST_TASKS - 1);
    peer->task = (int)task;
    peer->incarnation = (uint64_t)incarnation;
    peer->greeted = tri__clock_now();
    TRI_TRY(server->role->hello(peer, body));
    name_peer(peer, role, body);
    return NULL;
}

/* On servers other than ps:0. An earlier connection of the task has ended or is about to end. */
static tri_status admit_worker(tri__peer *peer)
{
    tri__server *server = peer->server;
    tri__peer *before = server->worker[peer->task];
    if (server->welcomed[peer->task] != peer->incarnation)
        tri__stretch_welcome(server->stretch, peer->task);
    server->welcomed[peer->task] = peer->incarnation;
    tri__primary_met(server, peer->task);
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

/* The job is over. A peer whose connection broke before it heard that connects again, and is told again. */
static void take_late_hello(tri__peer *peer)
{
    peer->server->unheard -= peer->server->unheard > 0;
    peer->role = TRI_PEER_EVALUATOR; /* any known role from which nothing more is expected */
    tri__server_say_bye_to(peer);
}

/* ---- messages ---- */

/* The gradient is read into memory of the peer. */
static tri_status find_gradient_body(const tri__peer *peer, const tri__message *message, void **body)
{
    const tri__server *server = peer->server;
    size_t count = 0;
    bool known = peer->role == TRI_PEER_WORKER && server->stretch && tri__stretch_has(server->stretch, message->chunk);
    if (known)
        tri__stretch_floats(server->stretch, message->chunk, 0, &count);
    if (!known || count == 0 || message->size != count * sizeof(float))
        return tri_fail(TRI_BAD_DATA, "a gradient of %u bytes for chunk %u, which is none of ours", message->size, message->chunk);
    *body = peer->gradient;
    return NULL;
}

/* The memory to read a body into. */
static tri_status find_body(tri__peer *peer, const tri__message *message, void **body)
{
    tri__server *server = peer->server;
    bool filling = message->type == TRI_MSG_RESTORE || message->type == TRI_MSG_KEYS;
    bool updating = message->type == TRI_MSG_UPDATE || message->type == TRI_MSG_UPDATE_ROWS;
    if (peer->role == TRI_PEER_STREAM && (filling || updating))
        return tri__standby_body(peer, message, body);
    switch (message->type) {
    case TRI_MSG_PUSH:
        return find_gradient_body(peer, message, body);
    case TRI_MSG_PULL_ROWS:
    case TRI_MSG_PUSH_ROWS:
        return tri__rows_body(peer, message, body);
    case TRI_MSG_RESTORE:
    case TRI_MSG_COPY:
    case TRI_MSG_KEYS:
        return server->role->body(peer, message, body);
    case TRI_MSG_NAMED:
        return tri__copy_named_body(peer, message, body);
    case TRI_MSG_HELLO:
    case TRI_MSG_REPORT:
    case TRI_MSG_EVALUATED:
    case TRI_MSG_WELCOME:
    case TRI_MSG_VIEW:
    case TRI_MSG_CHOSEN:
    case TRI_MSG_BYE:
    case TRI_MSG_REFUSED:
    case TRI_MSG_PAIR:
    case TRI_MSG_STATE:
    case TRI_MSG_PUSHED:
        free(peer->text);
        peer->text = NULL;
        TRI_TRY(tri__allocate((size_t)message->size + 1, 1, "a message", &peer->text));
        *body = peer->text;
        return NULL;
    default:
        return tri_fail(TRI_BAD_DATA, "a %s with a body", tri__message_name(message->type));
    }
}

static tri_status decode(tri__peer *peer, const tri__frame *frame)
{
    TRI_TRY(tri__message_decode(frame, &peer->message));
    return tri__message_check_job(peer->message.type, &peer->server->options.settings);
}

static tri_status on_begin(void *context, tri__connection *connection, const tri__frame *frame, void **body)
{
    tri__peer *peer = context;
    (void)connection;
    TRI_TRY(decode(peer, frame));
    if (peer->role == TRI_PEER_STRANGER && peer->message.type != TRI_MSG_HELLO)
        return tri_fail(TRI_BAD_DATA, "a %s before its hello", tri__message_name(peer->message.type));
    return find_body(peer, &peer->message, body);
}

/* A worker asks for a chunk's parameters. */
static tri_status take_pull(tri__peer *peer, const tri__message *message)
{
    const tri__server *server = peer->server;
    if (!tri__stretch_has(server->stretch, message->chunk) || tri__stretch_table(server->stretch, message->chunk))
        return tri_fail(TRI_BAD_DATA, "it asks for chunk %u, which is none of ours", message->chunk);
    if (server->holds == TRI_HOLDS_ALL) /* otherwise all go back, and the worker asks again when it is told */
        tri__peer_answer(peer, message->chunk, false);
    return NULL;
}

static tri_status dispatch(tri__peer *peer, const tri__message *message, const json_t *body)
{
    tri__server *server = peer->server;
    if (message->type == TRI_MSG_BEAT)
        return NULL;
    if (message->type == TRI_MSG_HELLO)
        return take_hello(peer, body);
    if (peer->role == TRI_PEER_STREAM)
        return tri__replication_message(peer, message, body);
    if (message->type == TRI_MSG_PULL && peer->role == TRI_PEER_WORKER)
        return take_pull(peer, message);
    if (message->type == TRI_MSG_BYE && peer->role == TRI_PEER_WORKER) {
        peer->state = TRI_TALK_LEAVING;
        return server->coordinator && json_object_get(body, "reason") ? server->role->message(peer, message, body) : NULL;
    }
    return server->role->message(peer, message, body);
}

/* Takes messages whose body is rows or a gradient. *taken: this was one. */
static tri_status take_floats(tri__peer *peer, const tri__message *message, bool *taken)
{
    *taken = true;
    switch (message->type) {
    case TRI_MSG_PULL_ROWS:
        return peer->role == TRI_PEER_EVALUATOR ? peer->server->role->evaluator_rows(peer, message) : tri__rows_pulled(peer, message);
    case TRI_MSG_PUSH_ROWS:
        TRI_TRY(tri__rows_read_push(peer, message));
        return tri__server_take_push(peer, message);
    case TRI_MSG_PUSH:
        return tri__server_take_push(peer, message);
    case TRI_MSG_NAMED:
        return tri__copy_named(peer->server, message);
    default:
        *taken = false;
        return NULL;
    }
}

static tri_status on_frame(void *context, tri__connection *connection, const tri__frame *frame, void *body)
{
    tri__peer *peer = context;
    (void)connection;
    if (frame->size == 0)
        TRI_TRY(decode(peer, frame));
    const tri__message message = peer->message;
    if (peer->server->done) {
        if (message.type == TRI_MSG_HELLO && !tri__peer_is_known(peer))
            take_late_hello(peer);
        return NULL;
    }
    if (tri__peer_is_known(peer) || message.type == TRI_MSG_HELLO) /* a stranger's other messages do not keep its place */
        peer->heard = tri__clock_now();
    if (peer->state == TRI_TALK_CLOSING)
        return NULL;
    bool taken = false;
    if (frame->size)
        TRI_TRY(take_floats(peer, &message, &taken));
    if (taken)
        return NULL;
    json_t *json = NULL;
    if (body && body == peer->text)
        TRI_TRY(tri__message_json(&message, body, &json));
    tri_status status = dispatch(peer, &message, json);
    json_decref(json);
    if (message.type == TRI_MSG_HELLO && tri__peer_is_known(peer))
        tri__connection_greeted(peer->connection);
    tri__server_take_early(peer->server);
    if (status && message.type == TRI_MSG_HELLO) {
        tri__peer_refuse(peer, status);
        return NULL;
    }
    return status;
}

/* ---- connections ---- */

static void on_open(void *context, tri__connection *connection)
{
    tri__peer *peer = context;
    (void)connection;
    if (peer->role == TRI_PEER_COORDINATOR)
        tri__follower_greet(peer);
    if (peer->role == TRI_PEER_STREAM)
        tri__primary_greet(peer);
}

static void on_drained(void *context, tri__connection *connection)
{
    tri__peer *peer = context;
    if (peer->state == TRI_TALK_CLOSING)
        tri__connection_close(connection);
    else if (peer->role == TRI_PEER_STREAM)
        tri__primary_drained(peer->server);
    else if (peer == peer->server->upstream)
        tri__copy_go_on(peer->server);
    else
        tri__peer_send_due(peer);
}

/* Logs why a connection ended; at debug level for a stranger, a stream between two servers, and a peer that had said bye. */
static void tell_loss(const tri__peer *peer, tri_status why)
{
    static const char *const roles[] = {[TRI_PEER_WORKER] = "worker",
                                        [TRI_PEER_SERVER] = "ps",
                                        [TRI_PEER_EVALUATOR] = "evaluator",
                                        [TRI_PEER_STANDBY] = "the standby of the range of ps",
                                        [TRI_PEER_STREAM] = "the other server of the range of ps"};
    if (peer->role == TRI_PEER_STRANGER)
        tri__log_limited(peer->server->options.log, &peer->server->strangers, tri__clock_now(), TRI_LOG_DEBUG, "a stranger: %s",
                         tri_status_message(why));
    else
        tri__log_line(peer->server->options.log,
                      peer->state == TRI_TALK_LEAVING || peer->role == TRI_PEER_STREAM ? TRI_LOG_DEBUG : TRI_LOG_INFO, "%s:%d: %s",
                      roles[peer->role], peer->task, tri_status_message(why));
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
    tri__primary_forget(peer);
    if (peer == server->upstream)
        tri__follower_lost(server, why), why = NULL;
    else if (peer->role == TRI_PEER_STREAM)
        tri__replication_closed(peer);
    else if (!server->done)
        server->role->gone(peer);
    else if (why && tri__peer_is_known(peer) && peer->state != TRI_TALK_LEAVING)
        server->unheard++;
    tri_status_free(why);
    tri__peer_detach(peer);
}

const tri__connection_handlers tri__server_handlers = {
    .open = on_open,
    .begin = on_begin,
    .frame = on_frame,
    .drained = on_drained,
    .closed = on_closed,
};
