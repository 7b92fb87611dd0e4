/* worker.c: the worker's end of the connections, and the store on top of it.
 *
 * Everything that the loop's handlers touch is guarded by one lock. With a thread of its own the loop's owner is that thread, and the
 * thread that computes waits on a condition; without, the thread that computes turns the loop, and the lock costs nothing. */
#include "store/ps/worker.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/condition.h"
#include "base/memory.h"
#include "base/random.h"
#include "store/ps/layout.h"
#include "store/ps/message.h"
#include "store/rules.h"
#include "store/store.h"

#define LARGE_BYTES (4u << 20)        /* from here on a thread sends and receives while the model computes */
#define UNSENT_MOST (1u << 20)        /* bytes handed to a connection at a time, so that chunks needed sooner can still overtake */
#define RETRY       INT64_C(50000000) /* between two attempts to connect */
#define SECOND      INT64_C(1000000000)
enum { TOKENS = 64 };

typedef struct ps_worker ps_worker;

typedef enum {
    CHUNK_HERE,   /* its parameters are current */
    CHUNK_READY,  /* its gradient waits to be sent */
    CHUNK_PUSHED, /* sent, not answered */
    CHUNK_PULLED, /* asked for, not answered */
} chunk_stage;

typedef struct {
    tri_range range;
    int server;
    chunk_stage stage;
    size_t covered; /* floats whose gradient was offered in this step */
    double weight;
    int64_t serial, step; /* of the push */
    float rate;
} chunk_state;

typedef struct {
    ps_worker *worker;
    int index;
    tri__connection *connection; /* NULL: none, not even a coming one */
    bool welcome;
    int64_t lost;    /* since when it is not; 0: it is */
    int64_t attempt; /* when it is tried again */
    int64_t heard;
    int64_t sent, received; /* by connections that have ended */
    bool told;
    tri__message message;
    char *text;
} server_link;

struct ps_worker {
    tri_store store;
    tri__ps_store_options options;
    tri__layout layout;
    tri__loop *loop;
    tri__timer *tick;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool threaded, ending; /* ending: the thread is to leave */
    server_link *link;
    chunk_state *chunk;
    uint32_t chunks;
    uint32_t waiting; /* chunks that are not here */
    int64_t incarnation, serial;
    uint32_t generation;
    bool begun; /* ready was said: say it again after going back */
    bool to_say_ready;
    json_t *report;         /* to be sent; NULL: none */
    int64_t sent, received; /* as of the last tick */
    int64_t beaten;         /* when servers were last told that we live */
    int ahead;
    bool pulling; /* all parameters, at the beginning and after going back */
    bool voided;
    bool stopped;  /* no further tokens */
    bool finished; /* the coordinator said goodbye */
    tri_status failure;
    tri__token token[TOKENS];
    int first_token, tokens;
    int64_t last_step; /* of the token that was taken last; −1: none */
    float *scratch;    /* [TRI_CHUNK_FLOATS] for answers that nobody waits for */
    size_t covered;    /* with clipping: floats offered in this step */
    tri_step step;
    tri__ps_times times;
    int64_t waited; /* for other workers, by the chunks that came since the last wait began */
};

static ps_worker *worker_of(tri_store *store)
{
    return (ps_worker *)store;
}

static void fail(ps_worker *worker, tri_status why)
{
    if (worker->failure)
        tri_status_free(why);
    else
        worker->failure = why;
}

/* ---- sending ---- */

static void push(ps_worker *worker, uint32_t number, bool more)
{
    chunk_state *chunk = &worker->chunk[number];
    const tri__message message = {
        .type = TRI_MSG_PUSH,
        .chunk = number,
        .view = worker->generation,
        .step = chunk->step,
        .serial = chunk->serial,
        .rate = chunk->rate,
        .weight = (float)chunk->weight,
    };
    chunk->stage = CHUNK_PUSHED;
    tri__message_send_floats(worker->link[chunk->server].connection, message, worker->store.gradient + chunk->range.first,
                             chunk->range.count, more);
}

