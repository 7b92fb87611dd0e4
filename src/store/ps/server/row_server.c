/* row_server.c: the server keeps the last lists that each connection has pulled: their answers may have to wait, and pushes name them. */
#include "store/ps/server/row_server.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/store/store.h"
#include "store/ps/protocol/keyed.h"
#include "store/table.h"

/* A list that was pulled, and what its answer waits for. */
typedef struct {
    tri__row_list list;
    bool waits;      /* the answer waits for `step` or `after` */
    int64_t step;    /* sync: it waits until all steps before this one are applied */
    int64_t after;   /* other modes: it waits until the worker's push with this serial is applied */
    uint32_t number; /* of the pull; the answer repeats it */
    bool half, dense;
} known_list;

typedef struct {
    known_list known[TRI_KEYED_KNOWN];
    int next; /* the oldest, whose place the next list takes */
} table_lists;

/* Memory that grows and is kept. */
typedef struct {
    void *bytes;
    int64_t room;
} buffer;

struct tri__peer_tables {
    table_lists table[TRI_LAYOUT_TABLES];
    buffer body;         /* of the message that is being read */
    buffer answer;       /* the body of the answer that is being written */
    buffer values;       /* [rows][width] the values of that answer */
    buffer keys;         /* where tables grow: the keys of the rows that a worker names */
    tri__row_part *part; /* of the last push; NULL: it was taken */
};

void tri__peer_tables_destroy(tri__peer_tables *tables)
{
    if (!tables)
        return;
    for (int i = 0; i < TRI_LAYOUT_TABLES; i++)
        for (int k = 0; k < TRI_KEYED_KNOWN; k++)
            tri__row_list_fini(&tables->table[i].known[k].list);
    free(tables->body.bytes);
    free(tables->answer.bytes);
    free(tables->values.bytes);
    free(tables->keys.bytes);
    free(tables->part);
    free(tables);
}

/* The content of the buffer is lost. */
static tri_status reserve(buffer *to, size_t bytes)
{
    return tri__reserve(&to->bytes, &to->room, (int64_t)bytes, 1, "rows of a table");
}

static int64_t dense_bytes(const tri_table *table)
{
    return tri__keyed_most_bytes(table->rows, table->width);
}

static int64_t keys_of(const tri__server *server, int table)
{
    return tri__layout_keys(&server->layout, server->options.index, table);
}

/* Of a push or an update. Where tables grow, an update may name more keys than there are rows, each with its sightings. */
static int64_t most_bytes(const tri__server *server, uint32_t chunk, bool updates)
{
    const tri_table *table = tri__stretch_table(server->stretch, chunk);
    const int64_t keys = keys_of(server, tri__layout_table(&server->layout, chunk));
    if (!updates || !tri__layout_grows(&server->layout))
        return dense_bytes(table);
    return tri__keyed_most_bytes(keys, table->width) + keys * TRI_KEYED_ROW_MOST;
}

tri_status tri__rows_body(tri__peer *peer, const tri__message *message, void **body)
{
    const tri__server *server = peer->server;
    bool updates = peer->role == TRI_PEER_STREAM && message->type == TRI_MSG_UPDATE_ROWS;
    bool ours = (peer->role == TRI_PEER_WORKER || updates) && server->stretch && tri__stretch_has(server->stretch, message->chunk) &&
                tri__stretch_table(server->stretch, message->chunk);
    if (peer->role == TRI_PEER_EVALUATOR && message->type == TRI_MSG_PULL_ROWS) /* of the whole model; chunk is the table */
        ours = message->chunk < (uint32_t)server->layout.tables.count;
    if (ours && message->size > TRI_KEYED_MOST)
        ours = peer->role != TRI_PEER_EVALUATOR && message->size <= most_bytes(server, message->chunk, updates);
    if (!ours || message->size < TRI_KEYED_HEAD)
        return tri_fail(TRI_BAD_DATA, "a %s of %u bytes for chunk %u, which is no table's of ours", tri__message_name(message->type),
                        message->size, message->chunk);
    if (!peer->tables)
        TRI_TRY(tri__allocate(1, sizeof *peer->tables, "the rows that a worker names", &peer->tables));
    TRI_TRY(reserve(&peer->tables->body, message->size));
    *body = peer->tables->body.bytes;
    return NULL;
}

