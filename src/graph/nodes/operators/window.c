/* window.c: the sliding window of convolution and pooling. */
#include "graph/nodes/operators/window.h"

#include <inttypes.h>
#include <string.h>

/* As much padding as gives ⌈size / stride⌉ positions. span: how many elements the kernel covers. */
static void pad_same(tri_attributes *a, int i, int64_t size, int64_t span)
{
    const int64_t positions = size / a->stride[i] + (size % a->stride[i] != 0);
    const int64_t needed = size < 1 ? 0 : (positions - 1) * a->stride[i] + span - size, total = needed > 0 ? needed : 0;
    a->pad[i] = total / 2;
    a->pad_more[i] = total % 2;
}

static tri_status check_axis(tri_node *node, const char *axis, int64_t size, int i, int64_t *out)
{
    tri_attributes *a = &node->attributes;
    const int64_t kernel = a->kernel[i], stride = a->stride[i], dilation = a->dilation[i];
    if (kernel < 1 || stride < 1 || dilation < 1 || (a->pad[i] < 0 && a->pad[i] != TRI_PAD_SAME))
        return tri__refuse(
            node, "%s: kernel %" PRId64 ", stride %" PRId64 ", dilation %" PRId64 " and pad %" PRId64 " must be at least 1, 1, 1 and 0",
            axis, kernel, stride, dilation, a->pad[i]);
    int64_t span, padded;
    if (__builtin_mul_overflow(dilation, kernel - 1, &span) || __builtin_add_overflow(span, 1, &span) || span > INT64_MAX / 4)
        return tri__refuse(node, "%s: a kernel of %" PRId64 " with dilation %" PRId64 " is too large", axis, kernel, dilation);
    if (a->pad[i] == TRI_PAD_SAME)
        pad_same(a, i, size, span);
    if (__builtin_mul_overflow(a->pad[i], 2, &padded) || __builtin_add_overflow(padded, size + a->pad_more[i], &padded))
        return tri__refuse(node, "%s: pad %" PRId64 " is too large", axis, a->pad[i]);
    *out = padded < span || size < 1 ? 0 : (padded - span) / stride + 1;
    return NULL;
}

tri_status tri__window_check(tri_node *node, tri_shape x, const int64_t default_stride[2], int64_t out[2])
{
    tri_attributes *a = &node->attributes;
    if (a->kernel[1] == 0)
        a->kernel[1] = a->kernel[0];
    if (a->stride[0] == 0)
        memcpy(a->stride, default_stride, sizeof a->stride);
    if (a->stride[1] == 0)
        a->stride[1] = a->stride[0];
    if (a->dilation[0] == 0)
        a->dilation[0] = 1;
    if (a->dilation[1] == 0)
        a->dilation[1] = a->dilation[0];
    TRI_TRY(check_axis(node, "height", x.dim[2], 0, &out[0]));
    TRI_TRY(check_axis(node, "width", x.dim[3], 1, &out[1]));
    if (out[0] == 0 || out[1] == 0)
        return tri__refuse(node,
                           "kernel %" PRId64 "x%" PRId64 " does not fit the %" PRId64 "x%" PRId64 " input; use pad or a smaller kernel",
                           a->kernel[0], a->kernel[1], x.dim[2], x.dim[3]);
    return NULL;
}

tri__ref_window tri__window_of(const tri_attributes *attributes, tri_shape x, tri_shape y)
{
    const tri_attributes *a = attributes;
    return (tri__ref_window){
        .n = x.dim[0],
        .c = x.dim[1],
        .h = x.dim[2],
        .w = x.dim[3],
        .o = y.dim[1],
        .oh = y.dim[2],
        .ow = y.dim[3],
        .kernel = {a->kernel[0], a->kernel[1]},
        .stride = {a->stride[0], a->stride[1]},
        .pad = {a->pad[0], a->pad[1]},
        .dilation = {a->dilation[0], a->dilation[1]},
        .groups = a->groups,
    };
}