/* Hand over what is ready, those first that the next step needs first, as long as the connection takes it. */
static void push_ready(ps_worker *worker, int server)
{
    server_link *link = &worker->link[server];
    uint32_t first = tri__layout_first(&worker->layout, server), end = tri__layout_first(&worker->layout, server + 1);
    if (!link->welcome)
        return;
    for (uint32_t i = first; i < end && tri__connection_unsent(link->connection) < UNSENT_MOST; i++)
        if (worker->chunk[i].stage == CHUNK_READY)
            push(worker, i, false);
}

static void pull_all(ps_worker *worker, int server)
{
    server_link *link = &worker->link[server];
    uint32_t first = tri__layout_first(&worker->layout, server), end = tri__layout_first(&worker->layout, server + 1);
    for (uint32_t i = first; i < end; i++) {
        worker->waiting += worker->chunk[i].stage == CHUNK_HERE;
        worker->chunk[i].stage = CHUNK_PULLED;
        if (link->welcome)
            tri__message_send(link->connection, &(tri__message){.type = TRI_MSG_PULL, .chunk = i}, i + 1 < end);
    }
}

/* After a connection was made again: what was not answered is said again. The server knows what it has taken. */
static void repeat(ps_worker *worker, int server)
{
    server_link *link = &worker->link[server];
    uint32_t first = tri__layout_first(&worker->layout, server), end = tri__layout_first(&worker->layout, server + 1);
    for (uint32_t i = first; i < end; i++) {
        if (worker->chunk[i].stage == CHUNK_PUSHED)
            worker->chunk[i].stage = CHUNK_READY;
        if (worker->chunk[i].stage == CHUNK_PULLED)
            tri__message_send(link->connection, &(tri__message){.type = TRI_MSG_PULL, .chunk = i}, false);
    }
    push_ready(worker, server);
}

static void say_ready(ps_worker *worker)
{
    worker->to_say_ready = false;
    if (worker->begun && !worker->pulling && worker->link[0].welcome)
        tri__message_send(worker->link[0].connection,
                          &(tri__message){.type = TRI_MSG_READY, .view = worker->generation, .what = (uint32_t)worker->ahead}, false);
}

/* ---- what servers say ---- */

/* All go back: what is under way means nothing any more. */
static void go_back(ps_worker *worker, uint32_t generation)
{
    worker->generation = generation;
    worker->voided = worker->pulling = true;
    worker->tokens = 0;
    worker->last_step = -1;
    for (int i = 0; i < worker->options.settings.servers; i++)
        pull_all(worker, i);
}

