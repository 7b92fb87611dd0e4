/* row_messages.c: a pull names its rows by a list. A push names them by the list's signature, if the server still has the list. */
#include "store/ps/worker/row_messages.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory/memory.h"
#include "store/ps/protocol/keyed.h"
#include "store/ps/worker/sending.h"
#include "store/ps/worker/worker_shard.h"

/* Memory for the body of a message; NULL: memory is short, and worker->failure says so. */
static uint8_t *body_of(tri__worker *worker, size_t bytes)
{
    tri_status status = tri__reserve(&worker->rows_body, &worker->rows_body_room, (int64_t)bytes, 1, "a message with rows of a table");
    if (worker->failure)
        tri_status_free(status);
    else
        worker->failure = status;
    return worker->rows_body;
}

/* Does the server still know the list of this push? It knows the lists of the last pulls on this connection. */
static bool is_known(const tri__worker_shard *shard)
{
    return shard->pushed_at > 0 && shard->asked - shard->pushed_at < TRI_KEYED_KNOWN;
}

static uint32_t flags_of(const tri__worker *worker, bool listed)
{
    const tri__ps_settings *settings = &worker->options.settings;
    return (listed ? TRI_KEYED_LIST : 0) | (settings->half_rows ? TRI_KEYED_HALF : 0) | (settings->dense_rows ? TRI_KEYED_DENSE : 0);
}

/* How many floats a message has for `named` rows of a batch. */
static int64_t floats_for(const tri__worker *worker, const tri__worker_shard *shard, int64_t named)
{
    return (worker->options.settings.dense_rows ? shard->all : named) * shard->width;
}

static void write_gradient(const tri__worker *worker, const tri__worker_shard *shard, size_t bytes, uint8_t *to)
{
    const bool half = worker->options.settings.half_rows;
    const size_t each = tri__values_bytes(shard->width, half);
    if (!worker->options.settings.dense_rows) {
        tri__values_write(shard->gradient, shard->pushed.count * shard->width, half, to);
        return;
    }
    memset(to, 0, bytes);
    for (int64_t i = 0; i < shard->pushed.count; i++)
        tri__values_write(shard->gradient + i * shard->width, shard->width, half, to + (size_t)shard->pushed.rows[i] * each);
}

void tri__row_messages_push(tri__worker *worker, uint32_t number)
{
    tri__worker_chunk *chunk = &worker->chunk[number];
    tri__worker_shard *shard = chunk->shard;
    const bool listed = !is_known(shard);
    const size_t values = tri__values_bytes(floats_for(worker, shard, shard->pushed.count), worker->options.settings.half_rows);
    uint8_t *body = body_of(worker, TRI_KEYED_HEAD + 2 * (size_t)shard->pushed.count * TRI_KEYED_ROW_MOST + values);
    if (!body)
        return;
    const tri__keyed_head head = {
        .count = (uint32_t)shard->pushed.count,
        .flags = flags_of(worker, listed),
        .signature = shard->pushed.signature,
    };
    size_t size = TRI_KEYED_HEAD;
    tri__keyed_head_write(&head, body);
    if (listed)
        size += tri__row_list_write(shard->pushed.rows, shard->pushed.count, body + size);
    write_gradient(worker, shard, values, body + size);
    size += values;
    if (worker->store.counts)
        size += tri__sightings_write(shard->sightings, shard->pushed.count, body + size);
    tri__message message = tri__sending_head(worker, number);
    message.size = (uint32_t)size;
    const tri__frame frame = tri__message_encode(&message);
    chunk->stage = TRI_CHUNK_PUSHED;
    tri__connection_send_copy(worker->link[chunk->server].contact.connection, &frame, body, false);
}

/* Pulls the rows of a batch. after: the serial of a push that has not been sent yet; the server answers after it. 0: none. */
static void ask(tri__worker *worker, uint32_t number, tri__batch_rows *batch, int64_t after)
{
    tri__worker_shard *shard = worker->chunk[number].shard;
    uint8_t *body = body_of(worker, TRI_KEYED_HEAD + (size_t)batch->list.count * TRI_KEYED_ROW_MOST);
    if (!body)
        return;
    const tri__keyed_head head = {
        .count = (uint32_t)batch->list.count,
        .flags = flags_of(worker, true),
        .signature = batch->list.signature,
    };
    tri__keyed_head_write(&head, body);
    const size_t size = TRI_KEYED_HEAD + tri__row_list_write(batch->list.rows, batch->list.count, body + TRI_KEYED_HEAD);
    const tri__message message = {
        .type = TRI_MSG_PULL_ROWS,
        .size = (uint32_t)size,
        .chunk = number,
        .generation = worker->generation,
        .step = batch->step,
        .serial = after,
        .number = batch->number,
    };
    const tri__frame frame = tri__message_encode(&message);
    batch->stage = TRI_ROWS_ASKED;
    batch->asked_at = ++shard->asked;
    tri__connection_send_copy(worker->link[worker->chunk[number].server].contact.connection, &frame, body, false);
}

