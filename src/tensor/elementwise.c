/* elementwise.c: see elementwise.h. Memory bandwidth is the limit here, so each function is one pass over memory by the whole team. */
#include "tensor/elementwise.h"

#include <stdlib.h>

#include "base/memory/memory.h"

typedef struct {
    tri__kernel kernel;
    tri__elementwise kind;
    int64_t count;
} elementwise_kernel;

/* y = max(x, 0); NaN stays */
static void relu(const float *x, float *y, int64_t count)
{
#pragma omp parallel for simd schedule(static) if (count > 16384)
    for (int64_t i = 0; i < count; i++)
        y[i] = x[i] < 0.0f ? 0.0f : x[i];
}

/* dx = dy where y > 0, 0 elsewhere; NaN in y gives NaN. Both are loaded in any case, and nothing is computed: otherwise compilers do not
 * vectorise the loop, and the CPU would mispredict half of the branches. */
static void relu_grad(const float *dy, const float *y, float *dx, int64_t count)
{
#pragma omp parallel for simd schedule(static) if (count > 16384)
    for (int64_t i = 0; i < count; i++) {
        const float given = dy[i], value = y[i], passed = value > 0.0f ? given : 0.0f;
        dx[i] = value != value ? value : passed;
    }
}

static void add(const float *a, const float *b, float *y, int64_t count)
{
#pragma omp parallel for simd schedule(static) if (count > 16384)
    for (int64_t i = 0; i < count; i++)
        y[i] = a[i] + b[i];
}

static tri_status run(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    (void)moment;
    const elementwise_kernel *self = (elementwise_kernel *)kernel;
    switch (self->kind) {
    case TRI_ELEMENTWISE_RELU:
        relu(data[0], data[1], self->count);
        break;
    case TRI_ELEMENTWISE_RELU_GRAD:
        relu_grad(data[0], data[1], data[2], self->count);
        break;
    case TRI_ELEMENTWISE_ADD:
        add(data[0], data[1], data[2], self->count);
        break;
    }
    return NULL;
}

static void destroy(tri__kernel *kernel)
{
    free(kernel);
}

tri_status tri__elementwise_create(tri__elementwise kind, const tri__tensor_layout *layout, size_t bytes, tri__kernel **out)
{
    static const char *const names[] = {"relu", "relu_grad", "add"};
    elementwise_kernel *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a kernel", &self));
    self->kind = kind;
    self->count = (int64_t)(bytes / sizeof(float));
    self->kernel = (tri__kernel){
        .name = names[kind],
        .inputs = kind == TRI_ELEMENTWISE_RELU ? 1 : 2,
        .outputs = 1,
        .in_place = 1,
        .run = run,
        .destroy = destroy,
    };
    for (int i = 0; i <= self->kernel.inputs; i++)
        self->kernel.argument[i] = (tri__kernel_argument){layout, bytes};
    *out = &self->kernel;
    return NULL;
}
