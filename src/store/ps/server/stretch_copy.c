/* stretch_copy.c: a copy begins at once, and is sent while training goes on. */
#include "store/ps/server/stretch_copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "store/ps/server/known_pushes.h"
#include "store/ps/server/server_inside.h"
#include "store/ps/stretch/undo.h"
#include "store/table.h"

void tri__copy_fini(tri__stretch_copy *copy)
{
    for (int i = 0; i < TRI_STRETCH_SLOTS; i++)
        tri__buffer_free(copy->slot[i]);
    for (int i = 0; i < TRI_LAYOUT_TABLES; i++)
        free(copy->rows[i]);
    free(copy->sending.piece);
    tri__key_cells_fini(&copy->cells);
    tri__row_list_fini(&copy->named);
    free(copy->body);
}

/* No rows are kept any more. */
static void end_sending(tri__server *server)
{
    server->copy.sending.step = -1;
    for (int table = 0; server->stretch && table < server->layout.tables.count; table++)
        tri__table_shard_end_copy(
            tri__stretch_shard(server->stretch, tri__layout_table_chunk(&server->layout, server->options.index, table)));
}

void tri__copy_cancel(tri__server *server)
{
    server->copy.step = -1;
    end_sending(server);
}

bool tri__copy_is_wanted(const tri__server *server)
{
    return server->copy.step >= 0;
}

/* In sync a copy is of exactly the step that ps:0 wants, even if this server has made the next step because ps:0 was lost meanwhile. */
static int64_t step_of(const tri__server *server, uint32_t chunk)
{
    return server->options.settings.mode == TRI_PS_SYNC ? server->copy.updates : tri__stretch_step(server->stretch, chunk);
}

static tri_status cannot(const tri__server *server)
{
    return tri_fail(TRI_NOT_FOUND, "ps:%d is past step %lld", server->options.index, (long long)server->copy.updates);
}

/* Where tables grow: copies which key has which row. */
static tri_status copy_keys(tri__server *server)
{
    tri__stretch_copy *copy = &server->copy;
    if (!tri__stretch_map(server->stretch))
        return NULL;
    return tri__stretch_read_keys_at(server->stretch, server->options.index, server->layout.servers, copy->updates, &copy->cells,
                                     &copy->table_rows);
}

/* All rows that the server has of a table. */
static tri_status copy_table(tri__server *server, int table)
{
    const uint32_t chunk = tri__layout_table_chunk(&server->layout, server->options.index, table);
    return tri__stretch_begin_copy_at(server->stretch, chunk, step_of(server, chunk));
}

/* The weights of the rows that evaluations read. */
static tri_status copy_named_rows(tri__server *server, int table)
{
    tri__stretch_copy *copy = &server->copy;
    const uint32_t chunk = tri__layout_table_chunk(&server->layout, server->options.index, table);
    const int64_t floats = copy->named.count * server->layout.tables.table[table].width;
    TRI_TRY(tri__reserve(&copy->rows[table], &copy->rows_room[table], floats + 1, sizeof(float), "a copy of rows that are evaluated"));
    const bool read = tri__stretch_read_listed_at(server->stretch, chunk, &copy->named, step_of(server, chunk), copy->rows[table]);
    return read ? NULL : cannot(server);
}

/* The chunks of the stretch, slot by slot, and its tables. */
static tri_status copy_stretch(tri__server *server)
{
    tri__stretch_copy *copy = &server->copy;
    tri_range range = tri__stretch_range(server->stretch);
    for (uint32_t slot = 0; slot < copy->slots; slot++) {
        if (!copy->slot[slot])
            TRI_TRY(tri__buffer_allocate((range.count + 1) * sizeof(float), "a copy of the parameters", &copy->slot[slot]));
        size_t at = 0, count;
        for (uint32_t i = 0; i < tri__stretch_chunks(server->stretch); i++, at += count) {
            const uint32_t chunk = tri__stretch_first(server->stretch) + i;
            const float *floats = tri__stretch_floats(server->stretch, chunk, (int)slot, &count);
            if (floats && !tri__stretch_read_at(server->stretch, chunk, (int)slot, step_of(server, chunk), copy->slot[slot] + at))
                return cannot(server);
        }
    }
    if (server->layout.tables.count && !copy->sending.piece)
        TRI_TRY(tri__allocate(1, TRI_CHUNK_BYTES, "rows of a table", &copy->sending.piece));
    TRI_TRY(copy_keys(server));
    for (int table = 0; table < server->layout.tables.count; table++)
        TRI_TRY(copy->only_named ? copy_named_rows(server, table) : copy_table(server, table));
    return NULL;
}

