/* links.c: a worker's connections: what it says to servers, what they say to it, and what happens when one breaks.
 *
 * A connection that breaks is tried again until the deadline; then what was not answered is said again, and the server knows what it has
 * taken already.
 *
 * Chunks leave in the order in which their gradients became ready. That order is the same for all workers, and so it should be: in sync a
 * server can answer a chunk only when all have sent it. Those alone overtake that the next step reads first, so that it can begin while
 * the rest still travels; and to let them, chunks are handed to a connection a few at a time. */
#include "store/ps/worker/links.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "store/ps/worker/row_messages.h"

#define TICK INT64_C(50000000)

enum {
    EARLY = (16 << 20) / TRI_CHUNK_BYTES, /* chunks at the beginning of a model, which overtake */
};
#define NO_CHUNK UINT32_MAX

static void fail(tri__worker *worker, tri_status why)
{
    if (worker->failure)
        tri_status_free(why);
    else
        worker->failure = why;
}

/* ---- sending ---- */

tri__message tri__links_push_head(const tri__worker *worker, uint32_t number)
{
    const tri__worker_chunk *chunk = &worker->chunk[number];
    return (tri__message){
        .type = chunk->shard ? TRI_MSG_PUSH_ROWS : TRI_MSG_PUSH,
        .chunk = number,
        .generation = worker->generation,
        .step = chunk->step,
        .serial = chunk->serial,
        .rate = chunk->rate,
        .weight = (float)chunk->weight,
    };
}

/* A push and its answer, in a trace; the server numbers them likewise. */
static uint64_t message_of(const tri__worker *worker, tri__trace_span kind, uint32_t number)
{
    const tri__worker_chunk *chunk = &worker->chunk[number];
    return tri__trace_message(kind, worker->options.task, number,
                              worker->options.settings.mode == TRI_PS_SYNC ? chunk->step : chunk->serial);
}

static void send_gradient(tri__worker *worker, uint32_t number)
{
    tri__worker_chunk *chunk = &worker->chunk[number];
    if (chunk->shard) {
        tri__row_messages_push(worker, number);
        return;
    }
    chunk->stage = TRI_CHUNK_PUSHED;
    tri__message_send_floats(worker->link[chunk->server].contact.connection, tri__links_push_head(worker, number),
                             worker->store.gradient + chunk->range.first, chunk->range.count, false);
}

static void push(tri__worker *worker, uint32_t number)
{
    const int64_t begin = tri__trace_begin(worker->network);
    send_gradient(worker, number);
    if (worker->network)
        tri__trace_end_message(worker->network, TRI_SPAN_PUSH, begin, worker->chunk[number].step, TRI_FLOW_SENDS,
                               message_of(worker, TRI_SPAN_PUSH, number));
}

static void clear_line(tri__link *link)
{
    link->first = NO_CHUNK;
    link->last = &link->first;
}

/* At the end; an early one before all that come later in the model. */
static void line_up(tri__worker *worker, uint32_t number)
{
    tri__worker_chunk *chunk = &worker->chunk[number];
    tri__link *link = &worker->link[chunk->server];
    uint32_t *at = link->last;
    if (number < EARLY)
        for (at = &link->first; *at < number;)
            at = &worker->chunk[*at].next;
    chunk->next = *at;
    *at = number;
    if (chunk->next == NO_CHUNK)
        link->last = &chunk->next;
}

/* With bounded staleness a step counts when ps:0 has it, and lets others go on: so ps:0 is the last to get it, when all other servers have
 * answered, and no server ever sees anybody further ahead than the bound. */
static bool is_kept_back(const tri__worker *worker, const tri__link *link)
{
    if (worker->options.settings.mode != TRI_PS_STALENESS || link->index > 0 || link->first == NO_CHUNK)
        return false;
    int64_t serial = worker->chunk[link->first].serial;
    for (uint32_t i = tri__layout_first(&worker->layout, 1); i < worker->chunks; i++)
        if (worker->chunk[i].serial != serial || worker->chunk[i].stage != TRI_CHUNK_HERE)
            return true;
    return false;
}

