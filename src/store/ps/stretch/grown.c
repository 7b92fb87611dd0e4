/* grown.c: the tables of a stretch that grow.
 *
 * All tables of a server share one map. The first update of a step that has rows counts the sightings, as in a local store. In sync the
 * step number shows which update is the first. In the other modes every push is an update by itself, and a worker's pushes of all tables in
 * one step have the same serial: the first of them that is applied counts. */
#include "store/ps/stretch/stretch_inside.h"

tri_status tri__grown_create(tri__stretch *stretch, const tri__layout *layout)
{
    const tri__table_growth *growth = &layout->tables.growth;
    tri_store *store = &stretch->grown.store;
    if (!growth->most)
        return NULL;
    store->rule = stretch->rule;
    TRI_TRY(tri__key_map_create(layout->tables.table[0].rows, growth->most, 1, INT64_MAX / 2, growth->min_count, &store->map));
    for (int i = 0; i < layout->tables.count; i++) {
        store->table[store->tables++] = stretch->shard[i].table;
        store->map->initial[i] = growth->initial[i];
        tri__table_shard_set_grown(&stretch->shard[i], store, i);
    }
    return NULL;
}

void tri__grown_destroy(tri__stretch *stretch)
{
    tri__key_map_destroy(stretch->grown.store.map);
}

tri__key_map *tri__stretch_map(tri__stretch *stretch)
{
    return stretch->grown.store.map;
}

void tri__grown_forget(tri__stretch *stretch, int task)
{
    stretch->grown.counted[task] = -1;
}

void tri__grown_reset(tri__stretch *stretch)
{
    if (stretch->grown.store.map)
        stretch->grown.store.map->counted = -1;
}

void tri__grown_know(tri__stretch *stretch, const tri__stretch_chunk *chunk, int task, int64_t serial)
{
    int64_t *counted = &stretch->grown.counted[task];
    if (chunk->shard && serial > *counted)
        *counted = serial;
}

void tri__grown_take(tri__stretch *stretch, const tri__stretch_chunk *chunk, const tri__applied *update)
{
    const int64_t *counted = &stretch->grown.counted[update->task];
    tri__key_map *map = stretch->grown.store.map;
    if (!map || !update->rows || update->rows->count == 0)
        return;
    map->counted = update->serial > *counted ? -1 : update->step;
    tri__grown_know(stretch, chunk, update->task, update->serial);
}
