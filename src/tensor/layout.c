/* layout.c: compares layouts, and has the layout of the narrow kernels. */
#include "tensor/layout.h"

#include <stddef.h>

static const tri__tensor_layout lanes = {.kind = TRI_LAYOUT_LANES};
const tri__tensor_layout *const tri__tensor_layout_lanes = &lanes;

tri__tensor_layout_kind tri__tensor_layout_kind_of(const tri__tensor_layout *layout)
{
    return layout ? layout->kind : TRI_LAYOUT_PLAIN;
}

bool tri__tensor_layout_equal(const tri__tensor_layout *a, const tri__tensor_layout *b)
{
    if (a == b)
        return true;
    if (tri__tensor_layout_kind_of(a) != tri__tensor_layout_kind_of(b))
        return false;
    return !a || !a->equal || a->equal(a, b);
}
