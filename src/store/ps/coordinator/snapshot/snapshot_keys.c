/* snapshot_keys.c: keys are sent and received before their rows (stretch/key_cells.h). */
#include "store/ps/coordinator/snapshot/snapshot_keys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/store/store.h"

/* A map has fewer cells than four times its rows, or 64. So the whole has cells for all keys that wait. */
enum { LEAST_ROWS = 16 };

tri_status tri__snapshot_add_grown_tables(tri__coordinator *c)
{
    tri__snapshot *snapshot = &c->snapshot;
    const tri__table_shapes *tables = &c->job.tables;
    const int64_t most = tables->growth.most > LEAST_ROWS ? tables->growth.most : LEAST_ROWS;
    if (snapshot->whole->map)
        return NULL;
    TRI_TRY(tri__key_map_create(tables->table[0].rows, 2 * most * c->settings->servers, 1, INT64_MAX / 2, tables->growth.min_count,
                                &snapshot->whole->map));
    for (int i = 0; i < tables->count; i++)
        TRI_TRY(tri_store_add_table(snapshot->whole, snapshot->whole->map->capacity + 1, tables->table[i].width));
    snapshot->servers = c->settings->servers;
    return tri__allocate((size_t)snapshot->servers, sizeof *snapshot->grown, "the keys of servers", &snapshot->grown);
}

void tri__snapshot_grown_fini(tri__snapshot *snapshot)
{
    for (int i = 0; snapshot->grown && i < snapshot->servers; i++)
        tri__row_list_fini(&snapshot->grown[i].rows);
    free(snapshot->grown);
    tri__key_cells_fini(&snapshot->cells);
}

/* Every other server gets what the books say, and ps:0 gets the rest. If the books say nothing, ps:0 gets all. */
static void deal_left_out(tri__coordinator *c)
{
    tri__snapshot *snapshot = &c->snapshot;
    const json_t *parts = json_object_get(snapshot->standing.books, "left_out");
    const bool known = json_array_size(parts) == (size_t)c->settings->servers;
    tri__left_out rest = {snapshot->whole->map->left_rare, snapshot->whole->map->left_full};
    for (int i = 1; i < c->settings->servers; i++) {
        const json_t *part = json_array_get(parts, (size_t)i);
        tri__left_out *left = &snapshot->grown[i].left;
        *left = (tri__left_out){0};
        if (known)
            *left = (tri__left_out){json_integer_value(json_array_get(part, 0)), json_integer_value(json_array_get(part, 1))};
        rest.rare -= left->rare;
        rest.full -= left->full;
    }
    snapshot->grown[0].left = rest;
}

tri_status tri__snapshot_deal_keys(tri__coordinator *c)
{
    tri__snapshot *snapshot = &c->snapshot;
    const tri__key_map *map = snapshot->whole->map;
    const int servers = c->settings->servers;
    const int64_t most = c->job.tables.growth.most;
    for (int i = 0; i < servers; i++)
        TRI_TRY(tri__row_list_reserve(&snapshot->grown[i].rows, most));
    for (int64_t row = 0; row < map->used; row++) {
        tri__row_list *to = &snapshot->grown[map->key[row] % servers].rows;
        if (to->count == most)
            return tri_fail(TRI_BAD_CALL,
                            "its tables have %" PRId64 " rows, of which ps:%d would have more than the %" PRId64
                            " that fit: give more --table-memory",
                            map->used, map->key[row] % servers, most);
        to->rows[to->count++] = (int32_t)row;
    }
    deal_left_out(c);
    return NULL;
}

static tri_status take_cells(tri__coordinator *c, int server)
{
    tri__snapshot *snapshot = &c->snapshot;
    return tri__key_cells_take(&snapshot->cells, snapshot->whole->map, server, c->settings->servers, snapshot->grown[server].left);
}

tri_status tri__snapshot_send_keys(tri__coordinator *c, int server, tri__connection *to)
{
    TRI_TRY(take_cells(c, server));
    tri__key_cells_send(&c->snapshot.cells, to, (tri__message){.generation = c->server->generation, .step = c->snapshot.standing.step});
    return NULL;
}

tri_status tri__snapshot_fill_own_keys(tri__coordinator *c)
{
    TRI_TRY(take_cells(c, 0));
    const tri__key_cells *cells = &c->snapshot.cells;
    return tri__key_cells_restore(tri__stretch_map(c->server->stretch), 0, c->settings->servers, 0, cells->cell, cells->count);
}

/* ---- copies ---- */