/* Hand over those in line, as long as the connection takes them. Rows are asked for also where pushes are kept back: other servers' pushes
 * may depend on them. */
static void push_ready(tri__worker *worker, int server)
{
    tri__link *link = &worker->link[server];
    bool may = link->contact.welcome && !is_kept_back(worker, link);
    while (may && link->first != NO_CHUNK && tri__connection_unsent(link->contact.connection) < TRI_UNSENT_MOST) {
        uint32_t number = link->first;
        link->first = worker->chunk[number].next;
        if (link->first == NO_CHUNK)
            link->last = &link->first;
        push(worker, number);
    }
    tri__row_messages_ask(worker, server);
}

static void pull_all(tri__worker *worker, int server)
{
    tri__link *link = &worker->link[server];
    uint32_t first = tri__layout_first(&worker->layout, server), end = tri__layout_first(&worker->layout, server + 1);
    clear_line(link);
    for (uint32_t i = first; i < end; i++) {
        if (worker->chunk[i].shard) { /* each batch pulls its own */
            worker->waiting -= worker->chunk[i].stage != TRI_CHUNK_HERE;
            worker->chunk[i].stage = TRI_CHUNK_HERE;
            continue;
        }
        worker->waiting += worker->chunk[i].stage == TRI_CHUNK_HERE;
        worker->chunk[i].stage = TRI_CHUNK_PULLED;
        if (link->contact.welcome)
            tri__message_send(link->contact.connection, &(tri__message){.type = TRI_MSG_PULL, .chunk = i}, i + 1 < end);
    }
    tri__row_messages_ask_again(worker, server);
}

/* After a connection was made again: what was not answered is said again. The server knows what it has taken. */
static void repeat(tri__worker *worker, int server)
{
    tri__link *link = &worker->link[server];
    uint32_t first = tri__layout_first(&worker->layout, server), end = tri__layout_first(&worker->layout, server + 1);
    clear_line(link);
    tri__row_messages_renew(worker, server);
    for (uint32_t i = first; i < end; i++) {
        if (worker->chunk[i].stage == TRI_CHUNK_PUSHED)
            worker->chunk[i].stage = TRI_CHUNK_READY;
        if (worker->chunk[i].stage == TRI_CHUNK_READY)
            line_up(worker, i);
        if (worker->chunk[i].stage == TRI_CHUNK_PULLED)
            tri__message_send(link->contact.connection, &(tri__message){.type = TRI_MSG_PULL, .chunk = i}, false);
    }
    push_ready(worker, server);
}

/* To a ps:0 that is away it is not said: it asks for all anew when it is back. */
static void say_ready(tri__worker *worker)
{
    worker->readiness = TRI_READINESS_SAID;
    if (worker->link[0].contact.welcome)
        tri__message_send(worker->link[0].contact.connection,
                          &(tri__message){.type = TRI_MSG_READY, .generation = worker->generation, .ahead = (uint32_t)worker->ahead},
                          false);
}

/* ---- what servers say ---- */

/* All chunks are here. */
static void end_pulling(tri__worker *worker)
{
    if (worker->readiness == TRI_READINESS_PULLING_ANEW)
        say_ready(worker);
    else
        worker->readiness = TRI_READINESS_PULLED;
}

/* All go back: what is under way means nothing any more. */
static void go_back(tri__worker *worker, uint32_t generation)
{
    worker->generation = generation;
    worker->readiness = worker->readiness < TRI_READINESS_TO_SAY ? TRI_READINESS_PULLING : TRI_READINESS_PULLING_ANEW;
    worker->at_work = TRI_TOKEN_VOID;
    worker->tokens = 0;
    worker->last_step = -1;
    for (int i = 0; i < worker->options.settings.servers; i++)
        pull_all(worker, i);
    if (worker->waiting == 0) /* a model may have tables alone */
        end_pulling(worker);
}

