/* conv_weight.c: the weights' gradient of a wide convolution, dw[filter][tap] = Σ dy[position][filter] · x[position + tap].
 *
 * Sixteen filters are two vectors of dy; up to six taps of x, each the same for all filters, make a block of twelve registers, which sums
 * over the positions of a band of rows. A band of dy and x stays in the L1 cache while all taps of a block of channels pass over it. A tile
 * is the weights between sixteen filters and a block of channels. The team divides the tiles, so one thread makes each sum, in one order,
 * and the result does not depend on the size of the team. */
#include "tensor/narrow/vector/part.h"

typedef tri__narrow_weight_geometry geometry;

#define PAIR 16 /* filters of a tile */

/* A band of rows: x at its first row, with padding; dy of the first eight filters; dy of the other eight is `apart` vectors behind. */
typedef struct {
    const float *x;
    const v8 *dy;
    int64_t apart, rows;
} band;

/* sum: [T][2], of T taps. */
INLINE void sum_taps(const int T, const int64_t step, const geometry *g, const band *b, const int32_t *tap, v8 *sum)
{
    v8 s[6][2];
    UNROLL
    for (int t = 0; t < T; t++) {
        s[t][0] = sum[2 * t];
        s[t][1] = sum[2 * t + 1];
    }
    for (int64_t row = 0; row < b->rows; row++) {
        const v8 *low = b->dy + row * g->columns, *high = low + b->apart;
        const float *x[6];
        UNROLL
        for (int t = 0; t < T; t++) {
            x[t] = b->x + row * g->row_step + tap[t];
            SETTLE(x[t]);
        }
        for (int64_t column = 0; column < g->columns; column++) {
            v8 d0 = low[column], d1 = high[column];
            LOADED(d0);
            LOADED(d1);
            UNROLL
            for (int t = 0; t < T; t++) {
                v8 a = splat(x[t][column * step]);
                LOADED(a);
                s[t][0] += a * d0;
                s[t][1] += a * d1;
            }
        }
    }
    UNROLL
    for (int t = 0; t < T; t++) {
        sum[2 * t] = s[t][0];
        sum[2 * t + 1] = s[t][1];
    }
}

/* sum: [taps][2] */
INLINE void sum_band(const int64_t step, const geometry *g, const band *b, v8 *sum)
{
    for (int64_t first = 0, count; first < g->taps; first += count) {
        const int32_t *tap = g->tap + first;
        v8 *to = sum + 2 * first;
        count = balanced(g->taps - first, 6);
        switch (count) {
        case 6:
            sum_taps(6, step, g, b, tap, to);
            break;
        case 5:
            sum_taps(5, step, g, b, tap, to);
            break;
        case 4:
            sum_taps(4, step, g, b, tap, to);
            break;
        default:
            count = 1;
            sum_taps(1, step, g, b, tap, to);
        }
    }
}

/* A step that is a constant becomes a part of the address; any other step costs a multiplication. */
static void sum_band_any(const geometry *g, const band *b, v8 *sum)
{
    if (g->step == TRI_LANES)
        sum_band(TRI_LANES, g, b, sum);
    else
        sum_band(g->step, g, b, sum);
}

/* x: [blocks][height][width][block] of one image → the same with zeros around it; only the blocks of this thread. */
static void pad_image(const geometry *g, const float *x, float *padded, part_range blocks)
{
    const tri__narrow_weight *s = &g->spec;
    const int64_t row_floats = s->width * g->block;
    for (int64_t b = blocks.first; b < blocks.end; b++)
        for (int64_t row = 0; row < s->height; row++)
            memcpy(padded + b * g->plane + ((row + s->pad_h) * g->x_columns + s->pad_w) * g->block, x + (b * s->height + row) * row_floats,
                   (size_t)row_floats * sizeof *x);
}

static void sum_tile(const geometry *g, const v8 *dy, const float *padded, int64_t images, int64_t tile, v8 *sum)
{
    const int64_t pair = tile / g->blocks, block = tile % g->blocks, positions = g->rows * g->columns;
    for (int64_t image = 0; image < images; image++)
        for (int64_t row = 0, rows; row < g->rows; row += rows) {
            rows = balanced(g->rows - row, g->band);
            const band b = {
                .x = padded + (image * g->blocks + block) * g->plane + row * g->row_step,
                .dy = dy + (image * g->spec.filters / TRI_LANES + 2 * pair) * positions + row * g->columns,
                .apart = positions,
                .rows = rows,
            };
            sum_band_any(g, &b, sum + tile * g->taps * 2);
        }
}

/* sum: [taps][16] → dw: [16][blocks · taps], the block's columns of the pair's rows. */
static void write_tile(const geometry *g, const float *sum, int64_t tile, float *dw)
{
    const int64_t pair = tile / g->blocks, block = tile % g->blocks;
    for (int64_t filter = 0; filter < PAIR; filter++)
        for (int64_t tap = 0; tap < g->taps; tap++)
            dw[(pair * PAIR + filter) * g->blocks * g->taps + block * g->taps + tap] = sum[(tile * g->taps + tap) * PAIR + filter];
}

/* db[8] = Σ dy over all positions of all images, of eight filters; image by image, so that small values are not lost in a large sum. */
static void sum_bias(const geometry *g, const v8 *dy, int64_t eight, float *db)
{
    const int64_t positions = g->rows * g->columns, eights = g->spec.filters / TRI_LANES;
    v8 total = splat(0);
    for (int64_t image = 0; image < g->spec.batch; image++) {
        const v8 *d = dy + (image * eights + eight) * positions;
        v8 sum[4] = {splat(0), splat(0), splat(0), splat(0)};
        for (int64_t i = 0; i < positions; i++)
            sum[i % 4] += d[i];
        total += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    store(db + eight * TRI_LANES, total);
}

/* dy, x → dw, [db] | sums, padded images */
void ISA(conv_weight)(const void *geometry_data, void *const *data, int thread, int threads)
{
    const geometry *g = geometry_data;
    const tri__narrow_weight *s = &g->spec;
    const int output = 2, sums = output + (s->bias ? 2 : 1);
    const v8 *dy = data[0];
    const float *x = data[1];
    v8 *sum = data[sums];
    float *padded = data[sums + 1];
    const part_range tiles = share(s->filters / PAIR * g->blocks, thread, threads), blocks = share(g->blocks, thread, threads);
    const part_range eights = share(s->filters / TRI_LANES, thread, threads);

    memset(sum + tiles.first * g->taps * 2, 0, (size_t)((tiles.end - tiles.first) * g->taps * 2) * sizeof *sum);
    for (int64_t image = 0; image < g->images; image++)
        memset(padded + (image * g->blocks + blocks.first) * g->plane, 0,
               (size_t)((blocks.end - blocks.first) * g->plane) * sizeof *padded);
    for (int64_t first = 0; first < s->batch; first += g->images) {
        const int64_t images = s->batch - first < g->images ? s->batch - first : g->images;
        for (int64_t i = 0; i < images; i++)
            pad_image(g, x + (first + i) * s->channels * s->height * s->width, padded + i * g->blocks * g->plane, blocks);
        team_barrier(threads);
        for (int64_t tile = tiles.first; tile < tiles.end; tile++)
            sum_tile(g, dy + first * s->filters / TRI_LANES * g->rows * g->columns, padded, images, tile, sum);
        team_barrier(threads);
    }
    for (int64_t tile = tiles.first; tile < tiles.end; tile++)
        write_tile(g, (const float *)sum, tile, data[output]);
    for (int64_t eight = eights.first; s->bias && eight < eights.end; eight++)
        sum_bias(g, dy, eight, data[output + 1]);
}
