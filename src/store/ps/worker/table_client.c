/* table_client.c: keys are sorted once a batch and table, and dealt out: row r is on server r mod servers. */
#include "store/ps/worker/table_client.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/norm.h"
#include "store/ps/protocol/keyed.h"
#include "store/table.h"

typedef enum { ROWS_NONE, ROWS_TO_ASK, ROWS_ASKED, ROWS_HERE } rows_stage;

/* The rows of one batch. */
typedef struct {
    rows_stage stage;
    tri__row_list list;
    int32_t *place; /* [room] where each row stands among the batch's keys */
    float *values;  /* [room][width] the rows, where they are here */
    int64_t room;
    int64_t step;      /* before which they are wanted */
    int64_t after;     /* … and after which push of ours, by its serial */
    uint32_t number;   /* of the pull; its answer repeats it */
    uint32_t asked_at; /* which of the connection's pulls it was; 0: none */
} batch_rows;

/* What one server has of a table, as this worker uses it. */
struct tri__worker_rows {
    int64_t width;
    batch_rows batch[2]; /* of the step at hand, and of the next one: worker->now says which is which */
    uint32_t numbers;    /* of pulls so far, … */
    uint32_t asked;      /* … and of those on this connection */

    tri__row_list pushed; /* of the last push, until it is answered */
    float *gradient;      /* [gradient_room][width] */
    int64_t gradient_room;
    uint32_t pushed_at; /* as asked_at, of its list */
};

struct tri__table_sort {
    uint64_t *pair, *other; /* [room] key · 2^32 + its place */
    int64_t room;
    uint8_t *body; /* of a message */
    size_t body_room;
};

static batch_rows *now_of(const tri__worker *worker, tri__worker_rows *rows)
{
    return &rows->batch[worker->now];
}

static tri__worker_rows *rows_of(const tri__worker *worker, int server, int table)
{
    return worker->chunk[tri__layout_table_chunk(&worker->layout, server, table)].rows;
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
            TRI_TRY(tri__allocate(1, sizeof *chunk->rows, "rows of a table", &chunk->rows));
            chunk->rows->width = shape->width;
        }
    }
    return NULL;
}

void tri__table_client_destroy(tri__worker *worker)
{
    for (uint32_t i = 0; worker->chunk && i < worker->chunks; i++) {
        tri__worker_rows *rows = worker->chunk[i].rows;
        if (!rows)
            continue;
        for (int k = 0; k < 2; k++) {
            tri__row_list_fini(&rows->batch[k].list);
            free(rows->batch[k].place);
            free(rows->batch[k].values);
        }
        tri__row_list_fini(&rows->pushed);
        free(rows->gradient);
        free(rows);
    }
    if (worker->sort) {
        free(worker->sort->pair);
        free(worker->sort->other);
        free(worker->sort->body);
    }
    free(worker->sort);
}

/* ---- which rows ---- */

static tri_status reserve_sort(tri__table_sort *sort, int64_t count)
{
    if (count <= sort->room)
        return NULL;
    const int64_t room = count + count / 4;
    free(sort->pair);
    free(sort->other);
    sort->pair = sort->other = NULL;
    sort->room = 0;
    TRI_TRY(tri__allocate((size_t)room, sizeof *sort->pair, "the keys of a batch", &sort->pair));
    TRI_TRY(tri__allocate((size_t)room, sizeof *sort->other, "the keys of a batch", &sort->other));
    sort->room = room;
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
    TRI_TRY(tri__row_list_reserve(&batch->list, count));
    if (count <= batch->room)
        return NULL;
    const int64_t room = count + count / 4;
    free(batch->place);
    free(batch->values);
    batch->place = NULL;
    batch->values = NULL;
    batch->room = 0;
    TRI_TRY(tri__allocate((size_t)room, sizeof *batch->place, "rows of a table", &batch->place));
    TRI_TRY(tri__allocate((size_t)(room * width), sizeof *batch->values, "rows of a table", &batch->values));
    batch->room = room;
    return NULL;
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
        batch[i] = &rows_of(worker, i, table)->batch[which];
        TRI_TRY(check_count(each[i], width, i));
        TRI_TRY(reserve_rows(batch[i], each[i], width));
    }
    for (int64_t i = 0; i < count; i++) {
        const uint64_t key = pair[i] >> 32;
        batch_rows *to = batch[key % servers];
        to->list.rows[to->list.count] = (int32_t)(key / servers);
        to->place[to->list.count++] = (int32_t)(uint32_t)pair[i];
    }
    return NULL;
}

/* A pull that is to be sent, or sent again. after: the push that it waits for; 0: none. */
static void renew_pull(tri__worker_rows *rows, batch_rows *batch, int64_t step, int64_t after)
{
    batch->stage = ROWS_TO_ASK;
    batch->step = step;
    batch->after = after;
    batch->number = ++rows->numbers;
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
        tri__worker_rows *rows = rows_of(worker, i, table);
        batch_rows *batch = &rows->batch[which];
        tri__row_list_sign(&batch->list);
        renew_pull(rows, batch, worker->step.step + (when == TRI_NEXT), when == TRI_NEXT ? worker->serial : 0);
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
        batch_rows *batch = chunk->rows ? now_of(worker, chunk->rows) : NULL;
        if (!batch || batch->stage == ROWS_NONE)
            continue;
        if (sync ? batch->step != worker->step.step : batch->after > chunk->serial) {
            renew_pull(chunk->rows, batch, worker->step.step, 0);
            again = true;
        }
    }
    return again;
}

