/* conv_forward.c: convolution, bias, ReLU and pooling in one pass.
 *
 * Three filters × four positions are summed in twelve registers over all taps (channel, kernel row, kernel column); the weights of a
 * filter lie in just that order. The four positions are those of a 2 × 2 window, so pooling follows in registers and the result before
 * it is never written. Larger windows take several chunks. Zero padding is made real in a copy of the group of examples. */
#include "tensor/narrow/vector/conv.h"

/* One strip of one group of examples. */
typedef struct {
    const tri__narrow_conv_geometry *g;
    const v8 *x;           /* the strip's first patch */
    const float *w, *bias; /* bias may be NULL */
    v8 *y;                 /* [filters][strips · columns], at the strip's first column */
    uint8_t *mask;         /* [filters][strips][chunks][8] at the strip, or NULL */
} strip;

/* out[f][p] = convolution at the chunk's positions, for F filters from filter on */
INLINE void convolve(const int F, const int P, v8 *out, const strip *s, const tri__narrow_chunk *chunk, int64_t filter)
{
    const tri__narrow_conv_geometry *g = s->g;
    const v8 *x[4];
    UNROLL for (int p = 0; p < P; p++) x[p] = s->x + chunk->x[p];
    UNROLL for (int f = 0; f < F; f++)
    {
        UNROLL for (int p = 0; p < P; p++) out[f * P + p] = splat(s->bias ? s->bias[filter + f] : 0);
    }
    multiply(F, P, out, x, (products){.w = s->w + filter * g->taps, .across = g->taps, .along = 1, .tap = g->tap, .taps = g->taps});
}

/* Without pooling: y[f][column + p], and a bit a position where ReLU lets pass. */
INLINE void finish_plain(const int F, const int P, const v8 *out, const strip *s, const tri__narrow_chunk *chunk, int64_t filter)
{
    const tri__narrow_conv_geometry *g = s->g;
    UNROLL for (int f = 0; f < F; f++)
    {
        v8 *y = s->y + (filter + f) * g->strips * g->columns + chunk->column;
        v8i bits = splat_int(0);
        UNROLL for (int p = 0; p < P; p++)
        {
            v8i pass = passes(out[f * P + p]);
            bits |= pass & splat_int(1 << p);
            y[p] = s->mask ? keep(pass, out[f * P + p]) : out[f * P + p];
        }
        if (s->mask)
            store_narrowed(s->mask + mask_at(g, filter + f, chunk), bits);
    }
}

/* Average pooling: add the chunk's positions to sum[f], after ReLU. */
INLINE void take_average(const int F, const int P, v8 *total, const v8 *out, const strip *s, const tri__narrow_chunk *chunk, int64_t filter)
{
    UNROLL for (int f = 0; f < F; f++)
    {
        v8i bits = splat_int(0);
        UNROLL for (int p = 0; p < P; p++)
        {
            v8i pass = passes(out[f * P + p]);
            bits |= pass & splat_int(1 << p);
            total[f] += s->mask ? keep(pass, out[f * P + p]) : out[f * P + p];
        }
        if (s->mask)
            store_narrowed(s->mask + mask_at(s->g, filter + f, chunk), bits);
    }
}

/* Max pooling: the larger of best[f] and the chunk's positions, and its position. The first of equals wins, and NaN wins over all. */
INLINE void take_largest(const int F, const int P, v8 *best, v8i *winner, const v8 *out, const tri__narrow_chunk *chunk)
{
    UNROLL for (int f = 0; f < F; f++)
    {
        UNROLL for (int p = 0; p < P; p++)
        {
            const v8 a = out[f * P + p];
            v8i wins = (a > best[f]) | (a != a);
            best[f] = choose(wins, a, best[f]);
            winner[f] = (wins & splat_int(chunk->first + p)) | (~wins & winner[f]);
        }
    }
}

