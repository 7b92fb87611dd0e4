/* table_client.c: keys are sorted once a batch and table, and dealt out: row r is on server r mod servers. */
#include "store/ps/worker/table_client.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "store/norm.h"
#include "store/ps/protocol/keyed.h"
#include "store/ps/worker/links.h"
#include "store/table.h"

typedef enum { ROWS_NONE, ROWS_TO_ASK, ROWS_ASKED, ROWS_HERE } rows_stage;

/* The rows of one batch. */
typedef struct {
    rows_stage stage;
    tri__row_list list;
    int32_t *position; /* where each row stands among the batch's keys */
    float *values;     /* [rows][width] the rows, where they are here */
    int64_t position_room, values_room;
    int64_t step;      /* before which they are wanted */
    int64_t after;     /* … and after which push of ours, by its serial */
    uint32_t number;   /* of the pull; its answer repeats it */
    uint32_t asked_at; /* which of the connection's pulls it was; 0: none */
} batch_rows;

/* What one server has of a table, as this worker uses it. */
struct tri__worker_shard {
    int64_t width;
    int64_t all;         /* rows that the server has */
    batch_rows batch[2]; /* of the step at hand, and of the next one: worker->now says which is which */
    uint32_t numbers;    /* of pulls so far, … */
    uint32_t asked;      /* … and of those on this connection */

    tri__row_list pushed; /* of the last push, until it is answered */
    float *gradient;      /* [rows of the push][width] */
    int64_t gradient_room;
    uint32_t pushed_at; /* as asked_at, of its list */
};

struct tri__table_sort {
    uint64_t *memory; /* of both: */
    int64_t room;
    uint64_t *pair, *other; /* key · 2^32 + its position */
    uint8_t *body;          /* of a message */
    int64_t body_room;
};

static batch_rows *now_of(const tri__worker *worker, tri__worker_shard *shard)
{
    return &shard->batch[worker->now];
}

static tri__worker_shard *shard_of(const tri__worker *worker, int server, int table)
{
    return worker->chunk[tri__layout_table_chunk(&worker->layout, server, table)].shard;
}

static tri_status check_dense(const tri__worker *worker, const tri__worker_shard *shard, int server)
{
    if (!worker->options.settings.dense_rows || tri__keyed_dense_bytes(shard->all, shard->width) <= TRI_KEYED_DENSE_MOST)
        return NULL;
    return tri_fail(TRI_BAD_CALL,
                    "--gather dense: ps:%d has %" PRId64 " rows of a table, more than a message of %d MB holds: use more --servers", server,
                    shard->all, TRI_KEYED_DENSE_MOST >> 20);
}

tri_status tri__table_client_create(tri__worker *worker)
{
    const tri__layout *layout = &worker->layout;
    tri_store *store = &worker->store;
    TRI_TRY(tri__allocate(1, sizeof *worker->sort, "room to sort keys", &worker->sort));
    for (int table = 0; table < layout->tables.count; table++) {
        const tri__table_shape *shape = &layout->tables.table[table];
        TRI_TRY(tri__table_init(&store->table[table], shape->rows, shape->width, 0)); /* pages that nobody touches cost nothing */
        store->tables++;
        for (int server = 0; server < layout->servers; server++) {
            tri__worker_chunk *chunk = &worker->chunk[tri__layout_table_chunk(layout, server, table)];
            TRI_TRY(tri__allocate(1, sizeof *chunk->shard, "rows of a table", &chunk->shard));
            chunk->shard->width = shape->width;
            chunk->shard->all = tri__layout_rows(layout, server, table);
            TRI_TRY(check_dense(worker, chunk->shard, server));
        }
    }
    return NULL;
}

void tri__table_client_destroy(tri__worker *worker)
{
    for (uint32_t i = 0; worker->chunk && i < worker->chunks; i++) {
        tri__worker_shard *shard = worker->chunk[i].shard;
        if (!shard)
            continue;
        for (int k = 0; k < 2; k++) {
            tri__row_list_fini(&shard->batch[k].list);
            free(shard->batch[k].position);
            free(shard->batch[k].values);
        }
        tri__row_list_fini(&shard->pushed);
        free(shard->gradient);
        free(shard);
    }
    if (worker->sort) {
        free(worker->sort->memory);
        free(worker->sort->body);
    }
    free(worker->sort);
}

/* ---- which rows ---- */

static tri_status reserve_sort(tri__table_sort *sort, int64_t count)
{
    TRI_TRY(tri__reserve(&sort->memory, &sort->room, count > 0 ? 2 * count : 1, sizeof *sort->memory, "the keys of a batch"));
    sort->pair = sort->memory;
    sort->other = sort->memory + count;
    return NULL;
}

