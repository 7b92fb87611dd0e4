/* undo.c: copies a chunk's floats, or the rows and keys that a step changes, before the step is applied. */
#include "store/ps/stretch/undo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "store/ps/stretch/stretch_inside.h"
#include "store/table.h"

tri_status tri__undo_create(tri__stretch *stretch)
{
    size_t bytes = (stretch->range.count ? stretch->range.count : 1) * sizeof(float);
    tri__undo *undo = &stretch->undo;
    TRI_TRY(tri__allocate(stretch->chunks, sizeof *undo->steps, "a server's last step", &undo->steps));
    for (int slot = 0; slot < tri__stretch_slots(stretch); slot++)
        TRI_TRY(tri__buffer_allocate(bytes, "a server's last step", &undo->slot[slot]));
    return NULL;
}

void tri__undo_destroy(tri__stretch *stretch)
{
    tri__undo *undo = &stretch->undo;
    free(undo->steps);
    for (int i = 0; i < TRI_STRETCH_SLOTS; i++)
        tri__buffer_free(undo->slot[i]);
    for (int i = 0; i < TRI_LAYOUT_TABLES; i++) {
        free(undo->rows[i].rows);
        free(undo->rows[i].values);
    }
    tri__key_cells_fini(&undo->keys.cells);
}

void tri__undo_forget_keys(tri__stretch *stretch)
{
    stretch->undo.keys.step = -1;
}

/* ---- keeping ---- */

/* Where tables grow: the keys without a row that a step names. *fresh: how many of them the map does not know. */
static void keep_named_keys(tri__key_cells *kept, const tri__key_map *map, const tri__row_part *named, int64_t *fresh)
{
    *fresh = 0;
    for (int64_t i = 0; i < named->count; i++) {
        if (tri__key_map_find(map, named->rows[i]) < map->capacity)
            continue;
        const int32_t seen = tri__key_map_seen(map, named->rows[i]);
        kept->cell[kept->count++] = (tri__key_cell){named->rows[i], -seen};
        *fresh += seen == 0;
    }
}

static tri_status keep_waiting_keys(tri__key_cells *kept, const tri__key_map *map)
{
    kept->count = 0;
    TRI_TRY(tri__reserve(&kept->cell, &kept->room, map->waiting, sizeof *kept->cell, "the keys before a server's last step"));
    for (int64_t i = 0; i < map->cells; i++)
        if (map->cell[i].key >= 0 && map->cell[i].value < 0)
            kept->cell[kept->count++] = map->cell[i];
    return NULL;
}

/* Called before a step counts sightings. If the map is about to forget the keys that wait, all of these are kept. */
static tri_status keep_keys(tri__undo_keys *kept, const tri__key_map *map, const tri__row_part *named)
{
    int64_t fresh;
    kept->step = -1;
    kept->cells.count = 0;
    TRI_TRY(
        tri__reserve(&kept->cells.cell, &kept->cells.room, named->count, sizeof *kept->cells.cell, "the keys before a server's last step"));
    kept->rows = map->used;
    kept->left = (tri__left_out){map->left_rare, map->left_full};
    keep_named_keys(&kept->cells, map, named, &fresh);
    kept->all = tri__key_map_would_forget(map, fresh);
    return kept->all ? keep_waiting_keys(&kept->cells, map) : NULL;
}

/* Keeps whole rows: the weights and the rule's state. Where tables grow, a key without a row has nothing to keep. */
static tri_status keep_rows(tri__row_sum *kept, const tri_table *table, const tri__key_map *map, const tri__row_part *rows)
{
    const char *what = "the rows of a server's last step";
    kept->count = 0;
    TRI_TRY(tri__grow(&kept->rows, &kept->rows_room, rows->count, sizeof *kept->rows, what));
    TRI_TRY(tri__grow(&kept->values, &kept->values_room, rows->count * table->stride, sizeof *kept->values, what));
    for (int64_t i = 0; i < rows->count; i++) {
        const int32_t row = map ? tri__key_map_find(map, rows->rows[i]) : rows->rows[i];
        if (map && row == map->capacity)
            continue;
        kept->rows[kept->count] = row;
        memcpy(kept->values + kept->count++ * table->stride, table->data + row * table->stride, (size_t)table->stride * sizeof(float));
    }
    return NULL;
}

/* Where tables grow, the first table that is updated in a step counts sightings. */
static tri_status keep_table(tri__stretch *stretch, const tri__stretch_chunk *chunk, const tri__row_part *rows)
{
    const tri__key_map *map = stretch->grown.store.map;
    tri__undo_keys *keys = &stretch->undo.keys;
    TRI_TRY(keep_rows(&stretch->undo.rows[chunk->shard - stretch->shard], &chunk->shard->table, map, rows));
    if (!map || rows->count == 0 || map->counted == chunk->step)
        return NULL;
    TRI_TRY(keep_keys(keys, map, rows));
    keys->step = chunk->step;
    return NULL;
}

