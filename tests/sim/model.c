/* model.c: the model that a simulated job trains: a function of (parameters, examples) instead of a plan. */
#include "sim/model.h"

#include <string.h>

#include "graph/store/key_map.h"
#include "graph/store/store.h"
#include "sim/history.h"
#include "sim/invariants.h"

_Static_assert(TRI_CHUNK_FLOATS == 256, "the simulator's build of store/ps has small chunks (tests/CMakeLists.txt)");

uint64_t sim_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

float sim_noise(uint64_t key, size_t i)
{
    return (float)(sim_mix(key + i * UINT64_C(0x9e3779b97f4a7c15)) >> 40) * 0x1p-24f - 0.5f;
}

bool sim_counts(const sim_job *job)
{
    return !strcmp(job->rule.name, "sgd") && job->rule.clip == 0 && job->settings.mode != TRI_PS_SYNC;
}

bool sim_counts_updates(void)
{
    return sim_counts(&sim_all.job);
}

const tri__layout *sim_layout(void)
{
    static tri__layout layout;
    if (layout.servers != sim_all.job.settings.servers || layout.tables.growth.most != sim_all.job.tables.growth.most ||
        !tri__layout_fits(&layout, sim_all.job.floats, &sim_all.job.tables))
        tri_status_free(tri__layout_init(&layout, sim_all.job.floats, &sim_all.job.tables, sim_all.job.settings.servers));
    return &layout;
}

bool sim_is_counter(size_t i)
{
    return tri__layout_chunk(sim_layout(), tri__layout_chunk_at(sim_layout(), i)).first == i;
}

int sim_counted_worker(size_t i)
{
    const tri_range chunk = tri__layout_chunk(sim_layout(), tri__layout_chunk_at(sim_layout(), i));
    const size_t at = i - chunk.first;
    return at >= 1 && at <= SIM_MOST_WORKERS ? (int)at - 1 : -1;
}

/* Row r is on server r mod servers. So each server has one of the first rows, and these are in every batch. */
bool sim_is_row_counter(int32_t row, int64_t column)
{
    return row < sim_all.job.settings.servers && column == 0;
}

/* The row of a key, and a row of zeros where the key has none. */
static int64_t row_of(const tri_store *model, int64_t key)
{
    return model->map ? tri__key_map_find(model->map, (int32_t)key) : key;
}

/* This key is in every batch, once, and waits for a row for ever. */
static bool is_waiting_key(int32_t key)
{
    const int servers = sim_all.job.settings.servers;
    return sim_all.job.tables.growth.min_count == SIM_NEVER_SEEN_ENOUGH && key >= servers && key < 2 * servers;
}

int64_t sim_sightings_of(tri_store *model, int server)
{
    const int32_t key = sim_all.job.settings.servers + server;
    if (!is_waiting_key(key) || key >= sim_all.job.tables.table[0].rows || sim_all.job.tables.growth.most < 2)
        return -1; /* a map without room for a row counts no key that waits */
    for (int64_t i = 0; i < model->map->cells; i++)
        if (model->map->cell[i].key == key)
            return -model->map->cell[i].value;
    return 0;
}

float sim_updates_of(tri_store *model, uint32_t chunk)
{
    int table = tri__layout_table(sim_layout(), chunk);
    if (table < 0)
        return tri_store_parameters(model)[tri__layout_chunk(sim_layout(), chunk).first];
    const tri_table *rows = tri_store_table(model, table);
    return rows->data[row_of(model, tri__layout_server(sim_layout(), chunk)) * rows->stride];
}

tri_store *sim_model_create(const tri_rule *rule, bool grows)
{
    tri_store *model = NULL;
    const tri__table_shapes *tables = &sim_all.job.tables;
    tri_status status = tri_store_local_create(sim_all.job.floats, rule, &model);
    if (!status && grows)
        status = tri__key_map_create(tables->table[0].rows, 2 * SIM_MOST_ROWS, 1, INT64_MAX / 2, tables->growth.min_count, &model->map);
    for (int i = 0; !status && i < tables->count; i++)
        status = tri_store_add_table(model, grows ? model->map->capacity + 1 : tables->table[i].rows, tables->table[i].width);
    if (status)
        sim_violate("no model: %s", tri_status_message(status));
    tri_status_free(status);
    return model;
}

static void make_rows(const tri_table *table, uint64_t key)
{
    memset(table->data, 0, (size_t)(table->rows * table->stride) * sizeof *table->data);
    for (int32_t row = 0; row < table->rows; row++)
        for (int64_t k = 0; k < table->width; k++)
            table->data[row * table->stride + k] =
                sim_counts_updates() && sim_is_row_counter(row, k) ? 0 : sim_noise(key, (size_t)(row * table->width + k));
}

