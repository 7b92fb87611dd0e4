/* reorder.c: the same elements in another layout. */
#include "tensor/onednn/primitive.h"

tri_status tri__onednn_reorder(tri__onednn *context, tri_shape shape, const tri__tensor_layout *from, const tri__tensor_layout *to,
                               tri__kernel **out)
{
    shape = tri__onednn_shape(shape, from ? from : to);
    dnnl_memory_desc_t source = tri__onednn_desc(shape, from), target = tri__onednn_desc(shape, to);
    dnnl_primitive_desc_t desc;
    TRI_TRY(tri__onednn_check(dnnl_reorder_primitive_desc_create(&desc, &source, context->engine, &target, context->engine, context->attr),
                              "a reorder"));
    static const tri__onednn_arguments arguments = {"onednn reorder", 1, 1, 0, {DNNL_ARG_FROM, DNNL_ARG_TO}};
    return tri__onednn_kernel(context, desc, &arguments, out);
}
