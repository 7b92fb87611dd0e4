/* conv.c: makes the convolution's kernels: the geometry that vector/conv_forward.c and vector/conv_backward.c work by. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory/memory.h"
#include "tensor/narrow/code.h"

#define SLAB_BYTES 12288 /* of d of four filters: it is read again and again, and should stay in the L1 cache */
#define WORST_POOL 15    /* a byte holds the number of a position in a window, and 255 means none */

static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t pool_of(const tri__narrow_conv *spec)
{
    return spec->pool == TRI_NARROW_NO_POOL ? 1 : spec->pool_size;
}

int64_t tri__narrow_conv_rows(const tri__narrow_conv *spec)
{
    return ((spec->height + 2 * spec->pad_h - spec->kernel_h) / spec->stride_h + 1) / pool_of(spec);
}

int64_t tri__narrow_conv_columns(const tri__narrow_conv *spec)
{
    return ((spec->width + 2 * spec->pad_w - spec->kernel_w) / spec->stride_w + 1) / pool_of(spec);
}

static tri_status check(const tri__narrow_conv *spec)
{
    const char *what = "narrow convolution";
    const int64_t padded_h = spec->height + 2 * spec->pad_h, padded_w = spec->width + 2 * spec->pad_w;
    if (spec->pad_h < 0 || spec->pad_w < 0 || spec->kernel_h > padded_h || spec->kernel_w > padded_w)
        return tri_fail(TRI_BAD_CALL, "%s: a kernel of %" PRId64 "x%" PRId64 " does not fit into %" PRId64 "x%" PRId64, what,
                        spec->kernel_h, spec->kernel_w, padded_h, padded_w);
    TRI_TRY(tri__narrow_check(what, 5, (int64_t[]){spec->stride_h, spec->stride_w, spec->kernel_h, spec->kernel_w, pool_of(spec)}));
    if (pool_of(spec) > WORST_POOL)
        return tri_fail(TRI_UNSUPPORTED, "%s: pooling of %" PRId64 "x%" PRId64 ", at most %d is possible", what, spec->pool_size,
                        spec->pool_size, WORST_POOL);
    const int64_t rows = tri__narrow_conv_rows(spec), columns = tri__narrow_conv_columns(spec);
    if (rows < 1 || columns < 1)
        return tri_fail(TRI_BAD_CALL, "%s: nothing is left after pooling by %" PRId64, what, spec->pool_size);
    TRI_TRY(tri__narrow_check(what, 5, (int64_t[]){spec->batch, spec->channels, padded_h, padded_w, 1}));
    TRI_TRY(tri__narrow_check(what, 5, (int64_t[]){spec->batch, spec->filters, padded_h + spec->kernel_h, padded_w + spec->kernel_w, 1}));
    return tri__narrow_check(what, 4, (int64_t[]){spec->filters, spec->channels, spec->kernel_h, spec->kernel_w});
}

/* Chunks in a row of y, and chunks of one window. */
static int64_t count_chunks(const tri__narrow_conv_geometry *g, int64_t *window)
{
    *window = divide_up(g->pool * g->pool, 4);
    return g->pool == 1 && g->spec.pool == TRI_NARROW_NO_POOL ? divide_up(g->columns, 4) : g->columns * *window;
}

/* Positions [first, first + count) of a window of `wide` columns whose first column is `column` (of the convolution). */
static tri__narrow_chunk make_chunk(const tri__narrow_conv_geometry *g, int64_t column, int64_t wide, int64_t first, int64_t count)
{
    tri__narrow_chunk chunk = {.count = (int32_t)count, .first = (int32_t)first, .column = (int32_t)(column / g->pool)};
    for (int64_t p = 0; p < count; p++) {
        const int64_t row = (first + p) / wide, at = column + (first + p) % wide;
        chunk.x[p] = (int32_t)(row * g->spec.stride_h * g->x_columns + at * g->spec.stride_w);
        chunk.d[p] = (int32_t)(row * g->spec.filters * g->d_columns + at);
    }
    return chunk;
}

