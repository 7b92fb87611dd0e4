/* plan_table.c: a plan's tables, step by step. Time and memory of a step grow only with the batch's features, not with the size of a
 * table. */
#include "graph/plan/plan_table.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/vector.h"
#include "base/memory/memory.h"
#include "graph/store/key_map.h"
#include "graph/store/row_keeper.h"
#include "graph/store/store.h"

#define CACHED ((size_t)256 << 10) /* bytes: a copy of rows that small stays in a CPU's second cache */

static tri_status check_store(const tri_plan *plan, const tri_node *node)
{
    const tri_table *table = tri_store_table(plan->store, node->table);
    const int64_t rows = plan->store->map ? plan->store->map->capacity + 1 : node->shape.dim[0];
    if (table && table->rows == rows && table->width == node->shape.dim[1])
        return NULL;
    return tri_fail(TRI_BAD_CALL, "the store has no table like '%s'; add all tables of the graph to it (tri_store_add_table)", node->name);
}

tri_status tri__plan_tables_init(tri_plan *plan)
{
    plan->tables = plan->graph->tables;
    TRI_TRY(tri__allocate((size_t)plan->tables + 1, sizeof *plan->table, "a plan's tables", &plan->table));
    for (int i = 0; i < plan->graph->count; i++) {
        const tri_node *node = plan->graph->node[i];
        if (node->table < 0)
            continue;
        TRI_TRY(check_store(plan, node));
        plan->table[node->table] = (tri__plan_table){.node = node, .rows = node->shape.dim[0], .width = node->shape.dim[1]};
        plan->features = plan->features && plan->features < node->shape.dim[0] ? plan->features : node->shape.dim[0];
    }
    return NULL;
}

void tri__plan_tables_fini(tri_plan *plan)
{
    for (int i = 0; plan->table && i < plan->tables; i++)
        tri__buffer_free(plan->table[i].copy);
    free(plan->table);
    free(plan->row);
    free(plan->sightings);
    for (int i = 0; i < 2; i++)
        tri__distinct_fini(&plan->distinct[i]);
}

/* The error for the first list whose offsets are wrong; it names the row. */
static tri_status bad_offsets(const tri_batch *batch)
{
    int64_t row = 0;
    while (row < batch->rows && batch->offsets[row] <= batch->offsets[row + 1])
        row++;
    return tri_fail(TRI_BAD_DATA, "a batch's offsets are damaged: row %" PRId64 " goes from %" PRId64 " to %" PRId64, row,
                    batch->offsets[row], row < batch->rows ? batch->offsets[row + 1] : batch->offsets[row]);
}

static tri_status bad_key(const tri_plan *plan, const tri_batch *batch)
{
    int64_t i = 0, row = 0;
    while ((uint32_t)batch->keys[i] < (uint64_t)plan->features)
        i++;
    while (batch->offsets[row + 1] <= i)
        row++;
    return tri_fail(TRI_BAD_DATA, "record %" PRId64 " has the key %" PRId32 ", and the model's tables have 0 to %" PRId64, batch->ids[row],
                    batch->keys[i], plan->features - 1);
}

TRI_FOR_EVERY_CPU static uint32_t largest_of(const int32_t *keys, int64_t count)
{
    uint32_t most = 0;
    for (int64_t i = 0; i < count; i++)
        most = (uint32_t)keys[i] > most ? (uint32_t)keys[i] : most;
    return most;
}

tri_status tri__plan_tables_check(const tri_plan *plan, const tri_batch *batch)
{
    bool falling = batch->offsets[0] != 0;
    for (int64_t row = 0; row < batch->rows; row++)
        falling |= batch->offsets[row] > batch->offsets[row + 1];
    if (falling)
        return bad_offsets(batch);
    return plan->tables && largest_of(batch->keys, batch->offsets[batch->rows]) >= plan->features ? bad_key(plan, batch) : NULL;
}

static tri__table_view view_of(const tri_table *table)
{
    return (tri__table_view){.data = table->data, .stride = table->stride, .width = table->width};
}

/* The row of each feature: its key or, where tables grow, the row that the map has for the key. */
static tri_status find_rows(tri_plan *plan, const tri_batch *batch, const int32_t **rows)
{
    const tri__key_map *map = plan->store->map;
    const int64_t features = batch->offsets[batch->rows];
    *rows = batch->keys;
    if (!map)
        return NULL;
    TRI_TRY(tri__reserve(&plan->row, &plan->row_room, features + 1, sizeof *plan->row, "the rows of a batch's keys"));
    for (int64_t i = 0; i < features; i++)
        plan->row[i] = tri__key_map_find(map, batch->keys[i]);
    *rows = plan->row;
    return NULL;
}

static void read_where_they_lie(tri_plan *plan, const int32_t *rows)
{
    for (int i = 0; i < plan->tables; i++) {
        plan->table[i].weights = view_of(tri_store_table(plan->store, i));
        plan->table[i].at = rows;
    }
}

tri_status tri__plan_tables_read(tri_plan *plan, const tri_batch *batch)
{
    const int32_t *rows;
    if (plan->tables == 0)
        return NULL;
    TRI_TRY(find_rows(plan, batch, &rows));
    read_where_they_lie(plan, rows);
    return NULL;
}

/* Lent tables: the update goes into the table itself. */
static void borrow(tri_plan *plan, const tri_batch *batch, double weight)
{
    read_where_they_lie(plan, batch->keys);
    for (int i = 0; i < plan->tables; i++) {
        tri__plan_table *table = &plan->table[i];
        table->lent = true;
        table->gradient = table->weights;
        table->factor = weight > 0 ? (float)(-(double)plan->store->rate / weight) : 0;
    }
}

