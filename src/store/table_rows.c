/* table_rows.c: rows by key. Where tables do not grow, a key is its row, and these functions only call table.c. */
#include "store/table_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/nodes/initialise.h"
#include "graph/store/key_map.h"
#include "graph/store/row_keeper.h"
#include "store/norm.h"

static const char WHAT[] = "the rows of a step";

void tri__table_rows_fini(tri__table_rows *rows)
{
    free(rows->offered);
    free(rows->gradient);
    free(rows->row);
    free(rows->kept);
}

int64_t tri__offered_width(const tri_store *store, int64_t width)
{
    return width + (store->map != NULL);
}

tri_status tri__table_rows_offer(tri__table_rows *rows, const tri_store *store, int table, tri__table_keys keys, const float *gradient,
                                 const float **out)
{
    const int64_t width = store->table[table].width, pitch = tri__offered_width(store, width);
    *out = gradient;
    if (!store->map)
        return NULL;
    TRI_TRY(tri__reserve(&rows->offered, &rows->offered_room, keys.count * pitch + 1, sizeof *rows->offered, WHAT));
    for (int64_t i = 0; i < keys.count; i++) {
        memcpy(rows->offered + i * pitch, gradient + i * width, (size_t)width * sizeof *gradient);
        rows->offered[i * pitch + width] = store->sightings ? (float)store->sightings[i] : 1;
    }
    *out = rows->offered;
    return NULL;
}

static void begin_row(const tri__key_map *map, int table, int64_t width, int32_t key, float *to)
{
    const tri__initial_row *initial = &map->initial[table];
    if (initial->init != TRI_INIT_ZERO)
        tri__initialise_part(initial->init, initial->value, initial->key, key * width, width, to);
}

tri_status tri__table_rows_reserve(tri__table_rows *rows, int64_t width, int64_t count)
{
    TRI_TRY(tri__reserve(&rows->row, &rows->row_room, count + 1, sizeof *rows->row, WHAT));
    TRI_TRY(tri__reserve(&rows->kept, &rows->kept_room, count + 1, sizeof *rows->kept, WHAT));
    return tri__reserve(&rows->gradient, &rows->gradient_room, count * width + 1, sizeof *rows->gradient, WHAT);
}

static tri_status find(tri__table_rows *rows, const tri_store *store, tri__table_keys keys)
{
    TRI_TRY(tri__reserve(&rows->row, &rows->row_room, keys.count + 1, sizeof *rows->row, WHAT));
    for (int64_t i = 0; i < keys.count; i++)
        rows->row[i] = tri__key_map_find(store->map, keys.keys[i]);
    return NULL;
}

tri_status tri__table_rows_gather(tri__table_rows *rows, tri_store *store, int table, tri__table_keys keys, float *out)
{
    const tri__key_map *map = store->map;
    const int64_t width = store->table[table].width;
    if (!map) {
        tri__table_gather(&store->table[table], keys, out);
        return NULL;
    }
    TRI_TRY(find(rows, store, keys));
    tri__table_gather(&store->table[table], (tri__table_keys){rows->row, keys.count}, out);
    for (int64_t i = 0; map->min_count == 1 && map->used < map->capacity && i < keys.count; i++)
        if (rows->row[i] == map->capacity)
            begin_row(map, table, width, keys.keys[i], out + i * width);
    return NULL;
}

/* All tables have the same keys; the first table that is updated in a step counts them. */
static void count_sightings(tri_store *store, int64_t pitch, tri__table_keys keys, const float *sum, int64_t step)
{
    tri__key_map *map = store->map;
    pthread_mutex_lock(&map->lock);
    for (int64_t i = 0; map->counted != step && i < keys.count; i++) {
        bool fresh;
        const int32_t row = tri__key_map_see(map, keys.keys[i], (int64_t)sum[i * pitch + pitch - 1], &fresh);
        for (int t = 0; fresh && t < store->tables; t++)
            begin_row(map, t, store->table[t].width, keys.keys[i], store->table[t].data + row * store->table[t].stride);
    }
    map->counted = step;
    pthread_mutex_unlock(&map->lock);
}

/* Puts the rows of those keys that have one into rows->kept, and their gradients into rows->gradient. Other gradients are dropped. */
static tri_status keep_mapped(tri__table_rows *rows, const tri_store *store, int64_t width, tri__table_keys keys, const float *sum,
                              int64_t *kept)
{
    const int64_t pitch = tri__offered_width(store, width);
    TRI_TRY(tri__table_rows_reserve(rows, width, keys.count));
    TRI_TRY(find(rows, store, keys));
    *kept = 0;
    for (int64_t i = 0; i < keys.count; i++) {
        if (rows->row[i] == store->map->capacity)
            continue;
        rows->kept[*kept] = rows->row[i];
        memcpy(rows->gradient + *kept * width, sum + i * pitch, (size_t)width * sizeof *sum);
        ++*kept;
    }
    return NULL;
}

tri_status tri__table_rows_apply(tri__table_rows *rows, tri_store *store, int table, tri__table_keys keys, const float *sum, float scale,
                                 const tri_step *step)
{
    tri_table *to = &store->table[table];
    if (store->map) {
        int64_t kept;
        if (keys.count > 0) /* otherwise no plan trains the table, or the batch is empty */
            count_sightings(store, tri__offered_width(store, to->width), keys, sum, step->step);
        TRI_TRY(keep_mapped(rows, store, to->width, keys, sum, &kept));
        keys = (tri__table_keys){rows->kept, kept};
        sum = rows->gradient;
    }
    if (store->keeper[table])
        tri__row_keeper_touch(store->keeper[table], keys.keys, keys.count);
    tri__table_apply(to, keys, sum, scale, &store->rule, step);
    return NULL;
}

double tri__table_rows_squares(const tri_store *store, int table, const float *sum, int64_t count)
{
    const int64_t width = store->table[table].width, pitch = tri__offered_width(store, width);
    if (pitch == width)
        return tri__sum_of_squares(sum, (size_t)(count * width));
    double squares = 0;
    for (int64_t i = 0; i < count; i++)
        squares += tri__sum_of_squares(sum + i * pitch, (size_t)width);
    return squares;
}
