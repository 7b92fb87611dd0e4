/* batch_norm.h: batch normalisation on plain memory and on channels in blocks, as oneDNN's convolutions leave them.
 *
 * oneDNN has this too, but counts every row of a batch; here padded rows, of weight 0, do not count. One pass over memory finds a channel's
 * statistics, one applies them. The order of sums depends only on the number of threads, which is the same for all kernels of a plan. */
#ifndef TRI_TENSOR_BATCH_NORM_H
#define TRI_TENSOR_BATCH_NORM_H

#include "tensor/kernel.h"

/* x, dy, y and dx: [n][c / block][inner][block] */
typedef struct {
    int64_t n, c, inner;
    int64_t block; /* 1: plain */
    float epsilon;
    int threads;
    const tri__tensor_layout *layout; /* of x */
} tri__batch_norm;

/* x, scale, shift, running mean, running variance, weights → y | where training: the batch's statistics */
TRI_MUST_CHECK tri_status tri__batch_norm_forward(const tri__batch_norm *spec, bool training, tri__kernel **out);
/* dy, x, scale, weights → dscale, dshift[, dx] | the forward kernel's workspace */
TRI_MUST_CHECK tri_status tri__batch_norm_backward(const tri__batch_norm *spec, bool input_gradient, tri__kernel **out);
/* weights → Σ weight · mean, Σ weight · unbiased variance | the forward kernel's workspace */
TRI_MUST_CHECK tri_status tri__batch_norm_statistics(const tri__batch_norm *spec, tri__kernel **out);

#endif