static tri_status expect(tri_plan *plan, tri_when when)
{
    const tri__distinct *distinct = &plan->distinct[plan->now ^ (when == TRI_NEXT)];
    for (int i = 0; i < plan->tables; i++)
        TRI_TRY(tri_store_expect(plan->store, i, when, distinct->keys, distinct->count));
    return NULL;
}

/* Make room for the rows of this step. */
static tri_status prepare(tri_plan *plan, tri__plan_table *table)
{
    const tri__distinct *distinct = &plan->distinct[plan->now];
    const int64_t count = distinct->count > 0 ? distinct->count : 1; /* a batch may have no features */
    const size_t row_bytes = 2 * (size_t)table->width * sizeof(float);
    TRI_TRY(tri__buffer_reserve(&table->copy, &table->room, count, row_bytes, "the rows of a table that a batch names"));
    table->lent = false;
    table->at = distinct->at;
    table->count = distinct->count;
    table->weights = (tri__table_view){table->copy, table->width, table->width, .cached = (size_t)count * row_bytes <= CACHED};
    table->gradient = table->weights;
    table->gradient.data += table->room * table->width;
    table->factor = 1;
    return NULL;
}

TRI_FOR_EVERY_CPU static bool are_same(const int32_t *keys, const int32_t *at, const int32_t *others, int64_t count)
{
    uint32_t different = 0;
    for (int64_t i = 0; i < count; i++)
        different |= (uint32_t)(keys[at[i]] ^ others[i]);
    return !different;
}

/* Whether the keys that the store was given before are those of this batch: another batch may have come than was expected. */
static bool is_foreseen(const tri_plan *plan, const tri_batch *batch)
{
    const tri__distinct *distinct = &plan->distinct[plan->now];
    const int64_t features = batch->offsets[batch->rows];
    return plan->store->expected && distinct->features == features && are_same(distinct->keys, distinct->at, batch->keys, features);
}

static tri_status tell(tri_plan *plan, const tri_batch *batch, tri_when when)
{
    TRI_TRY(tri__distinct_find(&plan->distinct[plan->now ^ (when == TRI_NEXT)], batch->keys, batch->offsets[batch->rows]));
    return expect(plan, when);
}

tri_status tri__plan_tables_expect(tri_plan *plan, const tri_batch *batch, const tri_batch *next)
{
    TRI_TRY(tri__plan_tables_check(plan, batch));
    TRI_TRY(tri__plan_tables_check(plan, next));
    if (!is_foreseen(plan, batch))
        TRI_TRY(tell(plan, batch, TRI_NOW));
    return tell(plan, next, TRI_NEXT);
}

/* Tell the row keepers which rows will change; called before any row of a lent table changes. */
static void touch(const tri_plan *plan, const tri_batch *batch)
{
    for (int i = 0; i < plan->tables; i++)
        if (plan->store->keeper[i])
            tri__row_keeper_touch(plan->store->keeper[i], batch->keys, batch->offsets[batch->rows]);
}

/* Where tables grow, a key gets its row when it was seen often enough: so count how often the batch names each key. */
static tri_status count_sightings(tri_plan *plan)
{
    const tri__distinct *distinct = &plan->distinct[plan->now];
    if (!plan->store->map && !plan->store->counts)
        return NULL;
    TRI_TRY(tri__reserve(&plan->sightings, &plan->sightings_room, distinct->count + 1, sizeof *plan->sightings, "the keys of a batch"));
    memset(plan->sightings, 0, (size_t)distinct->count * sizeof *plan->sightings);
    for (int64_t i = 0; i < distinct->features; i++)
        plan->sightings[distinct->at[i]]++;
    plan->store->sightings = plan->sightings;
    return NULL;
}

tri_status tri__plan_tables_begin(tri_plan *plan, const tri_batch *batch, double weight)
{
    if (plan->tables == 0)
        return NULL;
    if (tri_store_lends_tables(plan->store)) {
        touch(plan, batch);
        borrow(plan, batch, weight);
        return NULL;
    }
    if (!is_foreseen(plan, batch))
        TRI_TRY(tell(plan, batch, TRI_NOW));
    for (int i = 0; i < plan->tables; i++)
        TRI_TRY(prepare(plan, &plan->table[i]));
    return count_sightings(plan);
}

void tri__plan_tables_end(tri_plan *plan)
{
    plan->now ^= 1;
    plan->store->expected = false; /* until the next begin, no keys are expected */
}

void tri__plan_tables_set_team(tri_plan *plan, int threads)
{
    plan->table_team = threads < 1 ? 1 : threads < plan->table_threads ? threads : plan->table_threads;
}

tri_status tri__plan_table_await(tri_plan *plan, int table)
{
    if (plan->table[table].lent)
        return NULL;
    omp_set_num_threads(plan->table_threads);
    tri_status status = tri_store_await_rows(plan->store, table, plan->table[table].weights.data);
    omp_set_num_threads(plan->options.threads);
    return status;
}

tri_status tri__plan_table_offer(tri_plan *plan, int table, double weight)
{
    if (plan->table[table].lent)
        return NULL;
    omp_set_num_threads(plan->table_threads);
    tri_status status = tri_store_offer_rows(plan->store, table, plan->table[table].gradient.data, weight);
    omp_set_num_threads(plan->options.threads);
    return status;
}
