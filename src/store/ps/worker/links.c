/* links.c: a worker's connections. If a connection breaks, the worker tries again until the timeout. On the new connection it repeats what
 * was not answered; the server knows what it has taken already. sending.c sends messages, hearing.c takes them. */
#include "store/ps/worker/links.h"

#include <stdlib.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "store/ps/worker/hearing.h"
#include "store/ps/worker/row_messages.h"
#include "store/ps/worker/sending.h"

#define TICK INT64_C(50000000)

void tri__links_fail(tri__worker *worker, tri_status why)
{
    if (worker->failure)
        tri_status_free(why);
    else
        worker->failure = why;
}

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
    link->awaited = tri__hearing_awaits(worker, chunk, message);
    pthread_mutex_unlock(&worker->lock);
    *body = link->awaited ? worker->store.parameters + chunk->range.first : worker->scratch;
    return NULL;
}

/* A CHUNK without a body: the answer to pushed rows has no parameters, and the answer to a pushed range must have them. */
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
    tri_status status = tri__hearing_take(link, &message, json);
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    json_decref(json);
    return status;
}

/* Sync: how many steps of the job this worker knows to be made: all before the last one that it began; and that one too, if ps:0 has
 * answered all of it. */
static int64_t reached(const tri__worker *worker)
{
    for (uint32_t i = 0; i < tri__layout_first(&worker->layout, 1); i++) {
        const tri__worker_chunk *chunk = &worker->chunk[i];
        if (!chunk->serial || chunk->step != worker->last_step || chunk->stage != TRI_CHUNK_HERE)
            return worker->last_step > 0 ? worker->last_step : 0;
    }
    return worker->last_step + 1;
}

/* Says what an earlier ps:0 has acknowledged, so that a new ps:0 can count what was lost. A chunk is pushed for the next step only when all
 * chunks have been answered, so `answered` counts whole steps. */
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
    char settings[TRI_PS_WORDS];
    tri__ps_settings_words(&worker->options.settings, settings);
    json_object_set_new(hello, "protocol", json_integer(TRI_PROTOCOL));
    json_object_set_new(hello, "role", json_string("worker"));
    json_object_set_new(hello, "task", json_integer(worker->options.task));
    json_object_set_new(hello, "incarnation", json_integer(worker->incarnation));
    json_object_set_new(hello, "settings", json_string(settings));
    json_object_set_new(hello, "workers", json_integer(worker->options.settings.workers));
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
    tri__sending_go_on(link->worker, link->index);
    pthread_mutex_unlock(&link->worker->lock);
}

/* True: the worker connects again when a connection has ended. */
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
        tri__links_fail(worker, failure);
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

/* ps:0 decides who takes part, so the worker connects to other servers only after ps:0 has welcomed it. */
static void check_link(tri__link *link, int64_t now)
{
    tri__worker *worker = link->worker;
    if (link->index > 0 && !worker->generation)
        return;
    if (tri__contact_is_due(&link->contact, now) && makes_connections(worker))
        tri__contact_open(&link->contact, worker->loop, &handlers, link, worker->options.tls);
    tri_status failure = link->contact.welcome ? NULL : tri__contact_check(&link->contact, 0, now);
    if (failure)
        tri__links_fail(worker, failure);
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

/* Tells the servers that this worker lives, also in the middle of a long step. */
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

/* Only the thread that turns the loop may send these. */
void tri__links_say(tri__worker *worker)
{
    if (worker->readiness == TRI_READINESS_TO_SAY)
        tri__sending_say_ready(worker);
    if (worker->report && worker->link[0].contact.welcome) {
        tri__message_send_json(worker->link[0].contact.connection, TRI_MSG_REPORT, worker->report);
        worker->report = NULL;
    }
}

/* With a thread: the thread that computes has something to send, or wants this thread to end. */
static void on_wake(void *context)
{
    tri__worker *worker = context;
    pthread_mutex_lock(&worker->lock);
    tri__links_say(worker);
    for (int i = 0; i < worker->options.settings.servers; i++)
        tri__sending_go_on(worker, i);
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
        tri__sending_clear(&worker->link[i]);
    }
    TRI_TRY(tri__loop_create(&worker->loop));
    tri__loop_count_traffic(worker->loop, worker->options.traffic);
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
