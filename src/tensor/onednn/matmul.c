/* matmul.c: matrix products on plain row-major matrices by oneDNN's sgemm, with bias and ReLU in one pass behind it. Where the product is
 * to be added to a matrix, sgemm itself adds it. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "tensor/onednn/primitive.h"

typedef struct {
    tri__kernel kernel;
    tri__onednn_matmul spec;
} matmul_kernel;

/* y[m][n] += bias[n], then max(y, 0) where asked; NaN stays. */
static void add_bias(float *y, const float *bias, int64_t m, int64_t n, bool relu)
{
#pragma omp parallel for schedule(static) if (m * n > 16384)
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float sum = y[i * n + j] + (bias ? bias[j] : 0.0f);
            y[i * n + j] = relu && sum < 0.0f ? 0.0f : sum;
        }
}

static tri_status run(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    (void)moment;
    const tri__onednn_matmul *s = &((matmul_kernel *)kernel)->spec;
    const float *a = data[0], *b = data[1], *bias = s->bias ? data[2] : NULL;
    float *y = data[kernel->inputs];
    if (s->adds && y != data[2])
        memcpy(y, data[2], kernel->argument[2].bytes);
    TRI_TRY(tri__onednn_check(dnnl_sgemm(s->transpose_a ? 'T' : 'N', s->transpose_b ? 'T' : 'N', s->m, s->n, s->k, 1.0f, a,
                                         s->transpose_a ? s->m : s->k, b, s->transpose_b ? s->k : s->n, s->adds ? 1.0f : 0.0f, y, s->n),
                              kernel->name));
    if (s->bias || s->relu)
        add_bias(y, bias, s->m, s->n, s->relu);
    return NULL;
}

static void destroy(tri__kernel *kernel)
{
    free(kernel);
}

tri_status tri__onednn_matmul_create(const tri__onednn_matmul *spec, tri__kernel **out)
{
    matmul_kernel *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a matrix product", &self));
    self->spec = *spec;
    self->kernel = (tri__kernel){.name = "onednn matmul",
                                 .inputs = spec->bias || spec->adds ? 3 : 2,
                                 .outputs = 1,
                                 .in_place = spec->in_place ? 3 : 0,
                                 .run = run,
                                 .destroy = destroy};
    tri__kernel_argument *argument = self->kernel.argument;
    argument[0].bytes = (size_t)(spec->m * spec->k) * sizeof(float);
    argument[1].bytes = (size_t)(spec->k * spec->n) * sizeof(float);
    if (spec->bias)
        argument[2].bytes = (size_t)spec->n * sizeof(float);
    if (spec->adds)
        argument[2].bytes = (size_t)(spec->m * spec->n) * sizeof(float);
    argument[self->kernel.inputs].bytes = (size_t)(spec->m * spec->n) * sizeof(float);
    *out = &self->kernel;
    return NULL;
}

/* ---- what this machine can do ---- */

enum { SIDE = 512 }; /* matrices that fit into the L2 and L3 caches, and are large enough for all threads */

static bool multiply(const float *a, const float *b, float *y)
{
    return dnnl_sgemm('N', 'N', SIDE, SIDE, SIDE, 1.0f, a, SIDE, b, SIDE, 0.0f, y, SIDE) == dnnl_success;
}

/* The first product also makes the kernel's code, which takes longer than many products, so it is not timed. */
static double time_products(const float *a, const float *b, float *y, double seconds)
{
    double rate = 0;
    if (!multiply(a, b, y))
        return 0;
    int64_t now = tri__clock_now();
    const int64_t end = now + (int64_t)(seconds * 1e9);
    while (now < end) {
        const int64_t begin = now;
        if (!multiply(a, b, y))
            return 0;
        now = tri__clock_now();
        rate = fmax(rate, 2.0 * SIDE * SIDE * SIDE / tri__clock_seconds(now - begin));
    }
    return rate;
}

double tri__onednn_sgemm_rate(int threads, double seconds)
{
    const size_t count = (size_t)SIDE * SIDE;
    float *matrices = malloc(3 * count * sizeof *matrices);
    const int before = omp_get_max_threads();
    if (!matrices)
        return 0;
    for (size_t i = 0; i < 3 * count; i++)
        matrices[i] = 1.0f;
    omp_set_num_threads(threads);
    const double rate = time_products(matrices, matrices + count, matrices + 2 * count, seconds);
    omp_set_num_threads(before);
    free(matrices);
    return rate;
}
