/* sending.c: what a worker sends to servers, and in which order.
 *
 * Chunks are sent in the order in which their gradients became ready. This order is the same for all workers, which matters in sync: a
 * server can answer a chunk only when all workers have sent it. Only the chunks that the next step reads first overtake others, so that the
 * step can begin while the rest is still on its way. To let them overtake, the worker hands chunks to a connection a few at a time. */
#include "store/ps/worker/sending.h"

#include "store/ps/worker/row_messages.h"
#include "store/ps/worker/table_client.h"

enum {
    EARLY = (16 << 20) / TRI_CHUNK_BYTES, /* chunks at the beginning of a model, which overtake */
};
#define NO_CHUNK UINT32_MAX

tri__message tri__sending_head(const tri__worker *worker, uint32_t number)
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

/* The number of a push and of its answer in a trace; the server uses the same number. */
uint64_t tri__sending_number(const tri__worker *worker, tri__trace_span kind, uint32_t number)
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
    tri__message_send_floats(worker->link[chunk->server].contact.connection, tri__sending_head(worker, number),
                             worker->store.gradient + chunk->range.first, chunk->range.count, false);
}

static void push(tri__worker *worker, uint32_t number)
{
    const int64_t begin = tri__trace_begin(worker->network);
    send_gradient(worker, number);
    if (worker->network)
        tri__trace_end_message(worker->network, TRI_SPAN_PUSH, begin, worker->chunk[number].step, TRI_FLOW_SENDS,
                               tri__sending_number(worker, TRI_SPAN_PUSH, number));
}

void tri__sending_clear(tri__link *link)
{
    link->first = NO_CHUNK;
    link->last = &link->first;
}

/* Puts a chunk at the end of the queue; an early chunk goes before all chunks that come later in the model. */
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

/* With bounded staleness a step counts as done when ps:0 has it; then other workers may go on. So ps:0 gets it last, when all other servers
 * have answered. Then no server ever sees a worker further ahead than the bound. */
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

/* Sends the chunks of the queue, as long as the connection takes them. Rows are pulled even if pushes are kept back: pushes to other
 * servers may depend on them. */
void tri__sending_go_on(tri__worker *worker, int server)
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

void tri__sending_pull_all(tri__worker *worker, int server)
{
    tri__link *link = &worker->link[server];
    uint32_t first = tri__layout_first(&worker->layout, server), end = tri__layout_first(&worker->layout, server + 1);
    tri__sending_clear(link);
    for (uint32_t i = first; i < end; i++) {
        if (worker->chunk[i].shard) { /* each batch pulls its own rows */
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

/* A chunk that is not answered yet needs no pull: its answer is sent after the token. Between two steps all parameters are the store's. */
void tri__sending_refresh(tri__worker *worker)
{
    for (uint32_t i = 0; i < worker->chunks; i++) {
        tri__worker_chunk *chunk = &worker->chunk[i];
        const tri__contact *contact = &worker->link[chunk->server].contact;
        if (chunk->shard || chunk->stage != TRI_CHUNK_HERE)
            continue;
        worker->waiting++;
        chunk->stage = TRI_CHUNK_PULLED;
        if (contact->welcome) /* otherwise it is asked for when the server is back */
            tri__message_send(contact->connection, &(tri__message){.type = TRI_MSG_PULL, .chunk = i}, false);
    }
    tri__table_client_refresh(worker);
    for (int i = 0; i < worker->options.settings.servers; i++)
        tri__row_messages_ask(worker, i);
}

/* A new connection: sends what was not answered again. The server knows what it has taken. */
void tri__sending_repeat(tri__worker *worker, int server)
{
    tri__link *link = &worker->link[server];
    uint32_t first = tri__layout_first(&worker->layout, server), end = tri__layout_first(&worker->layout, server + 1);
    tri__sending_clear(link);
    tri__row_messages_renew(worker, server);
    for (uint32_t i = first; i < end; i++) {
        if (worker->chunk[i].stage == TRI_CHUNK_PUSHED)
            worker->chunk[i].stage = TRI_CHUNK_READY;
        if (worker->chunk[i].stage == TRI_CHUNK_READY)
            line_up(worker, i);
        if (worker->chunk[i].stage == TRI_CHUNK_PULLED)
            tri__message_send(link->contact.connection, &(tri__message){.type = TRI_MSG_PULL, .chunk = i}, false);
    }
    tri__sending_go_on(worker, server);
}

/* If ps:0 is away, READY is not sent: after its next welcome the worker pulls all again, and then says READY. */
void tri__sending_say_ready(tri__worker *worker)
{
    worker->readiness = TRI_READINESS_SAID;
    if (worker->link[0].contact.welcome)
        tri__message_send(worker->link[0].contact.connection,
                          &(tri__message){.type = TRI_MSG_READY, .generation = worker->generation, .ahead = (uint32_t)worker->ahead},
                          false);
}

void tri__sending_push(tri__worker *worker, uint32_t number)
{
    line_up(worker, number);
    if (!worker->threaded)
        tri__sending_go_on(worker, worker->chunk[number].server);
}
