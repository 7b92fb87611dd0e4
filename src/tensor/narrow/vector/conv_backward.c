/* conv_backward.c: the gradients of convolution, bias, ReLU and pooling in one pass over each group of examples.
 *
 * dy is spread back through pooling and ReLU into d, the gradient of the bare convolution. Then
 *   dw[f][t] = Σ d[f][position] · x[position + t]: four filters × three taps are summed in registers over the positions of a slab, and kept
 *              as vectors of eight lanes until all threads are done;
 *   dx[c][q] = Σ d[f][q − t] · w[f][c][t]: three channels × four positions in registers over all filters and taps, as in the forward pass. */
#include "tensor/narrow/vector/conv.h"

typedef struct {
    const tri__narrow_conv_geometry *g;
    const v8 *dy;        /* of the group: [filters][strips][columns] */
    const uint8_t *mask; /* of the group */
    const v8 *x;         /* of the group, padded */
    v8 *dw, *db;         /* this thread's sums: [filters][taps], [filters] */
    v8 *d;
    float *weights; /* reordered for dx */
} pass;

/* ---- dy → d ---- */

/* What of dy reaches position p of the chunk. */
INLINE v8 reaching(const tri__narrow_conv_geometry *g, v8 dy, v8i mask, const tri__narrow_chunk *chunk, int p)
{
    if (g->spec.pool == TRI_NARROW_MAX)
        return keep(mask == splat_int(chunk->first + p), dy);
    return g->masked ? keep((mask & splat_int(1 << p)) != 0, dy) : dy;
}

/* One filter of one strip. d: the strip's first position of this filter. Returns the sum over its positions. */
static v8 spread_filter(const pass *a, int64_t strip, int64_t filter, v8 *d)
{
    const tri__narrow_conv_geometry *g = a->g;
    const v8 part = splat(g->spec.pool == TRI_NARROW_AVERAGE ? 1.0f / (float)(g->pool * g->pool) : 1.0f);
    const v8 *dy = a->dy + (filter * g->strips + strip) * g->columns;
    const uint8_t *mask = a->mask + (filter * g->strips + strip) * g->chunks * 8;
    v8 total = splat(0);
    for (int64_t c = 0; c < g->chunks; c++) {
        const tri__narrow_chunk *chunk = g->chunk + c;
        const int64_t marks = g->spec.pool == TRI_NARROW_MAX ? c - c % g->window : c;
        const v8i bits = g->masked ? widen(mask + marks * 8) : splat_int(0);
        for (int p = 0; p < chunk->count; p++) {
            const v8 from = dy[chunk->column + (g->spec.pool == TRI_NARROW_NO_POOL ? p : 0)] * part;
            const v8 value = reaching(g, from, bits, chunk, p);
            d[chunk->d[p]] = value;
            total += value;
        }
    }
    return total;
}

/* Strips [first, end) into d. Only a strip that is this thread's own (counts) adds to db. */
static void spread(const pass *a, int64_t first, int64_t end, part_range own, v8 *d)
{
    const tri__narrow_conv_geometry *g = a->g;
    const int64_t strip_d = g->pool * g->spec.filters * g->d_columns;
    for (int64_t strip = first; strip < end; strip++)
        for (int64_t filter = 0; filter < g->spec.filters; filter++) {
            v8 total = spread_filter(a, strip, filter, d + (strip - first) * strip_d + filter * g->d_columns);
            if (strip >= own.first && strip < own.end)
                a->db[filter] += total;
        }
}

/* ---- dw ---- */

/* F filters × K taps over rows × columns positions. d: [rows][filters][d_columns] at the first filter, x at the first position. */
INLINE void sum_taps(const int F, const int K, const tri__narrow_conv_geometry *g, v8 *dw, const int32_t *tap, const v8 *d, const v8 *x,
                     int64_t rows)
{
    v8 total[12];
    UNROLL for (int f = 0; f < F; f++)
    {
        UNROLL for (int k = 0; k < K; k++) total[f * K + k] = dw[f * g->taps + k];
    }
    const int64_t columns = g->columns * g->pool, stride = g->spec.stride_w;
    for (int64_t row = 0; row < rows; row++, d += g->spec.filters * g->d_columns, x += g->spec.stride_h * g->x_columns)
        for (int64_t column = 0; column < columns; column++) {
            v8 b[3];
            UNROLL for (int k = 0; k < K; k++) b[k] = x[tap[k] + column * stride];
            UNROLL for (int f = 0; f < F; f++)
            {
                v8 a = d[f * g->d_columns + column];
                UNROLL for (int k = 0; k < K; k++) total[f * K + k] += a * b[k];
            }
        }
    UNROLL for (int f = 0; f < F; f++)
    {
        UNROLL for (int k = 0; k < K; k++) dw[f * g->taps + k] = total[f * K + k];
    }
}

