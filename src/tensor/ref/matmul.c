/* matmul.c: products of matrices, transposes and traces. */
#include "tensor/ref/ref.h"

#include <string.h>

/* y[row][column] = Σ_i a[row][i] · b[i][column] + bias[column] */
void tri__ref_matmul(tri__ref_matmul_shape s, const float *a, const float *b, const float *bias, float *y)
{
    const int64_t a_row = s.transpose_a ? 1 : s.inner, a_inner = s.transpose_a ? s.rows : 1;
    const int64_t b_inner = s.transpose_b ? 1 : s.columns, b_column = s.transpose_b ? s.inner : 1;
    for (int64_t row = 0; row < s.rows; row++)
        for (int64_t column = 0; column < s.columns; column++) {
            double sum = bias ? (double)bias[column] : 0;
            for (int64_t i = 0; i < s.inner; i++)
                sum += (double)a[row * a_row + i * a_inner] * b[i * b_inner + column * b_column];
            y[row * s.columns + column] = (float)sum;
        }
}

/* y[column][row] = x[row][column] */
void tri__ref_transpose(int64_t rows, int64_t columns, const float *x, float *y)
{
    for (int64_t row = 0; row < rows; row++)
        for (int64_t column = 0; column < columns; column++)
            y[column * rows + row] = x[row * columns + column];
}

/* y = Σ_i x[i][i] */
void tri__ref_trace(int64_t n, const float *x, float *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i * n + i];
    *y = (float)sum;
}

/* dx[i][j] = dy where i = j, 0 elsewhere */
void tri__ref_trace_grad(int64_t n, const float *dy, float *dx)
{
    memset(dx, 0, (size_t)(n * n) * sizeof *dx);
    for (int64_t i = 0; i < n; i++)
        dx[i * n + i] = *dy;
}
