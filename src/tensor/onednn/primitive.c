/* primitive.c: oneDNN's engine, descriptors and errors, and a primitive as a kernel of ours. */
#include "tensor/onednn/primitive.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory/memory.h"

/* A blocked layout is oneDNN's descriptor, shape included. */
typedef struct {
    tri__tensor_layout layout; /* comes first: a tri__tensor_layout of kind ONEDNN is the head of this struct */
    dnnl_memory_desc_t desc;
} blocked_layout;

typedef struct {
    tri__kernel kernel;
    dnnl_stream_t stream; /* the context's */
    dnnl_primitive_t primitive;
    int arguments;
    dnnl_exec_arg_t argument[TRI_KERNEL_ARGUMENTS];
    void *bound[TRI_KERNEL_ARGUMENTS]; /* what each memory object points to now: to set a pointer again costs a pass over its padding */
    blocked_layout layout[TRI_KERNEL_ARGUMENTS];
} primitive_kernel;

tri_status tri__onednn_check(dnnl_status_t status, const char *what)
{
    switch (status) {
    case dnnl_success:
        return NULL;
    case dnnl_out_of_memory:
        return tri_fail(TRI_NO_MEMORY, "oneDNN: no memory for %s", what);
    case dnnl_unimplemented:
        return tri_fail(TRI_UNSUPPORTED, "oneDNN has no implementation of %s", what);
    default:
        return tri_fail(TRI_INTERNAL, "oneDNN failed with status %d at %s", (int)status, what);
    }
}

static tri_status open_context(tri__onednn *context)
{
    TRI_TRY(tri__onednn_check(dnnl_engine_create(&context->engine, dnnl_cpu, 0), "an engine"));
    TRI_TRY(tri__onednn_check(dnnl_stream_create(&context->stream, context->engine, dnnl_stream_default_flags), "a stream"));
    TRI_TRY(tri__onednn_check(dnnl_primitive_attr_create(&context->attr), "attributes"));
    return tri__onednn_check(dnnl_primitive_attr_set_scratchpad_mode(context->attr, dnnl_scratchpad_mode_user), "attributes");
}

tri_status tri__onednn_create(tri__onednn **out)
{
    tri__onednn *context;
    TRI_TRY(tri__allocate(1, sizeof *context, "oneDNN", &context));
    tri_status status = open_context(context);
    if (status) {
        tri__onednn_destroy(context);
        return status;
    }
    *out = context;
    return NULL;
}

void tri__onednn_destroy(tri__onednn *context)
{
    if (!context)
        return;
    dnnl_primitive_attr_destroy(context->attr);
    dnnl_stream_destroy(context->stream);
    dnnl_engine_destroy(context->engine);
    free(context);
}

void tri__onednn_version(char *buffer, size_t size)
{
    const dnnl_version_t *version = dnnl_version();
    snprintf(buffer, size, "%d.%d.%d", version->major, version->minor, version->patch);
}

static dnnl_memory_desc_t plain_desc(tri_shape shape)
{
    static const dnnl_format_tag_t plain[] = {dnnl_a, dnnl_a, dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde};
    if (shape.rank == 0)
        shape = TRI_SHAPE(1);
    dnnl_memory_desc_t desc;
    dnnl_memory_desc_init_by_tag(&desc, shape.rank, shape.dim, dnnl_f32, plain[shape.rank]);
    return desc;
}

dnnl_memory_desc_t tri__onednn_desc(tri_shape shape, const tri__tensor_layout *layout)
{
    return layout ? ((const blocked_layout *)layout)->desc : plain_desc(shape);
}

tri_shape tri__onednn_shape(tri_shape shape, const tri__tensor_layout *layout)
{
    const dnnl_memory_desc_t *desc = layout ? &((const blocked_layout *)layout)->desc : NULL;
    return desc ? tri_shape_of(desc->ndims, desc->dims) : shape;
}

dnnl_memory_desc_t tri__onednn_desc_any(tri_shape shape)
{
    dnnl_memory_desc_t desc;
    dnnl_memory_desc_init_by_tag(&desc, shape.rank, shape.dim, dnnl_f32, dnnl_format_tag_any);
    return desc;
}

static bool blocked_equal(const tri__tensor_layout *a, const tri__tensor_layout *b)
{
    return dnnl_memory_desc_equal(&((const blocked_layout *)a)->desc, &((const blocked_layout *)b)->desc);
}