/* Adds cells of a server, in their order. Each row of the server gets the next row of the whole. */
static tri_status add_keys(tri__coordinator *c, int server, int64_t position, const tri__key_cell *cell, int64_t count)
{
    tri__key_map *map = c->snapshot.whole->map;
    tri__grown_part *part = &c->snapshot.grown[server];
    int64_t i = 0;
    if (position == 0) {
        TRI_TRY(tri__key_cells_left_out(cell, &part->left));
        map->left_rare += part->left.rare;
        map->left_full += part->left.full;
        i = TRI_CELLS_HEAD;
    }
    for (; i < count; i++) {
        bool fits = tri__key_cell_is_of(&cell[i], map, server, c->settings->servers);
        if (fits && cell[i].value < 0)
            fits = tri__key_map_recall(map, cell[i].key, -cell[i].value);
        else if (fits && cell[i].value == part->rows.count && part->rows.count < part->rows.room) {
            fits = tri__key_map_give(map, cell[i].key);
            part->rows.rows[part->rows.count++] = (int32_t)map->used - 1;
        } else
            fits = false;
        if (!fits)
            return tri_fail(TRI_BAD_DATA, "a copy of key %d for row %d, which is none of ps:%d", cell[i].key, cell[i].value, server);
    }
    return NULL;
}

tri_status tri__snapshot_copy_own_keys(tri__coordinator *c)
{
    tri__snapshot *snapshot = &c->snapshot;
    const tri__key_map *own = tri__stretch_map(c->server->stretch);
    tri__key_map_empty(snapshot->whole->map);
    for (int i = 0; i < c->settings->servers; i++)
        snapshot->grown[i].rows.count = 0;
    TRI_TRY(tri__key_cells_take(&snapshot->cells, own, 0, c->settings->servers, (tri__left_out){own->left_rare, own->left_full}));
    return add_keys(c, 0, 0, snapshot->cells.cell, snapshot->cells.count);
}

tri_status tri__snapshot_receive_keys(tri__coordinator *c, const tri__peer *peer, const tri__message *copy)
{
    return add_keys(c, peer->task, copy->position, (const tri__key_cell *)peer->gradient, (int64_t)(copy->size / sizeof(tri__key_cell)));
}

static void move_row(tri_store *whole, int64_t from, int64_t to)
{
    for (int i = 0; from != to && i < whole->tables; i++) {
        const tri_table *table = &whole->table[i];
        memcpy(table->data + to * table->stride, table->data + from * table->stride, (size_t)table->stride * sizeof *table->data);
    }
}

/* The cells of all keys that wait. */
static tri_status take_waiting(tri__snapshot *snapshot)
{
    const tri__key_map *map = snapshot->whole->map;
    tri__key_cells *cells = &snapshot->cells;
    TRI_TRY(tri__key_cells_begin(cells, map->waiting, (tri__left_out){0}));
    for (int64_t i = 0; i < map->cells; i++)
        if (map->cell[i].key >= 0 && map->cell[i].value < 0)
            cells->cell[cells->count++] = map->cell[i];
    return NULL;
}

/* The map is built anew from the other servers' keys. Their rows move up to the places that become free. */
tri_status tri__snapshot_drop_keys(tri__coordinator *c, int servers)
{
    tri__snapshot *snapshot = &c->snapshot;
    tri__key_map *map = snapshot->whole->map;
    const int64_t used = map->used;
    TRI_TRY(take_waiting(snapshot));
    tri__key_map_empty(map);
    for (int i = 0; i < snapshot->servers; i++) {
        snapshot->grown[i].rows.count = 0;
        map->left_rare += i < servers ? 0 : snapshot->grown[i].left.rare;
        map->left_full += i < servers ? 0 : snapshot->grown[i].left.full;
    }
    for (int64_t row = 0; row < used; row++) {
        const int server = map->key[row] % snapshot->servers;
        tri__row_list *rows = &snapshot->grown[server].rows;
        if (server < servers)
            continue;
        move_row(snapshot->whole, row, map->used);
        rows->rows[rows->count++] = (int32_t)map->used;
        (void)tri__key_map_give(map, map->key[row]); /* there was room for it */
    }
    for (int64_t i = TRI_CELLS_HEAD; i < snapshot->cells.count; i++)
        if (snapshot->cells.cell[i].key % snapshot->servers >= servers)
            (void)tri__key_map_recall(map, snapshot->cells.cell[i].key, -snapshot->cells.cell[i].value);
    return NULL;
}

void tri__snapshot_note_left_out(const tri__coordinator *c, json_t *books)
{
    json_t *parts = json_array();
    for (int i = 0; i < c->settings->servers; i++) {
        const tri__left_out *left = &c->snapshot.grown[i].left;
        json_array_append_new(parts, json_pack("[I, I]", (json_int_t)left->rare, (json_int_t)left->full));
    }
    json_object_set_new(books, "left_out", parts);
}
