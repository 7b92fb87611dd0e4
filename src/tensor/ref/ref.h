/* ref.h: every operator in plain C. All other kernels are tested against these, and a plan runs them where no other kernel is better.
 *
 * Tensors are plain row-major, their shapes are written beside each function. Inputs come first, the result last. The functions allocate
 * nothing and start no threads. Sums run in double and are rounded once. Any dimension may be 0. Every result that reads a NaN is NaN.
 * Unless a comment says otherwise, the result must not overlap an input. */
#ifndef TRI_TENSOR_REF_REF_H
#define TRI_TENSOR_REF_REF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/random.h"
#include "trireme/tensor.h"

/* ---- matmul.c ---- */

typedef struct {
    int64_t rows, inner, columns; /* y[rows][columns] = Σ over inner */
    bool transpose_a;             /* a is stored [inner][rows] instead of [rows][inner] */
    bool transpose_b;             /* b is stored [columns][inner] instead of [inner][columns] */
} tri__ref_matmul_shape;

void tri__ref_matmul(tri__ref_matmul_shape s, const float *a, const float *b, const float *bias, float *y); /* bias [columns] or NULL */
void tri__ref_transpose(int64_t rows, int64_t columns, const float *x, float *y);                           /* [rows][columns] */
void tri__ref_trace(int64_t n, const float *x, float *y);                                                   /* [n][n] → [] */
void tri__ref_trace_grad(int64_t n, const float *dy, float *dx);                                            /* [] → [n][n] */

/* ---- convolution.c and pooling.c: a window slides over planes ---- */

typedef struct {
    int64_t n, c, h, w; /* x: [n][c][h][w] */
    int64_t o, oh, ow;  /* y: [n][o][oh][ow]; pooling has o = c */
    int64_t kernel[2], stride[2], pad[2];
    int64_t dilation[2]; /* convolution: rows and columns from one element of the kernel to the next */
    int64_t groups;      /* convolution: output o reads only the channels of its group */
} tri__ref_window;

/* w: [o][c / groups][kernel][kernel], bias: [o] or NULL */
void tri__ref_convolution(const tri__ref_window *s, const float *x, const float *w, const float *bias, float *y);
void tri__ref_convolution_grad_input(const tri__ref_window *s, const float *dy, const float *w, float *dx);
void tri__ref_convolution_grad_weight(const tri__ref_window *s, const float *dy, const float *x, float *dw);

/* Padding is never the maximum; a NaN is. The first maximum of a window takes its whole gradient. */
void tri__ref_maxpool(const tri__ref_window *s, const float *x, float *y);
void tri__ref_maxpool_grad(const tri__ref_window *s, const float *dy, const float *x, float *dx);

/* Padding counts as zeros: every window is divided by the whole kernel's size, as PyTorch does by default. */
void tri__ref_avgpool(const tri__ref_window *s, const float *x, float *y);
void tri__ref_avgpool_grad(const tri__ref_window *s, const float *dy, float *dx);

/* ---- elementwise.c: the result may be any of the inputs ---- */

void tri__ref_relu(int64_t count, const float *x, float *y);
void tri__ref_tanh(int64_t count, const float *x, float *y);
void tri__ref_sigmoid(int64_t count, const float *x, float *y);
void tri__ref_gelu(int64_t count, const float *x, float *y);
void tri__ref_gelu_grad(int64_t count, const float *dy, const float *x, float *dx);
void tri__ref_relu_grad(int64_t count, const float *dy, const float *y, float *dx);
void tri__ref_tanh_grad(int64_t count, const float *dy, const float *y, float *dx);
void tri__ref_sigmoid_grad(int64_t count, const float *dy, const float *y, float *dx);

/* b has as many elements as a, or one (b_count = 1). */
void tri__ref_add(int64_t count, const float *a, int64_t b_count, const float *b, float *y);
void tri__ref_multiply(int64_t count, const float *a, int64_t b_count, const float *b, float *y);