/* By their keys, a byte at a time from the lowest; most is the largest of them. */
static void sort_pairs(tri__table_sort *sort, int64_t count, uint32_t most)
{
    for (int shift = 32; shift < 64 && (shift == 32 || most >> (shift - 32)); shift += 8) {
        int64_t at[257] = {0};
        for (int64_t i = 0; i < count; i++)
            at[(sort->pair[i] >> shift & 0xff) + 1]++;
        for (int i = 0; i < 256; i++)
            at[i + 1] += at[i];
        for (int64_t i = 0; i < count; i++)
            sort->other[at[sort->pair[i] >> shift & 0xff]++] = sort->pair[i];
        uint64_t *swapped = sort->pair;
        sort->pair = sort->other;
        sort->other = swapped;
    }
}

static tri_status reserve_rows(batch_rows *batch, int64_t count, int64_t width)
{
    const char *what = "rows of a table";
    TRI_TRY(tri__row_list_reserve(&batch->list, count));
    TRI_TRY(tri__reserve(&batch->position, &batch->position_room, count, sizeof *batch->position, what));
    return tri__reserve(&batch->values, &batch->values_room, count * width, sizeof *batch->values, what);
}

static tri_status check_count(int64_t count, int64_t width, int server)
{
    const int64_t each = TRI_KEYED_ROW_MOST + width * (int64_t)sizeof(float);
    if (count <= (TRI_KEYED_MOST - TRI_KEYED_HEAD) / each)
        return NULL;
    return tri_fail(TRI_BAD_CALL,
                    "a batch names %" PRId64 " rows of a table that ps:%d has, more than a message of %d MB holds: use a smaller --batch, "
                    "or more --servers",
                    count, server, TRI_KEYED_MOST >> 20);
}

/* Sorted keys to the servers that have them. */
static tri_status deal(tri__worker *worker, int table, int which, int64_t count)
{
    const uint64_t *pair = worker->sort->pair;
    const uint64_t servers = (uint64_t)worker->layout.servers;
    const int64_t width = worker->layout.tables.table[table].width;
    int64_t each[TRI_MOST_SERVERS] = {0};
    batch_rows *batch[TRI_MOST_SERVERS];
    for (int64_t i = 0; i < count; i++)
        each[(pair[i] >> 32) % servers]++;
    for (int i = 0; i < (int)servers; i++) {
        batch[i] = &shard_of(worker, i, table)->batch[which];
        TRI_TRY(check_count(each[i], width, i));
        TRI_TRY(reserve_rows(batch[i], each[i], width));
    }
    for (int64_t i = 0; i < count; i++) {
        const uint64_t key = pair[i] >> 32;
        batch_rows *to = batch[key % servers];
        to->list.rows[to->list.count] = (int32_t)(key / servers);
        to->position[to->list.count++] = (int32_t)(uint32_t)pair[i];
    }
    return NULL;
}

/* A pull that is to be sent, or sent again. after: the push that it waits for; 0: none. */
static void renew_pull(tri__worker_shard *shard, batch_rows *batch, int64_t step, int64_t after)
{
    batch->stage = ROWS_TO_ASK;
    batch->step = step;
    batch->after = after;
    batch->number = ++shard->numbers;
    batch->asked_at = 0;
}

tri_status tri__table_client_expect(tri__worker *worker, int table, tri_when when, const int32_t *keys, int64_t count)
{
    const int which = worker->now ^ (when == TRI_NEXT);
    TRI_TRY(reserve_sort(worker->sort, count));
    uint32_t most = 0;
    for (int64_t i = 0; i < count; i++) {
        worker->sort->pair[i] = (uint64_t)(uint32_t)keys[i] << 32 | (uint32_t)i;
        most |= (uint32_t)keys[i];
    }
    sort_pairs(worker->sort, count, most);
    TRI_TRY(deal(worker, table, which, count));
    for (int i = 0; i < worker->layout.servers; i++) {
        tri__worker_shard *shard = shard_of(worker, i, table);
        batch_rows *batch = &shard->batch[which];
        tri__row_list_sign(&batch->list);
        renew_pull(shard, batch, worker->step.step + (when == TRI_NEXT), when == TRI_NEXT ? worker->serial : 0);
    }
    return NULL;
}

/* What was pulled for the next step is this one's, where it is the step that was foreseen and the push that it waits for was made. */
bool tri__table_client_begin(tri__worker *worker)
{
    const bool sync = worker->options.settings.mode == TRI_PS_SYNC;
    bool again = false;
    worker->now ^= 1;
    for (uint32_t i = 0; i < worker->chunks; i++) {
        tri__worker_chunk *chunk = &worker->chunk[i];
        batch_rows *batch = chunk->shard ? now_of(worker, chunk->shard) : NULL;
        if (!batch || batch->stage == ROWS_NONE)
            continue;
        if (sync ? batch->step != worker->step.step : batch->after > chunk->serial) {
            renew_pull(chunk->shard, batch, worker->step.step, 0);
            again = true;
        }
    }
    return again;
}