static tri_table *table_of(const tri__peer *peer, uint32_t chunk, int *index)
{
    *index = tri__layout_table(&peer->server->layout, chunk);
    return tri__stretch_table(peer->server->stretch, chunk);
}

static void write_all(const tri_table *table, bool half, uint8_t *to)
{
    const size_t each = tri__values_bytes(table->width, half);
    for (int64_t row = 0; row < table->rows; row++)
        tri__values_write(table->data + row * table->stride, table->width, half, to + (size_t)row * each);
}

/* Where tables grow: the key that a worker means when it names this row. */
static int32_t key_of(const tri__server *server, int32_t row)
{
    return row * server->layout.servers + server->options.index;
}

/* Copies the weights of a list's rows into tables->values. whole: from the snapshot of all servers; NULL: from this server. */
static tri_status gather(tri__peer *peer, uint32_t chunk, const tri__row_list *list, const tri_store *whole)
{
    tri__peer_tables *tables = peer->tables;
    const tri__server *server = peer->server;
    const tri__key_map *map = whole ? whole->map : tri__stretch_map(server->stretch);
    int32_t *rows = list->rows;
    if (map) {
        TRI_TRY(reserve(&tables->keys, (size_t)(list->count + 1) * sizeof *rows));
        rows = tables->keys.bytes;
    }
    for (int64_t i = 0; map && i < list->count; i++)
        rows[i] = whole ? tri__key_map_find(map, list->rows[i]) : key_of(server, list->rows[i]);
    if (!whole)
        return tri__table_shard_gather(tri__stretch_shard(server->stretch, chunk), rows, list->count, tables->values.bytes);
    tri__table_gather(&whole->table[chunk], (tri__table_keys){rows, list->count}, tables->values.bytes);
    return NULL;
}

/* message: all but its type, size and number. */
static tri_status send_rows(tri__peer *peer, const tri_table *table, const tri_store *whole, known_list *known, tri__message message)
{
    tri__peer_tables *tables = peer->tables;
    const int64_t floats = (known->dense ? table->rows : known->list.count) * table->width;
    const size_t bytes = tri__values_bytes(floats, known->half);
    known->waits = false;
    TRI_TRY(reserve(&tables->answer, bytes));
    if (known->dense) {
        write_all(table, known->half, tables->answer.bytes);
    } else {
        TRI_TRY(reserve(&tables->values, (size_t)floats * sizeof(float)));
        TRI_TRY(gather(peer, message.chunk, &known->list, whole));
        tri__values_write(tables->values.bytes, floats, known->half, tables->answer.bytes);
    }
    message.type = TRI_MSG_ROWS;
    message.size = (uint32_t)bytes;
    message.number = known->number;
    const tri__frame frame = tri__message_encode(&message);
    tri__connection_send_copy(peer->connection, &frame, tables->answer.bytes, false);
    return NULL;
}

static tri_status answer(tri__peer *peer, uint32_t chunk, known_list *known)
{
    tri__server *server = peer->server;
    return send_rows(peer, tri__stretch_table(server->stretch, chunk), NULL, known,
                     (tri__message){
                         .chunk = chunk,
                         .generation = server->generation,
                         .step = tri__stretch_step(server->stretch, chunk),
                         .waited = tri__stretch_waited(server->stretch, chunk),
                     });
}

