/* sparse.c: each kernel is one loop. Width 1, one weight for each feature, has loops of its own: there a feature is one load and one
 * multiplication, and any further work would cost time. */
#include "tensor/sparse/sparse.h"

#include <stddef.h>
#include <string.h>

#include "base/bytes/vector.h"

#define AHEAD      48 /* how many features ahead memory is prefetched: about one example */
#define CACHE_LINE 64

/* Several threads add to one table without locks. This is intended (trireme/store.h says when), so the sanitizer must not report it. */
#if defined(__SANITIZE_THREAD__)
#define RACES_ARE_MEANT __attribute__((no_sanitize("thread")))
#else
#define RACES_ARE_MEANT
#endif

static inline float value_of(const tri__sparse_examples *examples, int64_t i)
{
    return examples->values ? examples->values[i] : 1;
}

static inline float *row_of(tri__table_view table, int32_t row)
{
    return table.data + (int64_t)row * table.stride;
}

static inline void fetch(tri__table_view table, int32_t row)
{
    const float *at = row_of(table, row);
    for (int64_t i = 0; i < table.width; i += CACHE_LINE / (int64_t)sizeof *at)
        __builtin_prefetch(at + i, 1);
}

/* Prefetch the table row of feature i, if the batch has that many features. */
static inline void fetch_ahead(const tri__sparse_examples *examples, tri__table_view table, int64_t i)
{
    if (!table.cached && i < examples->offsets[examples->end])
        fetch(table, examples->at[i]);
}

static inline bool is_whole(tri__table_part part)
{
    return part.first == 0 && part.end == INT32_MAX;
}

static inline bool is_in(tri__table_part part, int32_t row)
{
    return is_whole(part) || (row >= part.first && row < part.end);
}

/* ---- sums ---- */

/* Features first … first + 3, one for each of four sums: an addition has to wait for the one before it, a load does not. `ahead`: as many
 * further on, rows are prefetched. */
__attribute__((always_inline)) static inline void sum_four(const tri__sparse_examples *examples, tri__table_view table, int64_t first,
                                                           int64_t ahead, float sum[4])
{
    const int32_t *at = examples->at + first;
    for (int k = 0; k < 4; k++) {
        if (ahead)
            __builtin_prefetch(row_of(table, at[k + ahead]), 1);
        sum[k] += *row_of(table, at[k]) * value_of(examples, first + k);
    }
}

