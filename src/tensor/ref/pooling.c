/* pooling.c: the largest element, or the mean, of each window. x: [n][c][h][w] → y: [n][c][oh][ow] */
#include "tensor/ref/window.h"

#include <math.h>
#include <string.h>

/* Index in x of the window's first maximum. A NaN counts as larger than all numbers, so that the result is NaN. */
static int64_t first_maximum(const tri__ref_window *s, const float *x, int64_t n, int64_t c, int64_t row, int64_t column)
{
    const tri__ref_span rows = tri__ref_span_of(s, 0, row), columns = tri__ref_span_of(s, 1, column);
    int64_t best = tri__ref_at(s, n, c, rows.first, columns.first);
    for (int64_t i = rows.first; i < rows.end; i++)
        for (int64_t j = columns.first; j < columns.end; j++) {
            const int64_t at = tri__ref_at(s, n, c, i, j);
            if (x[at] > x[best] || (isnan(x[at]) && !isnan(x[best])))
                best = at;
        }
    return best;
}

/* y[n][c][row][column] = max of the window */
void tri__ref_maxpool(const tri__ref_window *s, const float *x, float *y)
{
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t c = 0; c < s->c; c++)
            for (int64_t row = 0; row < s->oh; row++)
                for (int64_t column = 0; column < s->ow; column++)
                    *y++ = x[first_maximum(s, x, n, c, row, column)];
}

/* dx[first maximum of each window] += dy of that window */
void tri__ref_maxpool_grad(const tri__ref_window *s, const float *dy, const float *x, float *dx)
{
    memset(dx, 0, (size_t)(s->n * s->c * s->h * s->w) * sizeof *dx);
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t c = 0; c < s->c; c++)
            for (int64_t row = 0; row < s->oh; row++)
                for (int64_t column = 0; column < s->ow; column++)
                    dx[first_maximum(s, x, n, c, row, column)] += *dy++;
}

static double window_sum(const tri__ref_window *s, const float *x, int64_t n, int64_t c, int64_t row, int64_t column)
{
    const tri__ref_span rows = tri__ref_span_of(s, 0, row), columns = tri__ref_span_of(s, 1, column);
    double sum = 0;
    for (int64_t i = rows.first; i < rows.end; i++)
        for (int64_t j = columns.first; j < columns.end; j++)
            sum += x[tri__ref_at(s, n, c, i, j)];
    return sum;
}

/* y[n][c][row][column] = Σ of the window / kernel² */
void tri__ref_avgpool(const tri__ref_window *s, const float *x, float *y)
{
    const double size = (double)s->kernel[0] * (double)s->kernel[1];
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t c = 0; c < s->c; c++)
            for (int64_t row = 0; row < s->oh; row++)
                for (int64_t column = 0; column < s->ow; column++)
                    *y++ = (float)(window_sum(s, x, n, c, row, column) / size);
}

/* dx[all of a window] += dy / kernel² */
void tri__ref_avgpool_grad(const tri__ref_window *s, const float *dy, float *dx)
{
    const float size = (float)s->kernel[0] * (float)s->kernel[1];
    memset(dx, 0, (size_t)(s->n * s->c * s->h * s->w) * sizeof *dx);
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t c = 0; c < s->c; c++)
            for (int64_t row = 0; row < s->oh; row++)
                for (int64_t column = 0; column < s->ow; column++, dy++) {
                    const tri__ref_span rows = tri__ref_span_of(s, 0, row), columns = tri__ref_span_of(s, 1, column);
                    for (int64_t i = rows.first; i < rows.end; i++)
                        for (int64_t j = columns.first; j < columns.end; j++)
                            dx[tri__ref_at(s, n, c, i, j)] += *dy / size;
                }
}
