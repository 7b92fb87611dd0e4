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

static inline void fetch(const tri_table *table, int32_t key)
{
    const float *row = row_of(table, key);
    __builtin_prefetch(row, 1);
    for (int64_t at = LINE; at < table->stride; at += LINE)
        __builtin_prefetch(row + at, 1);
}

/* Logistic regression has one weight a row. In the loops below a width that is known to be 1 saves more than half of the instructions, so
 * they are inlined with it as a constant. They take a copy of the table, which no store of a float can change. */
static inline void gather(tri_table table, tri__table_keys keys, int64_t width, float *restrict rows)
{
    const int64_t ahead_end = keys.count - ROWS_AHEAD;
#pragma omp parallel for schedule(static) if (keys.count >= PARALLEL)
    for (int64_t i = 0; i < keys.count; i++) {
        const float *row = row_of(&table, keys.keys[i]);
        if (i < ahead_end)
            fetch(&table, keys.keys[i + ROWS_AHEAD]);
        for (int64_t k = 0; k < width; k++)
            rows[i * width + k] = row[k];
    }
}

void tri__table_gather(const tri_table *table, tri__table_keys keys, float *rows)
{
    if (table->width == 1)
        gather(*table, keys, 1, rows);
    else
        gather(*table, keys, table->width, rows);
}

/* Copies the keys' rows out of the table, each kind of float (0 is the weights, then come the slots) to a range of its own; put_back copies
 * them back. */
static inline void take_out(const tri_table *table, tri__table_keys keys, int64_t width, int kinds, float kind[][BLOCK])
{
    for (int64_t i = 0; i < keys.count; i++) {
        const float *row = row_of(table, keys.keys[i]);
        for (int part = 0; part < kinds; part++)
            for (int64_t k = 0; k < width; k++)
                kind[part][i * width + k] = row[part * width + k];
    }
}

static inline void put_back(const tri_table *table, tri__table_keys keys, int64_t width, int kinds, float kind[][BLOCK])
{
    for (int64_t i = 0; i < keys.count; i++) {
        float *row = row_of(table, keys.keys[i]);
        for (int part = 0; part < kinds; part++)
            for (int64_t k = 0; k < width; k++)
                row[part * width + k] = kind[part][i * width + k];
    }
}

/* Updates rows that fit into a block together. */
__attribute__((always_inline)) static inline void update_kinds(tri_table table, tri__table_keys keys, int64_t width, int kinds,
                                                               const tri_rule *rule, tri__update update)
{
    float kind[1 + TRI_RULE_SLOTS][BLOCK];
    take_out(&table, keys, width, kinds, kind);
    update.parameters = kind[0];
    for (int i = 1; i < kinds; i++)
        update.slot[i - 1] = kind[i];
    update.count = (size_t)(keys.count * width);
    tri__rule_apply(rule, &update);
    put_back(&table, keys, width, kinds, kind);
}

static void update_rows(const tri_table *table, tri__table_keys keys, const tri_rule *rule, tri__update update)
{
    if (table->width == 1 && table->slots == 1)
        update_kinds(*table, keys, 1, 2, rule, update);
    else if (table->width == 1)
        update_kinds(*table, keys, 1, 1 + table->slots, rule, update);
    else
        update_kinds(*table, keys, table->width, 1 + table->slots, rule, update);
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
    const int64_t next = first + 2 * count < keys.count ? first + 2 * count : keys.count;
    for (int64_t i = first + count; i < next; i++)
        fetch(table, keys.keys[i]);
    if (table->width > BLOCK)
        update_long_row(table, keys.keys[first], rule, update);
    else
        update_rows(table, (tri__table_keys){keys.keys + first, count}, rule, update);
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