/* Reads the list of a pull, with rows below limit. It takes the place of the oldest known list. */
static tri_status read_pull(tri__peer *peer, const tri__message *message, const tri_table *table, int index, int64_t limit,
                            known_list **out)
{
    tri__keyed_head head;
    TRI_TRY(tri__keyed_head_read(peer->tables->body.bytes, message->size, limit, &head));
    if (!(head.flags & TRI_KEYED_LIST))
        return tri_fail(TRI_BAD_DATA, "a pull of rows without its list");
    const bool dense = head.flags & TRI_KEYED_DENSE;
    if (dense && tri__layout_grows(&peer->server->layout))
        return tri_fail(TRI_BAD_DATA, "a pull of all rows of a table that grows");
    if (dense ? dense_bytes(table) > TRI_KEYED_DENSE_MOST : (size_t)head.count * (size_t)table->width > TRI_KEYED_MOST / sizeof(float))
        return tri_fail(TRI_BAD_DATA, "a pull of %u rows, whose answer is more than a message holds", head.count);
    table_lists *lists = &peer->tables->table[index];
    known_list *known = &lists->known[lists->next];
    lists->next = (lists->next + 1) % TRI_KEYED_KNOWN;
    known->waits = false;
    size_t used;
    TRI_TRY(tri__row_list_read((const uint8_t *)peer->tables->body.bytes + TRI_KEYED_HEAD, message->size - TRI_KEYED_HEAD, &head, limit,
                               &known->list, &used));
    if (used != message->size - TRI_KEYED_HEAD)
        return tri_fail(TRI_BAD_DATA, "a pull of %u rows with something behind them", head.count);
    known->step = message->step;
    known->after = message->serial;
    known->number = message->number;
    known->half = head.flags & TRI_KEYED_HALF;
    known->dense = dense;
    *out = known;
    return NULL;
}

tri_status tri__rows_pulled_whole(tri__peer *peer, const tri__message *message, tri_store *whole, int64_t step, const tri__row_list **list)
{
    known_list *known;
    const tri_table *table = tri_store_table(whole, (int)message->chunk);
    TRI_TRY(read_pull(peer, message, table, (int)message->chunk, peer->server->layout.tables.table[message->chunk].rows, &known));
    *list = &known->list;
    return send_rows(peer, table, whole, known, (tri__message){.chunk = message->chunk, .step = step});
}

static bool is_due(const tri__peer *peer, uint32_t chunk, const known_list *known)
{
    const tri__server *server = peer->server;
    if (server->options.settings.mode == TRI_PS_SYNC)
        return tri__stretch_step(server->stretch, chunk) >= known->step;
    return tri__stretch_pushed(server->stretch, chunk, peer->task) >= known->after;
}

tri_status tri__rows_pulled(tri__peer *peer, const tri__message *message)
{
    tri__server *server = peer->server;
    known_list *known;
    int index;
    const tri_table *table = table_of(peer, message->chunk, &index);
    TRI_TRY(read_pull(peer, message, table, index, keys_of(server, index), &known));
    if (server->holds != TRI_HOLDS_ALL || message->generation != server->generation)
        return NULL; /* all go back, and the worker asks again when it is told */
    if (is_due(peer, message->chunk, known))
        return answer(peer, message->chunk, known);
    known->waits = true;
    return NULL;
}

static const tri__row_list *find_known(const table_lists *lists, const tri__keyed_head *head)
{
    for (int i = 0; i < TRI_KEYED_KNOWN; i++)
        if (lists->known[i].list.count == head->count && lists->known[i].list.signature == head->signature)
            return &lists->known[i].list;
    return NULL;
}

/* Reads the values of the listed rows; `from` has the values of all rows. list: NULL if it is empty. */
static void read_listed(const uint8_t *from, const tri__row_list *list, int64_t width, bool half, float *values)
{
    const size_t each = tri__values_bytes(width, half);
    for (int64_t i = 0; list && i < list->count; i++)
        tri__values_read(from + (size_t)list->rows[i] * each, width, half, values + i * width);
}

/* Where tables grow: turns rows into keys, and puts the sightings of each row behind its values. */
static tri_status read_grown(const tri__server *server, const uint8_t *from, size_t size, int64_t width, tri__row_part *part)
{
    for (int64_t i = 0; i < part->count; i++)
        part->rows[i] = key_of(server, part->rows[i]);
    for (int64_t i = part->count - 1; i > 0; i--)
        memmove(part->values + i * (width + 1), part->values + i * width, (size_t)width * sizeof *part->values);
    return tri__sightings_read(from, size, part->count, width, part->values);
}

