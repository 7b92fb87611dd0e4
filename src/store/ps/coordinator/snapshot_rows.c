/* snapshot_rows.c: rows travel in pieces of up to 256 kB. A piece that is all zeros, as most of a large table is, travels without a
 * body. */
#include "store/ps/coordinator/snapshot_rows.h"

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

tri_status tri__snapshot_pulled_rows(tri__peer *peer, const tri__message *message)
{
    tri__coordinator *c = peer->server->coordinator;
    if (c->snapshot.state != TRI_SNAPSHOT_EVALUATING)
        return tri_fail(TRI_BAD_DATA, "it asks for rows of a snapshot that is not there");
    return tri__rows_pulled_whole(peer, message, c->snapshot.whole, c->snapshot.standing.step);
}
