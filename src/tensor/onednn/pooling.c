/* pooling.c: pooling and local response normalisation, which take their input in the layout it has and keep it. */
#include "tensor/onednn/primitive.h"

static const dnnl_dims_t no_dilation = {0, 0};

static dnnl_alg_kind_t pooling_kind(const tri__onednn_pooling *spec)
{
    return spec->average ? dnnl_pooling_avg_include_padding : dnnl_pooling_max;
}

/* The input in the layout that it has. But oneDNN pools plain memory slowly, so where channels fill whole vectors, we ask for blocks. */
static dnnl_memory_desc_t pooling_input(const tri__onednn_pooling *spec)
{
    int64_t lanes = dnnl_get_effective_cpu_isa() >= dnnl_cpu_isa_avx512_core ? 16 : 8;
    dnnl_memory_desc_t desc = tri__onednn_desc(spec->x, spec->layout);
    if (!spec->layout && spec->x.dim[1] % lanes == 0)
        dnnl_memory_desc_init_by_tag(&desc, spec->x.rank, spec->x.dim, dnnl_f32, lanes == 16 ? dnnl_aBcd16b : dnnl_aBcd8b);
    return desc;
}

static tri_status pooling_desc(tri__onednn *context, const tri__onednn_pooling *spec, dnnl_primitive_desc_t *out)
{
    dnnl_memory_desc_t x = pooling_input(spec), y = tri__onednn_desc_any(spec->y);
    dnnl_prop_kind_t kind = spec->training ? dnnl_forward_training : dnnl_forward_inference;
    const dnnl_dims_t pad_end = {spec->pad[0] + spec->pad_more[0], spec->pad[1] + spec->pad_more[1]};
    dnnl_pooling_v2_desc_t desc;
    TRI_TRY(tri__onednn_check(dnnl_pooling_v2_forward_desc_init(&desc, kind, pooling_kind(spec), &x, &y, spec->stride, spec->kernel,
                                                                no_dilation, spec->pad, pad_end),
                              "pooling"));
    return tri__onednn_check(dnnl_primitive_desc_create(out, &desc, context->attr, context->engine, NULL), "pooling");
}

tri_status tri__onednn_pooling_forward(tri__onednn *context, const tri__onednn_pooling *spec, tri__kernel **out)
{
    dnnl_primitive_desc_t desc;
    TRI_TRY(pooling_desc(context, spec, &desc));
    const tri__onednn_arguments arguments = {spec->average ? "onednn avgpool" : "onednn maxpool",
                                             1,
                                             1,
                                             spec->training && !spec->average ? 1 : 0,
                                             {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_WORKSPACE}};
    return tri__onednn_kernel(context, desc, &arguments, out);
}

tri_status tri__onednn_pooling_backward(tri__onednn *context, const tri__onednn_pooling *spec, tri__kernel **out)
{
    dnnl_primitive_desc_t hint, desc = NULL;
    TRI_TRY(pooling_desc(context, spec, &hint));
    dnnl_memory_desc_t dx = pooling_input(spec);
    const dnnl_memory_desc_t *dy = dnnl_primitive_desc_query_md(hint, dnnl_query_dst_md, 0);
    const dnnl_dims_t pad_end = {spec->pad[0] + spec->pad_more[0], spec->pad[1] + spec->pad_more[1]};
    dnnl_pooling_v2_desc_t backward;
    dnnl_status_t made = dnnl_pooling_v2_backward_desc_init(&backward, pooling_kind(spec), &dx, dy, spec->stride, spec->kernel, no_dilation,
                                                            spec->pad, pad_end);
    if (made == dnnl_success)
        made = dnnl_primitive_desc_create(&desc, &backward, context->attr, context->engine, hint);
    dnnl_primitive_desc_destroy(hint);
    TRI_TRY(tri__onednn_check(made, "a pooling gradient"));
    const tri__onednn_arguments arguments = {spec->average ? "onednn avgpool_grad" : "onednn maxpool_grad",
                                             1,
                                             1,
                                             spec->average ? 0 : 1,
                                             {DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_WORKSPACE}};
    return tri__onednn_kernel(context, desc, &arguments, out);
}

static tri_status lrn_desc(tri__onednn *context, const tri__onednn_lrn *spec, dnnl_primitive_desc_t *out)
{
    dnnl_memory_desc_t x = tri__onednn_desc(spec->x, spec->layout);
    dnnl_prop_kind_t kind = spec->training ? dnnl_forward_training : dnnl_forward_inference;
    dnnl_lrn_desc_t desc;
    TRI_TRY(tri__onednn_check(
        dnnl_lrn_forward_desc_init(&desc, kind, dnnl_lrn_across_channels, &x, spec->size, spec->alpha, spec->beta, spec->bias),
        "local response normalisation"));
    return tri__onednn_check(dnnl_primitive_desc_create(out, &desc, context->attr, context->engine, NULL), "local response normalisation");
}

tri_status tri__onednn_lrn_forward(tri__onednn *context, const tri__onednn_lrn *spec, tri__kernel **out)
{
    dnnl_primitive_desc_t desc;
    TRI_TRY(lrn_desc(context, spec, &desc));
    const tri__onednn_arguments arguments = {"onednn lrn", 1, 1, spec->training ? 1 : 0, {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_WORKSPACE}};
    return tri__onednn_kernel(context, desc, &arguments, out);
}

tri_status tri__onednn_lrn_backward(tri__onednn *context, const tri__onednn_lrn *spec, tri__kernel **out)
{
    dnnl_primitive_desc_t hint, desc = NULL;
    TRI_TRY(lrn_desc(context, spec, &hint));
    dnnl_memory_desc_t x = tri__onednn_desc(spec->x, spec->layout);
    dnnl_lrn_desc_t backward;
    dnnl_status_t made =
        dnnl_lrn_backward_desc_init(&backward, dnnl_lrn_across_channels, &x, &x, spec->size, spec->alpha, spec->beta, spec->bias);
    if (made == dnnl_success)
        made = dnnl_primitive_desc_create(&desc, &backward, context->attr, context->engine, hint);
    dnnl_primitive_desc_destroy(hint);
    TRI_TRY(tri__onednn_check(made, "the gradient of local response normalisation"));
    static const tri__onednn_arguments arguments = {
        "onednn lrn_grad", 2, 1, 1, {DNNL_ARG_DIFF_DST, DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC, DNNL_ARG_WORKSPACE}};
    return tri__onednn_kernel(context, desc, &arguments, out);
}
