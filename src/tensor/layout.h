/* layout.h: how a tensor's elements lie in memory.
 *
 * NULL is plain row-major. TRI_LAYOUT_LANES is what the narrow kernels use: [batch/8][the other dimensions][8], so that every
 * operator vectorises over examples; a batch that 8 does not divide is padded with zeros. TRI_LAYOUT_ONEDNN is a blocked layout of oneDNN's
 * choosing, known only to tensor/onednn. */
#ifndef TRI_TENSOR_LAYOUT_H
#define TRI_TENSOR_LAYOUT_H

#include <stdbool.h>

typedef enum { TRI_LAYOUT_PLAIN, TRI_LAYOUT_LANES, TRI_LAYOUT_ONEDNN } tri__tensor_layout_kind;

typedef struct tri__tensor_layout tri__tensor_layout;

/* What every layout begins with; a family of kernels may put its own fields behind it. */
struct tri__tensor_layout {
    tri__tensor_layout_kind kind;
    bool (*equal)(const tri__tensor_layout *a, const tri__tensor_layout *b); /* both of one kind; NULL: all of this kind are equal */
};

extern const tri__tensor_layout *const tri__tensor_layout_lanes;

tri__tensor_layout_kind tri__tensor_layout_kind_of(const tri__tensor_layout *layout); /* NULL is plain */
bool tri__tensor_layout_equal(const tri__tensor_layout *a, const tri__tensor_layout *b);

#endif
