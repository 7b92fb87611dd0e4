/* narrow.h: kernels for layers with few channels or classes, where oneDNN would pad 1, 6 or 10 of them to 8 or 16.
 *
 * Activations lie in the LANES layout, [batch/8][…][8]: every operator computes eight examples at once, whatever the number of channels. A
 * batch that 8 does not divide is padded to a multiple of 8. Import, reorder and the kernels that make gradients write zeros to the
 * padding; in other activations the padding holds what the network computes from zeros, and nothing reads it.
 *
 * Parameters and their gradients are plain row-major, read and written in place in the flat buffers: dense weights [out][in], convolution
 * weights [out][in][kernel_h][kernel_w]. Gradients are written, not added to.
 *
 * The comment beside a maker lists the kernel's arguments in their order: inputs → outputs | workspaces. [x] means: only where the spec
 * asks for it; otherwise there is no such argument. A kernel belongs to the caller, who ends it with kernel->destroy(kernel). One thread at
 * a time may run it; a run opens its own OpenMP team. For a fixed team results are the same, bit for bit, from run to run. */
#ifndef TRI_TENSOR_NARROW_NARROW_H
#define TRI_TENSOR_NARROW_NARROW_H

#include "tensor/kernel.h"

#define TRI_LANES 8

typedef struct {
    int threads;     /* at least 1 */
    const char *isa; /* instruction set: NULL is the best that this machine has; others by name, to compare with */
} tri__narrow_team;

const char *tri__narrow_isa(int index); /* instruction sets that this machine has, best first; NULL after the last */

/* ---- into the layout and out of it ---- */

/* Examples as data sets give them. y = x · scale + offset. */
typedef struct {
    int64_t batch;
    int64_t height, width, channels; /* flat features: 1, 1, features */
    tri_type type;                   /* of x: TRI_U8 or TRI_F32 */
    float scale, offset;
} tri__narrow_input;

/* x plain [batch][height][width][channels], scattered → y lanes [batch/8][channels][height][width][8] */
TRI_MUST_CHECK tri_status tri__narrow_import(const tri__narrow_input *spec, tri__narrow_team team, tri__kernel **out);

/* x plain f32 [batch][count] → y lanes [batch/8][count][8], and back. */
TRI_MUST_CHECK tri_status tri__narrow_to_lanes(int64_t batch, int64_t count, tri__narrow_team team, tri__kernel **out);
TRI_MUST_CHECK tri_status tri__narrow_to_plain(int64_t batch, int64_t count, tri__narrow_team team, tri__kernel **out);

/* ---- convolution, with ReLU and pooling in the same pass ---- */

typedef enum { TRI_NARROW_NO_POOL, TRI_NARROW_AVERAGE, TRI_NARROW_MAX } tri__narrow_pool;

typedef struct {
    int64_t batch, channels, height, width; /* of x */
    int64_t filters;
    int64_t kernel_h, kernel_w;
    int64_t stride_h, stride_w;
    int64_t pad_h, pad_w; /* zeros on either side */
    bool bias, relu;      /* y = pool(relu(conv(x, w) + b)) */
    tri__narrow_pool pool;
    int64_t pool_size; /* windows of pool_size², side by side; rows and columns that fill no window are dropped. At most 15 */
} tri__narrow_conv;

/* Rows and columns of y, after pooling. */
int64_t tri__narrow_conv_rows(const tri__narrow_conv *spec);
int64_t tri__narrow_conv_columns(const tri__narrow_conv *spec);

/* x, w, [b] → y [batch/8][filters][rows][columns][8] | mask, private scratch
 * mask is for the backward kernel of the same spec: its workspace 0. It has 0 bytes where there is neither ReLU nor max pooling. */
TRI_MUST_CHECK tri_status tri__narrow_conv_forward(const tri__narrow_conv *spec, tri__narrow_team team, tri__kernel **out);