static void send_named_rows(tri__server *server, int table, int64_t step)
{
    const tri__stretch_copy *copy = &server->copy;
    const tri__layout *layout = &server->layout;
    const uint32_t chunk = tri__layout_table_chunk(layout, server->options.index, table);
    const int64_t width = layout->tables.table[table].width, piece = tri__layout_piece(layout, table), rows = copy->named.count;
    for (int64_t first = 0; first < rows; first += piece) {
        const tri__message message = {.type = TRI_MSG_COPY, .chunk = chunk, .snapshot = copy->number, .step = step, .position = first};
        const size_t count = (size_t)((rows - first < piece ? rows - first : piece) * width);
        const float *floats = copy->rows[table] + first * width;
        tri__message_send_floats(server->upstream->connection, message, floats, tri__all_zero(floats, count) ? 0 : count, true);
    }
}

/* Async: which pushes are in the copy. In sync the step says it. */
static void send_known_pushes(tri__server *server)
{
    for (int task = 0; task < TRI_MOST_TASKS && server->options.settings.mode != TRI_PS_SYNC; task++) {
        json_t *pushes = tri__known_pushes_of(server, task);
        if (pushes)
            tri__message_send_json(server->upstream->connection, TRI_MSG_PUSHED, pushes);
    }
}

static void send_copy(tri__server *server, int64_t step)
{
    const tri__stretch_copy *copy = &server->copy;
    tri__connection *connection = server->upstream->connection;
    const tri__message copied = {.type = TRI_MSG_COPIED,
                                 .snapshot = copy->number,
                                 .step = step,
                                 .updates =
                                     server->options.settings.mode == TRI_PS_SYNC ? copy->updates : tri__stretch_lowest(server->stretch)};
    tri__message_send(connection, &copied, false);
    send_known_pushes(server);
    if (copy->only_named)
        tri__log_line(server->options.log, TRI_LOG_DEBUG, "step %lld: a copy of the %lld rows that are evaluated", (long long)step,
                      (long long)copy->named.count);
    tri__key_cells_send(&copy->cells, connection, (tri__message){.snapshot = copy->number, .step = step});
    for (uint32_t slot = 0; slot < copy->slots; slot++) {
        size_t at = 0, count;
        for (uint32_t i = 0; i < tri__stretch_chunks(server->stretch); i++, at += count) {
            uint32_t chunk = tri__stretch_first(server->stretch) + i;
            tri__stretch_floats(server->stretch, chunk, 0, &count);
            const tri__message message = {.type = TRI_MSG_COPY, .chunk = chunk, .snapshot = copy->number, .step = step, .slot = slot};
            if (count > 0)
                tri__message_send_floats(connection, message, copy->slot[slot] + at, count, false);
        }
    }
    for (int table = 0; copy->only_named && table < server->layout.tables.count; table++)
        send_named_rows(server, table, step);
}

/* ---- rows of tables ---- */

/* The next piece of the table that is sent, in all slots of the copy. A piece that is all zeros travels without a body. */
static void send_piece(tri__server *server)
{
    const tri__stretch_copy *copy = &server->copy;
    const uint32_t chunk = tri__layout_table_chunk(&server->layout, server->options.index, copy->sending.table);
    tri__table_shard *shard = tri__stretch_shard(server->stretch, chunk);
    const int64_t first = copy->sending.row, rows = tri__layout_piece_rows(&server->layout, chunk, first), width = shard->table.width;
    const int64_t used = !copy->cells.count || first + rows <= copy->table_rows ? rows : /* where tables grow, the rest has no key */
                             first < copy->table_rows ? copy->table_rows - first
                                                      : 0;
    memset(copy->sending.piece + used * width, 0, (size_t)((rows - used) * width) * sizeof(float));
    for (uint32_t slot = 0; slot < copy->slots; slot++) {
        tri__table_shard_read_copy(shard, first, used, (int)slot, copy->sending.piece);
        const tri__message message = {
            .type = TRI_MSG_COPY, .chunk = chunk, .snapshot = copy->number, .step = copy->sending.step, .position = first, .slot = slot};
        const size_t count = (size_t)(rows * width);
        tri__message_copy_floats(server->upstream->connection, message, copy->sending.piece,
                                 tri__all_zero(copy->sending.piece, count) ? 0 : count);
    }
    tri__row_keeper_pass(shard->kept, first + rows);
}

/* Sends a piece, and goes on to the next one. */
static tri_status send_next(tri__server *server)
{
    tri__stretch_copy *copy = &server->copy;
    const uint32_t chunk = tri__layout_table_chunk(&server->layout, server->options.index, copy->sending.table);
    tri__table_shard *shard = tri__stretch_shard(server->stretch, chunk);
    tri_status unkept = shard->unkept;
    shard->unkept = NULL;
    if (unkept)
        return unkept;
    send_piece(server);
    copy->sending.row += tri__layout_piece(&server->layout, copy->sending.table);
    if (copy->sending.row < tri__layout_rows(&server->layout, server->options.index, copy->sending.table))
        return NULL;
    tri__table_shard_end_copy(shard);
    copy->sending.row = 0;
    copy->sending.table++;
    return NULL;
}

