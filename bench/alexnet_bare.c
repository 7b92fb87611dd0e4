/* alexnet_bare.c: what AlexNet's layers cost in bare oneDNN primitives, each alone, in the layouts that each likes best (`any`).
 *
 * usage: alexnet_bare BATCH SECONDS
 * Prints {"examples_per_second": BATCH / Σ of the primitives' times}, each the best of its runs; a table of them on standard error.
 * The sum has no reorders, no loss, no update of the parameters and no memory shared between layers: it is what a training step would
 * cost if everything around the kernels were free. ReLU is fused into the forward primitives; its gradient is a pass of its own.
 * SECONDS is spent on every primitive. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <oneapi/dnnl/dnnl.h>

enum { MAX_ARGUMENTS = 8 };

typedef struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    double seconds; /* to spend on each primitive */
    double total;   /* Σ of the best times */
} bench;

typedef struct {
    const char *name;
    dnnl_dim_t channels, size; /* of the input: [batch][channels][size][size] */
    dnnl_dim_t filters, kernel, stride, pad;
} layer;

static const layer convolutions[] = {
    {"conv1", 3, 224, 64, 11, 4, 2},  {"conv2", 64, 27, 192, 5, 1, 2},  {"conv3", 192, 13, 384, 3, 1, 1},
    {"conv4", 384, 13, 256, 3, 1, 1}, {"conv5", 256, 13, 256, 3, 1, 1},
};
static const layer pools[] = {{"pool1", 64, 55, 64, 3, 2, 0}, {"pool2", 192, 27, 192, 3, 2, 0}, {"pool3", 256, 13, 256, 3, 2, 0}};
static const struct {
    const char *name;
    dnnl_dim_t in, out;
    bool relu;
} denses[] = {{"dense1", 9216, 4096, true}, {"dense2", 4096, 4096, true}, {"dense3", 4096, 1000, false}};