/* Pulls this step's rows before the next step's, since a server keeps only the last lists. If a push of the chunk waits to be sent, the
 * pull waits until it is sent. */
void tri__row_messages_ask(tri__worker *worker, int server)
{
    if (!worker->link[server].contact.welcome)
        return;
    for (int table = 0; table < worker->layout.tables.count; table++) {
        const uint32_t number = tri__layout_table_chunk(&worker->layout, server, table);
        const tri__worker_chunk *chunk = &worker->chunk[number];
        for (int next = 0; next < 2 && chunk->stage != TRI_CHUNK_READY; next++) {
            tri__batch_rows *batch = &chunk->shard->batch[worker->now ^ next];
            if (batch->stage == TRI_ROWS_TO_ASK)
                ask(worker, number, batch, batch->after > chunk->serial ? batch->after : 0);
        }
    }
}

static void ask_again(tri__worker_shard *shard)
{
    for (int i = 0; i < 2; i++)
        if (shard->batch[i].stage == TRI_ROWS_ASKED)
            shard->batch[i].stage = TRI_ROWS_TO_ASK;
}

void tri__row_messages_ask_again(tri__worker *worker, int server)
{
    for (int table = 0; table < worker->layout.tables.count; table++)
        ask_again(tri__shard_at(worker, server, table));
    tri__row_messages_ask(worker, server);
}

void tri__row_messages_renew(tri__worker *worker, int server)
{
    for (int table = 0; table < worker->layout.tables.count; table++) {
        tri__worker_shard *shard = tri__shard_at(worker, server, table);
        ask_again(shard);
        shard->asked = shard->pushed_at = shard->batch[0].asked_at = shard->batch[1].asked_at = 0;
    }
}

static tri__batch_rows *find_batch(tri__worker_shard *shard, uint32_t number)
{
    for (int i = 0; i < 2; i++)
        if (shard->batch[i].stage == TRI_ROWS_ASKED && shard->batch[i].number == number)
            return &shard->batch[i];
    return NULL;
}

bool tri__row_messages_fits(const tri__link *link, const tri__message *message)
{
    const tri__worker *worker = link->worker;
    const tri__worker_shard *shard = message->chunk < worker->chunks ? worker->chunk[message->chunk].shard : NULL;
    return message->size <= TRI_KEYED_MOST || (shard && message->size <= tri__keyed_most_bytes(shard->all, shard->width));
}

static void read_rows(const tri__worker *worker, const tri__worker_shard *shard, const uint8_t *body, tri__batch_rows *batch)
{
    const bool half = worker->options.settings.half_rows;
    const size_t each = tri__values_bytes(shard->width, half);
    if (!worker->options.settings.dense_rows) {
        tri__values_read(body, batch->list.count * shard->width, half, batch->values);
        return;
    }
    for (int64_t i = 0; i < batch->list.count; i++)
        tri__values_read(body + (size_t)batch->list.rows[i] * each, shard->width, half, batch->values + i * shard->width);
}

tri_status tri__row_messages_take(tri__link *link, const tri__message *message, const uint8_t *body)
{
    tri__worker *worker = link->worker;
    const bool known =
        message->chunk < worker->chunks && worker->chunk[message->chunk].server == link->index && worker->chunk[message->chunk].shard;
    if (!known)
        return tri_fail(TRI_BAD_DATA, "ps:%d sends rows of chunk %u, which it does not have", link->index, message->chunk);
    tri__worker_shard *shard = worker->chunk[message->chunk].shard;
    tri__batch_rows *batch = message->generation == worker->generation ? find_batch(shard, message->number) : NULL;
    if (!batch)
        return NULL; /* no batch waits for it any more */
    if (message->size != tri__values_bytes(floats_for(worker, shard, batch->list.count), worker->options.settings.half_rows))
        return tri_fail(TRI_BAD_DATA, "ps:%d sends %u bytes for %" PRId64 " rows", link->index, message->size, batch->list.count);
    read_rows(worker, shard, body, batch);
    batch->stage = TRI_ROWS_HERE;
    worker->waited = message->waited > worker->waited ? message->waited : worker->waited;
    return NULL;
}