int tri__onednn_channel_block(const tri__tensor_layout *layout, tri_shape shape)
{
    static const struct {
        int channels;
        dnnl_format_tag_t tag;
    } known[] = {{8, dnnl_aBcd8b}, {16, dnnl_aBcd16b}};
    if (tri__tensor_layout_kind_of(layout) != TRI_LAYOUT_ONEDNN || shape.rank != 4)
        return 0;
    for (int i = 0; i < 2; i++) {
        dnnl_memory_desc_t blocks;
        if (shape.dim[1] % known[i].channels == 0 &&
            dnnl_memory_desc_init_by_tag(&blocks, shape.rank, shape.dim, dnnl_f32, known[i].tag) == dnnl_success &&
            dnnl_memory_desc_equal(&blocks, &((const blocked_layout *)layout)->desc))
            return known[i].channels;
    }
    return 0;
}

/* Workspaces have no layout that others could read: they count as plain bytes. */
static bool is_plain(const dnnl_memory_desc_t *desc)
{
    if (desc->data_type != dnnl_f32 || desc->ndims == 0)
        return true;
    dnnl_memory_desc_t plain = plain_desc(tri_shape_of(desc->ndims, desc->dims));
    return dnnl_memory_desc_equal(&plain, desc);
}

static tri_status run(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    (void)moment;
    primitive_kernel *self = (primitive_kernel *)kernel;
    for (int i = 0; i < self->arguments; i++)
        if (self->bound[i] != data[i]) {
            TRI_TRY(tri__onednn_check(dnnl_memory_set_data_handle(self->argument[i].memory, data[i]), kernel->name));
            self->bound[i] = data[i];
        }
    return tri__onednn_check(dnnl_primitive_execute(self->primitive, self->stream, self->arguments, self->argument), kernel->name);
}

static void destroy(tri__kernel *kernel)
{
    primitive_kernel *self = (primitive_kernel *)kernel;
    for (int i = 0; i < self->arguments; i++)
        dnnl_memory_destroy(self->argument[i].memory);
    dnnl_primitive_destroy(self->primitive);
    free(self);
}

/* One more argument: its layout, its size and a memory object that points nowhere yet. */
static tri_status add_argument(tri__onednn *context, const_dnnl_primitive_desc_t desc, int number, primitive_kernel *self)
{
    int index = self->arguments;
    const dnnl_memory_desc_t *memory = dnnl_primitive_desc_query_md(desc, dnnl_query_exec_arg_md, number);
    self->layout[index] = (blocked_layout){.layout = {.kind = TRI_LAYOUT_ONEDNN, .equal = blocked_equal}, .desc = *memory};
    self->kernel.argument[index].bytes = dnnl_memory_desc_get_size(memory);
    self->kernel.argument[index].layout = is_plain(memory) ? NULL : &self->layout[index].layout;
    self->argument[index].arg = number;
    TRI_TRY(
        tri__onednn_check(dnnl_memory_create(&self->argument[index].memory, memory, context->engine, DNNL_MEMORY_NONE), self->kernel.name));
    self->arguments++;
    return NULL;
}

static tri_status fill(tri__onednn *context, const_dnnl_primitive_desc_t desc, const tri__onednn_arguments *arguments,
                       primitive_kernel *self)
{
    int given = arguments->inputs + arguments->outputs + arguments->workspaces;
    for (int i = 0; i < given; i++)
        TRI_TRY(add_argument(context, desc, arguments->argument[i], self));
    const dnnl_memory_desc_t *scratch = dnnl_primitive_desc_query_md(desc, dnnl_query_exec_arg_md, DNNL_ARG_SCRATCHPAD);
    if (dnnl_memory_desc_get_size(scratch) > 0) {
        TRI_TRY(add_argument(context, desc, DNNL_ARG_SCRATCHPAD, self));
        self->kernel.workspaces++;
    }
    return tri__onednn_check(dnnl_primitive_create(&self->primitive, desc), self->kernel.name);
}

tri_status tri__onednn_kernel(tri__onednn *context, dnnl_primitive_desc_t desc, const tri__onednn_arguments *arguments, tri__kernel **out)
{
    primitive_kernel *self;
    tri_status status = tri__allocate(1, sizeof *self, "a oneDNN kernel", &self);
    if (!status) {
        self->kernel = (tri__kernel){
            .name = arguments->name,
            .inputs = arguments->inputs,
            .outputs = arguments->outputs,
            .workspaces = arguments->workspaces,
            .run = run,
            .destroy = destroy,
        };
        self->stream = context->stream;
        status = fill(context, desc, arguments, self);
        if (status)
            destroy(&self->kernel);
    }
    dnnl_primitive_desc_destroy(desc);
    if (status)
        return status;
    *out = &self->kernel;
    return NULL;
}
