/* conv_forward.c: convolution, bias, ReLU and pooling in one pass.
 *
 * Three filters × four positions are summed in twelve registers over all taps (channel, kernel row, kernel column); the weights of a filter
 * lie in just that order. The four positions are a 2 × 2 window, so pooling follows in registers, and the result before pooling is never
 * written. Larger windows take several chunks. Where there is zero padding, the group of examples is copied with its zeros. */
#include "tensor/narrow/vector/conv.h"

/* F filters of one strip of one group of examples. */
typedef struct {
    const v8 *x; /* the strip's first patch */
    products s;  /* weights of the first filter, and the taps */
    float bias[3];
    v8 *y;         /* the strip's first column, filters y_pitch apart */
    uint8_t *mask; /* the strip's first chunk, filters mask_pitch apart */
    int64_t y_pitch, mask_pitch;
    const tri__narrow_chunk *chunk; /* [chunks], `window` of them to a window */
    int64_t chunks, window;
    float part; /* the weight of one position in an average */
    bool relu;
} strip;

/* out[f][p] = convolution at the chunk's positions */
INLINE void convolve(const int F, const int P, v8 *out, const strip *s, const tri__narrow_chunk *chunk)
{
    const v8 *x[4];
    UNROLL
    for (int p = 0; p < P; p++)
        x[p] = s->x + chunk->x[p];
    UNROLL
    for (int f = 0; f < F; f++) {
        UNROLL
        for (int p = 0; p < P; p++)
            out[f * P + p] = splat(s->bias[f]);
    }
    multiply(F, P, out, x, s->s);
}

/* ReLU of P positions. mask gets a bit for each position, the lowest for the first: set where ReLU lets the value pass. */
INLINE void stop_negative(const int P, v8 *out, uint8_t *mask)
{
    v8i bits = splat_int(0);
    UNROLL
    for (int p = P - 1; p >= 0; p--) {
        const v8i pass = passes(out[p]); /* −1 or 0 */
        bits = bits + bits - pass;
        out[p] = keep(pass, out[p]);
    }
    store_narrowed(mask, bits);
}

/* The larger of best and the chunk's positions, and its position. The first of equals wins, and NaN wins over all. */
INLINE void take_largest(const int P, v8 *best, v8i *winner, const v8 *out, int32_t first)
{
    UNROLL
    for (int p = 0; p < P; p++) {
        const v8i wins = (out[p] > *best) | (out[p] != out[p]);
        *best = choose(wins, out[p], *best);
        *winner = (wins & splat_int(first + p)) | (~wins & *winner);
    }
}

/* One chunk: convolve, then pool its positions or write them. total and winner are what pooling keeps over the chunks of a window. */
INLINE void take_chunk(const int F, const int P, const tri__narrow_pool pool, v8 *total, v8i *winner, const strip *s, int64_t index)
{
    const tri__narrow_chunk *chunk = s->chunk + index;
    v8 out[12];
    convolve(F, P, out, s, chunk);
    UNROLL
    for (int f = 0; f < F; f++) {
        v8 *o = out + f * P;
        if (pool == TRI_NARROW_MAX) {
            take_largest(P, total + f, winner + f, o, chunk->first);
            continue;
        }
        if (s->relu)
            stop_negative(P, o, s->mask + f * s->mask_pitch + index * 8);
        UNROLL
        for (int p = 0; p < P; p++) {
            if (pool == TRI_NARROW_AVERAGE)
                total[f] += o[p];
            else
                s->y[f * s->y_pitch + chunk->column + p] = o[p];
        }
    }
}

/* Called after the last chunk of a window; index: of the window's first chunk. */
INLINE void finish_window(const int F, const tri__narrow_pool pool, v8 *total, v8i *winner, const strip *s, int64_t index)
{
    UNROLL
    for (int f = 0; f < F; f++) {
        v8 *y = s->y + f * s->y_pitch + s->chunk[index].column;
        if (pool == TRI_NARROW_AVERAGE) {
            *y = total[f] * splat(s->part);
        } else if (pool == TRI_NARROW_MAX) {
            const v8i pass = s->relu ? passes(total[f]) : splat_int(-1);
            *y = keep(pass, total[f]);
            store_narrowed(s->mask + f * s->mask_pitch + index * 8, winner[f] | (~pass & splat_int(255)));
        }
    }
}

