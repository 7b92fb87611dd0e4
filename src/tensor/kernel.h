/* kernel.h: the interface that every kernel has, be it plain C, oneDNN or narrow.
 *
 * A kernel is made once, for fixed shapes, and run many times. It says which layout and size each of its arguments has: inputs first, then
 * outputs, then workspaces. A plan finds memory for them, puts reorders where a producer's layout is not the consumer's, and calls run with
 * one pointer for each argument. A forward kernel and its gradient kernel may share a workspace: the first writes it, the second reads it.
 * run allocates nothing. */
#ifndef TRI_TENSOR_KERNEL_H
#define TRI_TENSOR_KERNEL_H

#include "tensor/layout.h"
#include "trireme/dataset.h"
#include "trireme/tensor.h"

#define TRI_KERNEL_ARGUMENTS 16

typedef struct tri__kernel tri__kernel;

/* What a run may need beside its arguments. */
typedef struct {
    const tri_batch *batch; /* NULL where the graph has no inputs */
    int64_t step;           /* updates of the model before this run; 0 where not training */
} tri__moment;

typedef struct {
    const tri__tensor_layout *layout; /* NULL is plain row-major */
    size_t bytes;
} tri__kernel_argument;

struct tri__kernel {
    const char *name; /* as people see it: "onednn conv_forward" */
    int inputs, outputs, workspaces;
    tri__kernel_argument argument[TRI_KERNEL_ARGUMENTS];
    int in_place;   /* 1 + the input over which output 0 may be written, or 0 */
    bool scattered; /* input 0 is an array of pointers to its rows, [batch], which may stand anywhere */
    tri_status (*run)(tri__kernel *kernel, void *const *data, const tri__moment *moment);
    void (*destroy)(tri__kernel *kernel); /* frees kernel itself */
};

static inline int tri__kernel_arguments(const tri__kernel *kernel)
{
    return kernel->inputs + kernel->outputs + kernel->workspaces;
}

#endif