void sim_initial(tri_store *model)
{
    float *parameters = tri_store_parameters(model);
    for (size_t i = 0; i < sim_all.job.floats; i++)
        parameters[i] = sim_counts_updates() && (sim_is_counter(i) || sim_counted_worker(i) >= 0) ? 0 : sim_noise(77, i);
    for (int i = 0; i < tri_rule_slots(&sim_all.job.rule); i++)
        memset(tri_store_slot(model, i), 0, sim_all.job.floats * sizeof(float));
    tri_store_begin_averages(model);
    for (int i = 0; !model->map && i < tri_store_tables(model); i++)
        make_rows(tri_store_table(model, i), 99 + (uint64_t)i);
}

static void copy_keys(const tri__key_map *from, tri__key_map *to)
{
    for (int64_t row = 0; row < from->used; row++)
        if (!tri__key_map_give(to, from->key[row]))
            sim_violate("there is no room for row %d of a model", (int)row);
    for (int64_t i = 0; i < from->cells; i++)
        if (from->cell[i].key >= 0 && from->cell[i].value < 0 && !tri__key_map_recall(to, from->cell[i].key, -from->cell[i].value))
            sim_violate("there is no room for key %d of a model", from->cell[i].key);
    to->left_rare = from->left_rare;
    to->left_full = from->left_full;
}

void sim_model_copy(tri_store *from, tri_store *to)
{
    const size_t bytes = sim_all.job.floats * sizeof(float);
    memcpy(tri_store_parameters(to), tri_store_parameters(from), bytes);
    for (int i = 0; i < tri_rule_slots(&sim_all.job.rule); i++)
        memcpy(tri_store_slot(to, i), tri_store_slot(from, i), bytes);
    if (from->map)
        copy_keys(from->map, to->map);
    for (int i = 0; i < tri_store_tables(from); i++) {
        const tri_table *table = tri_store_table(from, i);
        const int64_t rows = from->map ? from->map->used : table->rows;
        memcpy(tri_store_table(to, i)->data, table->data, (size_t)(rows * table->stride) * sizeof *table->data);
    }
}

int64_t sim_keys(uint64_t examples, int table, int32_t *keys)
{
    int64_t count = 0;
    const bool grows = sim_all.job.tables.growth.most > 0; /* then all tables have the same keys */
    uint64_t key = sim_mix(examples * 16 + (grows ? 0 : (uint64_t)table)), rare = 1 + key % 9;
    for (int32_t row = 0; row < sim_all.job.tables.table[table].rows; row++)
        if ((sim_counts_updates() && (sim_is_row_counter(row, 0) || is_waiting_key(row))) || sim_mix(key + (uint64_t)row) % rare == 1)
            keys[count++] = row;
    return count;
}

/* A key that counts updates has its row from its first update on. */
int32_t sim_sightings(uint64_t examples, int32_t key)
{
    if (sim_counts_updates() && sim_is_row_counter(key, 0))
        return (int32_t)sim_all.job.tables.growth.min_count;
    return is_waiting_key(key) ? 1 : 1 + (int32_t)(sim_mix(examples + (uint64_t)key) % 3);
}

uint64_t sim_hash(const float *floats, size_t count)
{
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &floats[i], sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
    }
    return sum;
}

uint64_t sim_model_hash(tri_store *model)
{
    uint64_t sum = sim_hash(tri__store_evaluated(model), sim_all.job.floats);
    for (int i = 0; i < tri_store_tables(model); i++) {
        const tri_table *table = tri_store_table(model, i);
        for (int64_t key = 0; key < sim_all.job.tables.table[i].rows; key++)
            sum = sim_mix(sum ^ sim_hash(table->data + row_of(model, key) * table->stride, (size_t)table->width));
    }
    return sum;
}

/* The order of the keys does not matter: it depends on which server's keys came first. */
uint64_t sim_keys_hash(tri_store *model)
{
    const tri__key_map *map = model->map;
    uint64_t sum = 0;
    for (int64_t i = 0; map && i < map->cells; i++)
        if (map->cell[i].key >= 0)
            sum += sim_mix((uint64_t)map->cell[i].key << 32 | (uint32_t)(map->cell[i].value < 0 ? map->cell[i].value : 0));
    return map ? sum + sim_mix((uint64_t)map->left_rare << 32 | (uint64_t)map->left_full) : 0;
}

tri_range sim_layer(int index)
{
    static const int share[SIM_LAYERS + 1] = {0, 1, 9, 14, 30, 32}; /* in 32nds: uneven, and not at the borders of chunks */
    size_t first = sim_all.job.floats * (size_t)share[index] / 32, end = sim_all.job.floats * (size_t)share[index + 1] / 32;
    return (tri_range){first, end - first};
}
