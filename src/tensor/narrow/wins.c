/* wins.c: where the narrow kernels beat oneDNN's. Measured, with a margin: where both are about as fast oneDNN has the layer. */
#include "tensor/narrow/narrow.h"

/* oneDNN computes blocks of 8 or 16 channels on either side. */
bool tri__narrow_wins_conv(const tri__narrow_conv *spec)
{
    return spec->channels <= 16 && spec->filters <= 16 && spec->channels * spec->filters <= 128;
}

/* Its weights and two groups of examples should stay in the L2 cache. */
bool tri__narrow_wins_dense(const tri__narrow_dense *spec)
{
    return spec->in * spec->out <= 128 * 1024 && spec->in <= 2048 && spec->out <= 512;
}

bool tri__narrow_wins_head(const tri__narrow_head *spec)
{
    return spec->classes <= TRI_NARROW_HEAD_CLASSES && spec->in <= 16384;
}
