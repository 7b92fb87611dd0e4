/* libsvm.c: how fast text is read, LIBSVM's lines or CSV tables, with one thread.
 *
 * usage: libsvm FILE SECONDS
 * Prints, in MB/s, {"parse": the best pass through an opened source of those made in SECONDS, every line into its numbers;
 * "core": the same by the time that the CPU spent on it, whoever else was served meanwhile; "first": the first pass with the opening before
 * it, which goes through the file once more to index it}. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "data/source/source.h"

typedef struct {
    tri_source *source;
    tri__reader *reader;
    int32_t *keys; /* [width] */
    float *values; /* [width] */
    uint8_t *x;    /* of a table: one example */
    float *targets;
} input;

static tri_status read_all(const input *from)
{
    int32_t label;
    const tri__example_target to = {
        .x = from->x, .keys = from->keys, .values = from->values, .count = &(int64_t){0}, .label = &label, .targets = from->targets};
    for (int64_t i = 0; i < from->source->info.examples; i++)
        TRI_TRY(from->source->kind->read(from->reader, i, &to));
    return NULL;
}

static tri_status open_input(const char *path, input *out)
{
    TRI_TRY(tri_source_open(path, TRI_PART_TRAIN, NULL, &out->source));
    TRI_TRY(tri__reader_create(out->source, &out->reader));
    const size_t width = (size_t)out->source->info.width;
    TRI_TRY(tri__allocate((size_t)out->source->info.outputs + 1, sizeof *out->targets, "targets", &out->targets));
    if (width == 0)
        return tri__allocate(out->source->example_bytes, 1, "an example", &out->x);
    TRI_TRY(tri__allocate(width, sizeof *out->keys, "keys", &out->keys));
    return tri__allocate(width, sizeof *out->values, "values", &out->values);
}

/* Seconds that the CPU spent on this thread. */
static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct {
    double parse, core, first; /* seconds of the best, or only, pass */
    double megabytes;
} timing;

static tri_status measure(const char *path, double seconds, timing *out)
{
    input from = {0};
    int64_t begin = tri__clock_now();
    tri_status status = open_input(path, &from);
    if (!status)
        status = read_all(&from);
    out->parse = out->core = out->first = tri__clock_seconds(tri__clock_now() - begin);
    for (int64_t end = tri__clock_now() + (int64_t)(seconds * 1e9); !status && tri__clock_now() < end;) {
        double start = cpu_now();
        begin = tri__clock_now();
        status = read_all(&from);
        out->parse = fmin(out->parse, tri__clock_seconds(tri__clock_now() - begin));
        out->core = fmin(out->core, cpu_now() - start);
    }
    if (!status)
        out->megabytes = (double)from.source->info.bytes * 1e-6;
    tri__reader_destroy(from.reader);
    tri_source_destroy(from.source);
    free(from.keys);
    free(from.values);
    free(from.x);
    free(from.targets);
    return status;
}

int main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: libsvm FILE SECONDS\n");
        return 2;
    }
    timing best = {0};
    tri_status status = measure(arguments[1], strtod(arguments[2], NULL), &best);
    if (status) {
        fprintf(stderr, "libsvm: %s\n", tri_status_message(status));
        tri_status_free(status);
        return 1;
    }
    printf("{\"parse\": %.1f, \"core\": %.1f, \"first\": %.1f}\n", best.megabytes / best.parse, best.megabytes / best.core,
           best.megabytes / best.first);
    return 0;
}
