/* conv.h: what the forward and the backward pass of a convolution share. */
#ifndef TRI_TENSOR_NARROW_VECTOR_CONV_H
#define TRI_TENSOR_NARROW_VECTOR_CONV_H

#include "tensor/narrow/vector/part.h"

INLINE void clear_padding(const tri__narrow_conv_geometry *g, v8 *padded)
{
    memset(padded, 0, (size_t)g->padded_x * sizeof *padded);
}

/* x: [channels][height][width][8] of one group → the same with its zero padding, in `padded`; x itself where there is none. */
INLINE const v8 *with_padding(const tri__narrow_conv_geometry *g, const v8 *x, v8 *padded)
{
    const tri__narrow_conv *spec = &g->spec;
    if (!g->padded_x)
        return x;
    for (int64_t channel = 0; channel < spec->channels; channel++)
        for (int64_t row = 0; row < spec->height; row++) {
            v8 *to = padded + (channel * g->x_rows + spec->pad_h + row) * g->x_columns + spec->pad_w;
            memcpy(to, x + (channel * spec->height + row) * spec->width, (size_t)spec->width * sizeof *to);
        }
    return padded;
}

#endif
