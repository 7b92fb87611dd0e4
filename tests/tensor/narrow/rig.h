/* rig.h: runs one narrow kernel on memory of its own, for tests.
 *
 * Each argument gets exactly its bytes, filled with 0xff: floats that were never written are NaN, so reading them shows. */
#ifndef TESTS_TENSOR_NARROW_RIG_H
#define TESTS_TENSOR_NARROW_RIG_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "tensor/narrow/narrow.h"

typedef struct {
    tri__kernel *kernel;
    void *data[TRI_KERNEL_ARGUMENTS];
    void *own[TRI_KERNEL_ARGUMENTS];
    int64_t batch; /* for a scattered kernel */
} rig;

static inline rig rig_of(tri__kernel *kernel)
{
    rig r = {.kernel = kernel};
    for (int i = 0; i < kernel->inputs + kernel->outputs + kernel->workspaces; i++) {
        assert_int_equal(posix_memalign(&r.own[i], 64, kernel->argument[i].bytes ? kernel->argument[i].bytes : 1), 0);
        memset(r.own[i], 0xff, kernel->argument[i].bytes);
        r.data[i] = r.own[i];
    }
    return r;
}

/* A scattered kernel gets its rows from a copy that has them in reverse. */
static inline void rig_run_scattered(rig *r)
{
    const size_t bytes = r->kernel->argument[0].bytes, pitch = bytes / (size_t)r->batch;
    char *copy = malloc(bytes);
    const void **row = malloc((size_t)r->batch * sizeof *row);
    assert_true(copy && row);
    for (int64_t i = 0; i < r->batch; i++)
        row[i] = memcpy(copy + bytes - (size_t)(i + 1) * pitch, (char *)r->data[0] + (size_t)i * pitch, pitch);
    void *data[TRI_KERNEL_ARGUMENTS];
    memcpy(data, r->data, sizeof data);
    data[0] = row;
    assert_ok(r->kernel->run(r->kernel, data, NULL));
    free(row);
    free(copy);
}

static inline void rig_run(rig *r)
{
    if (r->kernel->scattered)
        rig_run_scattered(r);
    else
        assert_ok(r->kernel->run(r->kernel, r->data, NULL));
}

static inline void rig_fini(rig *r)
{
    for (int i = 0; i < TRI_KERNEL_ARGUMENTS; i++)
        free(r->own[i]);
    r->kernel->destroy(r->kernel);
}

/* Numbers in [−1, 1), the same for the same seed. */
static inline void fill(float *x, int64_t count, uint32_t seed)
{
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(int32_t)seed / 2147483648.0f;
    }
}

static inline float *random_floats(int64_t count, uint32_t seed)
{
    float *x = malloc((size_t)count * sizeof *x);
    assert_non_null(x);
    fill(x, count, seed);
    return x;
}

static inline double *zeros(int64_t count)
{
    double *x = calloc((size_t)count, sizeof *x);
    assert_non_null(x);
    return x;
}

/* plain [batch][count] → lanes, as a reorder would write it. */
static inline void put_lanes(void *lanes, const float *plain, int64_t batch, int64_t count)
{
    for (int64_t n = 0; n < (batch + 7) / 8 * 8; n++)
        for (int64_t i = 0; i < count; i++)
            ((float *)lanes)[(n / 8 * count + i) * 8 + n % 8] = n < batch ? plain[n * count + i] : 0;
}

static inline float lane(const void *lanes, int64_t n, int64_t i, int64_t count)
{
    return ((const float *)lanes)[(n / 8 * count + i) * 8 + n % 8];
}

static inline void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 2e-4 * (1 + fabs(want))))
        fail_msg("got %.9g, want %.9g", got, want);
}

static inline void assert_plain(const void *got, const double *want, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        assert_near(((const float *)got)[i], want[i]);
}

static inline void assert_lanes(const void *got, const double *want, int64_t batch, int64_t count)
{
    for (int64_t n = 0; n < batch; n++)
        for (int64_t i = 0; i < count; i++)
            assert_near(lane(got, n, i, count), want[n * count + i]);
}

/* What a gradient's padding must be. */
static inline void assert_padding_zero(const void *lanes, int64_t batch, int64_t count)
{
    for (int64_t n = batch; n < (batch + 7) / 8 * 8; n++)
        for (int64_t i = 0; i < count; i++)
            assert_true(lane(lanes, n, i, count) == 0);
}

/* Call test for every instruction set that this machine has, with teams of one, two and three. */
static inline void for_all_teams(void (*test)(tri__narrow_team team))
{
    for (int i = 0; tri__narrow_isa(i); i++)
        for (int threads = 1; threads <= 3; threads++)
            test((tri__narrow_team){.threads = threads, .isa = tri__narrow_isa(i)});
}

#endif
