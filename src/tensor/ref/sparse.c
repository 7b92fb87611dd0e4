/* sparse.c: sums, rows and products of a table's rows, by key. The gradient of a table is written for all rows: other kernels are tested
 * against this code, with small tables. */
#include "tensor/ref/ref.h"

#include <string.h>

static double value_of(const tri__ref_sparse *s, int64_t i)
{
    return s->values ? (double)s->values[i] : 1;
}

static double share_of(const tri__ref_sparse *s, int64_t n, bool mean)
{
    const int64_t count = s->offsets[n + 1] - s->offsets[n];
    return mean && count > 0 ? 1 / (double)count : 1;
}

static void clear(const tri__ref_sparse *s, float *dtable)
{
    memset(dtable, 0, (size_t)(s->f * s->d) * sizeof *dtable);
}

/* Σ value · row[k] over the example's features */
static double sum_of(const tri__ref_sparse *s, int64_t n, int64_t k, const float *table)
{
    double sum = 0;
    for (int64_t i = s->offsets[n]; i < s->offsets[n + 1]; i++)
        sum += value_of(s, i) * (double)table[s->keys[i] * s->d + k];
    return sum;
}

void tri__ref_sparse_sum(const tri__ref_sparse *s, bool mean, const float *table, float *y)
{
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t k = 0; k < s->d; k++)
            y[n * s->d + k] = (float)(sum_of(s, n, k, table) * share_of(s, n, mean));
}

void tri__ref_sparse_sum_grad(const tri__ref_sparse *s, bool mean, const float *dy, float *dtable)
{
    clear(s, dtable);
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t i = s->offsets[n]; i < s->offsets[n + 1]; i++)
            for (int64_t k = 0; k < s->d; k++)
                dtable[s->keys[i] * s->d + k] += (float)(value_of(s, i) * share_of(s, n, mean) * (double)dy[n * s->d + k]);
}

void tri__ref_gather(const tri__ref_sparse *s, int64_t fields, const float *table, float *y)
{
    memset(y, 0, (size_t)(s->n * fields * s->d) * sizeof *y);
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t i = s->offsets[n]; i < s->offsets[n + 1]; i++)
            memcpy(y + (n * fields + i - s->offsets[n]) * s->d, table + s->keys[i] * s->d, (size_t)s->d * sizeof *y);
}

void tri__ref_gather_grad(const tri__ref_sparse *s, int64_t fields, const float *dy, float *dtable)
{
    clear(s, dtable);
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t i = s->offsets[n]; i < s->offsets[n + 1]; i++)
            for (int64_t k = 0; k < s->d; k++)
                dtable[s->keys[i] * s->d + k] += dy[(n * fields + i - s->offsets[n]) * s->d + k];
}

void tri__ref_pairwise(const tri__ref_sparse *s, const float *table, float *y)
{
    for (int64_t n = 0; n < s->n; n++) {
        double sum = 0;
        for (int64_t i = s->offsets[n]; i < s->offsets[n + 1]; i++)
            for (int64_t j = s->offsets[n]; j < i; j++)
                for (int64_t k = 0; k < s->d; k++)
                    sum += value_of(s, i) * (double)table[s->keys[i] * s->d + k] * value_of(s, j) * (double)table[s->keys[j] * s->d + k];
        y[n] = (float)sum;
    }
}

/* d row_i = dy · value_i · (Σ_j value_j · row_j − value_i · row_i) */
void tri__ref_pairwise_grad(const tri__ref_sparse *s, const float *dy, const float *table, float *dtable)
{
    clear(s, dtable);
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t i = s->offsets[n]; i < s->offsets[n + 1]; i++)
            for (int64_t k = 0; k < s->d; k++) {
                const int64_t at = s->keys[i] * s->d + k;
                dtable[at] += (float)((double)dy[n] * value_of(s, i) * (sum_of(s, n, k, table) - value_of(s, i) * (double)table[at]));
            }
}