bool tri__table_client_here(const tri__worker *worker, int table)
{
    for (int i = 0; i < worker->layout.servers; i++) {
        const tri__worker_chunk *chunk = &worker->chunk[tri__layout_table_chunk(&worker->layout, i, table)];
        if (chunk->stage != TRI_CHUNK_HERE || now_of(worker, chunk->shard)->stage != ROWS_HERE)
            return false;
    }
    return true;
}

/* Where the step is void, rows may be missing: the plan gets zeros, and nobody gets what it makes of them. */
void tri__table_client_give(tri__worker *worker, int table, float *out)
{
    const int64_t width = worker->layout.tables.table[table].width;
    for (int server = 0; server < worker->layout.servers; server++) {
        const batch_rows *batch = now_of(worker, shard_of(worker, server, table));
        for (int64_t i = 0; i < batch->list.count; i++) {
            float *to = out + batch->position[i] * width;
            if (batch->stage == ROWS_HERE)
                memcpy(to, batch->values + i * width, (size_t)width * sizeof *to);
            else
                memset(to, 0, (size_t)width * sizeof *to);
        }
    }
}

void tri__table_client_at_once(tri__worker *worker, int table)
{
    for (int i = 0; i < worker->layout.servers; i++)
        now_of(worker, shard_of(worker, i, table))->step = 0;
}

void tri__table_client_keep(tri__worker *worker, int table, const int32_t *keys)
{
    const tri_table *to = &worker->store.table[table];
    for (int server = 0; server < worker->layout.servers; server++) {
        const batch_rows *batch = now_of(worker, shard_of(worker, server, table));
        for (int64_t i = 0; i < batch->list.count; i++)
            memcpy(to->data + keys[batch->position[i]] * to->stride, batch->values + i * to->width, (size_t)to->width * sizeof *to->data);
    }
}

/* ---- their gradients ---- */

/* The list is the push's from here on: the next batch has another one. */
tri_status tri__table_client_take(tri__worker *worker, int table, const float *gradient)
{
    for (int server = 0; server < worker->layout.servers; server++) {
        tri__worker_shard *shard = shard_of(worker, server, table);
        batch_rows *batch = now_of(worker, shard);
        TRI_TRY(tri__reserve(&shard->gradient, &shard->gradient_room, batch->list.count * shard->width, sizeof *shard->gradient,
                             "the gradient of rows"));
        for (int64_t i = 0; i < batch->list.count; i++)
            memcpy(shard->gradient + i * shard->width, gradient + batch->position[i] * shard->width,
                   (size_t)shard->width * sizeof *gradient);
        const tri__row_list free_one = shard->pushed;
        shard->pushed = batch->list;
        shard->pushed_at = batch->asked_at;
        batch->list = free_one;
        batch->list.count = 0;
        batch->stage = ROWS_NONE;
    }
    return NULL;
}

double tri__table_client_squares(const tri__worker *worker, int table)
{
    double squares = 0;
    for (int server = 0; server < worker->layout.servers; server++) {
        const tri__worker_shard *shard = shard_of(worker, server, table);
        squares += tri__sum_of_squares(shard->gradient, (size_t)(shard->pushed.count * shard->width));
    }
    return squares;
}

void tri__table_client_scale(tri__worker *worker, int table, float factor)
{
    for (int server = 0; server < worker->layout.servers; server++) {
        tri__worker_shard *shard = shard_of(worker, server, table);
        for (int64_t i = 0; i < shard->pushed.count * shard->width; i++)
            shard->gradient[i] *= factor;
    }
}

/* ---- what is sent ---- */

/* Memory for the body of a message; NULL: there is none, and the worker has failed. */
static uint8_t *body_of(tri__worker *worker, size_t bytes)
{
    tri__table_sort *sort = worker->sort;
    tri_status status = tri__reserve(&sort->body, &sort->body_room, (int64_t)bytes, 1, "a message with rows of a table");
    if (worker->failure)
        tri_status_free(status);
    else
        worker->failure = status;
    return sort->body;
}

/* A server knows the lists of the last pulls on this connection. */
static bool is_known(const tri__worker_shard *shard)
{
    return shard->pushed_at > 0 && shard->asked - shard->pushed_at < TRI_KEYED_KNOWN;
}

static uint32_t flags_of(const tri__worker *worker, bool listed)
{
    const tri__ps_settings *settings = &worker->options.settings;
    return (listed ? TRI_KEYED_LIST : 0) | (settings->half_rows ? TRI_KEYED_HALF : 0) | (settings->dense_rows ? TRI_KEYED_DENSE : 0);
}

/* Floats of a message for that many rows that a batch names. */
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

