/* narrow_bench.c: how fast the narrow kernels are: a softmax step (batch 100, 784 → 10) and a whole LeNet step (batch 64), on one
 * thread and on two. Each is run for a number of rounds and the best round counts, since other work on the machine only slows it.
 * Usage: narrow_bench [ROUNDS] [INSTRUCTION SET] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "tensor/narrow/narrow.h"

#define CALLS 16

static void need(tri_status status)
{
    if (!status)
        return;
    fprintf(stderr, "narrow_bench: %s\n", tri_status_message(status));
    exit(1);
}

static double now(void)
{
    return tri__clock_seconds(tri__clock_now());
}

/* Kernels that run one after another. Memory is never freed: the program ends soon. */
typedef struct {
    tri__kernel *kernel;
    void *data[TRI_KERNEL_ARGUMENTS];
    int given; /* arguments that have memory */
    double best;
} call;

typedef struct {
    call call[CALLS];
    int count;
    tri__narrow_team team;
} sequence;

static void *memory(size_t bytes)
{
    void *buffer;
    need(tri__buffer_allocate(bytes ? bytes : 1, "benchmark", &buffer));
    return buffer;
}

static float *numbers(size_t count)
{
    float *x = memory(count * sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = (float)((i * 2654435761u >> 8) % 2001) / 10000.0f - 0.1f;
    return x;
}

static call *add(sequence *s, tri__kernel *kernel)
{
    call *c = &s->call[s->count++];
    *c = (call){.kernel = kernel, .best = 1e9};
    return c;
}

static void give(call *c, void *data)
{
    c->data[c->given++] = data;
}

/* The rows of a scattered kernel's first input. */
static void give_rows(call *c, const void *x, int64_t batch)
{
    const size_t pitch = c->kernel->argument[0].bytes / (size_t)batch;
    const void **row = memory((size_t)batch * sizeof *row);
    for (int64_t i = 0; i < batch; i++)
        row[i] = (const char *)x + (size_t)i * pitch;
    give(c, row);
}

/* Memory for the arguments that are left; returns that of argument. */
static void *give_rest(call *c, int argument)
{
    while (c->given < c->kernel->inputs + c->kernel->outputs + c->kernel->workspaces)
        give(c, memory(c->kernel->argument[c->given].bytes));
    return c->data[argument];
}

static void step(sequence *s)
{
    for (int i = 0; i < s->count; i++)
        need(s->call[i].kernel->run(s->call[i].kernel, s->call[i].data, NULL));
}

/* Seconds a step in the best round. Between rounds one more is run in which each kernel is timed. */
static double measure(sequence *s, int rounds)
{
    const int steps = s->count > 1 ? 2 : 40; /* about 2 ms: some rounds should have the CPU to themselves */
    double best = 1e9;
    for (int round = 0; round < rounds; round++) {
        const double start = now();
        for (int i = 0; i < steps; i++)
            step(s);
        const double seconds = (now() - start) / steps;
        best = seconds < best ? seconds : best;
        for (int i = 0; i < s->count; i++) {
            const double before = now();
            need(s->call[i].kernel->run(s->call[i].kernel, s->call[i].data, NULL));
            const double took = now() - before;
            s->call[i].best = took < s->call[i].best ? took : s->call[i].best;
        }
    }
    return best;
}

/* ---- softmax regression ---- */

static void add_head(sequence *s, int64_t batch, tri_type type)
{
    const tri__narrow_head spec = {.batch = batch, .in = 784, .classes = 10, .type = type, .scale = 1 / 255.0f, .bias = true};
    tri__kernel *kernel;
    need(tri__narrow_head_step(&spec, s->team, &kernel));
    call *c = add(s, kernel);
    uint8_t *x = memory(kernel->argument[0].bytes);
    for (size_t i = 0; type == TRI_U8 && i < kernel->argument[0].bytes; i++)
        x[i] = (uint8_t)(i * 37);
    give_rows(c, type == TRI_U8 ? (void *)x : numbers((size_t)(batch * spec.in)), batch);
    give(c, memory(kernel->argument[1].bytes));
    float *weights = memory(kernel->argument[2].bytes);
    for (int64_t i = 0; i < batch; i++)
        weights[i] = 1;
    give(c, weights);
    give_rest(c, 0);
}

/* ---- LeNet ---- */

typedef struct {
    void *x, *y, *w; /* of the layer, for its backward kernel */
    void *mask;
} layer;

static layer add_conv(sequence *s, const tri__narrow_conv *spec, void *x)
{
    tri__kernel *kernel;
    need(tri__narrow_conv_forward(spec, s->team, &kernel));
    call *c = add(s, kernel);
    layer l = {.x = x, .w = numbers(kernel->argument[1].bytes / sizeof(float))};
    give(c, x);
    give(c, l.w);
    l.y = give_rest(c, 3);
    l.mask = c->data[4];
    return l;
}

static layer add_dense(sequence *s, const tri__narrow_dense *spec, void *x)
{
    tri__kernel *kernel;
    need(tri__narrow_dense_forward(spec, s->team, &kernel));
    call *c = add(s, kernel);
    layer l = {.x = x, .w = numbers(kernel->argument[1].bytes / sizeof(float))};
    give(c, x);
    give(c, l.w);
    l.y = give_rest(c, 3);
    return l;
}

static void *add_conv_backward(sequence *s, const tri__narrow_conv *spec, bool want_dx, layer l, void *dy)
{
    tri__kernel *kernel;
    need(tri__narrow_conv_backward(spec, want_dx, s->team, &kernel));
    call *c = add(s, kernel);
    give(c, dy);
    give(c, l.x);
    give(c, l.w);
    void *last = give_rest(c, kernel->inputs + kernel->outputs - 1);
    c->data[kernel->inputs + kernel->outputs] = l.mask;
    return last;
}

static void *add_dense_backward(sequence *s, const tri__narrow_dense *spec, layer l, void *dy)
{
    tri__kernel *kernel;
    need(tri__narrow_dense_backward(spec, true, s->team, &kernel));
    call *c = add(s, kernel);
    give(c, dy);
    give(c, l.x);
    give(c, l.w);
    if (spec->relu)
        give(c, l.y);
    return give_rest(c, kernel->inputs + kernel->outputs - 1);
}

static void *add_loss(sequence *s, int64_t batch, void *logits)
{
    tri__kernel *kernel;
    need(tri__narrow_softmax_loss(batch, 10, s->team, &kernel));
    call *c = add(s, kernel);
    give(c, logits);
    give(c, memory(kernel->argument[1].bytes));
    give(c, numbers((size_t)batch));
    return give_rest(c, 4);
}

/* Forward, loss and backward of 28×28×1 → conv 6 → conv 16 → dense 120 → 84 → 10. */
static void add_lenet(sequence *s, int64_t batch)
{
    const tri__narrow_input input = {.batch = batch, .height = 28, .width = 28, .channels = 1, .type = TRI_U8, .scale = 1 / 255.0f};
    const tri__narrow_conv first = {batch, 1, 28, 28, 6, 3, 3, 1, 1, 0, 0, true, true, TRI_NARROW_AVERAGE, 2};
    const tri__narrow_conv second = {batch, 6, 13, 13, 16, 3, 3, 1, 1, 0, 0, true, true, TRI_NARROW_AVERAGE, 2};
    const tri__narrow_dense dense[3] = {{batch, 400, 120, true, true}, {batch, 120, 84, true, true}, {batch, 84, 10, true, false}};
    tri__kernel *kernel;
    need(tri__narrow_import(&input, s->team, &kernel));
    call *c = add(s, kernel);
    uint8_t *pixels = memory(kernel->argument[0].bytes);
    for (size_t i = 0; i < kernel->argument[0].bytes; i++)
        pixels[i] = (uint8_t)(i * 37);
    give_rows(c, pixels, batch);
    const layer conv1 = add_conv(s, &first, give_rest(c, 1)), conv2 = add_conv(s, &second, conv1.y);
    const layer d0 = add_dense(s, &dense[0], conv2.y), d1 = add_dense(s, &dense[1], d0.y), d2 = add_dense(s, &dense[2], d1.y);
    void *dy = add_loss(s, batch, d2.y);
    dy = add_dense_backward(s, &dense[2], d2, dy);
    dy = add_dense_backward(s, &dense[1], d1, dy);
    dy = add_dense_backward(s, &dense[0], d0, dy);
    dy = add_conv_backward(s, &second, true, conv2, dy);
    add_conv_backward(s, &first, false, conv1, dy);
}

static void report(const char *what, const sequence *s, double seconds, int64_t batch)
{
    printf("%-28s %d thread%s %9.1f µs %9.0f steps/s %11.0f examples/s\n", what, s->team.threads, s->team.threads == 1 ? " " : "s",
           seconds * 1e6, 1 / seconds, (double)batch / seconds);
    for (int i = 0; s->count > 1 && i < s->count; i++)
        printf("    %-24s %9.1f µs\n", s->call[i].kernel->name, s->call[i].best * 1e6);
}

int main(int count, char **arguments)
{
    const int rounds = count > 1 ? atoi(arguments[1]) : 300;
    const char *isa = count > 2 ? arguments[2] : NULL;
    for (int threads = 1; threads <= 2; threads++) {
        sequence bytes = {.team = {threads, isa}}, floats = {.team = {threads, isa}}, lenet = {.team = {threads, isa}};
        add_head(&bytes, 100, TRI_U8);
        report("softmax, batch 100, u8", &bytes, measure(&bytes, rounds), 100);
        add_head(&floats, 100, TRI_F32);
        report("softmax, batch 100, f32", &floats, measure(&floats, rounds), 100);
        add_lenet(&lenet, 64);
        report("LeNet, batch 64", &lenet, measure(&lenet, rounds), 64);
    }
    return 0;
}