void tri__undo_keep(tri__stretch *stretch, const tri__stretch_chunk *chunk, const tri__row_part *rows)
{
    tri__undo *undo = &stretch->undo;
    const ptrdiff_t index = chunk - stretch->chunk;
    if (!undo->steps)
        return;
    undo->steps[index] = chunk->step + 1;
    for (int slot = 0; !chunk->shard && slot < tri__stretch_slots(stretch); slot++) {
        size_t count;
        const float *from = tri__stretch_floats(stretch, stretch->first + (uint32_t)index, slot, &count);
        memcpy(undo->slot[slot] + chunk->range.first, from, count * sizeof *from);
    }
    if (!chunk->shard)
        return;
    undo->rows[chunk->shard - stretch->shard].count = 0;
    tri_status status = rows ? keep_table(stretch, chunk, rows) : NULL;
    if (status)
        undo->steps[index] = 0; /* memory is short: if the copy is needed, the job goes back to a checkpoint */
    tri_status_free(status);
}

/* ---- reading ---- */

/* The chunk has made one step more, and undo has what it was before that. */
static bool is_kept(const tri__stretch *stretch, uint32_t chunk, int64_t step)
{
    return stretch->undo.steps && tri__stretch_step(stretch, chunk) == step + 1 && stretch->undo.steps[chunk - stretch->first] == step + 1;
}

bool tri__stretch_read_at(tri__stretch *stretch, uint32_t chunk, int slot, int64_t step, float *out)
{
    size_t count;
    const float *now = tri__stretch_floats(stretch, chunk, slot, &count);
    const bool before = is_kept(stretch, chunk, step);
    if (!before && tri__stretch_step(stretch, chunk) != step)
        return false;
    memcpy(out, before ? stretch->undo.slot[slot] + tri__stretch_at(stretch, chunk)->range.first : now, count * sizeof *now);
    return true;
}

tri_status tri__stretch_begin_copy_at(tri__stretch *stretch, uint32_t chunk, int64_t step)
{
    tri__table_shard *shard = tri__stretch_at(stretch, chunk)->shard;
    const bool before = is_kept(stretch, chunk, step);
    if (!before && tri__stretch_step(stretch, chunk) != step)
        return tri_fail(TRI_NOT_FOUND, "chunk %u is past step %" PRId64, chunk, step);
    TRI_TRY(tri__table_shard_begin_copy(shard));
    const tri__row_sum *kept = &stretch->undo.rows[shard - stretch->shard];
    for (int64_t i = 0; before && i < kept->count; i++)
        TRI_TRY(tri__row_keeper_keep(shard->kept, kept->rows[i], kept->values + i * shard->table.stride));
    return NULL;
}

bool tri__stretch_read_listed_at(tri__stretch *stretch, uint32_t chunk, const tri__row_list *list, int64_t step, float *out)
{
    const tri__table_shard *shard = tri__stretch_at(stretch, chunk)->shard;
    const tri_table *table = &shard->table;
    const bool before = is_kept(stretch, chunk, step);
    if (!before && tri__stretch_step(stretch, chunk) != step)
        return false;
    tri__table_gather(table, (tri__table_keys){list->rows, list->count}, out);
    const tri__row_sum *kept = &stretch->undo.rows[shard - stretch->shard];
    for (int64_t i = 0, k = 0; before && i < list->count && k < kept->count;) { /* both rise */
        if (list->rows[i] == kept->rows[k])
            memcpy(out + i * table->width, kept->values + k * table->stride, (size_t)table->width * sizeof *out);
        if (list->rows[i] <= kept->rows[k])
            i++;
        else
            k++;
    }
    return true;
}

static int compare_keys(const void *a, const void *b)
{
    const int32_t one = ((const tri__key_cell *)a)->key, other = ((const tri__key_cell *)b)->key;
    return (one > other) - (one < other);
}

/* The last step has not changed how often this key was seen. */
static bool is_unchanged(const tri__undo_keys *kept, const tri__key_cell *cell)
{
    return !kept->all && cell->key >= 0 && cell->value < 0 &&
           !bsearch(cell, kept->cells.cell, (size_t)kept->cells.count, sizeof *cell, compare_keys);
}

/* The keys before the last step: those with a row, in the order of the rows, then those that waited. */
static tri_status take_kept_keys(const tri__undo_keys *kept, const tri__key_map *map, tri__key_cells *cells)
{
    TRI_TRY(tri__key_cells_begin(cells, kept->rows + map->waiting + kept->cells.count, kept->left));
    for (int64_t row = 0; row < kept->rows; row++)
        cells->cell[cells->count++] = (tri__key_cell){map->key[row], (int32_t)row};
    for (int64_t i = 0; i < map->cells; i++)
        if (is_unchanged(kept, &map->cell[i]))
            cells->cell[cells->count++] = map->cell[i];
    for (int64_t i = 0; i < kept->cells.count; i++)
        if (kept->cells.cell[i].value < 0)
            cells->cell[cells->count++] = kept->cells.cell[i];
    return NULL;
}

tri_status tri__stretch_read_keys_at(tri__stretch *stretch, int server, int servers, int64_t step, tri__key_cells *cells, int64_t *rows)
{
    const tri__key_map *map = stretch->grown.store.map;
    const tri__undo_keys *kept = &stretch->undo.keys;
    *rows = map->used;
    if (!tri__stretch_is_sync(stretch) || map->counted < step)
        return tri__key_cells_take(cells, map, server, servers, (tri__left_out){map->left_rare, map->left_full});
    if (map->counted != step || kept->step != step)
        return tri_fail(TRI_NOT_FOUND, "the keys of ps:%d are past step %" PRId64, server, step);
    *rows = kept->rows;
    return take_kept_keys(kept, map, cells);
}
