/* layout.c: comparing layouts, and the one of the narrow kernels. */
#include "tensor/layout.h"

#include <stddef.h>

static const tri__layout lanes = {.kind = TRI_LAYOUT_LANES};
const tri__layout *const tri__layout_lanes = &lanes;

tri__layout_kind tri__layout_kind_of(const tri__layout *layout)
{
    return layout ? layout->kind : TRI_LAYOUT_PLAIN;
}

bool tri__layout_equal(const tri__layout *a, const tri__layout *b)
{
    if (a == b)
        return true;
    if (tri__layout_kind_of(a) != tri__layout_kind_of(b))
        return false;
    return !a || !a->equal || a->equal(a, b);
}