static void fill_chunks(tri__narrow_conv_geometry *g)
{
    tri__narrow_chunk *chunk = g->chunk;
    if (g->spec.pool == TRI_NARROW_NO_POOL) {
        for (int64_t column = 0, count; column < g->columns; column += count) {
            count = divide_up(g->columns - column, divide_up(g->columns - column, 4));
            *chunk++ = make_chunk(g, column, count, 0, count);
        }
        return;
    }
    const int64_t positions = g->pool * g->pool;
    for (int64_t column = 0; column < g->columns; column++)
        for (int64_t first = 0, count; first < positions; first += count) {
            count = divide_up(positions - first, divide_up(positions - first, 4));
            *chunk++ = make_chunk(g, column * g->pool, g->pool, first, count);
        }
}

static void fill_taps(tri__narrow_conv_geometry *g)
{
    int32_t *tap = g->tap;
    for (int64_t channel = 0; channel < g->spec.channels; channel++)
        for (int64_t row = 0; row < g->spec.kernel_h; row++)
            for (int64_t column = 0; column < g->spec.kernel_w; column++)
                *tap++ = (int32_t)((channel * g->x_rows + row) * g->x_columns + column);
}

/* Row i of the kernel joins row a of d and row a·stride + i of x: so a row of x of phase i mod stride is reached from its own row of d, the
 * row above, and so on. The same holds for columns. tap: room for the taps of all phases, one after another. */
static void fill_phases(tri__narrow_conv_geometry *g, int32_t *tap)
{
    const tri__narrow_conv *spec = &g->spec;
    int64_t weights = 0;
    tri__narrow_phase *phase = g->phase;
    for (int64_t i = 0; i < spec->stride_h; i++)
        for (int64_t j = 0; j < spec->stride_w; j++, phase++) {
            *phase = (tri__narrow_phase){.row = i, .column = j, .tap = tap, .weights = weights};
            for (int64_t row = i; row < spec->kernel_h; row += spec->stride_h, phase->rows++)
                for (int64_t filter = 0; filter < spec->filters; filter++)
                    for (int64_t column = j; column < spec->kernel_w; column += spec->stride_w)
                        *tap++ = (int32_t)((filter - row / spec->stride_h * spec->filters) * g->d_columns - column / spec->stride_w);
            phase->row_taps = phase->rows ? (tap - phase->tap) / phase->rows : 0;
            weights += (tap - phase->tap) * spec->channels;
        }
}

/* The size of d: the rows and columns that the taps of the input's gradient reach, or one slab. */
static void measure_d(tri__narrow_conv_geometry *g)
{
    const tri__narrow_conv *spec = &g->spec;
    const int64_t columns = g->columns * g->pool, rows = g->strips * g->pool;
    g->slab = SLAB_BYTES / (4 * 32 * g->pool * columns);
    g->slab = g->slab < 1 ? 1 : g->slab > g->strips ? g->strips : g->slab;
    g->d_rows = g->slab * g->pool;
    g->d_columns = columns;
    if (!g->want_dx)
        return;
    const int64_t last = (spec->width - 1 + spec->pad_w) / spec->stride_w; /* column of d below the last of x */
    g->border_w = divide_up(spec->kernel_w, spec->stride_w) - 1;
    g->d_rows = rows;
    g->d_columns = g->border_w + columns + (last < columns ? 0 : last - columns + 1 < g->border_w ? last - columns + 1 : g->border_w);
}

static void measure(const tri__narrow_conv *spec, bool want_dx, tri__narrow_conv_geometry *g)
{
    *g = (tri__narrow_conv_geometry){.spec = *spec, .groups = tri__narrow_groups(spec->batch), .pool = pool_of(spec), .want_dx = want_dx};
    g->strips = tri__narrow_conv_rows(spec);
    g->columns = tri__narrow_conv_columns(spec);
    g->x_rows = spec->height + 2 * spec->pad_h;
    g->x_columns = spec->width + 2 * spec->pad_w;
    g->strip_x = g->pool * spec->stride_h * g->x_columns;
    g->taps = spec->channels * spec->kernel_h * spec->kernel_w;
    g->masked = spec->relu || spec->pool == TRI_NARROW_MAX;
    g->padded_x = spec->pad_h || spec->pad_w ? spec->channels * g->x_rows * g->x_columns : 0;
    g->chunks = count_chunks(g, &g->window);
    g->mask_bytes = g->masked ? g->chunks * TRI_LANES : 0;
    g->phases = spec->stride_h * spec->stride_w;
    measure_d(g);
}