bool tri__table_client_here(const tri__worker *worker, int table)
{
    for (int i = 0; i < worker->layout.servers; i++) {
        const tri__worker_chunk *chunk = &worker->chunk[tri__layout_table_chunk(&worker->layout, i, table)];
        if (chunk->stage != TRI_CHUNK_HERE || now_of(worker, chunk->rows)->stage != ROWS_HERE)
            return false;
    }
    return true;
}

/* Where the step is void, rows may be missing: the plan gets zeros, and nobody gets what it makes of them. */
void tri__table_client_give(tri__worker *worker, int table, float *out)
{
    const int64_t width = worker->layout.tables.table[table].width;
    for (int server = 0; server < worker->layout.servers; server++) {
        const batch_rows *batch = now_of(worker, rows_of(worker, server, table));
        for (int64_t i = 0; i < batch->list.count; i++) {
            float *to = out + batch->place[i] * width;
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
        now_of(worker, rows_of(worker, i, table))->step = 0;
}

void tri__table_client_keep(tri__worker *worker, int table, const int32_t *keys)
{
    const tri_table *to = &worker->store.table[table];
    for (int server = 0; server < worker->layout.servers; server++) {
        const batch_rows *batch = now_of(worker, rows_of(worker, server, table));
        for (int64_t i = 0; i < batch->list.count; i++)
            memcpy(to->data + keys[batch->place[i]] * to->stride, batch->values + i * to->width, (size_t)to->width * sizeof *to->data);
    }
}

/* ---- their gradients ---- */

static tri_status reserve_gradient(tri__worker_rows *rows, int64_t count)
{
    if (count <= rows->gradient_room)
        return NULL;
    const int64_t room = count + count / 4;
    free(rows->gradient);
    rows->gradient = NULL;
    rows->gradient_room = 0;
    TRI_TRY(tri__allocate((size_t)(room * rows->width), sizeof *rows->gradient, "the gradient of rows", &rows->gradient));
    rows->gradient_room = room;
    return NULL;
}

/* The list is the push's from here on: the next batch has another one. */
tri_status tri__table_client_take(tri__worker *worker, int table, const float *gradient)
{
    for (int server = 0; server < worker->layout.servers; server++) {
        tri__worker_rows *rows = rows_of(worker, server, table);
        batch_rows *batch = now_of(worker, rows);
        TRI_TRY(reserve_gradient(rows, batch->list.count));
        for (int64_t i = 0; i < batch->list.count; i++)
            memcpy(rows->gradient + i * rows->width, gradient + batch->place[i] * rows->width, (size_t)rows->width * sizeof *gradient);
        const tri__row_list free_one = rows->pushed;
        rows->pushed = batch->list;
        rows->pushed_at = batch->asked_at;
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
        const tri__worker_rows *rows = rows_of(worker, server, table);
        squares += tri__sum_of_squares(rows->gradient, (size_t)(rows->pushed.count * rows->width));
    }
    return squares;
}

void tri__table_client_scale(tri__worker *worker, int table, float factor)
{
    for (int server = 0; server < worker->layout.servers; server++) {
        tri__worker_rows *rows = rows_of(worker, server, table);
        for (int64_t i = 0; i < rows->pushed.count * rows->width; i++)
            rows->gradient[i] *= factor;
    }
}

/* ---- what is sent ---- */

static uint8_t *body_of(tri__worker *worker, size_t bytes)
{
    tri__table_sort *sort = worker->sort;
    if (bytes > sort->body_room) {
        free(sort->body);
        sort->body = malloc(bytes + bytes / 4);
        sort->body_room = sort->body ? bytes + bytes / 4 : 0;
    }
    return sort->body;
}

static void lack_memory(tri__worker *worker)
{
    if (!worker->failure)
        worker->failure = tri_fail(TRI_NO_MEMORY, "no memory for a message with rows of a table");
}

/* A server knows the lists of the last pulls on this connection. */
static bool is_known(const tri__worker_rows *rows)
{
    return rows->pushed_at > 0 && rows->asked - rows->pushed_at < TRI_KEYED_KNOWN;
}

void tri__table_client_push(tri__worker *worker, uint32_t number)
{
    tri__worker_chunk *chunk = &worker->chunk[number];
    tri__worker_rows *rows = chunk->rows;
    const bool half = worker->options.settings.half_rows, listed = !is_known(rows);
    const int64_t floats = rows->pushed.count * rows->width;
    const size_t values = tri__values_bytes(floats, half);
    uint8_t *body = body_of(worker, TRI_KEYED_HEAD + (size_t)rows->pushed.count * TRI_KEYED_ROW_MOST + values);
    if (!body) {
        lack_memory(worker);
        return;
    }
    const tri__keyed_head head = {
        .count = (uint32_t)rows->pushed.count,
        .flags = (listed ? TRI_KEYED_LIST : 0) | (half ? TRI_KEYED_HALF : 0),
        .signature = rows->pushed.signature,
    };
    size_t size = TRI_KEYED_HEAD;
    tri__keyed_head_write(&head, body);
    if (listed)
        size += tri__row_list_write(rows->pushed.rows, rows->pushed.count, body + size);
    tri__values_write(rows->gradient, floats, half, body + size);
    const tri__message message = {
        .type = TRI_MSG_PUSH_ROWS,
        .size = (uint32_t)(size + values),
        .chunk = number,
        .view = worker->generation,
        .step = chunk->step,
        .serial = chunk->serial,
        .rate = chunk->rate,
        .weight = (float)chunk->weight,
    };
    const tri__frame frame = tri__message_encode(&message);
    chunk->stage = TRI_CHUNK_PUSHED;
    tri__connection_send_copy(worker->link[chunk->server].contact.connection, &frame, body, false);
}

/* after: the serial of a push that has not been made yet, behind which the server is to answer; 0: none. */
static void ask(tri__worker *worker, uint32_t number, batch_rows *batch, int64_t after)
{
    tri__worker_rows *rows = worker->chunk[number].rows;
    uint8_t *body = body_of(worker, TRI_KEYED_HEAD + (size_t)batch->list.count * TRI_KEYED_ROW_MOST);
    if (!body) {
        lack_memory(worker);
        return;
    }
    const tri__keyed_head head = {
        .count = (uint32_t)batch->list.count,
        .flags = TRI_KEYED_LIST | (worker->options.settings.half_rows ? TRI_KEYED_HALF : 0),
        .signature = batch->list.signature,
    };
    tri__keyed_head_write(&head, body);
    const size_t size = TRI_KEYED_HEAD + tri__row_list_write(batch->list.rows, batch->list.count, body + TRI_KEYED_HEAD);
    const tri__message message = {
        .type = TRI_MSG_PULL_ROWS,
        .size = (uint32_t)size,
        .chunk = number,
        .view = worker->generation,
        .step = batch->step,
        .serial = after,
        .index = batch->number,
    };
    const tri__frame frame = tri__message_encode(&message);
    batch->stage = ROWS_ASKED;
    batch->asked_at = ++rows->asked;
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
            batch_rows *batch = &chunk->rows->batch[worker->now ^ next];
            if (batch->stage == ROWS_TO_ASK)
                ask(worker, number, batch, batch->after > chunk->serial ? batch->after : 0);
        }
    }
}

