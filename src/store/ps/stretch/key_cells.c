/* key_cells.c: writes the keys of a map to messages, and reads them back. */
#include "store/ps/stretch/key_cells.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "store/ps/protocol/layout.h"

_Static_assert(sizeof(tri__left_out) == TRI_CELLS_HEAD * sizeof(tri__key_cell), "what was left out takes the place of the first cells");

void tri__key_cells_fini(tri__key_cells *cells)
{
    free(cells->cell);
}

tri_status tri__key_cells_begin(tri__key_cells *cells, int64_t keys, tri__left_out left)
{
    cells->count = 0;
    TRI_TRY(tri__reserve(&cells->cell, &cells->room, TRI_CELLS_HEAD + keys, sizeof *cells->cell, "the keys of a copy"));
    memcpy(cells->cell, &left, sizeof left);
    cells->count = TRI_CELLS_HEAD;
    return NULL;
}

tri_status tri__key_cells_take(tri__key_cells *cells, const tri__key_map *map, int server, int servers, tri__left_out left)
{
    TRI_TRY(tri__key_cells_begin(cells, map->used + map->waiting, left));
    int64_t count = cells->count;
    for (int64_t row = 0; row < map->used; row++)
        if (map->key[row] % servers == server) {
            cells->cell[count] = (tri__key_cell){map->key[row], (int32_t)(count - TRI_CELLS_HEAD)};
            count++;
        }
    for (int64_t i = 0; i < map->cells; i++)
        if (map->cell[i].key >= 0 && map->cell[i].value < 0 && map->cell[i].key % servers == server)
            cells->cell[count++] = map->cell[i];
    cells->count = count;
    return NULL;
}

void tri__key_cells_send(const tri__key_cells *cells, tri__connection *to, tri__message head)
{
    head.type = TRI_MSG_KEYS;
    for (int64_t first = 0; first < cells->count; first += TRI_CELLS_PIECE) {
        const int64_t left = cells->count - first, count = left < TRI_CELLS_PIECE ? left : TRI_CELLS_PIECE;
        head.position = first;
        head.size = (uint32_t)((size_t)count * sizeof *cells->cell);
        const tri__frame frame = tri__message_encode(&head);
        tri__connection_send_copy(to, &frame, cells->cell + first, true);
    }
}

tri_status tri__key_cells_check(const tri__message *message)
{
    const size_t least = (message->position == 0 ? TRI_CELLS_HEAD : 1) * sizeof(tri__key_cell);
    if (message->position >= 0 && message->position % TRI_CELLS_PIECE == 0 && message->size >= least &&
        message->size % sizeof(tri__key_cell) == 0)
        return NULL;
    return tri_fail(TRI_BAD_DATA, "%u bytes of keys from %" PRId64 " on, which are no such list", message->size, message->position);
}

/* The counts of all servers are added up, so each is bounded. */
static bool is_count(int64_t count)
{
    return count >= 0 && count <= TRI_FURTHEST / TRI_MOST_SERVERS;
}

tri_status tri__key_cells_left_out(const tri__key_cell *cell, tri__left_out *out)
{
    memcpy(out, cell, sizeof *out);
    if (is_count(out->rare) && is_count(out->full))
        return NULL;
    return tri_fail(TRI_BAD_DATA, "keys of which %" PRId64 " and %" PRId64 " sightings were left out, which are no counts", out->rare,
                    out->full);
}

bool tri__key_cell_is_of(const tri__key_cell *cell, const tri__key_map *map, int server, int servers)
{
    return cell->key >= 0 && cell->key < map->features && cell->key % servers == server && cell->value >= -INT32_MAX;
}

tri_status tri__key_cells_restore(tri__key_map *map, int server, int servers, int64_t position, const tri__key_cell *cell, int64_t count)
{
    int64_t i = 0;
    if (position == 0) {
        tri__left_out left;
        TRI_TRY(tri__key_cells_left_out(cell, &left));
        tri__key_map_empty(map);
        map->left_rare = left.rare;
        map->left_full = left.full;
        i = TRI_CELLS_HEAD;
    }
    for (; i < count; i++) {
        const bool ours = tri__key_cell_is_of(&cell[i], map, server, servers);
        if (!ours || (cell[i].value >= 0 && (cell[i].value != map->used || !tri__key_map_give(map, cell[i].key))))
            return tri_fail(TRI_BAD_DATA, "key %d for row %d, which is none of ps:%d", cell[i].key, cell[i].value, server);
        if (cell[i].value < 0)
            tri__key_map_recall(map, cell[i].key, -cell[i].value); /* if there is no room, the key's count begins again */
    }
    return NULL;
}
