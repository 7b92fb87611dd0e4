/* convolution.c: two-dimensional convolution (cross-correlation, as this field uses the word).
 *
 * Output row r sees input row r · stride − pad + k · dilation through kernel row k; the same holds for columns. Channels and outputs are
 * divided into groups, and each group is a convolution of its own. Each function fixes one element of its result and sums all products that
 * belong to it. */
#include "tensor/ref/window.h"

/* w[o][c][i][j], c within its group */
static int64_t weight_at(const tri__ref_window *s, int64_t o, int64_t c, int64_t i, int64_t j)
{
    return ((o * (s->c / s->groups) + c) * s->kernel[0] + i) * s->kernel[1] + j;
}

/* The input position that output position `out` sees through kernel position k, or −1 where that is padding. */
static int64_t seen_at(const tri__ref_window *s, int axis, int64_t out, int64_t k)
{
    const int64_t in = out * s->stride[axis] - s->pad[axis] + k * s->dilation[axis];
    return in >= 0 && in < (axis == 0 ? s->h : s->w) ? in : -1;
}

/* Σ over the channels of o's group, and the window at (row, column), of x · w */
static double correlate(const tri__ref_window *s, const float *x, const float *w, int64_t n, int64_t o, int64_t row, int64_t column)
{
    const int64_t channels = s->c / s->groups, first = o / (s->o / s->groups) * channels;
    double sum = 0;
    for (int64_t i = 0; i < s->kernel[0]; i++)
        for (int64_t j = 0; j < s->kernel[1]; j++) {
            const int64_t in_row = seen_at(s, 0, row, i), in_column = seen_at(s, 1, column, j);
            if (in_row < 0 || in_column < 0)
                continue;
            for (int64_t c = 0; c < channels; c++)
                sum += (double)x[tri__ref_at(s, n, first + c, in_row, in_column)] * w[weight_at(s, o, c, i, j)];
        }
    return sum;
}

/* y[n][o][row][column] = bias[o] + Σ_c,i,j x[n][c][row·stride − pad + i·dilation][column·stride − pad + j·dilation] · w[o][c][i][j] */
void tri__ref_convolution(const tri__ref_window *s, const float *x, const float *w, const float *bias, float *y)
{
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t o = 0; o < s->o; o++)
            for (int64_t row = 0; row < s->oh; row++)
                for (int64_t column = 0; column < s->ow; column++)
                    *y++ = (float)(correlate(s, x, w, n, o, row, column) + (bias ? bias[o] : 0));
}

/* The output position that sees input position `in` through kernel position k, or −1 where there is none. */
static int64_t seen_from(const tri__ref_window *s, int axis, int64_t in, int64_t k)
{
    const int64_t start = in + s->pad[axis] - k * s->dilation[axis], out = start / s->stride[axis];
    return start >= 0 && start % s->stride[axis] == 0 && out < (axis == 0 ? s->oh : s->ow) ? out : -1;
}

/* Σ over the outputs of c's group, and all windows that see (row, column), of dy · w */
static double spread_back(const tri__ref_window *s, const float *dy, const float *w, int64_t n, int64_t c, int64_t row, int64_t column)
{
    const int64_t channels = s->c / s->groups, outputs = s->o / s->groups, first = c / channels * outputs;
    double sum = 0;
    for (int64_t i = 0; i < s->kernel[0]; i++)
        for (int64_t j = 0; j < s->kernel[1]; j++) {
            const int64_t out_row = seen_from(s, 0, row, i), out_column = seen_from(s, 1, column, j);
            if (out_row < 0 || out_column < 0)
                continue;
            for (int64_t o = first; o < first + outputs; o++)
                sum += (double)dy[tri__ref_out(s, n, o, out_row, out_column)] * w[weight_at(s, o, c % channels, i, j)];
        }
    return sum;
}

/* dx[n][c][row][column] = Σ_o,i,j dy[n][o][(row + pad − i·dilation)/stride][…] · w[o][c][i][j], where these divide */
void tri__ref_convolution_grad_input(const tri__ref_window *s, const float *dy, const float *w, float *dx)
{
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t c = 0; c < s->c; c++)
            for (int64_t row = 0; row < s->h; row++)
                for (int64_t column = 0; column < s->w; column++)
                    *dx++ = (float)spread_back(s, dy, w, n, c, row, column);
}

/* Σ over n and all output positions of dy · the x that kernel position (i, j) sees there. c is a channel of x. */
static double weigh(const tri__ref_window *s, const float *dy, const float *x, int64_t o, int64_t c, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t row = 0; row < s->oh; row++)
            for (int64_t column = 0; column < s->ow; column++) {
                const int64_t in_row = seen_at(s, 0, row, i), in_column = seen_at(s, 1, column, j);
                if (in_row >= 0 && in_column >= 0)
                    sum += (double)dy[tri__ref_out(s, n, o, row, column)] * x[tri__ref_at(s, n, c, in_row, in_column)];
            }
    return sum;
}

/* dw[o][c][i][j] = Σ_n,row,column dy[n][o][row][column] · x[n][c][row·stride − pad + i·dilation][column·stride − pad + j·dilation] */
void tri__ref_convolution_grad_weight(const tri__ref_window *s, const float *dy, const float *x, float *dw)
{
    const int64_t channels = s->c / s->groups, outputs = s->o / s->groups;
    for (int64_t o = 0; o < s->o; o++)
        for (int64_t c = 0; c < channels; c++)
            for (int64_t i = 0; i < s->kernel[0]; i++)
                for (int64_t j = 0; j < s->kernel[1]; j++)
                    *dw++ = (float)weigh(s, dy, x, o, o / outputs * channels + c, i, j);
}
