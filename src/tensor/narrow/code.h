/* code.h: what the makers of kernels (this folder) and the vector code (vector/) agree on.
 *
 * A maker works out a geometry once: sizes, offsets, how much scratch each thread has. The vector code exists once for each instruction set
 * as a table of parts. A part is what one thread of the team does in one run: it gets the geometry, the arguments' pointers in the order
 * that narrow.h gives, and its place in the team. */
#ifndef TRI_TENSOR_NARROW_CODE_H
#define TRI_TENSOR_NARROW_CODE_H

#include "tensor/narrow/narrow.h"

typedef void tri__narrow_part(const void *geometry, void *const *data, int thread, int threads);

typedef struct {
    const char *name;
    tri__narrow_part *import, *to_lanes, *to_plain;
    tri__narrow_part *conv_forward, *conv_backward, *conv_weight;
    tri__narrow_part *dense_forward, *dense_backward;
    tri__narrow_part *softmax_loss;
    tri__narrow_part *head_step, *head_forward;
} tri__narrow_code;

/* The table of the instruction set that team names; TRI_UNSUPPORTED where this machine or build has none of that name. */
TRI_MUST_CHECK tri_status tri__narrow_code_find(tri__narrow_team team, const tri__narrow_code **out);

/* A kernel that runs part in a team. It copies geometry, which may point into owned; it takes owned and frees it in the end. */
TRI_MUST_CHECK tri_status tri__narrow_make(const char *name, tri__narrow_part *part, int threads, const void *geometry, size_t bytes,
                                           void *owned, tri__kernel **out);

/* Describe the next argument of a kernel that is being made: inputs first, then outputs, then workspaces. */
void tri__narrow_in(tri__kernel *kernel, const tri__tensor_layout *layout, size_t bytes);
void tri__narrow_out(tri__kernel *kernel, const tri__tensor_layout *layout, size_t bytes);
void tri__narrow_work(tri__kernel *kernel, size_t bytes);

/* Is the product of the sizes no more than INT32_MAX? The kernels' offsets are 32 bits wide. */
bool tri__narrow_within_offsets(int count, const int64_t *size);

/* Sizes that a spec gives must be positive, and within the offsets. */
TRI_MUST_CHECK tri_status tri__narrow_check(const char *what, int count, const int64_t *size);

static inline int64_t tri__narrow_groups(int64_t batch)
{
    return (batch + TRI_LANES - 1) / TRI_LANES;
}

/* Bytes of a lanes tensor of count floats an example. */
static inline size_t tri__narrow_bytes(int64_t batch, int64_t count)
{
    return (size_t)(tri__narrow_groups(batch) * TRI_LANES * count) * sizeof(float);
}

typedef struct {
    int64_t batch, groups;
    int64_t planes, count; /* x: [batch][count][planes], y: [groups][planes][count][8] */
    tri_type type;
    float scale, offset;
} tri__narrow_reorder;

/* Positions of a convolution that are computed together: up to four, of one window or, without pooling, of one row. */
typedef struct {
    int32_t count;
    int32_t first;  /* position within its window */
    int32_t column; /* of y, of the first position */
    int32_t x[4];   /* where the positions' patches begin in x, in vectors from the strip's first */
    int32_t d[4];   /* where the positions are in d (see below), from the strip's first */
} tri__narrow_chunk;

/* One phase of the input's gradient: the rows ≡ row and columns ≡ column modulo the strides. The same taps reach all of them. */
typedef struct {
    int64_t row, column;
    int64_t rows;       /* of the kernel */
    int64_t row_taps;   /* filters · columns of the kernel */
    const int32_t *tap; /* [rows][row_taps] offsets in d, in vectors */
    int64_t weights;    /* where the weights of this phase begin in the reordered copy: [channels][rows][row_taps] */
} tri__narrow_phase;

/* Convolution. A strip is one row of y: pool_size rows of the convolution. Its gradient before pooling and ReLU is d
 * [rows][filters][columns][8]. Where the input's gradient is wanted, d is of a whole group of examples, with columns of zeros on either
 * side; otherwise it is of one slab of strips at a time. All offsets count vectors of eight lanes. */
typedef struct {
    tri__narrow_conv spec;
    int64_t groups;
    int64_t pool;              /* 1 where there is none */
    int64_t strips, columns;   /* of y */
    int64_t x_rows, x_columns; /* of x with its padding */
    int64_t strip_x;           /* offset from a strip to the next, in x */
    int64_t taps;              /* channels · kernel_h · kernel_w */
    int32_t *tap;              /* [taps] offsets in x */
    tri__narrow_chunk *chunk;  /* [chunks] of one strip */
    int64_t chunks, window;    /* window: chunks of one window of the pooling */
    bool masked;               /* there is a mask: bytes [groups][filters][strips][chunks][8], one bit for each position. With max pooling,
                                 a window's first chunk has the position of the maximum instead; 255 where ReLU stops it */
    int64_t mask_bytes;        /* of one strip of one filter; 0 where there is no mask */
    int64_t padded_x;          /* vectors of a padded copy of x; 0 where x needs no copy */

    bool want_dx;
    int64_t slab;              /* strips */
    int64_t d_rows, d_columns; /* of d */
    int64_t border_w;
    int64_t phases;
    tri__narrow_phase *phase;
    int64_t private_vectors; /* scratch of one thread */
} tri__narrow_conv_geometry;

/* The weights' gradient of a wide convolution. A block is the channels that lie side by side in x: eight of them, or one where x is plain.
 * All offsets count floats. */
typedef struct {
    tri__narrow_weight spec;
    int64_t rows, columns;    /* of dy */
    int64_t block, blocks;    /* channels of a block, and how many blocks */
    int64_t x_columns, plane; /* of a block of x with its padding: columns of a row, floats of the whole block */
    int64_t step, row_step;   /* offsets in such a block, from a column or row of dy to the next */
    int64_t taps;             /* of a block */
    const int32_t *tap;       /* [taps] offsets in a block */
    int64_t band, images;     /* rows of dy that are taken at a time; images that are padded at a time */
} tri__narrow_weight_geometry;

typedef struct {
    tri__narrow_dense spec;
    int64_t groups;
    bool want_dx;
} tri__narrow_dense_geometry;

typedef struct {
    int64_t batch, groups, classes;
} tri__narrow_loss_geometry;

typedef struct {
    tri__narrow_head spec;
    int64_t groups;
    int64_t block;           /* groups that are computed at a time, from logits to gradient */
    int64_t private_vectors; /* scratch of one thread */
} tri__narrow_head_geometry;

#endif