static void ask_again(tri__worker_rows *rows)
{
    for (int i = 0; i < 2; i++)
        if (rows->batch[i].stage == ROWS_ASKED)
            rows->batch[i].stage = ROWS_TO_ASK;
}

void tri__table_client_ask_again(tri__worker *worker, int server)
{
    for (int table = 0; table < worker->layout.tables.count; table++)
        ask_again(rows_of(worker, server, table));
    tri__table_client_ask(worker, server);
}

void tri__table_client_renew(tri__worker *worker, int server)
{
    for (int table = 0; table < worker->layout.tables.count; table++) {
        tri__worker_rows *rows = rows_of(worker, server, table);
        ask_again(rows);
        rows->asked = rows->pushed_at = rows->batch[0].asked_at = rows->batch[1].asked_at = 0;
    }
}

static batch_rows *find_batch(tri__worker_rows *rows, uint32_t number)
{
    for (int i = 0; i < 2; i++)
        if (rows->batch[i].stage == ROWS_ASKED && rows->batch[i].number == number)
            return &rows->batch[i];
    return NULL;
}

tri_status tri__table_client_rows(tri__link *link, const tri__message *message, const uint8_t *body)
{
    tri__worker *worker = link->worker;
    const bool known =
        message->chunk < worker->chunks && worker->chunk[message->chunk].server == link->index && worker->chunk[message->chunk].rows;
    if (!known)
        return tri_fail(TRI_BAD_DATA, "ps:%d sends rows of chunk %u, which it does not have", link->index, message->chunk);
    tri__worker_rows *rows = worker->chunk[message->chunk].rows;
    batch_rows *batch = message->view == worker->generation ? find_batch(rows, message->index) : NULL;
    if (!batch)
        return NULL; /* nobody waits for it any more */
    const int64_t floats = batch->list.count * rows->width;
    if (message->size != tri__values_bytes(floats, worker->options.settings.half_rows))
        return tri_fail(TRI_BAD_DATA, "ps:%d sends %u bytes for %" PRId64 " rows", link->index, message->size, batch->list.count);
    tri__values_read(body, floats, worker->options.settings.half_rows, batch->values);
    batch->stage = ROWS_HERE;
    worker->waited = message->waited > worker->waited ? message->waited : worker->waited;
    return NULL;
}