/* The server's range is led by another process from now on: what was not answered is said again there. */
static tri_status move(tri__worker *worker, const json_t *primary)
{
    int64_t server = tri__json_integer_of(primary, "server", -1), port = tri__json_integer_of(primary, "port", 0);
    const char *host = json_string_value(json_object_get(primary, "host"));
    if (server < 1 || server >= worker->options.settings.servers || !host || strlen(host) >= sizeof worker->link->host || port < 1 ||
        port > UINT16_MAX)
        return tri_fail(TRI_BAD_DATA, "a server that has moved to nowhere");
    tri__link *link = &worker->link[server];
    if (!strcmp(link->contact.address->host, host) && link->contact.address->port == port)
        return NULL;
    snprintf(link->host, sizeof link->host, "%s", host);
    link->moved = (tri__address){.host = link->host, .port = (uint16_t)port};
    link->contact.address = &link->moved;
    if (link->contact.connection)
        tri__connection_close(link->contact.connection);
    return NULL;
}

static tri_status take_primaries(tri__worker *worker, const json_t *primaries)
{
    size_t index;
    const json_t *primary;
    json_array_foreach(primaries, index, primary) TRI_TRY(move(worker, primary));
    return NULL;
}

static tri_status take_welcome(tri__link *link, const json_t *body)
{
    tri__worker *worker = link->worker;
    const json_t *floats = json_object_get(body, "floats"), *generation = json_object_get(body, "generation");
    tri__table_shapes tables;
    TRI_TRY(tri__tables_read(json_object_get(body, "tables"), &tables));
    if ((size_t)json_integer_value(floats) != worker->layout.floats)
        return tri_fail(TRI_BAD_CALL, "ps:%d keeps %lld parameters, this worker's model has %zu", link->index,
                        (long long)json_integer_value(floats), worker->layout.floats);
    if (!tri__layout_fits(&worker->layout, worker->layout.floats, &tables))
        return tri_fail(TRI_BAD_CALL, "ps:%d keeps %d tables, this worker's model has %d, or tables of other sizes", link->index,
                        tables.count, worker->layout.tables.count);
    tri__contact_welcomed(&link->contact);
    if (link->index > 0) {
        repeat(worker, link->index);
        return NULL;
    }
    TRI_TRY(take_primaries(worker, json_object_get(body, "primaries")));
    uint32_t now = (uint32_t)json_integer_value(generation);
    if (worker->generation == now && json_is_true(json_object_get(body, "member")))
        repeat(worker, 0);
    else { /* the first time, or the job has gone back, or gone on without us */
        tri__row_messages_renew(worker, 0);
        go_back(worker, now);
        worker->done = json_integer_value(json_object_get(body, "done"));
        worker->answered = 0;
    }
    return NULL;
}

/* The token was taken before, and ps:0 has not answered for all of its step: it does not know that, where a connection broke. */
static bool is_taken(const tri__worker *worker, int64_t step)
{
    bool taken = step == worker->last_step;
    for (uint32_t i = 0; !taken && i < tri__layout_first(&worker->layout, 1); i++) {
        const tri__worker_chunk *chunk = &worker->chunk[i];
        taken = chunk->step == step && (chunk->stage == TRI_CHUNK_READY || chunk->stage == TRI_CHUNK_PUSHED);
    }
    return taken;
}

