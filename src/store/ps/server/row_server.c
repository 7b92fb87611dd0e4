/* row_server.c: the last lists that each connection has pulled are kept: their answers may have to wait, and pushes name them. */
#include "store/ps/server/row_server.h"

#include <stdlib.h>

#include "base/memory/memory.h"
#include "store/ps/protocol/keyed.h"
#include "store/table.h"

/* A list that was pulled, and its answer. */
typedef struct {
    tri__row_list list;
    bool waits;      /* for the steps before this one, … */
    int64_t step;    /* … or, where steps are not in common, for … */
    int64_t after;   /* … its own push with this serial */
    uint32_t number; /* of the pull, which its answer repeats */
    bool half, dense;
} known_list;

typedef struct {
    known_list known[TRI_KEYED_KNOWN];
    int next; /* the oldest, whose place the next list takes */
} table_lists;

/* It grows, and is kept. */
typedef struct {
    void *bytes;
    int64_t room;
} buffer;

struct tri__peer_tables {
    table_lists table[TRI_LAYOUT_TABLES];
    buffer body;         /* of the message that is being read … */
    buffer answer;       /* … and of the one that is being written … */
    buffer values;       /* … which has these: [rows][width] */
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
    free(tables->part);
    free(tables);
}

/* What was in it is lost. */
static tri_status reserve(buffer *to, size_t bytes)
{
    return tri__reserve(&to->bytes, &to->room, (int64_t)bytes, 1, "rows of a table");
}

static int64_t dense_bytes(const tri_table *table)
{
    return tri__keyed_most_bytes(table->rows, table->width);
}

tri_status tri__rows_body(tri__peer *peer, const tri__message *message, void **body)
{
    const tri__server *server = peer->server;
    bool updates = peer->role == TRI_PEER_STREAM && message->type == TRI_MSG_UPDATE_ROWS;
    bool ours = (peer->role == TRI_PEER_WORKER || updates) && server->stretch && tri__stretch_has(server->stretch, message->chunk) &&
                tri__stretch_table(server->stretch, message->chunk);
    if (peer->role == TRI_PEER_EVALUATOR && message->type == TRI_MSG_PULL_ROWS) /* of the whole, by the number of the table */
        ours = message->chunk < (uint32_t)server->layout.tables.count;
    if (ours && message->size > TRI_KEYED_MOST)
        ours = peer->role != TRI_PEER_EVALUATOR && message->size <= dense_bytes(tri__stretch_table(server->stretch, message->chunk));
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

/* message: all but its size. */
static tri_status send_rows(tri__peer *peer, const tri_table *table, known_list *known, tri__message message)
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
        tri__table_gather(table, (tri__table_keys){known->list.rows, known->list.count}, tables->values.bytes);
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
    return send_rows(peer, tri__stretch_table(server->stretch, chunk), known,
                     (tri__message){
                         .chunk = chunk,
                         .generation = server->generation,
                         .step = tri__stretch_step(server->stretch, chunk),
                         .waited = tri__stretch_waited(server->stretch, chunk),
                     });
}

/* The list of a pull: it takes the place of the oldest that is known. */
static tri_status read_pull(tri__peer *peer, const tri__message *message, const tri_table *table, int index, known_list **out)
{
    tri__keyed_head head;
    TRI_TRY(tri__keyed_head_read(peer->tables->body.bytes, message->size, table->rows, &head));
    if (!(head.flags & TRI_KEYED_LIST))
        return tri_fail(TRI_BAD_DATA, "a pull of rows without its list");
    const bool dense = head.flags & TRI_KEYED_DENSE;
    if (dense ? dense_bytes(table) > TRI_KEYED_DENSE_MOST : (size_t)head.count * (size_t)table->width > TRI_KEYED_MOST / sizeof(float))
        return tri_fail(TRI_BAD_DATA, "a pull of %u rows, whose answer is more than a message holds", head.count);
    table_lists *lists = &peer->tables->table[index];
    known_list *known = &lists->known[lists->next];
    lists->next = (lists->next + 1) % TRI_KEYED_KNOWN;
    known->waits = false;
    size_t used;
    TRI_TRY(tri__row_list_read((const uint8_t *)peer->tables->body.bytes + TRI_KEYED_HEAD, message->size - TRI_KEYED_HEAD, &head,
                               table->rows, &known->list, &used));
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
    TRI_TRY(read_pull(peer, message, table, (int)message->chunk, &known));
    *list = &known->list;
    return send_rows(peer, table, known, (tri__message){.chunk = message->chunk, .step = step});
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
    TRI_TRY(read_pull(peer, message, table, index, &known));
    if (server->holds != TRI_HOLDS_ALL || message->generation != server->generation)
        return NULL; /* all go back, and it will ask again when it is told */
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

/* Out of the values of all rows. list: NULL where it has none. */
static void read_listed(const uint8_t *from, const tri__row_list *list, int64_t width, bool half, float *values)
{
    const size_t each = tri__values_bytes(width, half);
    for (int64_t i = 0; list && i < list->count; i++)
        tri__values_read(from + (size_t)list->rows[i] * each, width, half, values + i * width);
}

tri_status tri__rows_read_push(tri__peer *peer, const tri__message *message)
{
    tri__peer_tables *tables = peer->tables;
    int index;
    const tri_table *table = table_of(peer, message->chunk, &index);
    tri__keyed_head head;
    tri__row_list read = {0};
    size_t used = 0;
    TRI_TRY(tri__keyed_head_read(tables->body.bytes, message->size, table->rows, &head));
    const uint8_t *rest = (const uint8_t *)tables->body.bytes + TRI_KEYED_HEAD;
    size_t left = message->size - TRI_KEYED_HEAD;
    const bool half = head.flags & TRI_KEYED_HALF, dense = head.flags & TRI_KEYED_DENSE;
    const int64_t floats = (dense ? table->rows : head.count) * table->width;
    if (peer->role == TRI_PEER_WORKER && head.count * table->width > TRI_KEYED_MOST / 2)
        return tri_fail(TRI_BAD_DATA, "a push of %u rows, which is more than a message holds", head.count);
    const tri__row_list *list = head.flags & TRI_KEYED_LIST ? NULL : find_known(&tables->table[index], &head);
    tri_status status = NULL;
    if (head.flags & TRI_KEYED_LIST) {
        status = tri__row_list_read(rest, left, &head, table->rows, &read, &used);
        list = &read;
    } else if (!list && head.count > 0) {
        status = tri_fail(TRI_BAD_DATA, "a push of %u rows by a signature that is not known here", head.count);
    }
    if (!status && left - used != tri__values_bytes(floats, half))
        status = tri_fail(TRI_BAD_DATA, "a push of %u rows in %u bytes", head.count, message->size);
    free(tables->part);
    tables->part = NULL;
    if (!status)
        status = tri__row_part_create(head.count, table->width, &tables->part);
    if (!status) {
        for (int64_t i = 0; list && i < head.count; i++)
            tables->part->rows[i] = list->rows[i];
        if (!dense)
            tri__values_read(rest + used, floats, half, tables->part->values);
        else
            read_listed(rest + used, list, table->width, half, tables->part->values);
    }
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
