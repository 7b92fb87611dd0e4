/* conv_weight.c: makes the kernel of a wide convolution's weight gradient: the geometry that vector/conv_weight.c works by. */
#include "base/memory/memory.h"
#include "tensor/narrow/code.h"

#define PAIR       16          /* filters of two vectors */
#define BAND_BYTES (24 * 1024) /* of dy and x: all taps pass over a band, so it should stay in the L1 cache */
#define IMAGES     8           /* padded at a time: a block of x and a pair of dy of 8 images stay in the L2 cache */

static tri_status check(const tri__narrow_weight *spec)
{
    const char *what = "wide convolution's weight gradient";
    const int64_t padded_h = spec->height + 2 * spec->pad_h, padded_w = spec->width + 2 * spec->pad_w;
    TRI_TRY(tri__narrow_check(what, 4, (int64_t[]){spec->stride_h, spec->stride_w, spec->kernel_h, spec->kernel_w}));
    TRI_TRY(tri__narrow_check(what, 4, (int64_t[]){spec->channels, padded_h, padded_w, IMAGES}));
    TRI_TRY(tri__narrow_check(what, 4, (int64_t[]){spec->filters, spec->channels, spec->kernel_h, spec->kernel_w}));
    if (spec->pad_h < 0 || spec->pad_w < 0 || spec->kernel_h > padded_h || spec->kernel_w > padded_w)
        return tri_fail(TRI_BAD_CALL, "%s: the kernel does not fit into the padded image", what);
    if (spec->filters % PAIR || (spec->x_layout && spec->channels % TRI_LANES))
        return tri_fail(TRI_BAD_CALL, "%s: filters must be a multiple of %d, channels in blocks of %d", what, PAIR, TRI_LANES);
    return NULL;
}

/* How many rows of dy fit into BAND_BYTES, together with the rows of x that belong to them; at least one. */
static int64_t band_rows(const tri__narrow_weight_geometry *g)
{
    const int64_t dy_row = g->columns * PAIR, x_row = g->x_columns * g->block;
    int64_t rows = 1;
    while (rows < g->rows && (rows + 1) * dy_row + (rows * g->spec.stride_h + g->spec.kernel_h) * x_row <= BAND_BYTES / 4)
        rows++;
    return rows;
}

static void measure(const tri__narrow_weight *spec, tri__narrow_weight_geometry *g)
{
    *g = (tri__narrow_weight_geometry){.spec = *spec, .block = spec->x_layout ? TRI_LANES : 1};
    g->blocks = spec->channels / g->block;
    g->x_columns = spec->width + 2 * spec->pad_w;
    g->plane = (spec->height + 2 * spec->pad_h) * g->x_columns * g->block;
    g->rows = (spec->height + 2 * spec->pad_h - spec->kernel_h) / spec->stride_h + 1;
    g->columns = (g->x_columns - spec->kernel_w) / spec->stride_w + 1;
    g->step = spec->stride_w * g->block;
    g->row_step = spec->stride_h * g->x_columns * g->block;
    g->taps = g->block * spec->kernel_h * spec->kernel_w;
    g->band = band_rows(g);
    g->images = spec->batch < IMAGES ? spec->batch : IMAGES;
}

/* In the order of the weights: channel, row, column. */
static void fill_taps(const tri__narrow_weight_geometry *g, int32_t *tap)
{
    for (int64_t channel = 0; channel < g->block; channel++)
        for (int64_t row = 0; row < g->spec.kernel_h; row++)
            for (int64_t column = 0; column < g->spec.kernel_w; column++)
                *tap++ = (int32_t)((row * g->x_columns + column) * g->block + channel);
}

tri_status tri__narrow_conv_weight(const tri__narrow_weight *spec, tri__narrow_team team, tri__kernel **out)
{
    const tri__narrow_code *code;
    tri__narrow_weight_geometry g;
    int32_t *tap = NULL;
    TRI_TRY(tri__narrow_code_find(team, &code));
    TRI_TRY(check(spec));
    measure(spec, &g);
    TRI_TRY(tri__allocate((size_t)g.taps, sizeof *tap, "a convolution's weight gradient", &tap));
    fill_taps(&g, tap);
    g.tap = tap;
    TRI_TRY(tri__narrow_make("narrow conv_weight", code->conv_weight, team.threads, &g, sizeof g, tap, out));
    const size_t weights = (size_t)(spec->filters * g.blocks * g.taps);
    tri__narrow_in(*out, spec->dy_layout, (size_t)(spec->batch * spec->filters * g.rows * g.columns) * sizeof(float));
    tri__narrow_in(*out, spec->x_layout, (size_t)(spec->batch * spec->channels * spec->height * spec->width) * sizeof(float));
    tri__narrow_out(*out, NULL, weights * sizeof(float));
    if (spec->bias)
        tri__narrow_out(*out, NULL, (size_t)spec->filters * sizeof(float));
    tri__narrow_work(*out, weights * sizeof(float));
    tri__narrow_work(*out, (size_t)(g.images * g.blocks * g.plane) * sizeof(float));
    return NULL;
}