/* Makes the part of a push whose list is known. values: `size` bytes, with the sightings that follow them. */
static tri_status make_part(tri__peer *peer, const tri_table *table, const tri__keyed_head *head, const tri__row_list *list,
                            const uint8_t *values, size_t size)
{
    tri__peer_tables *tables = peer->tables;
    const bool half = head->flags & TRI_KEYED_HALF, dense = head->flags & TRI_KEYED_DENSE, grows = tri__layout_grows(&peer->server->layout);
    const int64_t floats = (dense ? table->rows : head->count) * table->width;
    const size_t bytes = tri__values_bytes(floats, half);
    if (size < bytes || (size > bytes && !grows) || (dense && grows))
        return tri_fail(TRI_BAD_DATA, "a push of %u rows with %zu bytes of values", head->count, size);
    TRI_TRY(tri__row_part_create(head->count, table->width + grows, &tables->part));
    for (int64_t i = 0; list && i < head->count; i++)
        tables->part->rows[i] = list->rows[i];
    if (dense)
        read_listed(values, list, table->width, half, tables->part->values);
    else
        tri__values_read(values, floats, half, tables->part->values);
    return grows ? read_grown(peer->server, values + bytes, size - bytes, table->width, tables->part) : NULL;
}

tri_status tri__rows_read_push(tri__peer *peer, const tri__message *message)
{
    tri__peer_tables *tables = peer->tables;
    int index;
    const tri_table *table = table_of(peer, message->chunk, &index);
    const int64_t limit = keys_of(peer->server, index);
    tri__keyed_head head;
    tri__row_list read = {0};
    size_t used = 0;
    TRI_TRY(tri__keyed_head_read(tables->body.bytes, message->size, limit, &head));
    const uint8_t *rest = (const uint8_t *)tables->body.bytes + TRI_KEYED_HEAD;
    const size_t left = message->size - TRI_KEYED_HEAD;
    if (peer->role == TRI_PEER_WORKER && head.count * table->width > TRI_KEYED_MOST / 2)
        return tri_fail(TRI_BAD_DATA, "a push of %u rows, which is more than a message holds", head.count);
    const tri__row_list *list = head.flags & TRI_KEYED_LIST ? NULL : find_known(&tables->table[index], &head);
    tri_status status = NULL;
    if (head.flags & TRI_KEYED_LIST) {
        status = tri__row_list_read(rest, left, &head, limit, &read, &used);
        list = &read;
    } else if (!list && head.count > 0) {
        status = tri_fail(TRI_BAD_DATA, "a push of %u rows by a signature that is not known here", head.count);
    }
    free(tables->part);
    tables->part = NULL;
    if (!status)
        status = make_part(peer, table, &head, list, rest + used, left - used);
    tri__row_list_fini(&read);
    return status;
}

tri__row_part *tri__rows_part(const tri__peer *peer)
{
    return peer->tables ? peer->tables->part : NULL;
}

void tri__rows_part_taken(tri__peer *peer)
{
    peer->tables->part = NULL;
}

void tri__rows_answer_waiting(tri__server *server, uint32_t chunk)
{
    if (!tri__stretch_table(server->stretch, chunk))
        return;
    const int table = tri__layout_table(&server->layout, chunk);
    for (tri__peer *peer = server->peers; peer; peer = peer->next)
        for (int i = 0; peer->tables && peer->role == TRI_PEER_WORKER && i < TRI_KEYED_KNOWN; i++) {
            known_list *known = &peer->tables->table[table].known[i];
            if (!known->waits || !is_due(peer, chunk, known))
                continue;
            tri_status status = answer(peer, chunk, known);
            if (status)
                tri__connection_end(peer->connection, status);
        }
}

void tri__rows_forget_waiting(tri__peer *peer)
{
    for (int i = 0; peer->tables && i < TRI_LAYOUT_TABLES; i++)
        for (int k = 0; k < TRI_KEYED_KNOWN; k++)
            peer->tables->table[i].known[k].waits = false;
}
