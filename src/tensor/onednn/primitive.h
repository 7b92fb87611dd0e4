/* primitive.h: what the files of this folder share: the context, memory descriptors, and a primitive as a kernel. */
#ifndef TRI_TENSOR_ONEDNN_PRIMITIVE_H
#define TRI_TENSOR_ONEDNN_PRIMITIVE_H

#include <dnnl.h>

#include "tensor/onednn/onednn.h"

struct tri__onednn {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_attr_t attr; /* the caller provides scratch memory */
};

/* Turns a status of oneDNN into one of ours, whose message says what was being made or run. NULL for success. */
TRI_MUST_CHECK tri_status tri__onednn_check(dnnl_status_t status, const char *what);

/* The descriptor of a shape in a layout, or with the layout left to oneDNN. */
dnnl_memory_desc_t tri__onednn_desc(tri_shape shape, const tri__tensor_layout *layout);
dnnl_memory_desc_t tri__onednn_desc_any(tri_shape shape);
tri_shape tri__onednn_shape(tri_shape shape, const tri__tensor_layout *layout); /* the dimensions of a layout; of plain memory, the shape */

/* A kernel's arguments as oneDNN numbers them: inputs, outputs, workspaces. Scratch memory is added behind them. */
typedef struct {
    const char *name;
    int inputs, outputs, workspaces;
    int argument[TRI_KERNEL_ARGUMENTS];
} tri__onednn_arguments;

/* Make a kernel of a primitive descriptor; takes ownership of desc in any case. */
TRI_MUST_CHECK tri_status tri__onednn_kernel(tri__onednn *context, dnnl_primitive_desc_t desc, const tri__onednn_arguments *arguments,
                                             tri__kernel **out);

#endif
