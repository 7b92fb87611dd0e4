/* wins.c: where the narrow kernels beat oneDNN's. Measured on Zen 3, batch 64, forward and backward together, with a margin: where both are
 * about as fast oneDNN has the layer.
 *
 * Convolutions of 1 to 8 channels were 1.3 to 6 times as fast as oneDNN's, with pooling 2 to 20 times; 12 → 12 channels 2 and 4 times,
 * 24 → 24 channels 1.1 and 1.5 times. Dense layers are on a par; they win because nothing is reordered around them, and because ReLU and
 * the bias's gradient cost them no pass of their own. */
#include "tensor/narrow/narrow.h"

#define MOST_CHANNELS 24
#define MOST_FILTERS  64
#define MOST_PIXELS   16384        /* of an example, all channels: so a group of eight is at most an L2 cache */
#define MOST_WEIGHTS  (128 * 1024) /* of a dense layer: so that they stay in the L2 cache */

/* Most lanes must be examples. */
static bool fills_lanes(int64_t batch)
{
    const int64_t lanes = (batch + TRI_LANES - 1) / TRI_LANES * TRI_LANES;
    return batch * 4 >= lanes * 3;
}

static int64_t padded(int64_t channels)
{
    return (channels + 7) / 8 * 8;
}

bool tri__narrow_wins_conv(const tri__narrow_conv *spec)
{
    if (!fills_lanes(spec->batch) || spec->channels > MOST_CHANNELS || spec->filters > MOST_FILTERS ||
        spec->channels * spec->height * spec->width > MOST_PIXELS)
        return false;
    const bool few = spec->filters <= MOST_CHANNELS;
    const bool much_padding = padded(spec->channels) * padded(spec->filters) * 4 >= spec->channels * spec->filters * 5;
    return few || much_padding;
}

bool tri__narrow_wins_dense(const tri__narrow_dense *spec)
{
    return fills_lanes(spec->batch) && spec->in * spec->out <= MOST_WEIGHTS && spec->in <= 2048 && spec->out <= 512;
}

bool tri__narrow_wins_head(const tri__narrow_head *spec)
{
    return spec->classes <= TRI_NARROW_HEAD_CLASSES && spec->in <= 16384;
}