static tri_status take_token(tri__worker *worker, const tri__message *message)
{
    if (message->position < 0 || message->position > TRI_FURTHEST || message->workers > TRI_MOST_MEMBERS ||
        message->index >= message->workers)
        return tri_fail(TRI_BAD_DATA, "a token for part %u of %u at position %" PRId64 ", which is none", message->index, message->workers,
                        message->position);
    const tri__token token = {
        .step = message->step, .position = message->position, .index = (int)message->index, .workers = (int)message->workers};
    if (message->generation != worker->generation || worker->tokens == TRI_WORKER_TOKENS)
        return NULL;
    for (int i = 0; i < worker->tokens; i++) /* told again after a connection broke */
        if (worker->token[(worker->first_token + i) % TRI_WORKER_TOKENS].step == token.step)
            return NULL;
    if (is_taken(worker, token.step))
        return NULL;
    if (worker->options.settings.mode == TRI_PS_SYNC) /* with backup workers the others may have gone on: only the last step counts */
        worker->tokens = 0;
    worker->token[(worker->first_token + worker->tokens++) % TRI_WORKER_TOKENS] = token;
    return NULL;
}

/* What was said twice is answered twice: is this the answer to what was said last? */
static bool answers(const tri__worker *worker, const tri__worker_chunk *chunk, const tri__message *message)
{
    if (message->generation != worker->generation)
        return false; /* it left before all went back; the right one is on its way */
    if (chunk->stage == TRI_CHUNK_PUSHED && worker->options.settings.mode == TRI_PS_SYNC)
        return message->step > chunk->step;
    return chunk->stage == TRI_CHUNK_PUSHED || chunk->stage == TRI_CHUNK_PULLED;
}

/* What was not awaited when it began to come was read to scratch, whatever is awaited by now. */
static tri_status take_chunk(tri__link *link, const tri__message *message)
{
    tri__worker *worker = link->worker;
    tri__worker_chunk *chunk = &worker->chunk[message->chunk];
    if (!link->awaited || !answers(worker, chunk, message))
        return NULL;
    worker->waited = message->waited > worker->waited ? message->waited : worker->waited;
    worker->answered += chunk->server == 0 && chunk->stage == TRI_CHUNK_PUSHED;
    if (worker->network && chunk->stage == TRI_CHUNK_PUSHED)
        tri__trace_end_message(worker->network, TRI_SPAN_RECEIVE, tri__clock_now(), chunk->step, TRI_FLOW_RECEIVES,
                               message_of(worker, TRI_SPAN_ANSWER, message->chunk));
    chunk->stage = TRI_CHUNK_HERE;
    if (--worker->waiting == 0)
        worker->here = tri__clock_now();
    if (worker->waiting == 0 && tri__readiness_pulls(worker->readiness))
        end_pulling(worker);
    if (chunk->server > 0) /* ps:0 may have waited for it */
        push_ready(worker, 0);
    return NULL;
}

static void end_job(tri__worker *worker, tri__worker_ending ending)
{
    worker->ending = ending > worker->ending ? ending : worker->ending;
}

static tri_status take(tri__link *link, const tri__message *message, const json_t *body)
{
    tri__worker *worker = link->worker;
    const char *reason = json_string_value(json_object_get(body, "reason"));
    bool from_coordinator = message->type == TRI_MSG_TOKEN || message->type == TRI_MSG_RESTORED || message->type == TRI_MSG_STOP ||
                            message->type == TRI_MSG_PRIMARY;
    if (from_coordinator && link->index > 0)
        return tri_fail(TRI_BAD_DATA, "a %s, which only ps:0 may send", tri__message_name(message->type));
    switch (message->type) {
    case TRI_MSG_WELCOME:
        return take_welcome(link, body);
    case TRI_MSG_REFUSED:
        worker->refused = true;
        fail(worker, tri_fail(json_is_true(json_object_get(body, "diverged")) ? TRI_DIVERGED : TRI_BAD_CALL,
                              "ps:%d turned worker:%d away: %s", link->index, worker->options.task, reason ? reason : ""));
        return NULL;
    case TRI_MSG_CHUNK:
        return take_chunk(link, message);
    case TRI_MSG_ROWS:
        return tri__row_messages_take(link, message, (const uint8_t *)link->text);
    case TRI_MSG_TOKEN:
        return take_token(worker, message);
    case TRI_MSG_RESTORED:
        go_back(worker, message->generation);
        return NULL;
    case TRI_MSG_PRIMARY:
        return move(worker, body);
    case TRI_MSG_STOP:
        end_job(worker, TRI_ENDS_STOPPED);
        if (worker->final)
            tri__message_send_json(link->contact.connection, TRI_MSG_REPORT, json_incref(worker->final));
        return NULL;
    case TRI_MSG_BYE: /* of ps:0 it is under way, and is read first: to hang up on it would look as if we had not heard it */
        end_job(worker, link->index == 0 || reason || !worker->link[0].contact.connection ? TRI_ENDS_OVER : TRI_ENDS_DISMISSED);
        if (reason)
            fail(worker, tri_fail(TRI_STOPPED, "ps:0 ended the job: %s", reason)); /* whoever tells it */
        return NULL;
    case TRI_MSG_BEAT:
        return NULL;
    default:
        return tri_fail(TRI_BAD_DATA, "a %s, which is not for workers", tri__message_name(message->type));
    }
}

