/* reorder.c: brings tensors into the LANES layout and out of it, by transposing blocks of 8 examples × 8 elements. */
#include "tensor/narrow/vector/part.h"

#define PREFETCH_BYTES 64

/* Elements [first, first + count) of an example, count ≤ 8, as floats. */
INLINE v8 load_elements(const void *row, tri_type type, int64_t first, int64_t count)
{
    if (type == TRI_F32)
        return count == 8 ? load((const float *)row + first) : load_some((const float *)row + first, count);
    const uint8_t *bytes = (const uint8_t *)row + first;
    if (count == 8)
        return load_bytes(bytes);
    uint8_t some[8] = {0};
    memcpy(some, bytes, (size_t)count);
    return load_bytes(some);
}

/* One group. x: `rows` ≤ 8 rows of [elements]; y: [planes][elements/planes][8], element e is plane e mod planes. */
static void gather(const tri__narrow_reorder *s, const void *const *x, int64_t rows, v8 *y)
{
    const int64_t elements = s->planes * s->count;
    const v8 scale = splat(s->scale), offset = splat(s->offset);
    const v8i there = splat_int((int32_t)rows) > (v8i){0, 1, 2, 3, 4, 5, 6, 7};
    int64_t plane = 0, pixel = 0;
    for (int64_t first = 0; first < elements; first += 8) {
        const int64_t count = elements - first < 8 ? elements - first : 8;
        v8 block[8];
        for (int64_t row = 0; row < 8; row++)
            block[row] = row < rows ? load_elements(x[row], s->type, first, count) : splat(0);
        transpose(block);
        for (int64_t i = 0; i < count; i++) {
            y[plane * s->count + pixel] = keep(there, block[i] * scale + offset);
            plane = plane + 1 < s->planes ? plane + 1 : 0;
            pixel += plane == 0;
        }
    }
}

static int64_t rows_of(const tri__narrow_reorder *s, int64_t group)
{
    return s->batch - group * 8 < 8 ? s->batch - group * 8 : 8;
}

/* Examples may stand anywhere: while one group is transposed, the examples of the next group are prefetched. */
static void prefetch(const tri__narrow_reorder *s, const void *const *x, int64_t rows)
{
    const int64_t bytes = s->planes * s->count * (int64_t)tri_type_size(s->type);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t at = 0; at < bytes + PREFETCH_BYTES - 1; at += PREFETCH_BYTES)
            __builtin_prefetch((const char *)x[row] + at);
}

void ISA(import)(const void *geometry, void *const *data, int thread, int threads)
{
    const tri__narrow_reorder *s = geometry;
    const void *const *x = data[0];
    v8 *y = data[1];
    const part_range mine = share(s->groups, thread, threads);
    for (int64_t group = mine.first; group < mine.end; group++) {
        if (group + 1 < mine.end)
            prefetch(s, x + (group + 1) * 8, rows_of(s, group + 1));
        gather(s, x + group * 8, rows_of(s, group), y + group * s->planes * s->count);
    }
}

void ISA(to_lanes)(const void *geometry, void *const *data, int thread, int threads)
{
    const tri__narrow_reorder *s = geometry;
    const float *x = data[0];
    v8 *y = data[1];
    const part_range mine = share(s->groups, thread, threads);
    for (int64_t group = mine.first; group < mine.end; group++) {
        const void *row[8];
        for (int64_t i = 0; i < 8; i++)
            row[i] = x + (group * 8 + i) * s->count;
        gather(s, row, rows_of(s, group), y + group * s->count);
    }
}

/* One group. x: [elements][8] → y: [rows][elements] */
static void scatter(const v8 *x, int64_t elements, int64_t rows, float *y)
{
    for (int64_t first = 0; first < elements; first += 8) {
        const int64_t count = elements - first < 8 ? elements - first : 8;
        v8 block[8];
        for (int64_t i = 0; i < 8; i++)
            block[i] = i < count ? x[first + i] : splat(0);
        transpose(block);
        for (int64_t row = 0; row < rows; row++)
            if (count == 8)
                store(y + row * elements + first, block[row]);
            else
                store_some(y + row * elements + first, block[row], count);
    }
}

void ISA(to_plain)(const void *geometry, void *const *data, int thread, int threads)
{
    const tri__narrow_reorder *s = geometry;
    const v8 *x = data[0];
    float *y = data[1];
    const part_range mine = share(s->groups, thread, threads);
    for (int64_t group = mine.first; group < mine.end; group++) {
        scatter(x + group * s->count, s->count, rows_of(s, group), y + group * 8 * s->count);
    }
}
