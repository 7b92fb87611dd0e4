/* snapshot_rows.c: rows travel in pieces of up to 256 kB. A piece that is all zeros, as most of a large table is, travels without a
 * body. */
#include "store/ps/coordinator/snapshot/snapshot_rows.h"

#include <string.h>

#include "store/table.h"

/* Where tables grow: reads rows first … first + count − 1 of a server from the whole. Rows that no key has are 0. */
static void read_grown(const tri__coordinator *c, int server, const tri_table *whole, int64_t first, int64_t count, int slot, float *out)
{
    const tri__row_list *rows = &c->snapshot.grown[server].rows;
    memset(out, 0, (size_t)(count * whole->width) * sizeof *out);
    for (int64_t i = 0; i < count && first + i < rows->count; i++)
        tri__table_read(whole, rows->rows[first + i], 1, 1, slot, out + i * whole->width);
}

/* Where tables grow: writes such rows into the whole. from: NULL where all are 0. */
static void write_grown(const tri__coordinator *c, int server, tri_table *whole, int64_t first, int64_t count, int slot, const float *from)
{
    const tri__row_list *rows = &c->snapshot.grown[server].rows;
    for (int64_t i = 0; i < count && first + i < rows->count; i++)
        tri__table_write(whole, rows->rows[first + i], 1, 1, slot, from ? from + i * whole->width : NULL);
}

static void copy_grown(tri__coordinator *c, tri_table *own, tri_table *whole, uint32_t slots, bool into_whole)
{
    const int64_t rows = into_whole ? c->snapshot.grown[0].rows.count : own->rows, piece = TRI_CHUNK_FLOATS / own->width;
    for (uint32_t slot = 0; slot < slots; slot++)
        for (int64_t first = 0; first < rows; first += piece) {
            const int64_t count = rows - first < piece ? rows - first : piece;
            if (into_whole) {
                tri__table_read(own, first, 1, count, (int)slot, c->snapshot.piece);
                write_grown(c, 0, whole, first, count, (int)slot, c->snapshot.piece);
            } else {
                read_grown(c, 0, whole, first, count, (int)slot, c->snapshot.piece);
                tri__table_write(own, first, 1, count, (int)slot, c->snapshot.piece);
            }
        }
}

void tri__snapshot_copy_own_rows(tri__coordinator *c, int table, uint32_t slots, bool into_whole)
{
    const tri__layout *layout = &c->server->layout;
    tri_table *own = tri__stretch_table(c->server->stretch, tri__layout_table_chunk(layout, 0, table));
    tri_table whole = *tri_store_table(c->snapshot.whole, table);
    const int64_t rows = tri__layout_rows(layout, 0, table), piece = tri__layout_piece(layout, table), servers = layout->servers;
    if (c->snapshot.grown) {
        copy_grown(c, own, &whole, slots, into_whole);
        return;
    }
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
        if (c->snapshot.grown)
            read_grown(c, server, whole, first, rows, (int)slot, c->snapshot.piece);
        else
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
    const int64_t rows = tri__layout_piece_rows(layout, copy->chunk, copy->position);
    const float *from = copy->size ? peer->gradient : NULL;
    if (c->snapshot.grown)
        write_grown(c, peer->task, &whole, copy->position, rows, (int)copy->slot, from);
    else
        tri__table_write(&whole, copy->position * layout->servers + peer->task, layout->servers, rows, (int)copy->slot, from);
}
