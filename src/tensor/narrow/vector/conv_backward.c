/* conv_backward.c: the gradients of convolution, bias, ReLU and pooling in one pass over each group of examples.
 *
 * dy is spread back through pooling and ReLU into d, the gradient of the bare convolution. Then
 *   dw[f][t] = Σ d[f][position] · x[position + t]: four filters × three taps are summed in registers over the positions of a slab, and kept
 *              as vectors of eight lanes until all threads are done;
 *   dx[c][q] = Σ d[f][q − t] · w[f][c][t]: three channels × four positions in registers over the taps, as in the forward pass. */
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

/* One chunk of P positions. dy: at the chunk's first column; marks: the chunk's bits, or the position of the window's maximum. Adds to
 * total what reaches the positions. */
INLINE void spread_chunk(const int P, const tri__narrow_pool pool, const bool masked, const v8 *dy, v8 part, const uint8_t *marks,
                         const tri__narrow_chunk *chunk, v8 *d, v8 *total)
{
    const v8i mark = masked ? widen(marks) : splat_int(0);
    const v8 whole = dy[0] * part;
    UNROLL
    for (int p = 0; p < P; p++) {
        v8 value = pool == TRI_NARROW_NO_POOL ? dy[p] : whole;
        if (pool == TRI_NARROW_MAX)
            value = keep(mark == splat_int(chunk->first + p), value);
        else if (masked)
            value = keep((mark & splat_int(1 << p)) != 0, value);
        d[chunk->d[p]] = value;
        *total += value;
    }
}

/* One filter of one strip: of dy, of the mask, and of d. Returns the sum over its positions. */
INLINE v8 spread_filter(const tri__narrow_pool pool, const bool masked, const tri__narrow_conv_geometry *g, const v8 *dy,
                        const uint8_t *mask, v8 *d)
{
    const v8 part = splat(pool == TRI_NARROW_AVERAGE ? 1.0f / (float)(g->pool * g->pool) : 1.0f);
    const tri__narrow_chunk *const chunk = g->chunk;
    const int64_t chunks = g->chunks, window = g->window;
    v8 total = splat(0);
    for (int64_t c = 0; c < chunks; c++) {
        const uint8_t *marks = mask + (masked ? (pool == TRI_NARROW_MAX ? c - c % window : c) * 8 : 0);
        const v8 *from = dy + chunk[c].column;
        if (chunk[c].count == 4)
            spread_chunk(4, pool, masked, from, part, marks, chunk + c, d, &total);
        else if (chunk[c].count == 3)
            spread_chunk(3, pool, masked, from, part, marks, chunk + c, d, &total);
        else if (chunk[c].count == 2)
            spread_chunk(2, pool, masked, from, part, marks, chunk + c, d, &total);
        else
            spread_chunk(1, pool, masked, from, part, marks, chunk + c, d, &total);
    }
    return total;
}

static v8 spread_kind(const tri__narrow_conv_geometry *g, const v8 *dy, const uint8_t *mask, v8 *d)
{
    if (g->spec.pool == TRI_NARROW_MAX)
        return spread_filter(TRI_NARROW_MAX, true, g, dy, mask, d);
    if (g->spec.pool == TRI_NARROW_AVERAGE)
        return g->masked ? spread_filter(TRI_NARROW_AVERAGE, true, g, dy, mask, d)
                         : spread_filter(TRI_NARROW_AVERAGE, false, g, dy, mask, d);
    return g->masked ? spread_filter(TRI_NARROW_NO_POOL, true, g, dy, mask, d) : spread_filter(TRI_NARROW_NO_POOL, false, g, dy, mask, d);
}