void tri__table_client_push(tri__worker *worker, uint32_t number)
{
    tri__worker_chunk *chunk = &worker->chunk[number];
    tri__worker_shard *shard = chunk->shard;
    const bool listed = !is_known(shard);
    const size_t values = tri__values_bytes(floats_for(worker, shard, shard->pushed.count), worker->options.settings.half_rows);
    uint8_t *body = body_of(worker, TRI_KEYED_HEAD + (size_t)shard->pushed.count * TRI_KEYED_ROW_MOST + values);
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
    tri__message message = tri__links_push_head(worker, number);
    message.size = (uint32_t)(size + values);
    const tri__frame frame = tri__message_encode(&message);
    chunk->stage = TRI_CHUNK_PUSHED;
    tri__connection_send_copy(worker->link[chunk->server].contact.connection, &frame, body, false);
}

/* after: the serial of a push that has not been made yet, behind which the server is to answer; 0: none. */
static void ask(tri__worker *worker, uint32_t number, batch_rows *batch, int64_t after)
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
    batch->stage = ROWS_ASKED;
    batch->asked_at = ++shard->asked;
    tri__connection_send_copy(worker->link[worker->chunk[number].server].contact.connection, &frame, body, false);
}

/* This step's before the next one's: a server keeps the last lists. One whose push is in line goes behind it. */
void tri__table_client_ask(tri__worker *worker, int server)
{
    if (!worker->link[server].contact.welcome)
        return;
    for (int table = 0; table < worker->layout.tables.count; table++) {
        const uint32_t number = tri__layout_table_chunk(&worker->layout, server, table);
        const tri__worker_chunk *chunk = &worker->chunk[number];
        for (int next = 0; next < 2 && chunk->stage != TRI_CHUNK_READY; next++) {
            batch_rows *batch = &chunk->shard->batch[worker->now ^ next];
            if (batch->stage == ROWS_TO_ASK)
                ask(worker, number, batch, batch->after > chunk->serial ? batch->after : 0);
        }
    }
}

static void ask_again(tri__worker_shard *shard)
{
    for (int i = 0; i < 2; i++)
        if (shard->batch[i].stage == ROWS_ASKED)
            shard->batch[i].stage = ROWS_TO_ASK;
}

void tri__table_client_ask_again(tri__worker *worker, int server)
{
    for (int table = 0; table < worker->layout.tables.count; table++)
        ask_again(shard_of(worker, server, table));
    tri__table_client_ask(worker, server);
}

void tri__table_client_renew(tri__worker *worker, int server)
{
    for (int table = 0; table < worker->layout.tables.count; table++) {
        tri__worker_shard *shard = shard_of(worker, server, table);
        ask_again(shard);
        shard->asked = shard->pushed_at = shard->batch[0].asked_at = shard->batch[1].asked_at = 0;
    }
}

static batch_rows *find_batch(tri__worker_shard *shard, uint32_t number)
{
    for (int i = 0; i < 2; i++)
        if (shard->batch[i].stage == ROWS_ASKED && shard->batch[i].number == number)
            return &shard->batch[i];
    return NULL;
}

bool tri__table_client_fits(const tri__link *link, const tri__message *message)
{
    const tri__worker *worker = link->worker;
    const tri__worker_shard *shard = message->chunk < worker->chunks ? worker->chunk[message->chunk].shard : NULL;
    return message->size <= TRI_KEYED_MOST || (shard && message->size <= tri__keyed_dense_bytes(shard->all, shard->width));
}

static void read_rows(const tri__worker *worker, const tri__worker_shard *shard, const uint8_t *body, batch_rows *batch)
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

tri_status tri__table_client_rows(tri__link *link, const tri__message *message, const uint8_t *body)
{
    tri__worker *worker = link->worker;
    const bool known =
        message->chunk < worker->chunks && worker->chunk[message->chunk].server == link->index && worker->chunk[message->chunk].shard;
    if (!known)
        return tri_fail(TRI_BAD_DATA, "ps:%d sends rows of chunk %u, which it does not have", link->index, message->chunk);
    tri__worker_shard *shard = worker->chunk[message->chunk].shard;
    batch_rows *batch = message->generation == worker->generation ? find_batch(shard, message->number) : NULL;
    if (!batch)
        return NULL; /* nobody waits for it any more */
    if (message->size != tri__values_bytes(floats_for(worker, shard, batch->list.count), worker->options.settings.half_rows))
        return tri_fail(TRI_BAD_DATA, "ps:%d sends %u bytes for %" PRId64 " rows", link->index, message->size, batch->list.count);
    read_rows(worker, shard, body, batch);
    batch->stage = ROWS_HERE;
    worker->waited = message->waited > worker->waited ? message->waited : worker->waited;
    return NULL;
}