/* dy, x, w → dw, [db], [dx: where want_dx] | mask, private scratch */
TRI_MUST_CHECK tri_status tri__narrow_conv_backward(const tri__narrow_conv *spec, bool want_dx, tri__narrow_team team, tri__kernel **out);

/* ---- the weights' gradient of a wide convolution ---- */

/* This is not a narrow layer, but the gradient for which oneDNN is furthest below the CPU's peak rate. There are no lanes here: dy lies in
 * blocks of eight filters, [batch][filters/8][rows][columns][8], and x in such blocks of channels or, where they are few, plain. Filters
 * are a multiple of 16. Results are the same, bit for bit, for a team of any size. */
typedef struct {
    int64_t batch, channels, height, width; /* of x */
    int64_t filters;
    int64_t kernel_h, kernel_w;
    int64_t stride_h, stride_w;
    int64_t pad_h, pad_w;
    bool bias;
    const tri__tensor_layout *dy_layout,
        *x_layout; /* a plan's layouts of these blocks; x_layout is NULL where x is plain. They outlive the kernel */
} tri__narrow_weight;

/* dy, x → dw, [db] | sums, padded images */
TRI_MUST_CHECK tri_status tri__narrow_conv_weight(const tri__narrow_weight *spec, tri__narrow_team team, tri__kernel **out);

/* ---- dense layers ---- */

typedef struct {
    int64_t batch, in, out;
    bool bias, relu; /* y = relu(x·wᵀ + b) */
} tri__narrow_dense;

/* x [batch/8][in][8], w, [b] → y [batch/8][out][8] */
TRI_MUST_CHECK tri_status tri__narrow_dense_forward(const tri__narrow_dense *spec, tri__narrow_team team, tri__kernel **out);

/* dy, x, w, [y: where relu] → dw, [db], [dx: where want_dx] | private scratch */
TRI_MUST_CHECK tri_status tri__narrow_dense_backward(const tri__narrow_dense *spec, bool want_dx, tri__narrow_team team, tri__kernel **out);

/* ---- losses ---- */

/* Softmax cross-entropy. Labels must be in [0, classes): the caller has checked them. A row of weight 0 counts for nothing.
 * logits lanes [batch/8][classes][8], labels i32 [batch], weights f32 [batch] → loss f32 scalar = Σ weight · loss,
 * dlogits lanes = weight · (softmax − onehot) | private scratch */
TRI_MUST_CHECK tri_status tri__narrow_softmax_loss(int64_t batch, int64_t classes, tri__narrow_team team, tri__kernel **out);

/* A softmax classifier that sits directly on the input. Everything is plain row-major. */
typedef struct {
    int64_t batch, in, classes; /* at most TRI_NARROW_HEAD_CLASSES */
    tri_type type;              /* of x: TRI_U8 or TRI_F32 */
    float scale, offset;        /* logits = (x · scale + offset)·wᵀ + b */
    bool bias;
} tri__narrow_head;

#define TRI_NARROW_HEAD_CLASSES 32

/* A whole training step in one pass:
 * x [batch][in], scattered, labels i32 [batch], weights f32 [batch], w [classes][in], [b] → loss, dw, [db] | private scratch */
TRI_MUST_CHECK tri_status tri__narrow_head_step(const tri__narrow_head *spec, tri__narrow_team team, tri__kernel **out);

/* x [batch][in], scattered, w, [b] → logits plain [batch][classes] | private scratch */
TRI_MUST_CHECK tri_status tri__narrow_head_forward(const tri__narrow_head *spec, tri__narrow_team team, tri__kernel **out);

/* ---- where these kernels beat oneDNN's ---- */

bool tri__narrow_wins_conv(const tri__narrow_conv *spec);
bool tri__narrow_wins_weight(const tri__narrow_weight *spec, int threads);
bool tri__narrow_wins_dense(const tri__narrow_dense *spec);
bool tri__narrow_wins_head(const tri__narrow_head *spec);

#endif