void tri__copy_go_on(tri__server *server)
{
    tri__stretch_copy *copy = &server->copy;
    tri_status status = NULL;
    if (copy->sending.step < 0)
        return;
    while (!status && copy->sending.table < server->layout.tables.count &&
           tri__connection_unsent(server->upstream->connection) < TRI_UNSENT_MOST)
        status = send_next(server);
    if (status)
        tri__server_end(server, status);
    if (status || copy->sending.table == server->layout.tables.count)
        end_sending(server);
}

/* The rows of tables follow what send_copy has sent. */
static void begin_sending(tri__server *server, int64_t step)
{
    tri__stretch_copy *copy = &server->copy;
    if (copy->only_named)
        return;
    copy->sending.step = step;
    copy->sending.table = 0;
    copy->sending.row = 0;
    tri__copy_go_on(server);
}

/* Sync: copies exactly the step that ps:0 wants. Async: copies the present state, but first waits a while for updates that ps:0 has. */
void tri__copy_take(tri__server *server)
{
    tri__stretch_copy *copy = &server->copy;
    if (!tri__copy_is_wanted(server) || !server->upstream)
        return;
    bool patient = server->options.settings.mode == TRI_PS_SYNC || tri__clock_now() < copy->until;
    if (patient && tri__stretch_lowest(server->stretch) < copy->updates)
        return;
    const int64_t step = copy->step;
    tri__copy_cancel(server); /* nothing of an earlier copy is sent any more */
    tri_status status = copy_stretch(server);
    if (status)
        end_sending(server);
    if (tri_status_code(status) == TRI_NOT_FOUND) {
        tri__message_send(server->upstream->connection,
                          &(tri__message){.type = TRI_MSG_COPIED, .snapshot = copy->number, .step = step, .updates = -1}, false);
        tri_status_free(status);
    } else if (status)
        tri__server_end(server, status);
    else {
        send_copy(server, step);
        begin_sending(server, step);
    }
}

/* All tables have the same keys: a row is there if the shortest has it. */
static int64_t least_rows(const tri__server *server)
{
    int64_t least = INT32_MAX;
    for (int i = 0; i < server->layout.tables.count; i++) {
        const int64_t rows = tri__layout_rows(&server->layout, server->options.index, i);
        least = rows < least ? rows : least;
    }
    return server->stretch ? least : 0;
}

tri_status tri__copy_named_body(tri__peer *peer, const tri__message *message, void **body)
{
    tri__stretch_copy *copy = &peer->server->copy;
    if (peer->role != TRI_PEER_COORDINATOR || !peer->server->contact.welcome || peer->server->holds < TRI_HOLDS_STILL)
        return tri_fail(TRI_BAD_DATA, "a list of the rows that are evaluated, which is not from ps:0, or comes before its stretch");
    free(copy->body);
    copy->body = NULL;
    TRI_TRY(tri__allocate((size_t)message->size, 1, "a list of rows", &copy->body));
    *body = copy->body;
    return NULL;
}

tri_status tri__copy_named(tri__server *server, const tri__message *message)
{
    tri__stretch_copy *copy = &server->copy;
    const int64_t limit = least_rows(server);
    tri__keyed_head head;
    size_t used = 0;
    TRI_TRY(tri__keyed_head_read(copy->body, message->size, limit, &head));
    tri_status status = tri__row_list_read(copy->body + TRI_KEYED_HEAD, message->size - TRI_KEYED_HEAD, &head, limit, &copy->named, &used);
    if (!status && used != message->size - TRI_KEYED_HEAD)
        status = tri_fail(TRI_BAD_DATA, "a list of %u rows that are evaluated with something behind it", head.count);
    free(copy->body);
    copy->body = NULL;
    return status;
}

tri_status tri__copy_begin(tri__server *server, const tri__message *message)
{
    tri__stretch_copy *copy = &server->copy;
    uint32_t slots = message->slots;
    if (slots < 1 || slots > (uint32_t)tri__stretch_slots(server->stretch))
        return tri_fail(TRI_BAD_DATA, "a snapshot of %u slots, which this rule does not have", slots);
    tri__copy_cancel(server);
    copy->step = message->step;
    copy->updates = message->updates;
    copy->until = tri__clock_now() + TRI_LATE;
    copy->number = message->snapshot;
    copy->slots = slots;
    copy->only_named = message->named != 0;
    tri__copy_take(server);
    return NULL;
}