/* Check the spec, compute sizes, and fill the tables, which are one piece of memory: chunks, phases, taps of x, taps of d. */
static tri_status prepare(const tri__narrow_conv *spec, bool want_dx, tri__narrow_conv_geometry *g, void **owned)
{
    TRI_TRY(check(spec));
    measure(spec, want_dx, g);
    const int64_t all_taps = g->taps + spec->filters * spec->kernel_h * spec->kernel_w;
    const size_t bytes = (size_t)g->chunks * sizeof *g->chunk + (size_t)g->phases * sizeof *g->phase + (size_t)all_taps * sizeof(int32_t);
    TRI_TRY(tri__allocate(1, bytes, "narrow convolution", owned));
    g->phase = *owned;
    g->chunk = (tri__narrow_chunk *)(g->phase + g->phases);
    g->tap = (int32_t *)(g->chunk + g->chunks);
    fill_chunks(g);
    fill_taps(g);
    fill_phases(g, g->tap + g->taps);
    return NULL;
}

static size_t x_bytes(const tri__narrow_conv *spec)
{
    return tri__narrow_bytes(spec->batch, spec->channels * spec->height * spec->width);
}

static size_t y_bytes(const tri__narrow_conv_geometry *g)
{
    return tri__narrow_bytes(g->spec.batch, g->spec.filters * g->strips * g->columns);
}

static size_t mask_bytes(const tri__narrow_conv_geometry *g)
{
    return (size_t)(g->groups * g->spec.filters * g->strips * g->mask_bytes);
}

tri_status tri__narrow_conv_forward(const tri__narrow_conv *spec, tri__narrow_team team, tri__kernel **out)
{
    const tri__narrow_code *code;
    tri__narrow_conv_geometry g;
    void *owned = NULL;
    TRI_TRY(tri__narrow_code_find(team, &code));
    TRI_TRY(prepare(spec, false, &g, &owned));
    TRI_TRY(tri__narrow_make("narrow conv_forward", code->conv_forward, team.threads, &g, sizeof g, owned, out));
    tri__narrow_in(*out, tri__tensor_layout_lanes, x_bytes(spec));
    tri__narrow_in(*out, NULL, (size_t)(spec->filters * g.taps) * sizeof(float));
    if (spec->bias)
        tri__narrow_in(*out, NULL, (size_t)spec->filters * sizeof(float));
    tri__narrow_out(*out, tri__tensor_layout_lanes, y_bytes(&g));
    tri__narrow_work(*out, mask_bytes(&g));
    tri__narrow_work(*out, (size_t)(team.threads * g.padded_x) * 32);
    return NULL;
}

tri_status tri__narrow_conv_backward(const tri__narrow_conv *spec, bool want_dx, tri__narrow_team team, tri__kernel **out)
{
    const tri__narrow_code *code;
    tri__narrow_conv_geometry g;
    void *owned = NULL;
    TRI_TRY(tri__narrow_code_find(team, &code));
    TRI_TRY(prepare(spec, want_dx, &g, &owned));
    const int64_t weights = spec->filters * g.taps;
    g.private_vectors =
        weights + spec->filters + g.padded_x + g.d_rows * spec->filters * g.d_columns + (want_dx ? divide_up(weights, 8) : 0);
    TRI_TRY(tri__narrow_make("narrow conv_backward", code->conv_backward, team.threads, &g, sizeof g, owned, out));
    tri__narrow_in(*out, tri__tensor_layout_lanes, y_bytes(&g));
    tri__narrow_in(*out, tri__tensor_layout_lanes, x_bytes(spec));
    tri__narrow_in(*out, NULL, (size_t)weights * sizeof(float));
    tri__narrow_out(*out, NULL, (size_t)weights * sizeof(float));
    if (spec->bias)
        tri__narrow_out(*out, NULL, (size_t)spec->filters * sizeof(float));
    if (want_dx)
        tri__narrow_out(*out, tri__tensor_layout_lanes, x_bytes(spec));
    tri__narrow_work(*out, mask_bytes(&g));
    tri__narrow_work(*out, (size_t)(team.threads * g.private_vectors) * 32);
    return NULL;
}
