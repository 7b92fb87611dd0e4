/* elementwise.h: functions of one element at a time, for any layout: where all arguments have the same layout, the order of elements in
 * memory does not matter, and padding stays zero. */
#ifndef TRI_TENSOR_ELEMENTWISE_H
#define TRI_TENSOR_ELEMENTWISE_H

#include "tensor/kernel.h"

typedef enum {
    TRI_ELEMENTWISE_RELU,      /* x → max(x, 0) */
    TRI_ELEMENTWISE_RELU_GRAD, /* dy, y → dy where y > 0 */
    TRI_ELEMENTWISE_ADD,       /* a, b → a + b */
} tri__elementwise;

/* All arguments have this layout and size. The result may be written over the first input. */
TRI_MUST_CHECK tri_status tri__elementwise_create(tri__elementwise kind, const tri__tensor_layout *layout, size_t bytes, tri__kernel **out);

#endif