/* F filters, all taps. */
INLINE void sum_filters(const int F, const tri__narrow_conv_geometry *g, v8 *dw, const v8 *d, const v8 *x, int64_t rows)
{
    for (int64_t t = 0, K; t < g->taps; t += K) {
        K = balanced(g->taps - t, 3);
        if (K == 3)
            sum_taps(F, 3, g, dw + t, g->tap + t, d, x, rows);
        else if (K == 2)
            sum_taps(F, 2, g, dw + t, g->tap + t, d, x, rows);
        else
            sum_taps(F, 1, g, dw + t, g->tap + t, d, x, rows);
    }
}

/* Strips [first, end); d and x are those of the first. */
static void sum_slab(const pass *a, int64_t strips, const v8 *d, const v8 *x)
{
    const tri__narrow_conv_geometry *g = a->g;
    for (int64_t filter = 0, F; filter < g->spec.filters; filter += F) {
        F = balanced(g->spec.filters - filter, 4);
        v8 *dw = a->dw + filter * g->taps;
        const v8 *from = d + filter * g->d_columns;
        if (F == 4)
            sum_filters(4, g, dw, from, x, strips * g->pool);
        else if (F == 3)
            sum_filters(3, g, dw, from, x, strips * g->pool);
        else if (F == 2)
            sum_filters(2, g, dw, from, x, strips * g->pool);
        else
            sum_filters(1, g, dw, from, x, strips * g->pool);
    }
}

/* The threads' sums over lanes and threads. sums: [threads][…][8] → out: [count] */
static void add_threads(const v8 *from, int64_t pitch, part_range mine, int threads, float *out)
{
    for (int64_t i = mine.first; i < mine.end; i++) {
        v8 total = from[i];
        for (int thread = 1; thread < threads; thread++)
            total += from[thread * pitch + i];
        out[i] = sum(total);
    }
}

/* ---- dx ---- */

/* w: [filters][channels][kernel_h][kernel_w] → for each phase [channels][filters][its rows][its columns] */
static void reorder_weights(const tri__narrow_conv_geometry *g, const float *w, float *out)
{
    const tri__narrow_conv *spec = &g->spec;
    for (int64_t i = 0; i < g->phases; i++)
        for (int64_t channel = 0; channel < spec->channels; channel++)
            for (int64_t filter = 0; filter < spec->filters; filter++)
                for (int64_t row = g->phase[i].row; row < spec->kernel_h; row += spec->stride_h)
                    for (int64_t column = g->phase[i].column; column < spec->kernel_w; column += spec->stride_w)
                        *out++ = w[((filter * spec->channels + channel) * spec->kernel_h + row) * spec->kernel_w + column];
}

/* F channels × P positions, stride_w apart in dx and side by side in d. */
INLINE void input_block(const int F, const int P, const tri__narrow_conv_geometry *g, const tri__narrow_phase *phase, const float *weights,
                        const v8 *d, v8 *dx)
{
    const int64_t plane = g->spec.height * g->spec.width;
    v8 out[12];
    const v8 *from[4];
    UNROLL for (int p = 0; p < P; p++) from[p] = d + p;
    UNROLL for (int i = 0; i < F * P; i++) out[i] = splat(0);
    multiply(F, P, out, from, (products){.w = weights, .across = phase->taps, .along = 1, .tap = phase->tap, .taps = phase->taps});
    UNROLL for (int f = 0; f < F; f++)
    {
        UNROLL for (int p = 0; p < P; p++) dx[f * plane + p * g->spec.stride_w] = out[f * P + p];
    }
}

INLINE void input_channels(const int F, int64_t P, const tri__narrow_conv_geometry *g, const tri__narrow_phase *phase, const float *weights,
                           const v8 *d, v8 *dx)
{
    if (P == 4)
        input_block(F, 4, g, phase, weights, d, dx);
    else if (P == 3)
        input_block(F, 3, g, phase, weights, d, dx);
    else if (P == 2)
        input_block(F, 2, g, phase, weights, d, dx);
    else
        input_block(F, 1, g, phase, weights, d, dx);
}

/* One row of dx: those columns that are of the phase. d: the first row that reaches it, after the border. dx: [channels][height][width] at
 * the row. */
