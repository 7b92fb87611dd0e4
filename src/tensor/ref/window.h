/* window.h: where a sliding window lies. Shared by convolution and pooling. */
#ifndef TRI_TENSOR_REF_WINDOW_H
#define TRI_TENSOR_REF_WINDOW_H

#include "tensor/ref/ref.h"

/* The part of a window that is not padding, along one axis: positions first … end − 1 of the input. */
typedef struct {
    int64_t first, end;
} tri__ref_span;

static inline tri__ref_span tri__ref_span_of(const tri__ref_window *s, int axis, int64_t out)
{
    const int64_t size = axis == 0 ? s->h : s->w, start = out * s->stride[axis] - s->pad[axis], end = start + s->kernel[axis];
    return (tri__ref_span){.first = start > 0 ? start : 0, .end = end < size ? end : size};
}

/* Where x[n][c][row][column] is, in a tensor with s->c planes of s->h × s->w; tri__ref_out is the same for y. */
static inline int64_t tri__ref_at(const tri__ref_window *s, int64_t n, int64_t c, int64_t row, int64_t column)
{
    return ((n * s->c + c) * s->h + row) * s->w + column;
}

static inline int64_t tri__ref_out(const tri__ref_window *s, int64_t n, int64_t o, int64_t row, int64_t column)
{
    return ((n * s->o + o) * s->oh + row) * s->ow + column;
}

#endif