/* The loop is inlined with constants: whether there are values, and the stride where rows have no state. */
__attribute__((always_inline)) static inline float sum_features(const tri__sparse_examples *examples, tri__table_view table, int64_t first,
                                                                int64_t end)
{
    float sum[4] = {0};
    int64_t i = first;
    const int64_t ahead_end = table.cached ? 0 : examples->offsets[examples->end] - AHEAD;
    for (; i + 4 <= end && i + 4 <= ahead_end; i += 4)
        sum_four(examples, table, i, AHEAD, sum);
    for (; i + 4 <= end; i += 4)
        sum_four(examples, table, i, 0, sum);
    for (; i < end; i++) {
        if (i < ahead_end)
            __builtin_prefetch(row_of(table, examples->at[i + AHEAD]), 1);
        sum[0] += *row_of(table, examples->at[i]) * value_of(examples, i);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

RACES_ARE_MEANT static float sum_narrow(tri__sparse_examples examples, tri__table_view table, int64_t first, int64_t end)
{
    if (table.stride != 1 || !examples.values)
        return sum_features(&examples, table, first, end);
    table.stride = 1;
    return sum_features(&examples, table, first, end);
}

TRI_FOR_EVERY_CPU RACES_ARE_MEANT static void add_scaled(const float *restrict row, float value, int64_t width, float *restrict y)
{
    for (int64_t k = 0; k < width; k++)
        y[k] += value * row[k];
}

static void sum_wide(const tri__sparse_examples *examples, tri__table_view table, int64_t first, int64_t end, float *y)
{
    memset(y, 0, (size_t)table.width * sizeof *y);
    for (int64_t i = first; i < end; i++) {
        fetch_ahead(examples, table, i + AHEAD / 4);
        add_scaled(row_of(table, examples->at[i]), value_of(examples, i), table.width, y);
    }
}

static float share_of(bool mean, int64_t features)
{
    return mean && features > 0 ? 1 / (float)features : 1;
}

void tri__sparse_sum(const tri__sparse_examples *examples, tri__table_view table, bool mean, float *y)
{
    for (int64_t example = examples->first; example < examples->end; example++) {
        const int64_t first = examples->offsets[example], end = examples->offsets[example + 1];
        float *out = y + example * table.width;
        if (table.width == 1)
            *out = sum_narrow(*examples, table, first, end);
        else
            sum_wide(examples, table, first, end, out);
        for (int64_t k = 0; mean && k < table.width; k++)
            out[k] *= share_of(mean, end - first);
    }
}

/* Lines of a large batch have left the nearest caches since they were read, so they are prefetched again. */
__attribute__((always_inline)) static inline void spread_features(const tri__sparse_examples *examples, int64_t first, int64_t end,
                                                                  float slope, tri__table_part part, tri__table_view to)
{
    const int32_t *at = examples->at;
    const int64_t all = examples->offsets[examples->end] - AHEAD;
    const int64_t ahead_end = to.cached || all < first ? first : all < end ? all : end;
    int64_t i = first;
    for (; i < ahead_end; i++) {
        __builtin_prefetch(row_of(to, at[i + AHEAD]), 1);
        if (is_in(part, at[i]))
            *row_of(to, at[i]) += slope * value_of(examples, i);
    }
    for (; i < end; i++)
        if (is_in(part, at[i]))
            *row_of(to, at[i]) += slope * value_of(examples, i);
}

/* The loop is inlined with constants for the usual case: one thread, with values, whose rows have no state. */
RACES_ARE_MEANT static void spread_narrow(tri__sparse_examples examples, int64_t first, int64_t end, float slope, tri__table_part part,
                                          tri__table_view to)
{
    if (to.stride != 1 || !examples.values || !is_whole(part)) {
        spread_features(&examples, first, end, slope, part, to);
        return;
    }
    to.stride = 1;
    spread_features(&examples, first, end, slope, TRI_TABLE_WHOLE, to);
}

static void spread_wide(const tri__sparse_examples *examples, int64_t first, int64_t end, const float *dy, float slope,
                        tri__table_part part, tri__table_view to)
{
    for (int64_t i = first; i < end; i++) {
        fetch_ahead(examples, to, i + AHEAD / 4);
        if (is_in(part, examples->at[i]))
            add_scaled(dy, slope * value_of(examples, i), to.width, row_of(to, examples->at[i]));
    }
}

void tri__sparse_sum_grad(const tri__sparse_examples *examples, const float *dy, bool mean, float factor, tri__table_part part,
                          tri__table_view to)
{
    for (int64_t example = examples->first; example < examples->end; example++) {
        const int64_t first = examples->offsets[example], end = examples->offsets[example + 1];
        const float slope = factor * share_of(mean, end - first);
        if (to.width == 1)
            spread_narrow(*examples, first, end, slope * dy[example], part, to);
        else
            spread_wide(examples, first, end, dy + example * to.width, slope, part, to);
    }
}

/* ---- rows side by side ---- */

void tri__sparse_gather(const tri__sparse_examples *examples, tri__table_view table, int64_t fields, float *y)
{
    const size_t bytes = (size_t)table.width * sizeof *y;
    for (int64_t example = examples->first; example < examples->end; example++) {
        const int64_t first = examples->offsets[example], count = examples->offsets[example + 1] - first;
        float *out = y + example * fields * table.width;
        for (int64_t i = 0; i < count; i++) {
            fetch_ahead(examples, table, first + i + AHEAD / 4);
            memcpy(out + i * table.width, row_of(table, examples->at[first + i]), bytes);
        }
        memset(out + count * table.width, 0, (size_t)(fields - count) * bytes);
    }
}

void tri__sparse_gather_grad(const tri__sparse_examples *examples, const float *dy, int64_t fields, float factor, tri__table_part part,
                             tri__table_view to)
{
    for (int64_t example = examples->first; example < examples->end; example++) {
        const float *slope = dy + example * fields * to.width;
        for (int64_t i = examples->offsets[example]; i < examples->offsets[example + 1]; i++, slope += to.width)
            if (is_in(part, examples->at[i]))
                add_scaled(slope, factor, to.width, row_of(to, examples->at[i]));
    }
}

/* ---- products of pairs ---- */

enum { COMMON = 8 }; /* the usual width of factorisation machines: as a constant, it makes a row one register */

/* sums, squares: [width] get Σ v·r and Σ (v·r)². Each element has a sum of its own, so that nothing waits for another element. */
RACES_ARE_MEANT static inline void sum_terms(const tri__sparse_examples *examples, tri__table_view table, int64_t first, int64_t end,
                                             int64_t width, float *restrict sums, float *restrict squares)
{
    for (int64_t k = 0; k < width; k++)
        sums[k] = squares[k] = 0;
    for (int64_t i = first; i < end; i++) {
        const float *row = row_of(table, examples->at[i]), value = value_of(examples, i);
        fetch_ahead(examples, table, i + AHEAD / 2);
        for (int64_t k = 0; k < width; k++) {
            const float term = value * row[k];
            sums[k] += term;
            squares[k] += term * term;
        }
    }
}

TRI_FOR_EVERY_CPU static void sum_pairs(const tri__sparse_examples *examples, tri__table_view table, int64_t first, int64_t end,
                                        float *restrict sums, float *restrict squares)
{
    if (table.width != COMMON) {
        sum_terms(examples, table, first, end, table.width, sums, squares);
        return;
    }
    float own[2][COMMON]; /* they stay in registers */
    sum_terms(examples, table, first, end, COMMON, own[0], own[1]);
    memcpy(sums, own[0], sizeof own[0]);
    memcpy(squares, own[1], sizeof own[1]);
}

void tri__sparse_pairwise(const tri__sparse_examples *examples, tri__table_view table, float *scratch, float *y)
{
    float *sums = scratch, *squares = scratch + table.width;
    for (int64_t example = examples->first; example < examples->end; example++) {
        sum_pairs(examples, table, examples->offsets[example], examples->offsets[example + 1], sums, squares);
        float all = 0;
        for (int64_t k = 0; k < table.width; k++)
            all += sums[k] * sums[k] - squares[k];
        y[example] = all / 2;
    }
}

/* to += slope · v · (sums − v · row), for the features of an example whose rows are in part; to may be the table itself. */
RACES_ARE_MEANT static inline void add_terms(const tri__sparse_examples *examples, tri__table_view table, int64_t first, int64_t end,
                                             int64_t width, const float *restrict sums, float slope, tri__table_part part,
                                             tri__table_view to)
{
    for (int64_t i = first; i < end; i++) {
        if (!is_in(part, examples->at[i]))
            continue;
        const float *row = row_of(table, examples->at[i]), value = value_of(examples, i);
        float *gradient = row_of(to, examples->at[i]);
        for (int64_t k = 0; k < width; k++)
            gradient[k] += slope * value * (sums[k] - value * row[k]);
    }
}

TRI_FOR_EVERY_CPU static void add_pairs(const tri__sparse_examples *examples, tri__table_view table, int64_t first, int64_t end,
                                        const float *restrict sums, float slope, tri__table_part part, tri__table_view to)
{
    if (table.width == COMMON)
        add_terms(examples, table, first, end, COMMON, sums, slope, part, to);
    else
        add_terms(examples, table, first, end, table.width, sums, slope, part, to);
}

void tri__sparse_pairwise_grad(const tri__sparse_examples *examples, tri__table_view table, const float *dy, float factor,
                               tri__table_part part, tri__table_view to, float *scratch)
{
    for (int64_t example = examples->first; example < examples->end; example++) {
        const int64_t first = examples->offsets[example], end = examples->offsets[example + 1];
        sum_pairs(examples, table, first, end, scratch, scratch + table.width);
        add_pairs(examples, table, first, end, scratch, factor * dy[example], part, to);
    }
}