static void check(dnnl_status_t status, const char *what)
{
    if (status != dnnl_success) {
        fprintf(stderr, "alexnet_bare: %s: oneDNN status %d\n", what, (int)status);
        exit(1);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static dnnl_memory_desc_t tensor(int rank, const dnnl_dims_t dims)
{
    dnnl_memory_desc_t desc;
    check(dnnl_memory_desc_init_by_tag(&desc, rank, dims, dnnl_f32, dnnl_format_tag_any), "a tensor");
    return desc;
}

/* Memory for one argument of a primitive, as its descriptor wants it, filled with small numbers. */
static dnnl_memory_t argument(const bench *b, const_dnnl_primitive_desc_t desc, dnnl_query_t what, int index)
{
    const dnnl_memory_desc_t *wanted = dnnl_primitive_desc_query_md(desc, what, index);
    if (!wanted || dnnl_memory_desc_get_size(wanted) == 0)
        return NULL;
    dnnl_memory_t memory;
    void *data;
    check(dnnl_memory_create(&memory, wanted, b->engine, DNNL_MEMORY_ALLOCATE), "memory");
    check(dnnl_memory_get_data_handle(memory, &data), "memory");
    size_t count = dnnl_memory_desc_get_size(wanted) / sizeof(float);
    if (what == dnnl_query_workspace_md)
        memset(data, 0, dnnl_memory_desc_get_size(wanted));
    else
        for (size_t i = 0; i < count; i++)
            ((float *)data)[i] = (float)(i % 17) * 0.01f - 0.05f;
    return memory;
}

/* Run a primitive until its time is used up; add the best run to the total. Destroys desc unless keep. */
static void time_primitive(bench *b, const char *layer_name, const char *kind, dnnl_primitive_desc_t desc, bool keep)
{
    static const struct {
        int argument, index;
        dnnl_query_t query;
    } known[MAX_ARGUMENTS] = {
        {DNNL_ARG_SRC, 0, dnnl_query_src_md},
        {DNNL_ARG_WEIGHTS, 0, dnnl_query_weights_md},
        {DNNL_ARG_BIAS, 1, dnnl_query_weights_md},
        {DNNL_ARG_DST, 0, dnnl_query_dst_md},
        {DNNL_ARG_DIFF_SRC, 0, dnnl_query_diff_src_md},
        {DNNL_ARG_DIFF_WEIGHTS, 0, dnnl_query_diff_weights_md},
        {DNNL_ARG_DIFF_BIAS, 1, dnnl_query_diff_weights_md},
        {DNNL_ARG_DIFF_DST, 0, dnnl_query_diff_dst_md},
    };
    dnnl_exec_arg_t arguments[MAX_ARGUMENTS + 1];
    int count = 0;
    for (int i = 0; i < MAX_ARGUMENTS; i++) {
        dnnl_memory_t memory = argument(b, desc, known[i].query, known[i].index);
        if (memory)
            arguments[count++] = (dnnl_exec_arg_t){known[i].argument, memory};
    }
    dnnl_memory_t workspace = argument(b, desc, dnnl_query_workspace_md, 0);
    if (workspace)
        arguments[count++] = (dnnl_exec_arg_t){DNNL_ARG_WORKSPACE, workspace};

    dnnl_primitive_t primitive;
    check(dnnl_primitive_create(&primitive, desc), layer_name);
    double best = 1e30, end = now() + b->seconds;
    int runs = 0;
    do {
        double start = now();
        check(dnnl_primitive_execute(primitive, b->stream, count, arguments), layer_name);
        check(dnnl_stream_wait(b->stream), layer_name);
        double took = now() - start;
        if (runs++ > 0) /* the first run meets cold memory */
            best = took < best ? took : best;
    } while (runs < 3 || now() < end);
    b->total += best;
    const char *implementation = "";
    dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, &implementation);
    fprintf(stderr, "%-8s %-16s %9.3f ms  %s\n", layer_name, kind, best * 1e3, implementation);

    dnnl_primitive_destroy(primitive);
    for (int i = 0; i < count; i++)
        dnnl_memory_destroy(arguments[i].memory);
    if (!keep)
        dnnl_primitive_desc_destroy(desc);
}

static dnnl_primitive_desc_t describe(const bench *b, const void *desc, const_dnnl_primitive_attr_t attributes,
                                      const_dnnl_primitive_desc_t hint, const char *name)
{
    dnnl_primitive_desc_t result;
    check(dnnl_primitive_desc_create(&result, desc, attributes, b->engine, hint), name);
    return result;
}

static dnnl_primitive_attr_t with_relu(void)
{
    dnnl_primitive_attr_t attributes;
    dnnl_post_ops_t operations;
    check(dnnl_primitive_attr_create(&attributes), "attributes");
    check(dnnl_post_ops_create(&operations), "attributes");
    check(dnnl_post_ops_append_eltwise(operations, 1, dnnl_eltwise_relu, 0, 0), "attributes");
    check(dnnl_primitive_attr_set_post_ops(attributes, operations), "attributes");
    dnnl_post_ops_destroy(operations);
    return attributes;
}

/* dx = dy where y > 0, in the layout that the layer writes y in. */
static void time_relu_backward(bench *b, const char *name, const dnnl_memory_desc_t *y)
{
    dnnl_eltwise_desc_t forward, backward;
    check(dnnl_eltwise_forward_desc_init(&forward, dnnl_forward_training, dnnl_eltwise_relu_use_dst_for_bwd, y, 0, 0), name);
    check(dnnl_eltwise_backward_desc_init(&backward, dnnl_eltwise_relu_use_dst_for_bwd, y, y, 0, 0), name);
    dnnl_primitive_desc_t hint = describe(b, &forward, NULL, NULL, name);
    time_primitive(b, name, "relu backward", describe(b, &backward, NULL, hint, name), false);
    dnnl_primitive_desc_destroy(hint);
}

static void time_convolution(bench *b, dnnl_dim_t batch, const layer *l)
{
    dnnl_dim_t out = (l->size + 2 * l->pad - l->kernel) / l->stride + 1;
    dnnl_memory_desc_t x = tensor(4, (dnnl_dims_t){batch, l->channels, l->size, l->size});
    dnnl_memory_desc_t w = tensor(4, (dnnl_dims_t){l->filters, l->channels, l->kernel, l->kernel});
    dnnl_memory_desc_t bias = tensor(1, (dnnl_dims_t){l->filters});
    dnnl_memory_desc_t y = tensor(4, (dnnl_dims_t){batch, l->filters, out, out});
    const dnnl_dims_t stride = {l->stride, l->stride}, pad = {l->pad, l->pad};

    dnnl_convolution_desc_t forward, data, weights;
    check(dnnl_convolution_forward_desc_init(&forward, dnnl_forward_training, dnnl_convolution_direct, &x, &w, &bias, &y, stride, pad, pad),
          l->name);
    dnnl_primitive_attr_t relu = with_relu();
    dnnl_primitive_desc_t hint = describe(b, &forward, relu, NULL, l->name);
    time_primitive(b, l->name, "forward", hint, true);
    time_relu_backward(b, l->name, dnnl_primitive_desc_query_md(hint, dnnl_query_dst_md, 0));
    if (l != convolutions) { /* nobody asks for the gradient of the images */
        check(dnnl_convolution_backward_data_desc_init(&data, dnnl_convolution_direct, &x, &w, &y, stride, pad, pad), l->name);
        time_primitive(b, l->name, "backward data", describe(b, &data, NULL, hint, l->name), false);
    }
    check(dnnl_convolution_backward_weights_desc_init(&weights, dnnl_convolution_direct, &x, &w, &bias, &y, stride, pad, pad), l->name);
    time_primitive(b, l->name, "backward weights", describe(b, &weights, NULL, hint, l->name), false);
    dnnl_primitive_desc_destroy(hint);
    dnnl_primitive_attr_destroy(relu);
}

/* Pooling has no layout of its own to choose: it takes the one of 8 channels that AVX2 convolutions like, or the next best. */
static void time_pool(bench *b, dnnl_dim_t batch, const layer *l)
{
    dnnl_dim_t out = (l->size - l->kernel) / l->stride + 1;
    dnnl_memory_desc_t x, y = tensor(4, (dnnl_dims_t){batch, l->channels, out, out});
    dnnl_format_tag_t tag = __builtin_cpu_supports("avx512f") ? dnnl_nChw16c : dnnl_nChw8c;
    check(dnnl_memory_desc_init_by_tag(&x, 4, (dnnl_dims_t){batch, l->channels, l->size, l->size}, dnnl_f32, tag), l->name);
    const dnnl_dims_t stride = {l->stride, l->stride}, kernel = {l->kernel, l->kernel}, none = {0, 0};

    dnnl_pooling_v2_desc_t forward, backward;
    check(dnnl_pooling_v2_forward_desc_init(&forward, dnnl_forward_training, dnnl_pooling_max, &x, &y, stride, kernel, none, none, none),
          l->name);
    dnnl_primitive_desc_t hint = describe(b, &forward, NULL, NULL, l->name);
    time_primitive(b, l->name, "forward", hint, true);
    const dnnl_memory_desc_t *dy = dnnl_primitive_desc_query_md(hint, dnnl_query_dst_md, 0);
    check(dnnl_pooling_v2_backward_desc_init(&backward, dnnl_pooling_max, &x, dy, stride, kernel, none, none, none), l->name);
    time_primitive(b, l->name, "backward", describe(b, &backward, NULL, hint, l->name), false);
    dnnl_primitive_desc_destroy(hint);
}

static void time_dense(bench *b, dnnl_dim_t batch, const char *name, dnnl_dim_t in, dnnl_dim_t out, bool relu)
{
    dnnl_memory_desc_t x = tensor(2, (dnnl_dims_t){batch, in}), w = tensor(2, (dnnl_dims_t){out, in});
    dnnl_memory_desc_t bias = tensor(1, (dnnl_dims_t){out}), y = tensor(2, (dnnl_dims_t){batch, out});
    dnnl_inner_product_desc_t forward, data, weights;
    check(dnnl_inner_product_forward_desc_init(&forward, dnnl_forward_training, &x, &w, &bias, &y), name);
    dnnl_primitive_attr_t attributes = relu ? with_relu() : NULL;
    dnnl_primitive_desc_t hint = describe(b, &forward, attributes, NULL, name);
    time_primitive(b, name, "forward", hint, true);
    if (relu)
        time_relu_backward(b, name, dnnl_primitive_desc_query_md(hint, dnnl_query_dst_md, 0));
    check(dnnl_inner_product_backward_data_desc_init(&data, &x, &w, &y), name);
    time_primitive(b, name, "backward data", describe(b, &data, NULL, hint, name), false);
    check(dnnl_inner_product_backward_weights_desc_init(&weights, &x, &w, &bias, &y), name);
    time_primitive(b, name, "backward weights", describe(b, &weights, NULL, hint, name), false);
    dnnl_primitive_desc_destroy(hint);
    if (attributes)
        dnnl_primitive_attr_destroy(attributes);
}

int main(int count, char **arguments)
{
    dnnl_dim_t batch = count > 1 ? strtoll(arguments[1], NULL, 10) : 0;
    bench b = {.seconds = count > 2 ? strtod(arguments[2], NULL) : 0.5};
    if (batch < 1) {
        fprintf(stderr, "usage: alexnet_bare BATCH [SECONDS]\n");
        return 2;
    }
    check(dnnl_engine_create(&b.engine, dnnl_cpu, 0), "engine");
    check(dnnl_stream_create(&b.stream, b.engine, dnnl_stream_default_flags), "stream");
    for (size_t i = 0; i < sizeof convolutions / sizeof *convolutions; i++)
        time_convolution(&b, batch, &convolutions[i]);
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        time_pool(&b, batch, &pools[i]);
    for (size_t i = 0; i < sizeof denses / sizeof *denses; i++)
        time_dense(&b, batch, denses[i].name, denses[i].in, denses[i].out, denses[i].relu);
    printf("{\"examples_per_second\": %.2f}\n", (double)batch / b.total);
    dnnl_stream_destroy(b.stream);
    dnnl_engine_destroy(b.engine);
    return 0;
}
