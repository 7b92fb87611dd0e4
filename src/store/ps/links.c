/* links.c: a worker's connections: what it says to servers, what they say to it, and what happens when one breaks.
 *
 * A connection that breaks is tried again until the deadline; then what was not answered is said again, and the server knows what it has
 * taken already.
 *
 * Chunks leave in the order in which their gradients became ready. That order is the same for all workers, and so it should be: in sync a
 * server can answer a chunk only when all have sent it. Those alone overtake that the next step reads first, so that it can begin while
 * the rest still travels; and to let them, chunks are handed to a connection a few at a time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "store/ps/worker_inside.h"

#define RETRY INT64_C(50000000) /* between two attempts to connect */

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

static void push(tri__worker *worker, uint32_t number)
{
    tri__worker_chunk *chunk = &worker->chunk[number];
    const tri__message message = {
        .type = TRI_MSG_PUSH,
        .chunk = number,
        .view = worker->generation,
        .step = chunk->step,
        .serial = chunk->serial,
        .rate = chunk->rate,
        .weight = (float)chunk->weight,
    };
    chunk->stage = TRI_CHUNK_PUSHED;
    tri__message_send_floats(worker->link[chunk->server].connection, message, worker->store.gradient + chunk->range.first,
                             chunk->range.count, false);
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

/* Hand over those in line, as long as the connection takes them. */
static void push_ready(tri__worker *worker, int server)
{
    tri__link *link = &worker->link[server];
    while (link->welcome && link->first != NO_CHUNK && tri__connection_unsent(link->connection) < TRI_UNSENT_MOST) {
        uint32_t number = link->first;
        link->first = worker->chunk[number].next;
        if (link->first == NO_CHUNK)
            link->last = &link->first;
        push(worker, number);
    }
}

static void pull_all(tri__worker *worker, int server)
{
    tri__link *link = &worker->link[server];
    uint32_t first = tri__layout_first(&worker->layout, server), end = tri__layout_first(&worker->layout, server + 1);
    clear_line(link);
    for (uint32_t i = first; i < end; i++) {
        worker->waiting += worker->chunk[i].stage == TRI_CHUNK_HERE;
        worker->chunk[i].stage = TRI_CHUNK_PULLED;
        if (link->welcome)
            tri__message_send(link->connection, &(tri__message){.type = TRI_MSG_PULL, .chunk = i}, i + 1 < end);
    }
}

/* After a connection was made again: what was not answered is said again. The server knows what it has taken. */
static void repeat(tri__worker *worker, int server)
{
    tri__link *link = &worker->link[server];
    uint32_t first = tri__layout_first(&worker->layout, server), end = tri__layout_first(&worker->layout, server + 1);
    clear_line(link);
    for (uint32_t i = first; i < end; i++) {
        if (worker->chunk[i].stage == TRI_CHUNK_PUSHED)
            worker->chunk[i].stage = TRI_CHUNK_READY;
        if (worker->chunk[i].stage == TRI_CHUNK_READY)
            line_up(worker, i);
        if (worker->chunk[i].stage == TRI_CHUNK_PULLED)
            tri__message_send(link->connection, &(tri__message){.type = TRI_MSG_PULL, .chunk = i}, false);
    }
    push_ready(worker, server);
}

static void say_ready(tri__worker *worker)
{
    worker->to_say_ready = false;
    if (worker->begun && !worker->pulling && worker->link[0].welcome)
        tri__message_send(worker->link[0].connection,
                          &(tri__message){.type = TRI_MSG_READY, .view = worker->generation, .what = (uint32_t)worker->ahead}, false);
}

/* ---- what servers say ---- */

/* All go back: what is under way means nothing any more. */
static void go_back(tri__worker *worker, uint32_t generation)
{
    worker->generation = generation;
    worker->voided = worker->pulling = true;
    worker->tokens = 0;
    worker->last_step = -1;
    for (int i = 0; i < worker->options.settings.servers; i++)
        pull_all(worker, i);
}

static tri_status take_welcome(tri__link *link, const json_t *body)
{
    tri__worker *worker = link->worker;
    const json_t *floats = json_object_get(body, "floats"), *generation = json_object_get(body, "generation");
    if ((size_t)json_integer_value(floats) != worker->layout.floats)
        return tri_fail(TRI_BAD_CALL, "ps:%d keeps %lld parameters, this worker's model has %zu", link->index,
                        (long long)json_integer_value(floats), worker->layout.floats);
    link->welcome = true;
    if (link->told)
        tri__log_line(worker->options.log, TRI_LOG_INFO, "ps:%d is there", link->index);
    link->told = false;
    link->lost = 0;
    if (link->index > 0) {
        repeat(worker, link->index);
        return NULL;
    }
    uint32_t now = (uint32_t)json_integer_value(generation);
    if (worker->generation == now && json_is_true(json_object_get(body, "member")))
        repeat(worker, 0);
    else /* the first time, or the job has gone back, or gone on without us */
        go_back(worker, now);
    return NULL;
}

static tri_status take_token(tri__worker *worker, const tri__message *message)
{
    if (message->position < 0 || message->position > TRI_FURTHEST || message->workers > TRI_MOST_MEMBERS ||
        message->index >= message->workers)
        return tri_fail(TRI_BAD_DATA, "a token for part %u of %u at position %" PRId64 ", which is none", message->index, message->workers,
                        message->position);
    const tri__token token = {
        .step = message->step, .position = message->position, .index = (int)message->index, .workers = (int)message->workers};
    if (message->view != worker->generation || worker->tokens == TRI_WORKER_TOKENS)
        return NULL;
    for (int i = 0; i < worker->tokens; i++) /* told again after a connection broke */
        if (worker->token[(worker->first_token + i) % TRI_WORKER_TOKENS].step == token.step)
            return NULL;
    if (token.step == worker->last_step)
        return NULL;
    if (worker->options.settings.mode == TRI_PS_SYNC) /* with backup workers the others may have gone on: only the last step counts */
        worker->tokens = 0;
    worker->token[(worker->first_token + worker->tokens++) % TRI_WORKER_TOKENS] = token;
    return NULL;
}

static tri_status take_chunk(tri__worker *worker, const tri__message *message)
{
    tri__worker_chunk *chunk = &worker->chunk[message->chunk];
    if (message->view != worker->generation)
        return NULL; /* it left before all went back; the right one is on its way */
    worker->waited = message->waited > worker->waited ? message->waited : worker->waited;
    if (chunk->stage == TRI_CHUNK_HERE)
        return NULL; /* an answer to what was said twice */
    chunk->stage = TRI_CHUNK_HERE;
    if (--worker->waiting == 0 && worker->pulling) {
        worker->pulling = false;
        say_ready(worker);
    }
    return NULL;
}

static tri_status take(tri__link *link, const tri__message *message, const json_t *body)
{
    tri__worker *worker = link->worker;
    const char *reason = json_string_value(json_object_get(body, "reason"));
    bool from_coordinator = message->type == TRI_MSG_TOKEN || message->type == TRI_MSG_RESTORED || message->type == TRI_MSG_STOP;
    if (from_coordinator && link->index > 0)
        return tri_fail(TRI_BAD_DATA, "a %s, which only ps:0 may send", tri__message_name(message->type));
    switch (message->type) {
    case TRI_MSG_WELCOME:
        return take_welcome(link, body);
    case TRI_MSG_REFUSED:
        fail(worker, tri_fail(TRI_BAD_CALL, "ps:%d turned worker:%d away: %s", link->index, worker->options.task, reason ? reason : ""));
        return NULL;
    case TRI_MSG_CHUNK:
        return take_chunk(worker, message);
    case TRI_MSG_TOKEN:
        return take_token(worker, message);
    case TRI_MSG_RESTORED:
        go_back(worker, message->view);
        return NULL;
    case TRI_MSG_STOP:
        worker->stopped = true;
        return NULL;
    case TRI_MSG_BYE:
        worker->stopped = worker->finished = true;
        if (reason)
            fail(worker, tri_fail(TRI_STOPPED, "ps:%d ended the job: %s", link->index, reason));
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
    bool awaited = chunk->stage != TRI_CHUNK_HERE;
    pthread_mutex_unlock(&worker->lock);
    *body = awaited ? worker->store.parameters + chunk->range.first : worker->scratch;
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
    json_t *json = NULL;
    if (body && body == link->text)
        TRI_TRY(tri__message_json(&message, body, &json));
    if (message.type == TRI_MSG_CHUNK && frame->size == 0)
        return tri_fail(TRI_BAD_DATA, "ps:%d sends a chunk without parameters", link->index);
    pthread_mutex_lock(&worker->lock);
    link->heard = tri__clock_now();
    tri_status status = take(link, &message, json);
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    json_decref(json);
    return status;
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
    json_object_set_new(hello, "reached", json_integer(worker->last_step + 1)); /* so a new ps:0 knows what was lost */
    link->heard = tri__clock_now();
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

static void on_closed(void *context, tri__connection *connection, tri_status why)
{
    tri__link *link = context;
    tri__worker *worker = link->worker;
    int64_t sent, received, now = tri__clock_now();
    tri__connection_count(connection, &sent, &received);
    pthread_mutex_lock(&worker->lock);
    link->sent += sent;
    link->received += received;
    if (link->welcome && !worker->finished && !worker->ending)
        tri__log_line(worker->options.log, TRI_LOG_WARNING, "the connection to ps:%d is lost%s%s; trying again", link->index,
                      why ? ": " : "", tri_status_message(why));
    if (tri_status_code(why) == TRI_BAD_DATA || tri_status_code(why) == TRI_BAD_CALL)
        fail(worker, tri_wrap(why, "ps:%d", link->index)), why = NULL;
    if (why || !link->welcome)
        snprintf(link->why, sizeof link->why, "%s",
                 why ? tri_status_message(why) : "it hung up on our hello (all tasks need the same --key, or none)");
    if (link->welcome || !link->lost)
        link->lost = now;
    link->welcome = false;
    link->connection = NULL;
    link->attempt = now + RETRY;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    tri_status_free(why);
}

static const tri__connection_handlers handlers = {
    .open = on_open,
    .begin = on_begin,
    .frame = on_frame,
    .drained = on_drained,
    .closed = on_closed,
};

static void try_connect(tri__link *link)
{
    tri__worker *worker = link->worker;
    const tri__connection_options options = {
        .handlers = &handlers, .context = link, .tls = worker->options.tls, .timeout = 2 * worker->options.settings.timeout};
    tri_status status = tri__connection_open(worker->loop, &worker->options.servers[link->index], &options, &link->connection);
    link->attempt = tri__clock_now() + RETRY;
    tri_status_free(status); /* tried again; the deadline tells */
}

static tri_status unreachable(const tri__link *link, int64_t now)
{
    const tri__address *address = &link->worker->options.servers[link->index];
    const char *last = link->why[0] ? link->why : "is it running, and is this the right address?";
    return tri_fail(TRI_TIMEOUT, "ps:%d at %s:%u cannot be reached for %.0f s (--timeout): %s", link->index, address->host, address->port,
                    tri__clock_seconds(now - link->lost), last);
}

/* A server tells every heartbeat that it lives. */
tri_status tri__link_check_silence(tri__link *link, int64_t since, int64_t now)
{
    const tri__ps_settings *settings = &link->worker->options.settings;
    const tri__address *address = &link->worker->options.servers[link->index];
    int64_t silent = now - (link->heard > since ? link->heard : since);
    bool named = link->welcome && silent > 2 * settings->heartbeat;
    if (link->welcome && silent > settings->timeout)
        return tri_fail(TRI_TIMEOUT, "ps:%d at %s:%u has been silent for %.0f s (--timeout): is it stopped, or the network cut?",
                        link->index, address->host, address->port, tri__clock_seconds(silent));
    if (named && !link->named)
        tri__log_line(link->worker->options.log, TRI_LOG_WARNING, "ps:%d at %s:%u has been silent for %.1f s; waiting for it", link->index,
                      address->host, address->port, tri__clock_seconds(silent));
    if (link->welcome && link->named && !named)
        tri__log_line(link->worker->options.log, TRI_LOG_INFO, "ps:%d is heard again", link->index);
    link->named = named;
    return NULL;
}

/* ps:0 knows everybody, so others are asked only when it has welcomed us. */
static void check_link(tri__link *link, int64_t now)
{
    tri__worker *worker = link->worker;
    if (link->index > 0 && !worker->generation)
        return;
    if (!link->connection && now >= link->attempt && !worker->finished)
        try_connect(link);
    if (!link->lost)
        return;
    if (!link->told && now - link->lost > 2 * worker->options.settings.heartbeat) {
        link->told = true;
        tri__log_line(worker->options.log, TRI_LOG_INFO, "waiting for ps:%d at %s:%u%s%s", link->index,
                      worker->options.servers[link->index].host, worker->options.servers[link->index].port, link->why[0] ? ": " : "",
                      link->why);
    }
    if (now - link->lost > worker->options.settings.timeout)
        fail(worker, unreachable(link, now));
}

void tri__links_count(tri__worker *worker)
{
    worker->sent = worker->received = 0;
    for (int i = 0; i < worker->options.settings.servers; i++) {
        const tri__link *link = &worker->link[i];
        int64_t sent = 0, received = 0;
        if (link->connection)
            tri__connection_count(link->connection, &sent, &received);
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
        if (worker->link[i].welcome && tri__connection_unsent(worker->link[i].connection) == 0)
            tri__message_send(worker->link[i].connection, &(tri__message){.type = TRI_MSG_BEAT}, false);
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
    if (worker->to_say_ready)
        say_ready(worker);
    if (worker->report && worker->link[0].welcome) {
        tri__message_send_json(worker->link[0].connection, TRI_MSG_REPORT, worker->report);
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
    if (worker->ending)
        tri__loop_stop(worker->loop);
    pthread_mutex_unlock(&worker->lock);
}

tri_status tri__links_create(tri__worker *worker)
{
    int servers = worker->options.settings.servers;
    TRI_TRY(tri__allocate((size_t)servers, sizeof *worker->link, "connections to servers", &worker->link));
    for (int i = 0; i < servers; i++) {
        worker->link[i] = (tri__link){.worker = worker, .index = i, .lost = tri__clock_now()};
        clear_line(&worker->link[i]);
    }
    TRI_TRY(tri__loop_create(&worker->loop));
    TRI_TRY(tri__timer_create(worker->loop, on_tick, worker, &worker->tick));
    tri__timer_start(worker->tick, 0, RETRY);
    tri__loop_on_wake(worker->loop, on_wake, worker);
    return NULL;
}

static bool any_open(const tri__worker *worker)
{
    for (int i = 0; worker->link && i < worker->options.settings.servers; i++)
        if (worker->link[i].connection)
            return true;
    return false;
}

void tri__links_destroy(tri__worker *worker)
{
    int servers = worker->options.settings.servers;
    int64_t deadline = tri__clock_now() + worker->options.settings.timeout;
    for (int i = 0; worker->link && i < servers; i++)
        if (worker->link[i].connection)
            tri__connection_close(worker->link[i].connection);
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