static tri_status take_welcome(server_link *link, const json_t *body)
{
    ps_worker *worker = link->worker;
    const json_t *floats = json_object_get(body, "floats"), *generation = json_object_get(body, "generation");
    if ((size_t)json_integer_value(floats) != worker->layout.floats)
        return tri_fail(TRI_BAD_CALL, "ps:%d keeps %lld parameters, this worker's model has %zu", link->index,
                        (long long)json_integer_value(floats), worker->layout.floats);
    link->welcome = true;
    if (link->told)
        tri__log_line(worker->options.log, TRI_LOG_INFO, "worker:%d: ps:%d is there", worker->options.task, link->index);
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

static void take_token(ps_worker *worker, const tri__message *message)
{
    const tri__token token = {
        .step = message->step, .position = message->position, .index = (int)message->index, .workers = (int)message->workers};
    if (message->view != worker->generation || worker->tokens == TOKENS)
        return;
    for (int i = 0; i < worker->tokens; i++) /* told again after a connection broke */
        if (worker->token[(worker->first_token + i) % TOKENS].step == token.step)
            return;
    if (token.step == worker->last_step)
        return;
    worker->token[(worker->first_token + worker->tokens++) % TOKENS] = token;
}

static tri_status take_chunk(ps_worker *worker, const tri__message *message)
{
    chunk_state *chunk = &worker->chunk[message->chunk];
    worker->waited = message->waited > worker->waited ? message->waited : worker->waited;
    if (chunk->stage == CHUNK_HERE)
        return NULL; /* an answer to what was said twice */
    chunk->stage = CHUNK_HERE;
    if (--worker->waiting == 0 && worker->pulling) {
        worker->pulling = false;
        say_ready(worker);
    }
    return NULL;
}

static tri_status take(server_link *link, const tri__message *message, const json_t *body)
{
    ps_worker *worker = link->worker;
    const char *reason = json_string_value(json_object_get(body, "reason"));
    switch (message->type) {
    case TRI_MSG_WELCOME:
        return take_welcome(link, body);
    case TRI_MSG_REFUSED:
        fail(worker, tri_fail(TRI_BAD_CALL, "ps:%d turned worker:%d away: %s", link->index, worker->options.task, reason ? reason : ""));
        return NULL;
    case TRI_MSG_CHUNK:
        return take_chunk(worker, message);
    case TRI_MSG_TOKEN:
        take_token(worker, message);
        return NULL;
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
    server_link *link = context;
    ps_worker *worker = link->worker;
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
    const chunk_state *chunk = &worker->chunk[message->chunk];
    *body = chunk->stage == CHUNK_HERE ? worker->scratch : worker->store.parameters + chunk->range.first;
    return NULL;
}

static tri_status on_frame(void *context, tri__connection *connection, const tri__frame *frame, void *body)
{
    server_link *link = context;
    ps_worker *worker = link->worker;
    (void)connection;
    if (frame->size == 0)
        TRI_TRY(tri__message_decode(frame, &link->message));
    const tri__message message = link->message;
    link->heard = tri__clock_now();
    json_t *json = NULL;
    if (body && body == link->text)
        TRI_TRY(tri__message_json(&message, body, &json));
    if (message.type == TRI_MSG_CHUNK && frame->size == 0)
        return tri_fail(TRI_BAD_DATA, "ps:%d sends a chunk without parameters", link->index);
    pthread_mutex_lock(&worker->lock);
    tri_status status = take(link, &message, json);
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    json_decref(json);
    return status;
}

static void on_open(void *context, tri__connection *connection)
{
    server_link *link = context;
    ps_worker *worker = link->worker;
    json_t *hello = json_deep_copy(worker->options.hello);
    json_object_set_new(hello, "protocol", json_integer(TRI_PROTOCOL));
    json_object_set_new(hello, "role", json_string("worker"));
    json_object_set_new(hello, "task", json_integer(worker->options.task));
    json_object_set_new(hello, "incarnation", json_integer(worker->incarnation));
    link->heard = tri__clock_now();
    tri__message_send_json(connection, TRI_MSG_HELLO, hello);
}

static void on_drained(void *context, tri__connection *connection)
{
    server_link *link = context;
    (void)connection;
    pthread_mutex_lock(&link->worker->lock);
    push_ready(link->worker, link->index);
    pthread_mutex_unlock(&link->worker->lock);
}

static void on_closed(void *context, tri__connection *connection, tri_status why)
{
    server_link *link = context;
    ps_worker *worker = link->worker;
    int64_t sent, received, now = tri__clock_now();
    tri__connection_count(connection, &sent, &received);
    pthread_mutex_lock(&worker->lock);
    link->sent += sent;
    link->received += received;
    if (link->welcome && !worker->finished && !worker->ending)
        tri__log_line(worker->options.log, TRI_LOG_WARNING, "worker:%d: the connection to ps:%d is lost%s%s; trying again",
                      worker->options.task, link->index, why ? ": " : "", tri_status_message(why));
    if (tri_status_code(why) == TRI_BAD_DATA || tri_status_code(why) == TRI_BAD_CALL)
        fail(worker, tri_wrap(why, "ps:%d", link->index)), why = NULL;
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

static void try_connect(server_link *link)
{
    ps_worker *worker = link->worker;
    const tri__connection_options options = {
        .handlers = &handlers, .context = link, .tls = worker->options.tls, .timeout = 2 * worker->options.settings.timeout};
    tri_status status = tri__connection_open(worker->loop, &worker->options.servers[link->index], &options, &link->connection);
    link->attempt = tri__clock_now() + RETRY;
    tri_status_free(status); /* tried again; the deadline tells */
}

static tri_status silent(const server_link *link, int64_t since, int64_t now)
{
    const tri__address *address = &link->worker->options.servers[link->index];
    return tri_fail(TRI_TIMEOUT, "worker:%d: ps:%d at %s:%u %s for %.0f s (--timeout): is it running, and is this the right address?",
                    link->worker->options.task, link->index, address->host, address->port,
                    link->lost ? "cannot be reached" : "has been silent", tri__clock_seconds(now - since));
}

/* ps:0 knows everybody, so others are asked only when it has welcomed us. */
static void check_link(server_link *link, int64_t now)
{
    ps_worker *worker = link->worker;
    if (link->index > 0 && !worker->generation)
        return;
    if (!link->connection && now >= link->attempt && !worker->finished)
        try_connect(link);
    if (!link->lost)
        return;
    if (!link->told && now - link->lost > 2 * worker->options.settings.heartbeat) {
        link->told = true;
        tri__log_line(worker->options.log, TRI_LOG_INFO, "worker:%d waits for ps:%d at %s:%u", worker->options.task, link->index,
                      worker->options.servers[link->index].host, worker->options.servers[link->index].port);
    }
    if (now - link->lost > worker->options.settings.timeout)
        fail(worker, silent(link, link->lost, now));
}

static void count_traffic(ps_worker *worker)
{
    worker->sent = worker->received = 0;
    for (int i = 0; i < worker->options.settings.servers; i++) {
        const server_link *link = &worker->link[i];
        int64_t sent = 0, received = 0;
        if (link->connection)
            tri__connection_count(link->connection, &sent, &received);
        worker->sent += link->sent + sent;
        worker->received += link->received + received;
    }
}

/* Servers hear that we live, also in the midst of a long step where the loop has a thread of its own. */
static void beat(ps_worker *worker, int64_t now)
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
    ps_worker *worker = context;
    int64_t now = tri__clock_now();
    pthread_mutex_lock(&worker->lock);
    beat(worker, now);
    for (int i = 0; i < worker->options.settings.servers; i++)
        check_link(&worker->link[i], now);
    count_traffic(worker);
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

/* Words that the loop's owner is to say. */
static void say(ps_worker *worker)
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
    ps_worker *worker = context;
    pthread_mutex_lock(&worker->lock);
    say(worker);
    for (int i = 0; i < worker->options.settings.servers; i++)
        push_ready(worker, i);
    if (worker->ending)
        tri__loop_stop(worker->loop);
    pthread_mutex_unlock(&worker->lock);
}

static void *run_loop(void *context)
{
    tri__loop_run(((ps_worker *)context)->loop);
    return NULL;
}

/* ---- waiting ---- */

/* The lock is held. Until done says so, or somebody has been silent for too long. */
static tri_status wait_until(ps_worker *worker, bool (*done)(const ps_worker *, const void *), const void *what)
{
    int64_t began = tri__clock_now();
    while (!done(worker, what)) {
        if (worker->failure) {
            tri_status failure = worker->failure;
            worker->failure = NULL;
            return failure;
        }
        int64_t now = tri__clock_now(), next = now + SECOND;
        for (int i = 0; i < worker->options.settings.servers; i++) {
            const server_link *link = &worker->link[i];
            int64_t heard = link->heard > began ? link->heard : began;
            if (link->welcome && now - heard > worker->options.settings.timeout)
                return silent(link, heard, now);
        }
        if (worker->threaded) {
            tri__condition_wait(&worker->changed, &worker->lock, next);
        } else {
            pthread_mutex_unlock(&worker->lock);
            tri__loop_turn(worker->loop, next);
            pthread_mutex_lock(&worker->lock);
        }
    }
    return NULL;
}

/* ---- the store ---- */

static tri_status ps_begin(tri_store *store, const tri_step *step)
{
    ps_worker *worker = worker_of(store);
    pthread_mutex_lock(&worker->lock);
    worker->step = *step;
    worker->serial++;
    worker->voided = false;
    worker->covered = 0;
    for (uint32_t i = 0; i < worker->chunks; i++) {
        worker->chunk[i].covered = 0;
        worker->chunk[i].weight = 0;
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

static bool chunks_here(const ps_worker *worker, const void *what)
{
    const tri_range *range = what;
    if (worker->waiting == 0)
        return true;
    uint32_t first = tri__layout_chunk_at(&worker->layout, range->first);
    uint32_t last = tri__layout_chunk_at(&worker->layout, range->first + range->count - 1);
    for (uint32_t i = first; i <= last; i++)
        if (worker->chunk[i].stage != CHUNK_HERE)
            return false;
    return true;
}

/* Of the time spent here, as much as the chunks waited for others' parts was spent waiting for other workers. */
static tri_status wait_and_count(ps_worker *worker, bool (*done)(const ps_worker *, const void *), const void *what)
{
    int64_t began = tri__clock_now();
    worker->waited = 0;
    tri_status status = wait_until(worker, done, what);
    int64_t spent = tri__clock_now() - began, peers = worker->waited < spent ? worker->waited : spent;
    if (worker->options.settings.mode != TRI_PS_SYNC)
        peers = 0;
    worker->times.peers += peers;
    worker->times.server += spent - peers;
    return status;
}

static tri_status ps_await(tri_store *store, tri_range range)
{
    ps_worker *worker = worker_of(store);
    if (range.count == 0)
        return NULL;
    pthread_mutex_lock(&worker->lock);
    tri_status status = chunks_here(worker, &range) ? NULL : wait_and_count(worker, chunks_here, &range);
    pthread_mutex_unlock(&worker->lock);
    return status;
}

static void make_ready(ps_worker *worker, uint32_t number, float rate)
{
    chunk_state *chunk = &worker->chunk[number];
    worker->waiting += chunk->stage == CHUNK_HERE;
    chunk->stage = CHUNK_READY;
    chunk->serial = worker->serial;
    chunk->step = worker->step.step;
    chunk->rate = rate;
    if (!worker->threaded && worker->link[chunk->server].welcome &&
        tri__connection_unsent(worker->link[chunk->server].connection) < UNSENT_MOST)
        push(worker, number, false);
}

/* Async clips each worker's own gradient, when all of it is there. */
static void clip(ps_worker *worker)
{
    double weight = worker->chunk[0].weight, norm = 0;
    if (weight > 0)
        norm = sqrt(tri__sum_of_squares(worker->store.gradient, worker->layout.floats)) / weight;
    double bound = (double)worker->store.rule.clip;
    if (norm > bound)
        for (size_t i = 0; i < worker->layout.floats; i++)
            worker->store.gradient[i] *= (float)(bound / norm);
    for (uint32_t i = 0; i < worker->chunks; i++)
        make_ready(worker, i, worker->step.rate);
}

/* Chunks are sent when they are covered wholly. */
static void cover(ps_worker *worker, tri_range range, double weight)
{
    bool clips = worker->store.rule.clip > 0 && worker->options.settings.mode != TRI_PS_SYNC;
    size_t end = range.first + range.count;
    for (uint32_t i = tri__layout_chunk_at(&worker->layout, range.first); i < worker->chunks && worker->chunk[i].range.first < end; i++) {
        chunk_state *chunk = &worker->chunk[i];
        size_t from = chunk->range.first > range.first ? chunk->range.first : range.first;
        size_t to = chunk->range.first + chunk->range.count < end ? chunk->range.first + chunk->range.count : end;
        chunk->covered += to - from;
        chunk->weight = weight;
        worker->covered += to - from;
        if (chunk->covered == chunk->range.count && !clips)
            make_ready(worker, i, worker->step.rate);
    }
    if (clips && worker->covered == worker->layout.floats)
        clip(worker);
}

static tri_status ps_offer(tri_store *store, tri_range range, const float *gradient, double weight)
{
    ps_worker *worker = worker_of(store);
    int64_t began = tri__clock_now();
    (void)gradient; /* the store keeps it: it stands in its place */
    if (range.count == 0)
        return NULL;
    pthread_mutex_lock(&worker->lock);
    if (!worker->voided) /* what is left of a step that went back is not sent */
        cover(worker, range, weight);
    worker->times.sending += tri__clock_now() - began;
    pthread_mutex_unlock(&worker->lock);
    if (worker->threaded)
        tri__loop_wake(worker->loop);
    return NULL;
}

static bool all_here(const ps_worker *worker, const void *what)
{
    (void)what;
    return worker->waiting == 0;
}

static tri_status ps_flush(tri_store *store)
{
    ps_worker *worker = worker_of(store);
    pthread_mutex_lock(&worker->lock);
    tri_status status = wait_until(worker, all_here, NULL);
    pthread_mutex_unlock(&worker->lock);
    return status;
}

static void close_links(ps_worker *worker)
{
    int64_t deadline = tri__clock_now() + worker->options.settings.heartbeat;
    bool open = false;
    for (int i = 0; worker->link && i < worker->options.settings.servers; i++)
        if (worker->link[i].connection) {
            tri__connection_close(worker->link[i].connection);
            open = true;
        }
    while (open && tri__clock_now() < deadline + worker->options.settings.timeout) {
        open = false;
        for (int i = 0; i < worker->options.settings.servers; i++)
            open |= worker->link[i].connection != NULL;
        if (open)
            tri__loop_turn(worker->loop, deadline + worker->options.settings.timeout);
    }
}

static void end_thread(ps_worker *worker)
{
    if (!worker->threaded)
        return;
    pthread_mutex_lock(&worker->lock);
    worker->ending = true;
    pthread_mutex_unlock(&worker->lock);
    tri__loop_wake(worker->loop);
    pthread_join(worker->thread, NULL);
    worker->threaded = false;
}

static void ps_destroy(tri_store *store)
{
    ps_worker *worker = worker_of(store);
    end_thread(worker);
    worker->ending = true;
    if (worker->loop)
        close_links(worker);
    tri__timer_destroy(worker->tick);
    tri__loop_destroy(worker->loop);
    for (int i = 0; worker->link && i < worker->options.settings.servers; i++)
        free(worker->link[i].text);
    free(worker->link);
    free(worker->chunk);
    free(worker->scratch);
    json_decref(worker->report);
    tri_status_free(worker->failure);
    tri__store_fini(store);
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}

static const tri__store_kind ps_kind = {
    .name = "ps",
    .begin = ps_begin,
    .await = ps_await,
    .offer = ps_offer,
    .flush = ps_flush,
    .destroy = ps_destroy,
};

static tri_status prepare(ps_worker *worker)
{
    const tri__ps_settings *settings = &worker->options.settings;
    TRI_TRY(tri__layout_init(&worker->layout, worker->options.floats, settings->servers));
    TRI_TRY(tri__allocate((size_t)settings->servers, sizeof *worker->link, "connections to servers", &worker->link));
    for (int i = 0; i < settings->servers; i++)
        worker->link[i] = (server_link){.worker = worker, .index = i, .lost = tri__clock_now()};
    worker->chunks = tri__layout_chunks(&worker->layout);
    TRI_TRY(tri__allocate(worker->chunks, sizeof *worker->chunk, "the chunks of a model", &worker->chunk));
    TRI_TRY(tri__allocate(1, TRI_CHUNK_BYTES, "a chunk", &worker->scratch));
    for (uint32_t i = 0; i < worker->chunks; i++)
        worker->chunk[i] = (chunk_state){.range = tri__layout_chunk(&worker->layout, i), .server = tri__layout_server(&worker->layout, i)};
    TRI_TRY(tri__loop_create(&worker->loop));
    TRI_TRY(tri__timer_create(worker->loop, on_tick, worker, &worker->tick));
    tri__timer_start(worker->tick, 0, RETRY);
    tri__loop_on_wake(worker->loop, on_wake, worker);
    return NULL;
}

static bool pulled(const ps_worker *worker, const void *what)
{
    (void)what;
    return worker->generation && !worker->pulling;
}

static tri_status start(ps_worker *worker)
{
    TRI_TRY(prepare(worker));
    bool large = worker->layout.floats * sizeof(float) >= LARGE_BYTES;
    if (large && pthread_create(&worker->thread, NULL, run_loop, worker) == 0)
        worker->threaded = true;
    pthread_mutex_lock(&worker->lock);
    tri_status status = wait_until(worker, pulled, NULL);
    pthread_mutex_unlock(&worker->lock);
    return status;
}

tri_status tri__ps_store_create(const tri__ps_store_options *options, tri_store **out)
{
    ps_worker *worker;
    TRI_TRY(tri__allocate(1, sizeof *worker, "a worker's store", &worker));
    tri_status status = tri__store_init(&worker->store, &ps_kind, options->floats, &options->rule);
    if (status) {
        free(worker);
        return status;
    }
    worker->options = *options;
    worker->last_step = -1;
    tri__key key = tri__key_split(tri__key_of((uint64_t)tri__clock_now()), (uint64_t)getpid());
    worker->incarnation = (int64_t)(tri__key_split(key, (uint64_t)(tri__clock_wall() * 1e6)).word >> 1);
    pthread_mutex_init(&worker->lock, NULL);
    tri__condition_init(&worker->changed);
    status = start(worker);
    if (status)
        ps_destroy(&worker->store);
    else
        *out = &worker->store;
    return status;
}

/* ---- beside the store's own calls ---- */

void tri__ps_store_ready(tri_store *store, int ahead)
{
    ps_worker *worker = worker_of(store);
    pthread_mutex_lock(&worker->lock);
    worker->begun = true;
    worker->ahead = ahead < TOKENS ? ahead : TOKENS;
    worker->to_say_ready = true;
    if (!worker->threaded)
        say(worker);
    pthread_mutex_unlock(&worker->lock);
    if (worker->threaded)
        tri__loop_wake(worker->loop);
}

static bool token_here(const ps_worker *worker, const void *what)
{
    (void)what;
    return worker->tokens > 0 || worker->stopped;
}

tri_status tri__ps_store_token(tri_store *store, tri__token *out, bool *stop)
{
    ps_worker *worker = worker_of(store);
    pthread_mutex_lock(&worker->lock);
    tri_status status = token_here(worker, NULL) ? NULL : wait_and_count(worker, token_here, NULL);
    *stop = !status && worker->stopped;
    if (!status && !*stop) {
        *out = worker->token[worker->first_token];
        worker->first_token = (worker->first_token + 1) % TOKENS;
        worker->tokens--;
        worker->last_step = out->step;
    }
    pthread_mutex_unlock(&worker->lock);
    return status;
}

bool tri__ps_store_peek(tri_store *store, int index, tri__token *out)
{
    ps_worker *worker = worker_of(store);
    pthread_mutex_lock(&worker->lock);
    bool here = index < worker->tokens;
    if (here)
        *out = worker->token[(worker->first_token + index) % TOKENS];
    pthread_mutex_unlock(&worker->lock);
    return here;
}

bool tri__ps_store_voided(const tri_store *store)
{
    return ((const ps_worker *)store)->voided;
}

tri__ps_times tri__ps_store_take_times(tri_store *store)
{
    ps_worker *worker = worker_of(store);
    pthread_mutex_lock(&worker->lock);
    tri__ps_times times = worker->times;
    worker->times = (tri__ps_times){0};
    pthread_mutex_unlock(&worker->lock);
    return times;
}

void tri__ps_store_traffic(tri_store *store, int64_t *sent, int64_t *received)
{
    ps_worker *worker = worker_of(store);
    pthread_mutex_lock(&worker->lock);
    if (!worker->threaded)
        count_traffic(worker);
    *sent = worker->sent;
    *received = worker->received;
    pthread_mutex_unlock(&worker->lock);
}

void tri__ps_store_report(tri_store *store, json_t *report)
{
    ps_worker *worker = worker_of(store);
    pthread_mutex_lock(&worker->lock);
    json_decref(worker->report);
    worker->report = report;
    if (!worker->threaded)
        say(worker);
    pthread_mutex_unlock(&worker->lock);
    if (worker->threaded)
        tri__loop_wake(worker->loop);
}

static bool said(const ps_worker *worker, const void *what)
{
    const server_link *link = &worker->link[0];
    (void)what;
    return worker->finished || (!worker->report && (!link->connection || tri__connection_unsent(link->connection) == 0));
}

/* From here on nothing is computed, so the calling thread turns the loop. */
void tri__ps_store_leave(tri_store *store, json_t *report, const char *reason)
{
    ps_worker *worker = worker_of(store);
    end_thread(worker);
    pthread_mutex_lock(&worker->lock);
    json_decref(worker->report);
    worker->report = report;
    say(worker);
    if (reason && worker->link[0].welcome)
        tri__message_send_json(worker->link[0].connection, TRI_MSG_BYE, json_pack("{s:s}", "reason", reason));
    tri_status_free(wait_until(worker, said, NULL)); /* who cannot be told has gone */
    pthread_mutex_unlock(&worker->lock);
}