/* x: [n][elements]; row i is masked by the stream of key, epoch and ids[i] (of i where ids is NULL), whatever its neighbours are. */
void tri__ref_dropout(int64_t n, int64_t elements, float rate, tri__key key, int64_t epoch, int64_t first, const int64_t *ids,
                      const float *x, float *y);

/* ---- image.c ---- */

/* x: [n][h][w][c] → y: [n][c][h][w], y = x · scale + offset. The type of x is TRI_U8 or TRI_F32. */
void tri__ref_image(int64_t n, int64_t h, int64_t w, int64_t c, tri_type type, const void *x, float scale, float offset, float *y);

/* ---- normalise.c ---- */

void tri__ref_softmax(int64_t n, int64_t c, const float *x, float *y);                        /* [n][c]; y may be x */
void tri__ref_softmax_grad(int64_t n, int64_t c, const float *dy, const float *y, float *dx); /* dx may be dy or y */

typedef struct {
    int64_t n, c, inner; /* x: [n][c][inner] */
    int64_t size;        /* channels in the window: from c − size/2 to c + (size − 1)/2 */
    float alpha, beta, bias;
} tri__ref_lrn_shape;

void tri__ref_lrn(const tri__ref_lrn_shape *s, const float *x, float *y);
void tri__ref_lrn_grad(const tri__ref_lrn_shape *s, const float *dy, const float *x, float *dx);

/* x: [n][width], scale, shift: [width]; normalises each example by its own mean and variance */
void tri__ref_layer_norm(int64_t n, int64_t width, float epsilon, const float *x, const float *scale, const float *shift, float *y);
void tri__ref_layer_norm_grad(int64_t n, int64_t width, float epsilon, const float *dy, const float *x, const float *scale, float *dx);
void tri__ref_layer_norm_grad_scale(int64_t n, int64_t width, float epsilon, const float *dy, const float *x, float *dscale);

/* ---- batch_norm.c: examples of weight 0 do not count ---- */

typedef struct {
    int64_t n, c, inner; /* x: [n][c][inner] */
    float epsilon;
} tri__ref_batch_shape;

/* scale, shift, mean, variance: [c], weights: [n]. Normalises by the batch's own mean and variance; where weights is NULL, by those
 * given. */
void tri__ref_batch_norm(const tri__ref_batch_shape *s, const float *x, const float *scale, const float *shift, const float *mean,
                         const float *variance, const float *weights, float *y);
void tri__ref_batch_norm_grad(const tri__ref_batch_shape *s, const float *dy, const float *x, const float *scale, const float *weights,
                              float *dx);
void tri__ref_batch_norm_grad_scale(const tri__ref_batch_shape *s, const float *dy, const float *x, const float *weights, float *dscale);

/* What the running statistics are moved towards, times Σ weight: [c] */
void tri__ref_batch_mean(const tri__ref_batch_shape *s, const float *x, const float *weights, float *out);
void tri__ref_batch_variance(const tri__ref_batch_shape *s, const float *x, const float *weights, float *out);

/* ---- loss.c: rows of weight 0 count as absent, whatever they hold; a label that is no class makes the result NaN ---- */

/* logits: [n][c], labels, weights: [n] → loss: []. smoothing: the share of a label that is spread over all classes */
void tri__ref_softmax_loss(int64_t n, int64_t c, float smoothing, const float *logits, const int32_t *labels, const float *weights,
                           float *loss);
void tri__ref_softmax_loss_grad(int64_t n, int64_t c, float smoothing, const float *dy, const float *logits, const int32_t *labels,
                                const float *weights, float *dx);

/* The same of shares: [n][c], those that each class has in an example's label, in place of labels */
void tri__ref_softmax_loss_of_shares(int64_t n, int64_t c, float smoothing, const float *logits, const float *shares, const float *weights,
                                     float *loss);
