/* snapshot_named.c: the list has the rows that the evaluator pulled from a whole snapshot. It is dealt out to the servers as rows are.
 * Pieces are as large as those of whole tables. */
#include "store/ps/coordinator/snapshot/snapshot_named.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "store/ps/server/row_server.h"

void tri__snapshot_named_fini(tri__named_rows *named)
{
    for (int i = 0; i < named->servers; i++)
        tri__row_list_fini(&named->server[i]);
    free(named->server);
    tri__row_list_fini(&named->list);
}

/* ---- which rows ---- */

static int compare_rows(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* A restarted evaluator reads the same test examples, unless somebody has changed them. */
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
    if (message->number == 0) {
        list->count = 0;
        named->known = false;
    }
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

static tri_status deal(tri__named_rows *named, int servers)
{
    for (int i = 0; i < servers; i++)
        TRI_TRY(tri__row_list_reserve(&named->server[i], named->list.count + 1));
    for (int64_t i = 0; i < named->list.count; i++) {
        tri__row_list *to = &named->server[named->list.rows[i] % servers];
        to->rows[to->count++] = named->list.rows[i] / servers;
    }
    for (int i = 0; i < servers; i++)
        tri__row_list_sign(&named->server[i]);
    return NULL;
}

tri_status tri__snapshot_named_known(tri__coordinator *c)
{
    tri__named_rows *named = &c->snapshot.named;
    const int servers = c->settings->servers;
    if (named->known || named->list.count == 0)
        return NULL;
    if (!named->server) {
        TRI_TRY(tri__allocate((size_t)servers, sizeof *named->server, "the rows that are evaluated", &named->server));
        named->servers = servers;
    }
    TRI_TRY(deal(named, servers));
    memset(named->told, 0, sizeof named->told);
    named->known = true;
    for (int i = 0; i < servers; i++) /* if a list is too long for a message, servers go on to send whole tables */
        named->known &= named->server[i].count <= (TRI_KEYED_MOST - TRI_KEYED_HEAD) / TRI_KEYED_ROW_MOST;
    return NULL;
}

/* ---- what is copied ---- */

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

tri_status tri__snapshot_tell_named(tri__coordinator *c, int server, tri__peer *peer)
{
    tri__named_rows *named = &c->snapshot.named;
    const tri__row_list *list = &named->server[server];
    uint8_t *body;
    if (named->told[server] == peer->greeted)
        return NULL;
    TRI_TRY(tri__allocate(TRI_KEYED_HEAD + (size_t)list->count * TRI_KEYED_ROW_MOST, 1, "a list of rows", &body));
    const tri__message message = {.type = TRI_MSG_NAMED, .size = (uint32_t)tri__keyed_list_write(list, body)};
    const tri__frame frame = tri__message_encode(&message);
    tri__connection_send_copy(peer->connection, &frame, body, true);
    free(body);
    named->told[server] = peer->greeted;
    return NULL;
}

uint32_t tri__snapshot_named_pieces(const tri__coordinator *c, int server)
{
    const tri__layout *layout = &c->server->layout;
    const int64_t rows = c->snapshot.named.server[server].count;
    uint32_t pieces = tri__layout_first(layout, server + 1) - tri__layout_first(layout, server) - (uint32_t)layout->tables.count;
    for (int table = 0; table < layout->tables.count; table++)
        pieces += (uint32_t)((rows + tri__layout_piece(layout, table) - 1) / tri__layout_piece(layout, table));
    return pieces;
}

/* How many rows the piece has that begins at copy->position; 0: no piece begins there. */
static int64_t piece_rows(const tri__peer *peer, const tri__message *copy)
{
    const tri__layout *layout = &peer->server->layout;
    const int64_t piece = tri__layout_piece(layout, tri__layout_table(layout, copy->chunk));
    const int64_t left = peer->server->coordinator->snapshot.named.server[peer->task].count - copy->position;
    return copy->position < 0 || copy->position % piece || left <= 0 ? 0 : left < piece ? left : piece;
}

tri_status tri__snapshot_named_check(const tri__peer *peer, const tri__message *copy)
{
    const tri__layout *layout = &peer->server->layout;
    const int64_t rows = piece_rows(peer, copy), width = layout->tables.table[tri__layout_table(layout, copy->chunk)].width;
    if (rows > 0 && copy->slot == 0 && (copy->size == 0 || copy->size == (size_t)(rows * width) * sizeof(float)))
        return NULL;
    return tri_fail(TRI_BAD_DATA, "%u bytes for slot %u of chunk %u, which are no rows %" PRId64 " … that are evaluated", copy->size,
                    copy->slot, copy->chunk, copy->position);
}

void tri__snapshot_receive_named(tri__coordinator *c, const tri__peer *peer, const tri__message *copy)
{
    const tri__layout *layout = &peer->server->layout;
    const tri_table *whole = tri_store_table(c->snapshot.whole, tri__layout_table(layout, copy->chunk));
    const int32_t *rows = c->snapshot.named.server[peer->task].rows + copy->position;
    for (int64_t i = 0; i < piece_rows(peer, copy); i++) {
        float *to = whole->data + ((int64_t)rows[i] * layout->servers + peer->task) * whole->stride;
        if (copy->size)
            memcpy(to, peer->gradient + i * whole->width, (size_t)whole->width * sizeof *to);
        else
            memset(to, 0, (size_t)whole->width * sizeof *to);
    }
}
