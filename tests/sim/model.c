/* model.c: the model that a simulated job trains: a function of (parameters, examples) instead of a plan. */
#include "sim/model.h"

#include <string.h>

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

bool sim_counts_updates(void)
{
    return !strcmp(sim_all.job.rule.name, "sgd") && sim_all.job.rule.clip == 0 && sim_all.job.settings.mode != TRI_PS_SYNC;
}

const tri__layout *sim_layout(void)
{
    static tri__layout layout;
    if (layout.servers != sim_all.job.settings.servers || !tri__layout_fits(&layout, sim_all.job.floats, &sim_all.job.tables))
        tri_status_free(tri__layout_init(&layout, sim_all.job.floats, &sim_all.job.tables, sim_all.job.settings.servers));
    return &layout;
}

bool sim_is_counter(size_t i)
{
    return tri__layout_chunk(sim_layout(), tri__layout_chunk_at(sim_layout(), i)).first == i;
}

/* Row r is on server r mod servers. So each server has one of the first rows, and these are in every batch. */
bool sim_is_row_counter(int32_t row, int64_t column)
{
    return row < sim_all.job.settings.servers && column == 0;
}

float sim_updates_of(tri_store *model, uint32_t chunk)
{
    int table = tri__layout_table(sim_layout(), chunk);
    if (table < 0)
        return tri_store_parameters(model)[tri__layout_chunk(sim_layout(), chunk).first];
    const tri_table *rows = tri_store_table(model, table);
    return rows->data[tri__layout_server(sim_layout(), chunk) * rows->stride];
}

tri_store *sim_model_create(const tri_rule *rule)
{
    tri_store *model = NULL;
    tri_status status = tri_store_local_create(sim_all.job.floats, rule, &model);
    for (int i = 0; !status && i < sim_all.job.tables.count; i++)
        status = tri_store_add_table(model, sim_all.job.tables.table[i].rows, sim_all.job.tables.table[i].width);
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
        parameters[i] = sim_counts_updates() && sim_is_counter(i) ? 0 : sim_noise(77, i);
    for (int i = 0; i < tri_rule_slots(&sim_all.job.rule); i++)
        memset(tri_store_slot(model, i), 0, sim_all.job.floats * sizeof(float));
    tri_store_begin_averages(model);
    for (int i = 0; i < tri_store_tables(model); i++)
        make_rows(tri_store_table(model, i), 99 + (uint64_t)i);
}

int64_t sim_keys(uint64_t examples, int table, int32_t *keys)
{
    int64_t count = 0;
    uint64_t key = sim_mix(examples * 16 + (uint64_t)table), rare = 1 + key % 9;
    for (int32_t row = 0; row < sim_all.job.tables.table[table].rows; row++)
        if ((sim_counts_updates() && sim_is_row_counter(row, 0)) || sim_mix(key + (uint64_t)row) % rare == 1)
            keys[count++] = row;
    return count;
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
        for (int64_t row = 0; row < table->rows; row++)
            sum = sim_mix(sum ^ sim_hash(table->data + row * table->stride, (size_t)table->width));
    }
    return sum;
}

tri_range sim_layer(int index)
{
    static const int share[SIM_LAYERS + 1] = {0, 1, 9, 14, 30, 32}; /* in 32nds: uneven, and not at the borders of chunks */
    size_t first = sim_all.job.floats * (size_t)share[index] / 32, end = sim_all.job.floats * (size_t)share[index + 1] / 32;
    return (tri_range){first, end - first};
}
