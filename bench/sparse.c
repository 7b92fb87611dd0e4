/* sparse.c: click records in memory: trained by the library's own plan and store, or only gathered and scattered by a bare loop.
 *
 * The bare loop touches the same lines of a table in the same order, row by row: it reads a row's features, then adds to them, and asks for
 * lines ahead. That is what the machine can do. `dump` writes keys and labels as plain integers, for other people's programs.
 *
 * usage: sparse RECORDS FEATURES BATCH SECONDS bare|lr|fm THREADS    prints one JSON object
 *        sparse RECORDS FEATURES BATCH FOLDER dump */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "trireme/dataset.h"
#include "trireme/model.h"
#include "trireme/plan.h"
#include "trireme/store.h"

enum { AHEAD = 64 };

static void check(tri_status status)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", tri_status_message(status));
    exit(1);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        check(tri_fail(TRI_NO_MEMORY, "no memory for %zu bytes", count * size));
    return memory;
}

/* All batches of the source, one after another. */
typedef struct {
    int64_t rows, count; /* of a batch; batches */
    tri_batch *batch;    /* [count], each with memory of its own */
} loaded;

static tri_batch copy_batch(const tri_batch *from)
{
    const size_t rows = (size_t)from->rows, features = (size_t)from->offsets[rows];
    tri_batch to = *from;
    to.offsets = memcpy(allocate(rows + 1, sizeof(int64_t)), from->offsets, (rows + 1) * sizeof(int64_t));
    to.keys = memcpy(allocate(features, sizeof(int32_t)), from->keys, features * sizeof(int32_t));
    to.values = memcpy(allocate(features, sizeof(float)), from->values, features * sizeof(float));
    to.labels = memcpy(allocate(rows, sizeof(int32_t)), from->labels, rows * sizeof(int32_t));
    to.weights = memcpy(allocate(rows, sizeof(float)), from->weights, rows * sizeof(float));
    to.ids = memcpy(allocate(rows, sizeof(int64_t)), from->ids, rows * sizeof(int64_t));
    return to;
}

static loaded load(const char *spec, int64_t features, int64_t rows)
{
    tri_source *source;
    tri_dataset *dataset;
    const tri_batch *batch;
    check(tri_source_open(spec, TRI_PART_TRAIN, &(tri_source_options){.features = features, .classes = 2}, &source));
    check(tri_dataset_create(source, &(tri_dataset_options){.batch = rows, .epochs = 1}, &dataset));
    loaded all = {.rows = rows};
    all.batch = allocate((size_t)(tri_source_describe(source)->examples / rows + 1), sizeof *all.batch);
    for (;;) {
        check(tri_dataset_next(dataset, &batch));
        if (!batch || batch->count < rows)
            break;
        all.batch[all.count++] = copy_batch(batch);
    }
    tri_dataset_destroy(dataset);
    tri_source_destroy(source);
    return all;
}

/* table: [features]; each row's lines are read, then written. Lines are asked for ahead; sums stand side by side, as an addition waits for
 * the one before it. */
static float touch(const tri_batch *batch, float *table)
{
    float sum[4] = {0};
    const int32_t *keys = batch->keys;
    const int64_t all = batch->offsets[batch->rows];
    for (int64_t row = 0; row < batch->rows; row++) {
        const int64_t first = batch->offsets[row], end = batch->offsets[row + 1];
        for (int64_t i = first; i < end; i++) {
            if (i + AHEAD < all)
                __builtin_prefetch(table + keys[i + AHEAD], 1);
            sum[i & 3] += table[keys[i]];
        }
        for (int64_t i = first; i < end; i++)
            table[keys[i]] += 1e-6F;
    }
    return sum[0] + sum[1] + sum[2] + sum[3];
}