/* ---- connections ---- */

static tri_status on_begin(void *context, tri__connection *connection, const tri__frame *frame, void **body)
{
    tri__link *link = context;
    tri__worker *worker = link->worker;
    (void)connection;
    TRI_TRY(tri__message_decode(frame, &link->message));
    const tri__message *message = &link->message;
    TRI_TRY(tri__contact_expects(&link->contact, message->type));
    if (message->type == TRI_MSG_ROWS && !tri__row_messages_fits(link, message))
        return tri_fail(TRI_BAD_DATA, "ps:%d sends rows of chunk %u in %u bytes, which it does not have", link->index, message->chunk,
                        message->size);
    if (message->type != TRI_MSG_CHUNK) {
        free(link->text);
        link->text = NULL;
        TRI_TRY(tri__allocate((size_t)message->size + 1, 1, "a message", &link->text));
        *body = link->text;
        return NULL;
    }
    if (message->chunk >= worker->chunks || worker->chunk[message->chunk].server != link->index ||
        message->size != worker->chunk[message->chunk].range.count * sizeof(float))
        return tri_fail(TRI_BAD_DATA, "ps:%d sends chunk %u of %u bytes, which it does not have", link->index, message->chunk,
                        message->size);
    const tri__worker_chunk *chunk = &worker->chunk[message->chunk];
    pthread_mutex_lock(&worker->lock);
    link->awaited = answers(worker, chunk, message);
    pthread_mutex_unlock(&worker->lock);
    *body = link->awaited ? worker->store.parameters + chunk->range.first : worker->scratch;
    return NULL;
}

/* The answer to pushed rows has no parameters; that to a pushed range has. */
static tri_status begin_empty(tri__link *link, const tri__message *message)
{
    tri__worker *worker = link->worker;
    bool rows =
        message->chunk < worker->chunks && worker->chunk[message->chunk].server == link->index && worker->chunk[message->chunk].shard;
    if (!rows)
        return tri_fail(TRI_BAD_DATA, "ps:%d sends a chunk without parameters", link->index);
    link->awaited = true;
    return NULL;
}

static tri_status on_frame(void *context, tri__connection *connection, const tri__frame *frame, void *body)
{
    tri__link *link = context;
    tri__worker *worker = link->worker;
    (void)connection;
    if (frame->size == 0)
        TRI_TRY(tri__message_decode(frame, &link->message));
    const tri__message message = link->message;
    TRI_TRY(tri__contact_expects(&link->contact, message.type));
    json_t *json = NULL;
    if (body && body == link->text && message.type != TRI_MSG_ROWS)
        TRI_TRY(tri__message_json(&message, body, &json));
    if (message.type == TRI_MSG_CHUNK && frame->size == 0)
        TRI_TRY(begin_empty(link, &message));
    pthread_mutex_lock(&worker->lock);
    tri__contact_heard(&link->contact);
    tri_status status = take(link, &message, json);
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    json_decref(json);
    return status;
}