void tri__ref_softmax_loss_of_shares_grad(int64_t n, int64_t c, float smoothing, const float *dy, const float *logits, const float *shares,
                                          const float *weights, float *dx);

/* Losses of numbers: x, targets: [n][k], weights: [n] → loss: []: Σ weight · mean over k of the element's loss */
typedef struct {
    double loss, slope; /* of one element, and its derivative by x */
} tri__element_loss;
typedef tri__element_loss tri__element_rule(double x, double target, double delta);

tri__element_loss tri__ref_squared(double x, double target, double delta);  /* mse_loss: (x − t)² */
tri__element_loss tri__ref_huber(double x, double target, double delta);    /* ½(x − t)² up to delta away, linear beyond */
tri__element_loss tri__ref_log_odds(double x, double target, double delta); /* sigmoid_loss: −log of the chance that sigmoid(x) gives t */

void tri__ref_mean_loss(tri__element_rule *rule, int64_t n, int64_t k, float delta, const float *x, const float *targets,
                        const float *weights, float *loss);
void tri__ref_mean_loss_grad(tri__element_rule *rule, int64_t n, int64_t k, float delta, const float *dy, const float *x,
                             const float *targets, const float *weights, float *dx);

/* logits, labels (0 or 1), weights: [n] → loss: [] */
void tri__ref_logistic_loss(int64_t n, const float *logits, const int32_t *labels, const float *weights, float *loss);
void tri__ref_logistic_loss_grad(int64_t n, const float *dy, const float *logits, const int32_t *labels, const float *weights, float *dx);

/* The same of shares: [n][2] */
void tri__ref_logistic_loss_of_shares(int64_t n, const float *logits, const float *shares, const float *weights, float *loss);
void tri__ref_logistic_loss_of_shares_grad(int64_t n, const float *dy, const float *logits, const float *shares, const float *weights,
                                           float *dx);

/* ---- reduce.c: the middle of three dimensions is summed up, or added ---- */

/* x: [outer][length][inner] → y: [outer][inner], y = scale · Σ x */
void tri__ref_sum(int64_t outer, int64_t length, int64_t inner, float scale, const float *x, float *y);
/* dy: [outer][inner] → dx: [outer][length][inner], dx = scale · dy */
void tri__ref_broadcast(int64_t outer, int64_t length, int64_t inner, float scale, const float *dy, float *dx);

void tri__ref_bias(int64_t n, int64_t c, int64_t inner, const float *x, const float *b, float *y); /* [n][c][inner], b: [c]; y may be x */
void tri__ref_bias_grad(int64_t n, int64_t c, int64_t inner, const float *dy, float *db);

/* ---- sparse.c: rows of a table by key; the features of example n are offsets[n] … offsets[n + 1] − 1 ---- */

typedef struct {
    int64_t n;              /* examples */
    int64_t f, d;           /* table: [f][d] */
    const int64_t *offsets; /* [n + 1] */
    const int32_t *keys;    /* [features], each below f */
    const float *values;    /* [features]; NULL: all are 1 */
} tri__ref_sparse;

/* y: [n][d] = Σ value · row; with mean, divided by the number of the example's features */
void tri__ref_sparse_sum(const tri__ref_sparse *s, bool mean, const float *table, float *y);
void tri__ref_sparse_sum_grad(const tri__ref_sparse *s, bool mean, const float *dy, float *dtable);

/* y: [n][fields][d], the rows of the example's features, then zeros */
void tri__ref_gather(const tri__ref_sparse *s, int64_t fields, const float *table, float *y);
void tri__ref_gather_grad(const tri__ref_sparse *s, int64_t fields, const float *dy, float *dtable);

/* y: [n] = Σ over pairs i < j of ⟨value_i · row_i, value_j · row_j⟩ */
void tri__ref_pairwise(const tri__ref_sparse *s, const float *table, float *y);
void tri__ref_pairwise_grad(const tri__ref_sparse *s, const float *dy, const float *table, float *dtable);

#endif
