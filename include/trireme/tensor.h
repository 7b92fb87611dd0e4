/* tensor.h: a tensor is a type, a shape and a pointer. It borrows its storage and is passed by value or const pointer. */
#ifndef TRIREME_TENSOR_H
#define TRIREME_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TRI_MAX_RANK 5

typedef enum { TRI_F32, TRI_I32, TRI_I64, TRI_U8 } tri_type;

typedef struct {
    int rank; /* 0 is a scalar: one element */
    int64_t dim[TRI_MAX_RANK];
} tri_shape;

typedef struct {
    tri_type type;
    tri_shape shape;
    void *data;
} tri_tensor;

typedef struct {
    size_t first, count;
} tri_range; /* in floats, of the flat parameter buffer */

/* The last floats of the buffer are kept without a gradient: running statistics, for example. In every step the store moves them towards
 * the mean of what operators saw: s ← s + rate · (mean − s). The last of these floats are frozen: they do not change. No rule, l2 or
 * clipping concerns any of them. */
typedef struct {
    tri_range range; /* {0, 0} where there are none */
    float rate;
    size_t frozen; /* how many floats at the end of range are frozen */
} tri_state;

/* What an example is labelled with, and a loss learns. */
typedef enum {
    TRI_LABEL_CLASS,   /* one class, by its number */
    TRI_LABEL_NUMBERS, /* real numbers */
    TRI_LABEL_SET,     /* which of several labels hold: 1 for each that does, 0 for the others */
} tri_label_kind;

size_t tri_type_size(tri_type type);
const char *tri_type_name(tri_type type); /* "f32" */

/* TRI_SHAPE(28, 28, 1) */
#ifdef __cplusplus
typedef int64_t tri_dims[];
#define TRI_SHAPE(...) (tri_shape{(int)(sizeof(tri_dims{__VA_ARGS__}) / sizeof(int64_t)), {__VA_ARGS__}})
#else
#define TRI_SHAPE(...) tri_shape_of((int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]){__VA_ARGS__})
#endif
tri_shape tri_shape_of(int rank, const int64_t *dim);
int64_t tri_shape_count(tri_shape shape); /* elements; the shape must have been checked */
bool tri_shape_equal(tri_shape a, tri_shape b);
const char *tri_shape_text(tri_shape shape, char *buffer, size_t size); /* "64x6x28x28"; "scalar" for rank 0; returns buffer */

/* Elements of shape, or TRI_BAD_CALL where a dimension is negative or the product overflows. */
TRI_MUST_CHECK tri_status tri_shape_check(tri_shape shape, int64_t *count);

#ifdef __cplusplus
}
#endif
#endif