/* Threads take batches in turn, without any order: nothing but memory holds them up. */
static double run_bare(const loaded *all, int64_t features, double seconds, int threads)
{
    float *table, sum = 0;
    check(
        tri__buffer_allocate((size_t)features * sizeof *table, "a table", &table)); /* as tables are: in large pages where there are any */
    for (int64_t i = 0; i < features; i++)
        table[i] = 1e-3F;
    int64_t rows = 0;
    const int64_t begin = tri__clock_now();
    double took;
    do {
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum)
        for (int64_t i = 0; i < all->count; i++)
            sum += touch(&all->batch[i], table);
        rows += all->count * all->rows;
        took = tri__clock_seconds(tri__clock_now() - begin);
    } while (took < seconds);
    if (sum == 12345)
        printf("\n");
    tri__buffer_free(table);
    return (double)rows / took;
}

static void train(tri_plan *plan, tri_store *store, const tri_batch *batch, int64_t step)
{
    double loss;
    check(tri_store_begin(store, &(tri_step){.step = step, .rate = 0.1F}));
    check(tri_plan_train(plan, batch, &loss));
}

static double run_model(const loaded *all, int64_t features, const char *name, double seconds, int threads)
{
    tri_model *model;
    tri_graph *graph;
    tri_store *store;
    tri_plan *plan;
    check(tri_model_open(name, &model));
    check(tri_model_build(model, &(tri_model_input){.type = TRI_F32, .shape = TRI_SHAPE(features), .classes = 2}, all->rows, &graph));
    check(tri_store_local_create(tri_graph_parameter_floats(graph), &(tri_rule){.name = "sgd"}, &store));
    check(tri_graph_add_tables(graph, store));
    tri_graph_initialise(graph, 1, tri_store_parameters(store));
    check(tri_graph_initialise_tables(graph, 1, store));
    tri_store_lend_tables(store);
    check(tri_plan_create(graph, &(tri_plan_options){.batch = all->rows, .training = true, .threads = threads}, store, &plan));
    for (int64_t i = 0; i < all->count; i++) /* brings the pages */
        train(plan, store, &all->batch[i], i);
    int64_t step = all->count, begin = tri__clock_now();
    double took;
    do {
        train(plan, store, &all->batch[step % all->count], step);
        step++;
        took = tri__clock_seconds(tri__clock_now() - begin);
    } while (took < seconds);
    tri_plan_destroy(plan);
    tri_store_destroy(store);
    tri_graph_destroy(graph);
    tri_model_destroy(model);
    return (double)((step - all->count) * all->rows) / took;
}

static FILE *create(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file)
        check(tri_fail(TRI_IO, "cannot write %s", path));
    return file;
}

static void dump(const loaded *all, const char *folder)
{
    FILE *keys = create(folder, "keys.i32"), *labels = create(folder, "labels.i32");
    for (int64_t i = 0; i < all->count; i++) {
        fwrite(all->batch[i].keys, sizeof(int32_t), (size_t)all->batch[i].offsets[all->rows], keys);
        fwrite(all->batch[i].labels, sizeof(int32_t), (size_t)all->rows, labels);
    }
    if (fclose(keys) || fclose(labels))
        check(tri_fail(TRI_IO, "cannot write to %s", folder));
    printf("{\"rows\": %lld}\n", (long long)(all->count * all->rows));
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        fprintf(stderr, "usage: sparse RECORDS FEATURES BATCH SECONDS bare|lr|fm THREADS\n");
        return 2;
    }
    const int64_t features = atoll(argv[2]);
    const loaded all = load(argv[1], features, atoll(argv[3]));
    if (all.count == 0)
        check(tri_fail(TRI_BAD_DATA, "%s has no whole batch", argv[1]));
    if (!strcmp(argv[5], "dump")) {
        dump(&all, argv[4]);
        return 0;
    }
    const int threads = argc > 6 ? atoi(argv[6]) : omp_get_max_threads();
    const double seconds = atof(argv[4]);
    const bool bare = !strcmp(argv[5], "bare");
    const double rate = bare ? run_bare(&all, features, seconds, threads)
                             : run_model(&all, features, !strcmp(argv[5], "fm") ? "fm" : "sparse-lr", seconds, threads);
    printf("{\"rows/s\": %.1f}\n", rate);
    return 0;
}
