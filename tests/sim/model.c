/* model.c: the model that a simulated job trains: a function of (parameters, examples) instead of a plan. */
#include "sim/model.h"

#include <string.h>

#include "sim/history.h"

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
    if (layout.floats != sim_all.job.floats || layout.servers != sim_all.job.settings.servers)
        tri_status_free(tri__layout_init(&layout, sim_all.job.floats, &(tri__table_shapes){0}, sim_all.job.settings.servers));
    return &layout;
}

bool sim_is_counter(size_t i)
{
    return tri__layout_chunk(sim_layout(), tri__layout_chunk_at(sim_layout(), i)).first == i;
}

void sim_initial(float *parameters)
{
    for (size_t i = 0; i < sim_all.job.floats; i++)
        parameters[i] = sim_counts_updates() && sim_is_counter(i) ? 0 : sim_noise(77, i);
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

tri_range sim_layer(int index)
{
    static const int share[SIM_LAYERS + 1] = {0, 1, 9, 14, 30, 32}; /* of 32: uneven, and not at the borders of chunks */
    size_t first = sim_all.job.floats * (size_t)share[index] / 32, end = sim_all.job.floats * (size_t)share[index + 1] / 32;
    return (tri_range){first, end - first};
}
