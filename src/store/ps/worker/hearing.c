/* hearing.c: takes the messages of servers to a worker. */
#include "store/ps/worker/hearing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/thread/clock.h"
#include "store/ps/worker/links.h"
#include "store/ps/worker/row_messages.h"
#include "store/ps/worker/sending.h"

/* All chunks are here. */
static void end_pulling(tri__worker *worker)
{
    if (worker->readiness == TRI_READINESS_PULLING_ANEW)
        tri__sending_say_ready(worker);
    else
        worker->readiness = TRI_READINESS_PULLED;
}

/* All go back: messages that are under way are void. */
static void go_back(tri__worker *worker, uint32_t generation)
{
    worker->generation = generation;
    worker->readiness = worker->readiness < TRI_READINESS_TO_SAY ? TRI_READINESS_PULLING : TRI_READINESS_PULLING_ANEW;
    worker->at_work = TRI_TOKEN_VOID;
    worker->tokens = 0;
    worker->last_step = -1;
    for (int i = 0; i < worker->options.settings.servers; i++)
        tri__sending_pull_all(worker, i);
    if (worker->waiting == 0) /* a model may have tables alone */
        end_pulling(worker);
}

/* Another process is the primary of this server's range from now on: the worker connects to it, and repeats what was not answered. */
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
    const tri__address *first = &worker->options.servers[server];
    link->contact.second = strcmp(first->host, host) != 0 || first->port != port;
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
    worker->store.counts = tables.growth.most > 0;
    if (link->index > 0) {
        tri__sending_repeat(worker, link->index);
        return NULL;
    }
    TRI_TRY(take_primaries(worker, json_object_get(body, "primaries")));
    uint32_t now = (uint32_t)json_integer_value(generation);
    if (worker->generation == now && json_is_true(json_object_get(body, "member")))
        tri__sending_repeat(worker, 0);
    else { /* the first welcome; or the job has gone back, or gone on without this worker */
        tri__row_messages_renew(worker, 0);
        go_back(worker, now);
        worker->done = json_integer_value(json_object_get(body, "done"));
        worker->answered = 0;
    }
    return NULL;
}

/* The worker has taken this token before, and ps:0 has not answered its whole step. ps:0 sends a token again if a connection broke. */
static bool is_taken(const tri__worker *worker, int64_t step)
{
    bool taken = step == worker->last_step;
    for (uint32_t i = 0; !taken && i < tri__layout_first(&worker->layout, 1); i++) {
        const tri__worker_chunk *chunk = &worker->chunk[i];
        taken = chunk->step == step && (chunk->stage == TRI_CHUNK_READY || chunk->stage == TRI_CHUNK_PUSHED);
    }
    return taken;
}

/* ps:0 held the token back while slower workers made their steps. From the answer to its last push on, this worker waited for them. */
static void leave_bound(tri__worker *worker)
{
    if (worker->waiting == 0)
        worker->waited = tri__clock_now() - worker->here;
    tri__sending_refresh(worker);
}

static tri_status take_token(tri__worker *worker, const tri__message *message)
{
    if (message->position < 0 || message->position > TRI_FURTHEST || message->workers > TRI_MOST_MEMBERS ||
        message->index >= message->workers || message->fresh > (worker->options.settings.mode == TRI_PS_STALENESS))
        return tri_fail(TRI_BAD_DATA, "a token for part %u of %u at position %" PRId64 ", which is none", message->index, message->workers,
                        message->position);
    const tri__token token = {.step = message->step,
                              .position = message->position,
                              .index = (int)message->index,
                              .workers = (int)message->workers,
                              .fresh = message->fresh};
    if (message->generation != worker->generation || worker->tokens == TRI_MOST_HELD)
        return NULL;
    for (int i = 0; i < worker->tokens; i++) /* sent again after a connection broke */
        if (worker->token[(worker->first_token + i) % TRI_MOST_HELD].step == token.step)
            return NULL;
    if (is_taken(worker, token.step))
        return NULL;
    if (worker->options.settings.mode == TRI_PS_SYNC) /* with backup workers the others may have gone on: only the newest step counts */
        worker->tokens = 0;
    worker->token[(worker->first_token + worker->tokens++) % TRI_MOST_HELD] = token;
    if (token.fresh)
        leave_bound(worker);
    return NULL;
}

/* A message that was sent twice is answered twice. Is this the answer to the last one that was sent? */
bool tri__hearing_awaits(const tri__worker *worker, const tri__worker_chunk *chunk, const tri__message *message)
{
    if (message->generation != worker->generation)
        return false; /* it was sent before all went back; the right answer is on its way */
    if (chunk->stage == TRI_CHUNK_PUSHED && worker->options.settings.mode == TRI_PS_SYNC)
        return message->step > chunk->step;
    return chunk->stage == TRI_CHUNK_PUSHED || chunk->stage == TRI_CHUNK_PULLED;
}