/* How many steps of the job are known to be made: those before the last one that was begun, and that one where ps:0 has answered all of
 * it. */
static int64_t reached(const tri__worker *worker)
{
    for (uint32_t i = 0; i < tri__layout_first(&worker->layout, 1); i++) {
        const tri__worker_chunk *chunk = &worker->chunk[i];
        if (!chunk->serial || chunk->step != worker->last_step || chunk->stage != TRI_CHUNK_HERE)
            return worker->last_step > 0 ? worker->last_step : 0;
    }
    return worker->last_step + 1;
}

/* What ps:0 has acknowledged, for one in its place that has not. A chunk is pushed again only when all have been answered. */
static void say_where_we_are(const tri__worker *worker, json_t *hello)
{
    int64_t steps = worker->answered / tri__layout_first(&worker->layout, 1);
    json_object_set_new(hello, "generation", json_integer(worker->generation));
    json_object_set_new(hello, "reached",
                        json_integer(worker->options.settings.mode == TRI_PS_SYNC ? reached(worker) : worker->last_step + 1));
    json_object_set_new(hello, "done", json_integer(worker->done + steps));
    json_object_set_new(hello, "stopped", json_boolean(worker->ending >= TRI_ENDS_STOPPED)); /* the job was ending */
}

static void on_open(void *context, tri__connection *connection)
{
    tri__link *link = context;
    tri__worker *worker = link->worker;
    json_t *hello = json_deep_copy(worker->options.hello);
    json_object_set_new(hello, "protocol", json_integer(TRI_PROTOCOL));
    json_object_set_new(hello, "role", json_string("worker"));
    json_object_set_new(hello, "task", json_integer(worker->options.task));
    json_object_set_new(hello, "incarnation", json_integer(worker->incarnation));
    json_object_set_new(hello, "mode", json_string(tri__ps_mode_name(worker->options.settings.mode)));
    pthread_mutex_lock(&worker->lock);
    say_where_we_are(worker, hello);
    pthread_mutex_unlock(&worker->lock);
    tri__message_send_json(connection, TRI_MSG_HELLO, hello);
}

static void on_drained(void *context, tri__connection *connection)
{
    tri__link *link = context;
    (void)connection;
    pthread_mutex_lock(&link->worker->lock);
    push_ready(link->worker, link->index);
    pthread_mutex_unlock(&link->worker->lock);
}

/* A connection that has ended is made again. */
static bool makes_connections(const tri__worker *worker)
{
    return worker->ending < TRI_ENDS_DISMISSED && !worker->refused;
}

