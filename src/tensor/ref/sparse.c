/* sparse.c: rows of a table by key, and products with sparse rows. */
#include "tensor/ref/ref.h"

#include <string.h>

static bool in_table(int32_t key, int64_t size)
{
    return key >= 0 && key < size;
}

/* y[n] = table[keys[n]], zeros for a key that is not there */
void tri__ref_gather(int64_t v, int64_t d, int64_t n, const float *table, const int32_t *keys, float *y)
{
    for (int64_t row = 0; row < n; row++, y += d)
        if (in_table(keys[row], v))
            memcpy(y, table + keys[row] * d, (size_t)d * sizeof *y);
        else
            memset(y, 0, (size_t)d * sizeof *y);
}

/* dtable[v] = Σ over the n with keys[n] = v of dy[n] */
void tri__ref_gather_grad(int64_t v, int64_t d, int64_t n, const float *dy, const int32_t *keys, float *dtable)
{
    memset(dtable, 0, (size_t)(v * d) * sizeof *dtable);
    for (int64_t row = 0; row < n; row++)
        if (in_table(keys[row], v))
            for (int64_t i = 0; i < d; i++)
                dtable[keys[row] * d + i] += dy[row * d + i];
}

/* y[n] = Σ_k w[keys[n][k]] · values[n][k] */
void tri__ref_sparse_dot(int64_t f, int64_t n, int64_t k, const float *w, const int32_t *keys, const float *values, float *y)
{
    for (int64_t row = 0; row < n; row++) {
        double sum = 0;
        for (int64_t i = row * k; i < (row + 1) * k; i++)
            if (in_table(keys[i], f))
                sum += (double)w[keys[i]] * values[i];
        y[row] = (float)sum;
    }
}

/* dw[f] = Σ over the (n, k) with keys[n][k] = f of dy[n] · values[n][k] */
void tri__ref_sparse_dot_grad(int64_t f, int64_t n, int64_t k, const float *dy, const int32_t *keys, const float *values, float *dw)
{
    memset(dw, 0, (size_t)f * sizeof *dw);
    for (int64_t row = 0; row < n; row++)
        for (int64_t i = row * k; i < (row + 1) * k; i++)
            if (in_table(keys[i], f))
                dw[keys[i]] += dy[row] * values[i];
}
