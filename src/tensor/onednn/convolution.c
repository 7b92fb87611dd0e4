/* convolution.c: convolution forward (with bias and ReLU inside) and its two gradients. All layouts are oneDNN's choice. */
#include "tensor/onednn/primitive.h"

typedef struct {
    dnnl_memory_desc_t x, w, bias, y;
    dnnl_dims_t dilation, pad_end;
    const dnnl_memory_desc_t *bias_or_none;
} descriptors;

/* [groups][out / groups][c / groups][kernel] */
static tri_shape grouped(const tri__onednn_convolution *spec)
{
    const int64_t *w = spec->w.dim;
    return TRI_SHAPE(spec->groups, w[0] / spec->groups, w[1], w[2], w[3]);
}

static void describe(const tri__onednn_convolution *spec, descriptors *d)
{
    d->x = tri__onednn_desc_any(spec->x);
    d->w = tri__onednn_desc_any(spec->groups > 1 ? grouped(spec) : spec->w);
    d->y = tri__onednn_desc_any(spec->y);
    d->bias = tri__onednn_desc(TRI_SHAPE(spec->w.dim[0]), NULL);
    d->bias_or_none = spec->bias ? &d->bias : NULL;
    for (int i = 0; i < 2; i++) {
        d->dilation[i] = spec->dilation[i] - 1; /* oneDNN counts the elements that are skipped */
        d->pad_end[i] = spec->pad[i] + spec->pad_more[i];
    }
}

static tri_status forward_desc(tri__onednn *context, const tri__onednn_convolution *spec, dnnl_primitive_attr_t attr,
                               dnnl_primitive_desc_t *out)
{
    descriptors d;
    describe(spec, &d);
    dnnl_convolution_desc_t desc;
    TRI_TRY(
        tri__onednn_check(dnnl_dilated_convolution_forward_desc_init(&desc, dnnl_forward_training, dnnl_convolution_direct, &d.x, &d.w,
                                                                     d.bias_or_none, &d.y, spec->stride, d.dilation, spec->pad, d.pad_end),
                          "a convolution"));
    return tri__onednn_check(dnnl_primitive_desc_create(out, &desc, attr, context->engine, NULL), "a convolution");
}

/* Attributes with ReLU behind the convolution; the caller destroys them, also after a failure. */
static tri_status relu_attributes(tri__onednn *context, dnnl_primitive_attr_t *out)
{
    dnnl_post_ops_t operations = NULL;
    dnnl_status_t made = dnnl_primitive_attr_clone(out, context->attr);
    if (made == dnnl_success)
        made = dnnl_post_ops_create(&operations);
    if (made == dnnl_success)
        made = dnnl_post_ops_append_eltwise(operations, 1.0f, dnnl_eltwise_relu, 0.0f, 0.0f);
    if (made == dnnl_success)
        made = dnnl_primitive_attr_set_post_ops(*out, operations);
    dnnl_post_ops_destroy(operations);
    return tri__onednn_check(made, "a fused ReLU");
}

tri_status tri__onednn_convolution_forward(tri__onednn *context, const tri__onednn_convolution *spec, tri__kernel **out)
{
    dnnl_primitive_desc_t desc = NULL;
    dnnl_primitive_attr_t relu = NULL;
    tri_status status = spec->relu ? relu_attributes(context, &relu) : NULL;
    if (!status)
        status = forward_desc(context, spec, relu ? relu : context->attr, &desc);
    dnnl_primitive_attr_destroy(relu);
    TRI_TRY(status);
    static const tri__onednn_arguments without = {"onednn conv_forward", 2, 1, 0, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}};
    static const tri__onednn_arguments with = {
        "onednn conv_forward", 3, 1, 0, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST}};
    return tri__onednn_kernel(context, desc, spec->bias ? &with : &without, out);
}

/* A gradient's descriptor, made with the forward descriptor as oneDNN's hint. */
static tri_status backward_desc(tri__onednn *context, const tri__onednn_convolution *spec, const dnnl_convolution_desc_t *backward,
                                dnnl_primitive_desc_t *out)
{
    dnnl_primitive_desc_t hint;
    TRI_TRY(forward_desc(context, spec, context->attr, &hint));
    dnnl_status_t made = dnnl_primitive_desc_create(out, backward, context->attr, context->engine, hint);
    dnnl_primitive_desc_destroy(hint);
    return tri__onednn_check(made, "a convolution's gradient");
}

tri_status tri__onednn_convolution_input(tri__onednn *context, const tri__onednn_convolution *spec, tri__kernel **out)
{
    descriptors d;
    describe(spec, &d);
    dnnl_convolution_desc_t backward;
    TRI_TRY(tri__onednn_check(dnnl_dilated_convolution_backward_data_desc_init(&backward, dnnl_convolution_direct, &d.x, &d.w, &d.y,
                                                                               spec->stride, d.dilation, spec->pad, d.pad_end),
                              "a convolution's input gradient"));
    dnnl_primitive_desc_t desc;
    TRI_TRY(backward_desc(context, spec, &backward, &desc));
    static const tri__onednn_arguments arguments = {
        "onednn conv_input_grad", 2, 1, 0, {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC}};
    return tri__onednn_kernel(context, desc, &arguments, out);
}

tri_status tri__onednn_convolution_weight(tri__onednn *context, const tri__onednn_convolution *spec, tri__kernel **out)
{
    descriptors d;
    describe(spec, &d);
    dnnl_convolution_desc_t backward;
    TRI_TRY(tri__onednn_check(dnnl_dilated_convolution_backward_weights_desc_init(&backward, dnnl_convolution_direct, &d.x, &d.w,
                                                                                  d.bias_or_none, &d.y, spec->stride, d.dilation, spec->pad,
                                                                                  d.pad_end),
                              "a convolution's weight gradient"));
    dnnl_primitive_desc_t desc;
    TRI_TRY(backward_desc(context, spec, &backward, &desc));
    const tri__onednn_arguments arguments = {
        "onednn conv_weight_grad", 2, spec->bias ? 2 : 1, 0, {DNNL_ARG_DIFF_DST, DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_BIAS}};
    return tri__onednn_kernel(context, desc, &arguments, out);
}
