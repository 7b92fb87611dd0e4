/* window.c: the sliding window of convolution and pooling. */
#include "graph/nodes/operators/window.h"

#include <inttypes.h>
#include <string.h>

static tri_status check_axis(const tri_node *node, const char *axis, int64_t size, int i, int64_t *out)
{
    const tri_attributes *a = &node->attributes;
    const int64_t kernel = a->kernel[i], stride = a->stride[i], pad = a->pad[i];
    if (kernel < 1 || stride < 1 || pad < 0)
        return tri__refuse(node, "%s: kernel %" PRId64 ", stride %" PRId64 " and pad %" PRId64 " must be at least 1, 1 and 0", axis, kernel,
                           stride, pad);
    int64_t padded;
    if (__builtin_mul_overflow(pad, 2, &padded) || __builtin_add_overflow(padded, size, &padded))
        return tri__refuse(node, "%s: pad %" PRId64 " is too large", axis, pad);
    *out = padded < kernel || size < 1 ? 0 : (padded - kernel) / stride + 1;
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
    };
}
