/* wins.c: where the narrow kernels beat oneDNN's. Measured on Zen 3, batch 64, forward and backward together, with a margin: where both are
 * about equally fast, oneDNN gets the layer.
 *
 * Convolutions of 1 to 8 channels were 1.3 to 6 times as fast as oneDNN's, with pooling 2 to 20 times; 12 → 12 channels 2 and 4 times, 24 →
 * 24 channels 1.1 and 1.5 times. Dense layers are equally fast; they win because nothing is reordered around them, and because ReLU and the
 * bias's gradient need no pass of their own. The weights' gradients of AlexNet's convolutions take 0.7 to 0.95 of oneDNN's time, on one
 * thread and on two, at batch 32 and 128.
 *
 * Where there is AVX-512 oneDNN has sixteen channels in a register: with its kernels for 16 → 16 channels, a step of ResNet-20 at batch 128
 * took 0.95 of the CPU time on a Xeon. */
#include <string.h>

#include "tensor/narrow/code.h"
#include "tensor/narrow/narrow.h"

#define MOST_CHANNELS 24
#define MOST_FILTERS  64
#define MOST_PIXELS   16384              /* of an example, all channels: so a group of eight examples fits into an L2 cache */
#define MOST_IMAGE    (64 * 1024 * 1024) /* floats of a padded image of a wide convolution: offsets in eight images are 32 bits wide */
#define MOST_WEIGHTS  (128 * 1024)       /* of a dense layer: so that they stay in the L2 cache */

/* Most lanes must hold examples. */
static bool fills_lanes(int64_t batch)
{
    const int64_t lanes = (batch + TRI_LANES - 1) / TRI_LANES * TRI_LANES;
    return batch * 4 >= lanes * 3;
}

static int64_t padded(int64_t channels)
{
    return (channels + 7) / 8 * 8;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Without pooling, which costs oneDNN passes of its own. */
static bool fills_wide_registers(const tri__narrow_conv *spec)
{
    return spec->channels % 16 == 0 && spec->filters % 16 == 0 && spec->pool == TRI_NARROW_NO_POOL && !strcmp(tri__narrow_isa(0), "avx512");
}

bool tri__narrow_wins_conv(const tri__narrow_conv *spec)
{
    const int64_t most_h = spec->height + 2 * spec->pad_h + spec->kernel_h, most_w = spec->width + 2 * spec->pad_w + spec->kernel_w;
    if (!tri__narrow_within_offsets(4, (int64_t[]){spec->batch, larger(spec->channels, spec->filters), most_h, most_w}))
        return false;
    if (!fills_lanes(spec->batch) || spec->channels > MOST_CHANNELS || spec->filters > MOST_FILTERS ||
        spec->channels * spec->height * spec->width > MOST_PIXELS || fills_wide_registers(spec))
        return false;
    const bool few = spec->filters <= MOST_CHANNELS;
    const bool much_padding = padded(spec->channels) * padded(spec->filters) * 4 >= spec->channels * spec->filters * 5;
    return few || much_padding;
}

/* Every thread should have tiles, of sixteen filters and a block of channels, to itself; and rows should be so long that the cost of
 * beginning a row does not matter. */
bool tri__narrow_wins_weight(const tri__narrow_weight *spec, int threads)
{
    const int64_t tiles = spec->filters / 16 * (spec->x_layout ? spec->channels / 8 : spec->channels);
    const int64_t columns = (spec->width + 2 * spec->pad_w - spec->kernel_w) / spec->stride_w + 1;
    return spec->filters % 16 == 0 && tiles >= 4 * threads && columns >= 7 && spec->kernel_h * spec->kernel_w > 1 &&
           spec->channels * (spec->height + 2 * spec->pad_h) * (spec->width + 2 * spec->pad_w) <= MOST_IMAGE;
}

bool tri__narrow_wins_dense(const tri__narrow_dense *spec)
{
    return fills_lanes(spec->batch) && spec->in * spec->out <= MOST_WEIGHTS && spec->in <= 2048 && spec->out <= 512 &&
           tri__narrow_within_offsets(2, (int64_t[]){spec->batch, larger(spec->in, spec->out)});
}

bool tri__narrow_wins_head(const tri__narrow_head *spec)
{
    return spec->classes <= TRI_NARROW_HEAD_CLASSES && spec->in <= 16384 &&
           tri__narrow_within_offsets(2, (int64_t[]){spec->batch, spec->in});
}