static void input_row(const pass *a, const tri__narrow_phase *phase, const v8 *d, v8 *dx)
{
    const tri__narrow_conv *spec = &a->g->spec;
    const int64_t stride = spec->stride_w, skip = (phase->column - spec->pad_w % stride + stride) % stride;
    const int64_t count = skip < spec->width ? (spec->width - skip + stride - 1) / stride : 0;
    d += (skip + spec->pad_w) / stride;
    dx += skip;
    for (int64_t at = 0, P; at < count; at += P) {
        P = balanced(count - at, 4);
        for (int64_t channel = 0, F; channel < spec->channels; channel += F) {
            F = balanced(spec->channels - channel, 3);
            const float *weights = a->weights + phase->weights + channel * phase->taps;
            v8 *to = dx + channel * spec->height * spec->width + at * stride;
            if (F == 3)
                input_channels(3, P, a->g, phase, weights, d + at, to);
            else if (F == 2)
                input_channels(2, P, a->g, phase, weights, d + at, to);
            else
                input_channels(1, P, a->g, phase, weights, d + at, to);
        }
    }
}

/* Rows [first, end) of dx of one group. */
static void input_gradient(const pass *a, part_range rows, v8 *dx)
{
    const tri__narrow_conv_geometry *g = a->g;
    for (int64_t row = rows.first; row < rows.end; row++) {
        const int64_t padded = row + g->spec.pad_h;
        const v8 *d = a->d + (g->border_h + padded / g->spec.stride_h) * g->spec.filters * g->d_columns + g->border_w;
        for (int64_t i = 0; i < g->phases; i++)
            if (padded % g->spec.stride_h == g->phase[i].row)
                input_row(a, g->phase + i, d, dx + row * g->spec.width);
    }
}

/* ---- one thread's part ---- */

/* The thread's own strips of one group. */
static void take_group(const pass *a, part_range own, v8 *dx)
{
    const tri__narrow_conv_geometry *g = a->g;
    const int64_t row_d = g->spec.filters * g->d_columns, inside = g->border_h * row_d + g->border_w;
    if (g->want_dx)
        spread(a, 0, g->strips, own, a->d + inside);
    for (int64_t strip = own.first, count; strip < own.end; strip += count) {
        count = own.end - strip < g->slab ? own.end - strip : g->slab;
        if (!g->want_dx)
            spread(a, strip, strip + count, own, a->d);
        sum_slab(a, count, g->want_dx ? a->d + inside + strip * g->pool * row_d : a->d, a->x + strip * g->strip_x);
    }
    if (g->want_dx)
        input_gradient(a, (part_range){g->spec.height * own.first / g->strips, g->spec.height * own.end / g->strips}, dx);
}

/* dy, x, w → dw, [db], [dx] | mask, scratch. The team divides all strips of all groups. */
void ISA(conv_backward)(const void *geometry, void *const *data, int thread, int threads)
{
    const tri__narrow_conv_geometry *g = geometry;
    const tri__narrow_conv *spec = &g->spec;
    const int dx_slot = spec->bias ? 5 : 4, mask_slot = dx_slot + (g->want_dx ? 1 : 0);
    const int64_t x_vectors = spec->channels * spec->height * spec->width, weights = spec->filters * g->taps;
    v8 *scratch = data[mask_slot + 1], *mine = scratch + thread * g->private_vectors;
    v8 *padded = mine + weights + spec->filters;
    pass a = {.g = g, .dw = mine, .db = mine + weights, .d = padded + g->padded_x};
    a.weights = (float *)(a.d + g->d_rows * spec->filters * g->d_columns);
    memset(mine, 0, (size_t)((v8 *)a.weights - mine) * sizeof *mine);
    if (g->want_dx)
        reorder_weights(g, data[2], a.weights);

    const part_range all = share(g->groups * g->strips, thread, threads);
    for (int64_t at = all.first, end; at < all.end; at = end) {
        const int64_t group = at / g->strips, first = group * g->strips;
        end = all.end < first + g->strips ? all.end : first + g->strips;
        a.dy = (const v8 *)data[0] + group * spec->filters * g->strips * g->columns;
        a.mask = g->masked ? (const uint8_t *)data[mask_slot] + group * spec->filters * g->strips * g->chunks * 8 : NULL;
        a.x = with_padding(g, (const v8 *)data[1] + group * x_vectors, padded);
        take_group(&a, (part_range){at - first, end - first}, g->want_dx ? (v8 *)data[dx_slot] + group * x_vectors : NULL);
    }

    team_barrier(threads);
    add_threads(scratch, g->private_vectors, share(weights, thread, threads), threads, data[3]);
    if (spec->bias)
        add_threads(scratch + weights, g->private_vectors, share(spec->filters, thread, threads), threads, data[4]);
}