/* One chunk: convolve, then hand its positions on. total and winner are what pooling keeps over the chunks of a window. */
INLINE void take_chunk(const int F, const int P, v8 *total, v8i *winner, const strip *s, const tri__narrow_chunk *chunk, int64_t filter)
{
    v8 out[12];
    convolve(F, P, out, s, chunk, filter);
    if (s->g->spec.pool == TRI_NARROW_NO_POOL)
        finish_plain(F, P, out, s, chunk, filter);
    else if (s->g->spec.pool == TRI_NARROW_AVERAGE)
        take_average(F, P, total, out, s, chunk, filter);
    else
        take_largest(F, P, total, winner, out, chunk);
}

/* After the last chunk of a window: y[f][column] */
INLINE void finish_window(const int F, v8 *total, v8i *winner, const strip *s, const tri__narrow_chunk *chunk, int64_t filter)
{
    const tri__narrow_conv_geometry *g = s->g;
    const v8 part = splat(1.0f / (float)(g->pool * g->pool));
    UNROLL for (int f = 0; f < F; f++)
    {
        v8 *y = s->y + (filter + f) * g->strips * g->columns + chunk->column;
        if (g->spec.pool == TRI_NARROW_AVERAGE) {
            *y = total[f] * part;
            continue;
        }
        v8i pass = g->spec.relu ? passes(total[f]) : splat_int(-1);
        *y = keep(pass, total[f]);
        store_narrowed(s->mask + mask_at(g, filter + f, chunk), winner[f] | ~pass);
    }
}

/* F filters of one window (or one chunk, without pooling). */
INLINE void take_window(const int F, const strip *s, const tri__narrow_chunk *chunk, int64_t filter)
{
    const tri__narrow_pool pool = s->g->spec.pool;
    v8 total[3];
    v8i winner[3];
    UNROLL for (int f = 0; f < F; f++)
    {
        total[f] = splat(pool == TRI_NARROW_MAX ? -__builtin_inff() : 0);
        winner[f] = splat_int(0);
    }
    for (int64_t c = 0; c < s->g->window; c++)
        switch (chunk[c].count) {
        case 4:
            take_chunk(F, 4, total, winner, s, chunk + c, filter);
            break;
        case 3:
            take_chunk(F, 3, total, winner, s, chunk + c, filter);
            break;
        case 2:
            take_chunk(F, 2, total, winner, s, chunk + c, filter);
            break;
        default:
            take_chunk(F, 1, total, winner, s, chunk + c, filter);
        }
    if (pool != TRI_NARROW_NO_POOL)
        finish_window(F, total, winner, s, chunk, filter);
}

static void take_strip(const strip *s)
{
    const tri__narrow_conv_geometry *g = s->g;
    for (int64_t c = 0; c < g->chunks; c += g->window)
        for (int64_t filter = 0, F; filter < g->spec.filters; filter += F) {
            F = balanced(g->spec.filters - filter, 3);
            if (F == 3)
                take_window(3, s, g->chunk + c, filter);
            else if (F == 2)
                take_window(2, s, g->chunk + c, filter);
            else
                take_window(1, s, g->chunk + c, filter);
        }
}

/* x, w, [b] → y | mask, scratch. The team divides all strips of all groups. */
void ISA(conv_forward)(const void *geometry, void *const *data, int thread, int threads)
{
    const tri__narrow_conv_geometry *g = geometry;
    const tri__narrow_conv *spec = &g->spec;
    const int y_slot = spec->bias ? 3 : 2;
    const int64_t x_vectors = spec->channels * spec->height * spec->width, y_plane = g->strips * g->columns;
    v8 *padded = (v8 *)data[y_slot + 2] + thread * g->padded_x;
    clear_padding(g, padded);
    const part_range mine = share(g->groups * g->strips, thread, threads);
    const v8 *x = NULL;
    for (int64_t i = mine.first; i < mine.end; i++) {
        const int64_t group = i / g->strips, row = i % g->strips;
        if (!x || row == 0)
            x = with_padding(g, (const v8 *)data[0] + group * x_vectors, padded);
        strip s = {.g = g, .x = x + row * g->strip_x, .w = data[1], .bias = spec->bias ? data[2] : NULL};
        s.y = (v8 *)data[y_slot] + group * spec->filters * y_plane + row * g->columns;
        if (g->masked)
            s.mask = (uint8_t *)data[y_slot + 1] + (group * spec->filters * g->strips + row) * g->chunks * 8;
        take_strip(&s);
    }
}
