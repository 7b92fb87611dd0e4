/* kernel.c: what all narrow kernels share: their arguments, and the team that runs them. */
#include "tensor/narrow/code.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

typedef struct {
    tri__kernel kernel;
    tri__narrow_part *part;
    int threads;
    void *owned;
    max_align_t geometry[];
} narrow;

static tri_status run(tri__kernel *kernel, void *const *data, const tri__moment *moment)
{
    (void)moment;
    const narrow *k = (const narrow *)kernel;
    if (k->threads == 1) {
        k->part(k->geometry, data, 0, 1);
        return NULL;
    }
#pragma omp parallel num_threads(k->threads)
    k->part(k->geometry, data, omp_get_thread_num(), omp_get_num_threads());
    return NULL;
}

static void destroy(tri__kernel *kernel)
{
    if (kernel)
        free(((narrow *)kernel)->owned);
    free(kernel);
}

tri_status tri__narrow_make(const char *name, tri__narrow_part *part, int threads, const void *geometry, size_t bytes, void *owned,
                            tri__kernel **out)
{
    narrow *k = NULL;
    tri_status status = tri__allocate(1, sizeof *k + bytes, name, &k);
    if (status) {
        free(owned);
        return status;
    }
    k->kernel = (tri__kernel){.name = name, .run = run, .destroy = destroy};
    k->part = part;
    k->threads = threads;
    k->owned = owned;
    memcpy(k->geometry, geometry, bytes);
    *out = &k->kernel;
    return NULL;
}

static void add_argument(tri__kernel *kernel, const tri__tensor_layout *layout, size_t bytes)
{
    kernel->argument[kernel->inputs + kernel->outputs + kernel->workspaces] = (tri__kernel_argument){.layout = layout, .bytes = bytes};
}

void tri__narrow_in(tri__kernel *kernel, const tri__tensor_layout *layout, size_t bytes)
{
    add_argument(kernel, layout, bytes);
    kernel->inputs++;
}

void tri__narrow_out(tri__kernel *kernel, const tri__tensor_layout *layout, size_t bytes)
{
    add_argument(kernel, layout, bytes);
    kernel->outputs++;
}

void tri__narrow_work(tri__kernel *kernel, size_t bytes)
{
    add_argument(kernel, NULL, bytes);
    kernel->workspaces++;
}

bool tri__narrow_within_offsets(int count, const int64_t *size)
{
    int64_t product = 1;
    for (int i = 0; i < count; i++)
        if (__builtin_mul_overflow(product, size[i], &product) || product > INT32_MAX)
            return false;
    return true;
}

tri_status tri__narrow_check(const char *what, int count, const int64_t *size)
{
    for (int i = 0; i < count; i++)
        if (size[i] < 1)
            return tri_fail(TRI_BAD_CALL, "%s: a size is %" PRId64 ", all must be at least 1", what, size[i]);
    return tri__narrow_within_offsets(count, size) ? NULL : tri_fail(TRI_UNSUPPORTED, "%s: too large for a narrow kernel", what);
}
