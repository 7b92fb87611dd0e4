/* sending.c: what a worker says to servers, and in which order.
 *
 * Chunks leave in the order in which their gradients became ready. That order is the same for all workers, and so it should be: in sync a
 * server can answer a chunk only when all have sent it. Those alone overtake that the next step reads first, so that it can begin while
 * the rest still travels; and to let them, chunks are handed to a connection a few at a time. */
#include "store/ps/worker/sending.h"

#include "store/ps/worker/row_messages.h"

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

/* A push and its answer, in a trace; the server numbers them likewise. */
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

/* To a ps:0 that is away it is not said: it asks for all anew when it is back. */
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