/* All windows of the strip (or its chunks, without pooling). */
INLINE void take_filters(const int F, const tri__narrow_pool pool, const strip s)
{
    for (int64_t first = 0; first < s.chunks; first += s.window) {
        v8 total[3];
        v8i winner[3];
        UNROLL
        for (int f = 0; f < F; f++) {
            total[f] = splat(pool == TRI_NARROW_MAX ? -__builtin_inff() : 0);
            winner[f] = splat_int(0);
        }
        for (int64_t i = first; i < first + s.window; i++)
            if (s.chunk[i].count == 4)
                take_chunk(F, 4, pool, total, winner, &s, i);
            else if (s.chunk[i].count == 3)
                take_chunk(F, 3, pool, total, winner, &s, i);
            else if (s.chunk[i].count == 2)
                take_chunk(F, 2, pool, total, winner, &s, i);
            else
                take_chunk(F, 1, pool, total, winner, &s, i);
        finish_window(F, pool, total, winner, &s, first);
    }
}

INLINE void take_kind(const tri__narrow_pool pool, const strip *s, int64_t F)
{
    if (F == 3)
        take_filters(3, pool, *s);
    else if (F == 2)
        take_filters(2, pool, *s);
    else
        take_filters(1, pool, *s);
}

/* One strip: its x, and where its y and its mask of filter 0 begin. */
static void take_strip(const tri__narrow_conv_geometry *g, const v8 *x, const float *w, const float *bias, v8 *y, uint8_t *mask)
{
    strip s = {.x = x, .chunk = g->chunk, .chunks = g->chunks, .window = g->window, .part = 1.0f / (float)(g->pool * g->pool)};
    s.relu = g->spec.relu;
    s.y_pitch = g->strips * g->columns;
    s.mask_pitch = g->strips * g->mask_bytes;
    s.s = (products){.across = g->taps, .along = 1, .tap = g->tap, .taps = g->taps};
    for (int64_t filter = 0, F; filter < g->spec.filters; filter += F) {
        F = balanced(g->spec.filters - filter, 3);
        s.s.w = w + filter * g->taps;
        s.y = y + filter * s.y_pitch;
        s.mask = mask + filter * s.mask_pitch;
        for (int64_t f = 0; f < F; f++)
            s.bias[f] = bias ? bias[filter + f] : 0;
        if (g->spec.pool == TRI_NARROW_AVERAGE)
            take_kind(TRI_NARROW_AVERAGE, &s, F);
        else if (g->spec.pool == TRI_NARROW_MAX)
            take_kind(TRI_NARROW_MAX, &s, F);
        else
            take_kind(TRI_NARROW_NO_POOL, &s, F);
    }
}

/* x, w, [b] → y | mask, scratch. The team divides all strips of all groups. */
void ISA(conv_forward)(const void *geometry, void *const *data, int thread, int threads)
{
    const tri__narrow_conv_geometry *g = geometry;
    const tri__narrow_conv *spec = &g->spec;
    const int y_argument = spec->bias ? 3 : 2;
    const int64_t x_vectors = spec->channels * spec->height * spec->width, y_plane = g->strips * g->columns;
    v8 *padded = (v8 *)data[y_argument + 2] + thread * g->padded_x;
    clear_padding(g, padded);
    const part_range mine = share(g->groups * g->strips, thread, threads);
    const v8 *x = NULL;
    for (int64_t i = mine.first; i < mine.end; i++) {
        const int64_t group = i / g->strips, row = i % g->strips;
        if (!x || row == 0)
            x = with_padding(g, (const v8 *)data[0] + group * x_vectors, padded);
        v8 *y = (v8 *)data[y_argument] + group * spec->filters * y_plane + row * g->columns;
        uint8_t *mask = (uint8_t *)data[y_argument + 1] + (group * spec->filters * g->strips + row) * g->mask_bytes;
        take_strip(g, x + row * g->strip_x, data[1], spec->bias ? data[2] : NULL, y, mask);
    }
}
