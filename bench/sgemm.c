/* sgemm.c: what the machine's matrix product reaches, by oneDNN, with as many threads as OMP_NUM_THREADS says.
 *
 * usage: sgemm SECONDS
 * Prints {"gflops": the best of the calls made in SECONDS, "mean": that of all calls}.
 * The matrices do not fit the second-level cache, as a layer's do not. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <oneapi/dnnl/dnnl.h>

enum { SIZE = 1024 };
#define FLOPS (2.0 * SIZE * SIZE * SIZE)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int count, char **arguments)
{
    double seconds = count > 1 ? strtod(arguments[1], NULL) : 1;
    float *a = calloc(SIZE * SIZE, sizeof *a), *b = calloc(SIZE * SIZE, sizeof *b), *c = calloc(SIZE * SIZE, sizeof *c);
    if (!a || !b || !c) {
        fprintf(stderr, "sgemm: no memory\n");
        return 1;
    }
    for (int i = 0; i < SIZE * SIZE; i++) {
        a[i] = (float)(i % 7) * 0.1f;
        b[i] = (float)(i % 5) * 0.1f;
    }
    double best = 0, spent = 0;
    int calls = 0;
    for (double end = now() + seconds; now() < end;) {
        double start = now();
        if (dnnl_sgemm('N', 'N', SIZE, SIZE, SIZE, 1, a, SIZE, b, SIZE, 0, c, SIZE) != dnnl_success) {
            fprintf(stderr, "sgemm: oneDNN refused\n");
            return 1;
        }
        const double took = now() - start;
        best = FLOPS / took > best ? FLOPS / took : best;
        spent += took;
        calls++;
    }
    printf("{\"gflops\": %.1f, \"mean\": %.1f}\n", best * 1e-9, calls * FLOPS / spent * 1e-9);
    free(a);
    free(b);
    free(c);
    return 0;
}