/* A chunk that was not awaited when it began to come was read into scratch memory, and is dropped, even if it is awaited by now. */
static tri_status take_chunk(tri__link *link, const tri__message *message)
{
    tri__worker *worker = link->worker;
    tri__worker_chunk *chunk = &worker->chunk[message->chunk];
    if (!link->awaited || !tri__hearing_awaits(worker, chunk, message))
        return NULL;
    worker->waited = message->waited > worker->waited ? message->waited : worker->waited;
    worker->answered += chunk->server == 0 && chunk->stage == TRI_CHUNK_PUSHED;
    if (worker->network && chunk->stage == TRI_CHUNK_PUSHED)
        tri__trace_end_message(worker->network, TRI_SPAN_RECEIVE, tri__clock_now(), chunk->step, TRI_FLOW_RECEIVES,
                               tri__sending_number(worker, TRI_SPAN_ANSWER, message->chunk));
    chunk->stage = TRI_CHUNK_HERE;
    if (--worker->waiting == 0)
        worker->here = tri__clock_now();
    if (worker->waiting == 0 && tri__readiness_pulls(worker->readiness))
        end_pulling(worker);
    if (chunk->server > 0) /* the push to ps:0 may have been kept back until this answer */
        tri__sending_go_on(worker, 0);
    return NULL;
}

static void end_job(tri__worker *worker, tri__worker_ending ending)
{
    worker->ending = ending > worker->ending ? ending : worker->ending;
}

/* What a worker takes, from whom, and when. On a connection without a welcome, tri__contact_expects refuses more. */
static const struct {
    enum { OF_NOBODY, OF_SERVERS, OF_COORDINATOR } sender;
    bool after_ready; /* answers READY: it comes only when READY of this generation was sent */
} taken[TRI_MSG_TYPES] = {
    [TRI_MSG_WELCOME] = {OF_SERVERS, false},  [TRI_MSG_REFUSED] = {OF_SERVERS, false},     [TRI_MSG_CHUNK] = {OF_SERVERS, false},
    [TRI_MSG_ROWS] = {OF_SERVERS, false},     [TRI_MSG_TOKEN] = {OF_COORDINATOR, true},    [TRI_MSG_RESTORED] = {OF_COORDINATOR, false},
    [TRI_MSG_STOP] = {OF_COORDINATOR, false}, [TRI_MSG_PRIMARY] = {OF_COORDINATOR, false}, [TRI_MSG_BYE] = {OF_SERVERS, false},
    [TRI_MSG_BEAT] = {OF_SERVERS, false},
};

static tri_status check_expected(const tri__link *link, const tri__message *message)
{
    const tri__worker *worker = link->worker;
    const char *name = tri__message_name(message->type);
    if (taken[message->type].sender == OF_NOBODY)
        return tri_fail(TRI_BAD_DATA, "a %s, which is not for workers", name);
    if (taken[message->type].sender == OF_COORDINATOR && link->index > 0)
        return tri_fail(TRI_BAD_DATA, "a %s, which only ps:0 may send", name);
    if (taken[message->type].after_ready && message->generation == worker->generation && worker->readiness != TRI_READINESS_SAID)
        return tri_fail(TRI_BAD_DATA, "a %s for a worker that has not said that it is ready", name);
    return NULL;
}

tri_status tri__hearing_take(tri__link *link, const tri__message *message, const json_t *body)
{
    tri__worker *worker = link->worker;
    const char *reason = json_string_value(json_object_get(body, "reason"));
    TRI_TRY(check_expected(link, message));
    switch (message->type) {
    case TRI_MSG_WELCOME:
        return take_welcome(link, body);
    case TRI_MSG_REFUSED:
        worker->refused = true;
        tri__links_fail(worker, tri_fail(json_is_true(json_object_get(body, "diverged")) ? TRI_DIVERGED : TRI_BAD_CALL,
                                         "ps:%d turned worker:%d away: %s", link->index, worker->options.task, reason ? reason : ""));
        return NULL;
    case TRI_MSG_CHUNK:
        return take_chunk(link, message);
    case TRI_MSG_ROWS:
        return tri__row_messages_take(link, message, (const uint8_t *)link->text);
    case TRI_MSG_TOKEN:
        return take_token(worker, message);
    case TRI_MSG_RESTORED:
        if (worker->options.settings.mode != TRI_PS_SYNC || message->generation == worker->generation)
            return tri_fail(TRI_BAD_DATA, "a restored where nothing went back");
        go_back(worker, message->generation);
        return NULL;
    case TRI_MSG_PRIMARY:
        return move(worker, body);
    case TRI_MSG_STOP:
        end_job(worker, TRI_ENDS_STOPPED);
        if (worker->final)
            tri__message_send_json(link->contact.connection, TRI_MSG_REPORT, json_incref(worker->final));
        return NULL;
    case TRI_MSG_BYE: /* from another server: BYE of ps:0 is under way. Wait for it: hanging up now would look as if it was not heard */
        end_job(worker, link->index == 0 || reason || !worker->link[0].contact.connection ? TRI_ENDS_OVER : TRI_ENDS_DISMISSED);
        if (reason)
            tri__links_fail(worker, tri_fail(TRI_STOPPED, "ps:0 ended the job: %s", reason)); /* no matter which server sends it */
        return NULL;
    default: /* a heartbeat */
        return NULL;
    }
}