static void on_closed(void *context, tri__connection *connection, tri_status why)
{
    tri__link *link = context;
    tri__worker *worker = link->worker;
    int64_t sent, received;
    tri__connection_count(connection, &sent, &received);
    pthread_mutex_lock(&worker->lock);
    link->sent += sent;
    link->received += received;
    tri_status failure = tri__contact_closed(&link->contact, why, !makes_connections(worker) || worker->leaving);
    if (worker->ending == TRI_ENDS_DISMISSED && link->index == 0)
        worker->ending = TRI_ENDS_OVER;
    if (failure)
        fail(worker, failure);
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

static const tri__connection_handlers handlers = {
    .open = on_open,
    .begin = on_begin,
    .frame = on_frame,
    .drained = on_drained,
    .closed = on_closed,
};

/* ps:0 knows everybody, so others are asked only when it has welcomed us. */
static void check_link(tri__link *link, int64_t now)
{
    tri__worker *worker = link->worker;
    if (link->index > 0 && !worker->generation)
        return;
    if (tri__contact_is_due(&link->contact, now) && makes_connections(worker))
        tri__contact_open(&link->contact, worker->loop, &handlers, link, worker->options.tls);
    tri_status failure = link->contact.welcome ? NULL : tri__contact_check(&link->contact, 0, now);
    if (failure)
        fail(worker, failure);
}

void tri__links_count(tri__worker *worker)
{
    worker->sent = worker->received = 0;
    for (int i = 0; i < worker->options.settings.servers; i++) {
        const tri__link *link = &worker->link[i];
        int64_t sent = 0, received = 0;
        if (link->contact.connection)
            tri__connection_count(link->contact.connection, &sent, &received);
        worker->sent += link->sent + sent;
        worker->received += link->received + received;
    }
}

/* Servers hear that we live, also in the midst of a long step where the loop has a thread of its own. */
static void beat(tri__worker *worker, int64_t now)
{
    if (now - worker->beaten < worker->options.settings.heartbeat)
        return;
    worker->beaten = now;
    for (int i = 0; i < worker->options.settings.servers; i++)
        if (worker->link[i].contact.welcome && tri__connection_unsent(worker->link[i].contact.connection) == 0)
            tri__message_send(worker->link[i].contact.connection, &(tri__message){.type = TRI_MSG_BEAT}, false);
}

static void on_tick(void *context)
{
    tri__worker *worker = context;
    int64_t now = tri__clock_now();
    pthread_mutex_lock(&worker->lock);
    beat(worker, now);
    for (int i = 0; i < worker->options.settings.servers; i++)
        check_link(&worker->link[i], now);
    tri__links_count(worker);
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

/* Words that the loop's owner is to say. */
void tri__links_say(tri__worker *worker)
{
    if (worker->readiness == TRI_READINESS_TO_SAY)
        say_ready(worker);
    if (worker->report && worker->link[0].contact.welcome) {
        tri__message_send_json(worker->link[0].contact.connection, TRI_MSG_REPORT, worker->report);
        worker->report = NULL;
    }
}

/* With a thread: the one that computes has something to send, or wants the thread to end. */
static void on_wake(void *context)
{
    tri__worker *worker = context;
    pthread_mutex_lock(&worker->lock);
    tri__links_say(worker);
    for (int i = 0; i < worker->options.settings.servers; i++)
        push_ready(worker, i);
    if (worker->leaving)
        tri__loop_stop(worker->loop);
    pthread_mutex_unlock(&worker->lock);
}

tri_status tri__links_create(tri__worker *worker)
{
    int servers = worker->options.settings.servers;
    TRI_TRY(tri__allocate((size_t)servers, sizeof *worker->link, "connections to servers", &worker->link));
    for (int i = 0; i < servers; i++) {
        worker->link[i] = (tri__link){.worker = worker, .index = i};
        tri__contact_init(&worker->link[i].contact, i, &worker->options.servers[i], &worker->options.settings, worker->options.log);
        clear_line(&worker->link[i]);
    }
    TRI_TRY(tri__loop_create(&worker->loop));
    TRI_TRY(tri__timer_create(worker->loop, on_tick, worker, &worker->tick));
    tri__timer_start(worker->tick, 0, TICK);
    tri__loop_on_wake(worker->loop, on_wake, worker);
    return NULL;
}

static bool any_open(const tri__worker *worker)
{
    for (int i = 0; worker->link && i < worker->options.settings.servers; i++)
        if (worker->link[i].contact.connection)
            return true;
    return false;
}

void tri__links_destroy(tri__worker *worker)
{
    int servers = worker->options.settings.servers;
    int64_t deadline = tri__clock_now() + worker->options.settings.timeout;
    for (int i = 0; worker->link && i < servers; i++)
        if (worker->link[i].contact.connection)
            tri__connection_close(worker->link[i].contact.connection);
    while (any_open(worker) && tri__clock_now() < deadline)
        tri__loop_turn(worker->loop, deadline);
    tri__timer_destroy(worker->tick);
    tri__loop_destroy(worker->loop);
    for (int i = 0; worker->link && i < servers; i++)
        free(worker->link[i].text);
    free(worker->link);
}

void tri__links_push(tri__worker *worker, uint32_t number)
{
    line_up(worker, number);
    if (!worker->threaded)
        push_ready(worker, worker->chunk[number].server);
}