/* Strips [first, end) into d. Only a strip of this thread's own range adds to db. */
static void spread(const pass *a, int64_t first, int64_t end, part_range own, v8 *d)
{
    const tri__narrow_conv_geometry *g = a->g;
    const int64_t strip_d = g->pool * g->spec.filters * g->d_columns;
    for (int64_t strip = first; strip < end; strip++)
        for (int64_t filter = 0; filter < g->spec.filters; filter++) {
            const int64_t at = filter * g->strips + strip;
            const uint8_t *mask = a->mask + at * g->mask_bytes;
            v8 total = spread_kind(g, a->dy + at * g->columns, mask, d + (strip - first) * strip_d + filter * g->d_columns);
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
    UNROLL
    for (int f = 0; f < F; f++) {
        UNROLL
        for (int k = 0; k < K; k++)
            total[f * K + k] = dw[f * g->taps + k];
    }
    const int64_t columns = g->columns * g->pool, stride = g->spec.stride_w;
    for (int64_t row = 0; row < rows; row++, d += g->spec.filters * g->d_columns, x += g->spec.stride_h * g->x_columns)
        for (int64_t column = 0; column < columns; column++) {
            v8 b[3];
            UNROLL
            for (int k = 0; k < K; k++)
                b[k] = x[tap[k] + column * stride];
            UNROLL
            for (int f = 0; f < F; f++) {
                v8 a = d[f * g->d_columns + column];
                LOADED(a);
                UNROLL
                for (int k = 0; k < K; k++)
                    total[f * K + k] += a * b[k];
            }
        }
    UNROLL
    for (int f = 0; f < F; f++) {
        UNROLL
        for (int k = 0; k < K; k++)
            dw[f * g->taps + k] = total[f * K + k];
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

/* `strips` strips; d and x are those of the first strip. */
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

/* Add up the threads' sums, over lanes and threads. from: [threads][…][8] → out: [count] */
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

/* w: [filters][channels][kernel_h][kernel_w] → for each phase [channels][its rows][filters][its columns] */
static void reorder_weights(const tri__narrow_conv_geometry *g, const float *w, float *out)
{
    const tri__narrow_conv *spec = &g->spec;
    for (int64_t i = 0; i < g->phases; i++)
        for (int64_t channel = 0; channel < spec->channels; channel++)
            for (int64_t row = g->phase[i].row; row < spec->kernel_h; row += spec->stride_h)
                for (int64_t filter = 0; filter < spec->filters; filter++)
                    for (int64_t column = g->phase[i].column; column < spec->kernel_w; column += spec->stride_w)
                        *out++ = w[((filter * spec->channels + channel) * spec->kernel_h + row) * spec->kernel_w + column];
}

/* F channels × P positions, `apart` in dx and side by side in d. */
INLINE void input_block(const int F, const int P, products s, const v8 *d, v8 *dx, int64_t plane, int64_t apart)
{
    v8 out[12];
    const v8 *from[4];
    UNROLL
    for (int p = 0; p < P; p++)
        from[p] = d + p;
    UNROLL
    for (int i = 0; i < F * P; i++)
        out[i] = splat(0);
    multiply(F, P, out, from, s);
    UNROLL
    for (int f = 0; f < F; f++) {
        UNROLL
        for (int p = 0; p < P; p++)
            dx[f * plane + p * apart] = out[f * P + p];
    }
}

INLINE void input_channels(const int F, int64_t P, products s, const v8 *d, v8 *dx, int64_t plane, int64_t apart)
{
    if (P == 4)
        input_block(F, 4, s, d, dx, plane, apart);
    else if (P == 3)
        input_block(F, 3, s, d, dx, plane, apart);
    else if (P == 2)
        input_block(F, 2, s, d, dx, plane, apart);
    else
        input_block(F, 1, s, d, dx, plane, apart);
}

/* `count` places of one row of dx, all channels. s: the taps that reach the row, weights of channel 0. */
static void input_row(const tri__narrow_conv *spec, products s, int64_t count, const v8 *d, v8 *dx)
{
    const int64_t plane = spec->height * spec->width, apart = spec->stride_w;
    const float *w = s.w;
    for (int64_t at = 0, P; at < count; at += P) {
        P = balanced(count - at, 4);
        for (int64_t channel = 0, F; channel < spec->channels; channel += F) {
            F = balanced(spec->channels - channel, 3);
            s.w = w + channel * s.across;
            v8 *to = dx + channel * plane + at * apart;
            if (F == 3)
                input_channels(3, P, s, d + at, to, plane, apart);
            else if (F == 2)
                input_channels(2, P, s, d + at, to, plane, apart);
            else
                input_channels(1, P, s, d + at, to, plane, apart);
        }
    }
}

/* The places of row `row` of dx that belong to the phase. Rows of the kernel that would reach beyond d are left out; places that no column
 * of the kernel reaches stay 0. */
static void input_phase(const pass *a, const tri__narrow_phase *phase, int64_t row, v8 *dx)
{
    const tri__narrow_conv_geometry *g = a->g;
    const tri__narrow_conv *spec = &g->spec;
    const int64_t at = (row + spec->pad_h) / spec->stride_h, rows = g->strips * g->pool, columns = g->columns * g->pool;
    const int64_t first = at < rows ? 0 : at - rows + 1, end = at + 1 < phase->rows ? at + 1 : phase->rows;
    const int64_t stride = spec->stride_w, skip = (phase->column - spec->pad_w % stride + stride) % stride;
    const int64_t column = (skip + spec->pad_w) / stride, reached = columns + g->border_w - column;
    const int64_t all = skip < spec->width ? (spec->width - skip + stride - 1) / stride : 0, count = all < reached ? all : reached;
    products s = {.w = a->weights + phase->weights + first * phase->row_taps, .across = phase->rows * phase->row_taps, .along = 1};
    s.tap = phase->tap + first * phase->row_taps;
    s.taps = first < end ? (end - first) * phase->row_taps : 0;
    input_row(spec, s, count, a->d + at * spec->filters * g->d_columns + g->border_w + column, dx + row * spec->width + skip);
    for (int64_t channel = 0; channel < spec->channels; channel++)
        for (int64_t i = count < 0 ? 0 : count; i < all; i++)
            dx[(channel * spec->height + row) * spec->width + skip + i * stride] = splat(0);
}

/* Rows [first, end) of dx of one group. */
static void input_gradient(const pass *a, part_range rows, v8 *dx)
{
    const tri__narrow_conv_geometry *g = a->g;
    for (int64_t row = rows.first; row < rows.end; row++)
        for (int64_t i = 0; i < g->phases; i++)
            if ((row + g->spec.pad_h) % g->spec.stride_h == g->phase[i].row)
                input_phase(a, g->phase + i, row, dx);
}

/* ---- one thread's part ---- */

/* The thread's own strips of one group. dx: the group's, or NULL where it is not wanted. */
static void take_group(const pass *a, part_range own, v8 *dx)
{
    const tri__narrow_conv_geometry *g = a->g;
    const int64_t row_d = g->spec.filters * g->d_columns;
    v8 *inside = a->d + g->border_w;
    if (g->want_dx)
        spread(a, 0, g->strips, own, inside);
    for (int64_t strip = own.first, count; strip < own.end; strip += count) {
        count = balanced(own.end - strip, g->slab);
        if (!g->want_dx)
            spread(a, strip, strip + count, own, a->d);
        sum_slab(a, count, g->want_dx ? inside + strip * g->pool * row_d : a->d, a->x + strip * g->strip_x);
    }
    if (dx)
        input_gradient(a, (part_range){g->spec.height * own.first / g->strips, g->spec.height * own.end / g->strips}, dx);
}

/* dy, x, w → dw, [db], [dx] | mask, scratch. The team divides all strips of all groups. */
void ISA(conv_backward)(const void *geometry, void *const *data, int thread, int threads)
{
    const tri__narrow_conv_geometry *g = geometry;
    const tri__narrow_conv *spec = &g->spec;
    const int dx_argument = spec->bias ? 5 : 4, mask_argument = dx_argument + (g->want_dx ? 1 : 0);
    const int64_t x_vectors = spec->channels * spec->height * spec->width, weights = spec->filters * g->taps;
    v8 *scratch = data[mask_argument + 1], *mine = scratch + thread * g->private_vectors;
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
        a.mask = (const uint8_t *)data[mask_argument] + group * spec->filters * g->strips * g->mask_bytes;
        a.x = with_padding(g, (const v8 *)data[1] + group * x_vectors, padded);
        take_group(&a, (part_range){at - first, end - first}, g->want_dx ? (v8 *)data[dx_argument] + group * x_vectors : NULL);
    }

    team_barrier(threads);
    add_threads(scratch, g->private_vectors, share(weights, thread, threads), threads, data[3]);
    if (spec->bias)
        add_threads(scratch + weights, g->private_vectors, share(spec->filters, thread, threads), threads, data[4]);
}
