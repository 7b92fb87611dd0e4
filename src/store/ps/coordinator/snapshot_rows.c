/* snapshot_rows.c: rows travel in pieces of up to 256 kB. A piece that is all zeros, as most of a large table is, travels without a
 * body. */
#include "store/ps/coordinator/snapshot_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "store/ps/server/row_server.h"
#include "store/table.h"

void tri__snapshot_copy_own_rows(tri__coordinator *c, int table, uint32_t slots, bool into_whole)
{
    const tri__layout *layout = &c->server->layout;
    tri_table *own = tri__stretch_table(c->server->stretch, tri__layout_table_chunk(layout, 0, table));
    tri_table whole = *tri_store_table(c->snapshot.whole, table);
    const int64_t rows = tri__layout_rows(layout, 0, table), piece = tri__layout_piece(layout, table), servers = layout->servers;
    for (uint32_t slot = 0; slot < slots; slot++)
        for (int64_t first = 0; first < rows; first += piece) {
            const int64_t count = rows - first < piece ? rows - first : piece;
            if (into_whole) {
                tri__table_read(own, first, 1, count, (int)slot, c->snapshot.piece);
                tri__table_write(&whole, first * servers, servers, count, (int)slot, c->snapshot.piece);
            } else {
                tri__table_read(&whole, first * servers, servers, count, (int)slot, c->snapshot.piece);
                tri__table_write(own, first, 1, count, (int)slot, c->snapshot.piece);
            }
        }
}

void tri__snapshot_copy_named_rows(tri__coordinator *c, int table)
{
    const tri__layout *layout = &c->server->layout;
    const tri_table *own = tri__stretch_table(c->server->stretch, tri__layout_table_chunk(layout, 0, table));
    const tri_table *whole = tri_store_table(c->snapshot.whole, table);
    const tri__row_list *named = &c->snapshot.named.list;
    for (int64_t i = 0; i < named->count; i++)
        if (named->rows[i] % layout->servers == 0)
            memcpy(whole->data + named->rows[i] * whole->stride, own->data + named->rows[i] / layout->servers * own->stride,
                   (size_t)own->width * sizeof(float));
}

void tri__snapshot_send_rows(tri__coordinator *c, uint32_t chunk, uint32_t slot, tri__connection *to)
{
    const tri__layout *layout = &c->server->layout;
    const int server = tri__layout_server(layout, chunk), table = tri__layout_table(layout, chunk);
    const tri_table *whole = tri_store_table(c->snapshot.whole, table);
    for (int64_t first = 0; first < tri__layout_rows(layout, server, table); first += tri__layout_piece(layout, table)) {
        const int64_t rows = tri__layout_piece_rows(layout, chunk, first);
        const size_t count = (size_t)(rows * whole->width);
        tri__table_read(whole, first * layout->servers + server, layout->servers, rows, (int)slot, c->snapshot.piece);
        const tri__message message = {
            .type = TRI_MSG_RESTORE,
            .size = tri__all_zero(c->snapshot.piece, count) ? 0 : (uint32_t)(count * sizeof(float)),
            .chunk = chunk,
            .generation = c->server->generation,
            .step = c->snapshot.standing.step,
            .position = first,
            .slot = slot,
        };
        const tri__frame frame = tri__message_encode(&message);
        tri__connection_send_copy(to, &frame, message.size ? c->snapshot.piece : NULL, true);
    }
}

void tri__snapshot_receive_rows(tri__coordinator *c, const tri__peer *peer, const tri__message *copy)
{
    const tri__layout *layout = &peer->server->layout;
    tri_table whole = *tri_store_table(c->snapshot.whole, tri__layout_table(layout, copy->chunk));
    tri__table_write(&whole, copy->position * layout->servers + peer->task, layout->servers,
                     tri__layout_piece_rows(layout, copy->chunk, copy->position), (int)copy->slot, copy->size ? peer->gradient : NULL);
}

static int compare_rows(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* An evaluator that was started again reads the same test examples, unless somebody has changed them. */
static tri_status check_named(const tri__row_list *named, const tri__row_list *pulled)
{
    for (int64_t i = 0; i < pulled->count; i++)
        if (!bsearch(&pulled->rows[i], named->rows, (size_t)named->count, sizeof *named->rows, compare_rows))
            return tri_fail(TRI_BAD_DATA, "it asks for row %d of a table, which the test examples did not name before: have they changed?",
                            pulled->rows[i]);
    return NULL;
}

/* The pieces of a list come in their order; an evaluator that begins again begins with the first. */
static tri_status note_named(tri__named_rows *named, const tri__message *message, const tri__row_list *pulled)
{
    tri__row_list *list = &named->list;
    if (message->chunk != 0)
        return NULL;
    if (message->number == 0)
        list->count = 0;
    TRI_TRY(tri__grow(&list->rows, &list->room, list->count + pulled->count, sizeof *list->rows, "the rows that are evaluated"));
    memcpy(list->rows + list->count, pulled->rows, (size_t)pulled->count * sizeof *list->rows);
    list->count += pulled->count;
    return NULL;
}

tri_status tri__snapshot_pulled_rows(tri__peer *peer, const tri__message *message)
{
    tri__coordinator *c = peer->server->coordinator;
    tri__named_rows *named = &c->snapshot.named;
    const tri__row_list *pulled;
    if (c->snapshot.state != TRI_SNAPSHOT_EVALUATING)
        return tri_fail(TRI_BAD_DATA, "it asks for rows of a snapshot that is not there");
    TRI_TRY(tri__rows_pulled_whole(peer, message, c->snapshot.whole, c->snapshot.standing.step, &pulled));
    return named->alone ? check_named(&named->list, pulled) : note_named(named, message, pulled);
}
