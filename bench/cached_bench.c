/* cached_bench.c: a cached epoch beside a bare copy of the same examples in the same order, one thread; prints one line of JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "trireme/dataset.h"

#define SOURCE "fake:192x192x3:5:2000"

enum { BATCH = 32, BUFFERS = 3, REPEATS = 20 };

static void check(tri_status status)
{
    if (!status)
        return;
    fprintf(stderr, "cached_bench: %s\n", tri_status_message(status));
    exit(1);
}

/* Seconds for one epoch; keeps the record numbers in their order. */
static double read_epoch(tri_dataset *dataset, int64_t *ids)
{
    int64_t begun = tri__clock_now();
    const tri_batch *batch;
    check(tri_dataset_seek(dataset, 0));
    for (;;) {
        check(tri_dataset_next(dataset, &batch));
        if (!batch)
            break;
        memcpy(ids, batch->ids, (size_t)batch->count * sizeof *ids);
        ids += batch->count;
    }
    return tri__clock_seconds(tri__clock_now() - begun);
}

/* rows: [examples][bytes] → one of a few batches after another */
static double copy_epoch(const uint8_t *rows, const int64_t *ids, int64_t examples, size_t bytes, uint8_t *batches)
{
    int64_t begun = tri__clock_now();
    for (int64_t i = 0; i < examples; i++)
        memcpy(batches + (size_t)(i % (BUFFERS * BATCH)) * bytes, rows + (size_t)ids[i] * bytes, bytes);
    return tri__clock_seconds(tri__clock_now() - begun);
}

int main(void)
{
    tri_source *source;
    tri_dataset *dataset;
    check(tri_source_open(SOURCE, TRI_PART_TRAIN, NULL, &source));
    const tri_source_info *info = tri_source_describe(source);
    size_t bytes = (size_t)tri_shape_count(info->shape);
    const tri_dataset_options options = {.batch = BATCH, .shuffle = TRI_SHUFFLE_ALL, .epochs = 1, .cache = true};
    check(tri_dataset_create(source, &options, &dataset));
    uint8_t *rows, *batches;
    int64_t *ids;
    check(tri__buffer_allocate((size_t)info->examples * bytes, "examples", &rows));
    check(tri__buffer_allocate(BUFFERS * BATCH * bytes, "batches", &batches));
    check(tri__allocate((size_t)info->examples, sizeof *ids, "record numbers", &ids));
    memset(rows, 1, (size_t)info->examples * bytes);
    double decoded = read_epoch(dataset, ids), cached = 1e9, copied = 1e9;
    copy_epoch(rows, ids, info->examples, bytes, batches);
    for (int i = 0; i < REPEATS; i++) {
        double a = read_epoch(dataset, ids), b = copy_epoch(rows, ids, info->examples, bytes, batches);
        cached = a < cached ? a : cached;
        copied = b < copied ? b : copied;
    }
    double total = (double)info->examples * (double)bytes;
    printf("{\"decoded\":%.4g, \"cached\":%.4g, \"copied\":%.4g}\n", total / decoded, total / cached, total / copied);
    tri_dataset_destroy(dataset);
    tri_source_destroy(source);
    tri__buffer_free(rows);
    tri__buffer_free(batches);
    free(ids);
    return 0;
}
