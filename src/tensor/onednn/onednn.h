/* onednn.h: kernels made of oneDNN primitives.
 *
 * Where a kernel computes much, its maker leaves the layouts to oneDNN ("any"). Where it only passes data through, it takes the producer's
 * layout, so that blocked layouts are kept from layer to layer. Scratch memory is a workspace of the kernel, so that a run allocates no
 * memory of ours. A context belongs to the thread that runs the plan, and must outlive its kernels. The comment beside a maker lists the
 * kernel's arguments: inputs → outputs | workspace 0, where the forward kernel keeps something for its gradient kernel. */
#ifndef TRI_TENSOR_ONEDNN_ONEDNN_H
#define TRI_TENSOR_ONEDNN_ONEDNN_H

#include "tensor/kernel.h"

typedef struct tri__onednn tri__onednn;

TRI_MUST_CHECK tri_status tri__onednn_create(tri__onednn **out);
void tri__onednn_destroy(tri__onednn *context);      /* accepts NULL */
void tri__onednn_version(char *buffer, size_t size); /* of the library in use: "2.6.3" */

/* The b of a layout [n][c/b][h][w][b] for a shape [n][c][h][w], where b divides c: 8 or 16, or 0 where the layout is another one. */
int tri__onednn_channel_block(const tri__tensor_layout *layout, tri_shape shape);

/* x: [n][c][h][w], w: [out][c / groups][kernel], y: [n][out][…] */
typedef struct {
    tri_shape x, w, y;
    int64_t stride[2], pad[2];
    int64_t pad_more[2]; /* how much more padding is behind than pad */
    int64_t dilation[2], groups;
    bool bias, relu;
} tri__onednn_convolution;

/* x, w[, bias] → y */
TRI_MUST_CHECK tri_status tri__onednn_convolution_forward(tri__onednn *context, const tri__onednn_convolution *spec, tri__kernel **out);
/* dy, w → dx */
TRI_MUST_CHECK tri_status tri__onednn_convolution_input(tri__onednn *context, const tri__onednn_convolution *spec, tri__kernel **out);
/* dy, x → dw[, dbias] */
TRI_MUST_CHECK tri_status tri__onednn_convolution_weight(tri__onednn *context, const tri__onednn_convolution *spec, tri__kernel **out);

typedef struct {
    tri_shape x, y;
    int64_t kernel[2], stride[2], pad[2];
    int64_t pad_more[2];
    bool average;                     /* over the window, padding counted as zeros; otherwise the maximum */
    bool training;                    /* the maximum's place is kept in a workspace */
    const tri__tensor_layout *layout; /* of x; a blocked layout is kept */
} tri__onednn_pooling;

/* x → y | the maxima's places, where training and not average */
TRI_MUST_CHECK tri_status tri__onednn_pooling_forward(tri__onednn *context, const tri__onednn_pooling *spec, tri__kernel **out);
/* dy → dx, in the layout of the forward kernel's x | the forward kernel's workspace */
TRI_MUST_CHECK tri_status tri__onednn_pooling_backward(tri__onednn *context, const tri__onednn_pooling *spec, tri__kernel **out);

typedef struct {
    tri_shape x;
    int64_t size;
    float alpha, beta, bias;
    bool training;
    const tri__tensor_layout *layout; /* of x and of everything else */
} tri__onednn_lrn;

/* x → y | what oneDNN keeps for the gradient: workspace 0 has 0 bytes where it keeps nothing */
TRI_MUST_CHECK tri_status tri__onednn_lrn_forward(tri__onednn *context, const tri__onednn_lrn *spec, tri__kernel **out);
/* dy, x → dx | the forward kernel's workspace */
TRI_MUST_CHECK tri_status tri__onednn_lrn_backward(tri__onednn *context, const tri__onednn_lrn *spec, tri__kernel **out);

/* y[m][n] = relu(op(a)[m][k] · op(b)[k][n] + bias[n]), all plain */
typedef struct {
    int64_t m, n, k;
    bool transpose_a, transpose_b, bias, relu;
    bool adds;     /* the third input is a matrix [m][n] that is added, instead of a bias */
    bool in_place; /* with adds: y may be written over the third input */
} tri__onednn_matmul;

/* a, b[, bias] → y */
TRI_MUST_CHECK tri_status tri__onednn_matmul_create(const tri__onednn_matmul *spec, tri__kernel **out);

/* FLOP/s that sgemm reaches here with so many threads: the best of the products of square matrices that begin within `seconds`. 0: it could
 * not be measured. */
double tri__onednn_sgemm_rate(int threads, double seconds);

/* The same elements in another layout; neither layout may be lanes. A layout of grouped weights has one dimension more than the shape. x →
 * y */
TRI_MUST_CHECK tri_status tri__onednn_reorder(tri__onednn *context, tri_shape shape, const tri__tensor_layout *from,
                                              const tri__tensor_layout *to, tri__kernel **out);

#endif
