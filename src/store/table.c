/* table.c: the memory of a table, and the rule applied to some of its rows.
 *
 * A rule is a loop over contiguous ranges (graph/rule/rule.c). So tri__table_apply copies some rows at a time out of the table into such
 * ranges, which stay in the L1 cache, updates them there and puts them back. Meanwhile the next rows are prefetched. */
#include "store/table.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/rule/rule.h"
#include "graph/store/store.h"

enum {
    LINE = TRI_ALIGNMENT / sizeof(float), /* floats of a cache line */
    BLOCK = 1024,                         /* floats of each kind that are updated together */
    ROWS_AHEAD = 16,
    MOST_FLOATS = 1 << 20, /* of a row */
    PARALLEL = 4096,       /* from this many rows on, waking the team gains more than it costs */
};

tri_status tri__table_init(tri_table *table, int64_t rows, int64_t width, int slots)
{
    int64_t floats, bytes;
    if (rows < 1 || rows > INT32_MAX || width < 1)
        return tri_fail(TRI_BAD_CALL, "a table of %" PRId64 " rows of %" PRId64 ": there are 1 to %d rows of at least 1", rows, width,
                        INT32_MAX);
    if (__builtin_mul_overflow(width, slots + 1, &floats) || floats > MOST_FLOATS ||
        __builtin_mul_overflow(rows, tri__table_stride(floats) * (int64_t)sizeof(float), &bytes))
        return tri_fail(TRI_BAD_CALL, "a table of %" PRId64 " rows of %" PRId64 " is larger than memory can be", rows, width);
    *table = (tri_table){.rows = rows, .width = width, .stride = tri__table_stride(floats), .slots = slots};
    return tri__buffer_allocate((size_t)bytes, "a table (--features hashes into a smaller one)", &table->data);
}

void tri__table_fini(tri_table *table)
{
    tri__buffer_free(table->data);
    *table = (tri_table){0};
}

static inline float *row_of(const tri_table *table, int32_t key)
{
    return table->data + (int64_t)key * table->stride;
}

static inline void fetch(const tri_table *table, tri__table_keys keys, int64_t i)
{
    if (i >= keys.count)
        return;
    const float *row = row_of(table, keys.keys[i]);
    for (int64_t at = 0; at < table->stride; at += LINE)
        __builtin_prefetch(row + at, 1);
}

/* Logistic regression has one weight a row. In the loops below a width that is known to be 1 saves more than half of the instructions, so
 * they are inlined with it as a constant. */
static inline void gather(const tri_table *table, tri__table_keys keys, int64_t width, float *rows)
{
#pragma omp parallel for schedule(static) if (keys.count >= PARALLEL)
    for (int64_t i = 0; i < keys.count; i++) {
        const float *row = row_of(table, keys.keys[i]);
        fetch(table, keys, i + ROWS_AHEAD);
        for (int64_t k = 0; k < width; k++)
            rows[i * width + k] = row[k];
    }
}

void tri__table_gather(const tri_table *table, tri__table_keys keys, float *rows)
{
    if (table->width == 1)
        gather(table, keys, 1, rows);
    else
        gather(table, keys, table->width, rows);
}

/* Copies one kind of float (the weights, or a slot) of the keys' rows out of the table; put_back copies it back. part: 0 is the weights. */
static inline void take_out(const tri_table *table, tri__table_keys keys, int64_t width, int part, float *out)
{
    for (int64_t i = 0; i < keys.count; i++)
        for (int64_t k = 0; k < width; k++)
            out[i * width + k] = row_of(table, keys.keys[i])[part * width + k];
}

static inline void put_back(const tri_table *table, tri__table_keys keys, int64_t width, int part, const float *from)
{
    for (int64_t i = 0; i < keys.count; i++)
        for (int64_t k = 0; k < width; k++)
            row_of(table, keys.keys[i])[part * width + k] = from[i * width + k];
}

/* Updates rows that fit into a block together. */
static inline void update_rows(const tri_table *table, tri__table_keys keys, int64_t width, const tri_rule *rule, tri__update update)
{
    float part[3][BLOCK];
    for (int i = 0; i <= table->slots; i++)
        take_out(table, keys, width, i, part[i]);
    update.parameters = part[0];
    for (int i = 0; i < table->slots; i++)
        update.slot[i] = part[i + 1];
    update.count = (size_t)(keys.count * width);
    tri__rule_apply(rule, &update);
    for (int i = 0; i <= table->slots; i++)
        put_back(table, keys, width, i, part[i]);
}

/* A row longer than a block is updated in place: each kind of float is contiguous in it. */
static void update_long_row(const tri_table *table, int32_t key, const tri_rule *rule, tri__update update)
{
    float *row = row_of(table, key);
    update.parameters = row;
    for (int i = 0; i < table->slots; i++)
        update.slot[i] = row + (i + 1) * table->width;
    update.count = (size_t)table->width;
    tri__rule_apply(rule, &update);
}

static void update_block(const tri_table *table, tri__table_keys keys, int64_t first, int64_t each, const tri_rule *rule,
                         tri__update update)
{
    const int64_t left = keys.count - first, count = left < each ? left : each;
    update.gradient += first * table->width;
    for (int64_t i = first + count; i < first + 2 * count; i++)
        fetch(table, keys, i);
    if (table->width > BLOCK)
        update_long_row(table, keys.keys[first], rule, update);
    else if (table->width == 1)
        update_rows(table, (tri__table_keys){keys.keys + first, count}, 1, rule, update);
    else
        update_rows(table, (tri__table_keys){keys.keys + first, count}, table->width, rule, update);
}

void tri__table_apply(tri_table *table, tri__table_keys keys, const float *gradient, float scale, const tri_rule *rule,
                      const tri_step *step)
{
    const int64_t fitting = BLOCK / table->width, each = fitting < 1 ? 1 : fitting > 64 ? 64 : fitting;
    const tri__update update = {.gradient = gradient, .scale = scale, .step = *step};
#pragma omp parallel for schedule(static) if (keys.count >= PARALLEL)
    for (int64_t first = 0; first < keys.count; first += each)
        update_block(table, keys, first, each, rule, update);
}

bool tri__all_zero(const float *floats, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &floats[i], sizeof bits);
        if (bits)
            return false;
    }
    return true;
}
