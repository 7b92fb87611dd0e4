/* speed.c: measures how fast a source can be read, over a grid of settings. */
#include "lab/speed/speed.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/bytes/random.h"
#include "base/memory/memory.h"
#include "base/thread/clock.h"

typedef struct {
    const tri__speed_request *request;
    tri__speed_result *result;
    int64_t combinations;
    tri_dataset **kept; /* [combinations] with a cache: the dataset of each */
    int64_t *visits;    /* [combinations] measurements so far */
    int64_t done, all;  /* examples */
} study;

const char *tri__speed_parameter_name(tri__speed_parameter parameter)
{
    static const char *const names[] = {"batch", "batches", "repeat", "workers", "items"};
    return names[parameter];
}

/* The cells of the grid: batch slowest, then batches, then workers, then repetitions. */
static void lay_out(const tri__speed_request *request, tri__speed_cell *cell)
{
    for (int b = 0; b < request->batch.count; b++)
        for (int n = 0; n < request->batches.count; n++)
            for (int w = 0; w < request->workers.count; w++)
                for (int64_t r = 1; r <= request->repeat; r++, cell++)
                    *cell = (tri__speed_cell){.value = {request->batch.value[b], request->batches.value[n], r, request->workers.value[w],
                                                        request->batch.value[b] * request->batches.value[n]}};
}

/* Empty the system's cache of files. */
static tri_status drop_caches(void)
{
    sync();
    int file = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
    bool dropped = file >= 0 && write(file, "3", 1) == 1;
    int error = errno;
    if (file >= 0)
        close(file);
    return dropped ? NULL
                   : tri_fail(TRI_UNSUPPORTED, "the system's file cache cannot be emptied: %s (run it as root, or without --drop-caches)",
                              strerror(error));
}

static tri_status create_dataset(const study *self, const tri__speed_cell *cell, tri_dataset **out)
{
    const tri__speed_request *request = self->request;
    int64_t examples = tri_source_describe(request->source)->examples;
    int64_t items = cell->value[TRI_SPEED_ITEMS];
    const tri_dataset_options options = {
        .batch = cell->value[TRI_SPEED_BATCH],
        .limit = items < examples ? items : examples,
        .epochs = (items - 1) / examples + 1,
        .worker = request->part,
        .workers = request->parts,
        .readers = (int)cell->value[TRI_SPEED_WORKERS],
        .skip_bad = request->skip_bad,
        .cache = request->cache,
        .cache_folder = request->cache_folder,
    };
    return tri_dataset_create(request->source, &options, out);
}

/* CPU seconds of all threads of this process. */
static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Whether there is more to read. With several parts, a part ends where the combination ends, because parts may have different numbers of
 * batches. */
static bool is_unread(const tri__speed_request *request, const tri__speed_cell *cell, int64_t batches, const tri_dataset *dataset)
{
    return request->parts > 1 ? tri_dataset_position(dataset) < cell->value[TRI_SPEED_ITEMS] : batches < cell->value[TRI_SPEED_BATCHES];
}

static tri_status read_batches(study *self, tri__speed_cell *cell, tri_dataset *dataset)
{
    const volatile sig_atomic_t *stop = self->request->stop;
    int64_t begun = tri__clock_now();
    double used = cpu_seconds();
    TRI_TRY(tri_dataset_seek(dataset, 0));
    cell->items = cell->damaged = 0;
    for (int64_t i = 0; is_unread(self->request, cell, i, dataset); i++) {
        const tri_batch *batch;
        TRI_TRY(tri_dataset_next(dataset, &batch));
        if (!batch)
            break;
        cell->items += batch->count - batch->damaged;
        cell->damaged += batch->damaged;
        if (stop && *stop)
            return tri_fail(TRI_STOPPED, "stopped");
    }
    cell->seconds = tri__clock_seconds(tri__clock_now() - begun);
    cell->cpu_seconds = cpu_seconds() - used;
    cell->items_per_second = (double)cell->items / cell->seconds;
    return NULL;
}

/* Measure the next repetition of a combination. With a cache, all repetitions share a dataset. */
static tri_status measure(study *self, int64_t combination)
{
    const tri__speed_request *request = self->request;
    tri__speed_cell *cell = &self->result->cells[combination * request->repeat + self->visits[combination]++];
    tri_dataset *dataset = self->kept[combination];
    if (!dataset)
        TRI_TRY(create_dataset(self, cell, &dataset));
    self->kept[combination] = request->cache ? dataset : NULL;
    tri_status status = request->drop_caches ? drop_caches() : NULL;
    if (!status)
        status = read_batches(self, cell, dataset);
    if (!request->cache)
        tri_dataset_destroy(dataset);
    self->done += cell->items + cell->damaged;
    if (request->progress)
        request->progress(request->context, self->done, self->all);
    return status;
}

static tri_status measure_elsewhere(study *self, int64_t combination)
{
    const tri__speed_request *request = self->request;
    tri__speed_cell *cells = &self->result->cells[combination * request->repeat];
    TRI_TRY(request->measure(request->others, cells));
    for (int64_t i = 0; i < request->repeat; i++)
        self->done += cells[i].value[TRI_SPEED_ITEMS];
    if (request->progress)
        request->progress(request->context, self->done, self->all);
    return NULL;
}

static tri_status measure_all(study *self)
{
    const tri__speed_request *request = self->request;
    const int64_t turns = request->measure ? self->combinations : self->result->count;
    int64_t *order;
    TRI_TRY(tri__allocate((size_t)turns, sizeof *order, "the order of measuring", &order));
    tri__key key = tri__key_split_name(tri__key_of(request->seed), "speed");
    tri__random_permutation(key, turns, order);
    tri_status status = NULL;
    if (request->progress)
        request->progress(request->context, 0, self->all);
    for (int64_t i = 0; i < turns && !status; i++)
        status = request->measure ? measure_elsewhere(self, order[i]) : measure(self, order[i] / request->repeat);
    free(order);
    return status;
}

/* Items count as a parameter only where both batch and batches vary. They come last. */
static void find_varied(const tri__speed_request *request, tri__speed_result *out)
{
    const bool both = request->batch.count > 1 && request->batches.count > 1;
    const int values[] = {request->batch.count, request->batches.count, request->repeat > 1 ? 2 : 1, request->workers.count, both ? 2 : 1};
    for (int i = 0; i < TRI_SPEED_PARAMETERS; i++)
        if (values[i] > 1)
            out->varied[out->variables++] = (tri__speed_parameter)i;
}

/* x: [cells][columns] the parameters varied[first …] */
static tri_status fit(const tri__speed_result *result, int first, int columns, tri__regression *out)
{
    double *x, *y;
    size_t rows = (size_t)result->count;
    TRI_TRY(tri__allocate(rows * (size_t)(columns + 1), sizeof *x, "a regression", &x));
    y = x + rows * (size_t)columns;
    for (int64_t row = 0; row < result->count; row++) {
        for (int column = 0; column < columns; column++)
            x[row * columns + column] = (double)result->cells[row].value[result->varied[first + column]];
        y[row] = result->cells[row].items_per_second;
    }
    tri_status status = tri__regression_fit(x, y, result->count, columns, out);
    free(x);
    return status;
}

/* Items are the product of batch and batches, so they are not fitted together with them. */
static tri_status fit_all(tri__speed_result *result)
{
    for (int i = 0; i < result->variables; i++)
        TRI_TRY(fit(result, i, 1, &result->alone[i]));
    int together = result->variables - (result->variables && result->varied[result->variables - 1] == TRI_SPEED_ITEMS);
    return together && result->count > together ? fit(result, 0, together, &result->together) : NULL;
}

static tri_status run(study *self)
{
    const tri__speed_request *request = self->request;
    tri__speed_result *result = self->result;
    self->combinations = (int64_t)request->batch.count * request->batches.count * request->workers.count;
    result->count = self->combinations * request->repeat;
    TRI_TRY(tri__allocate((size_t)result->count, sizeof *result->cells, "cells", &result->cells));
    TRI_TRY(tri__allocate((size_t)self->combinations, sizeof(tri_dataset *), "datasets", &self->kept));
    TRI_TRY(tri__allocate((size_t)self->combinations, sizeof *self->visits, "counts", &self->visits));
    lay_out(request, result->cells);
    for (int64_t i = 0; i < result->count; i++)
        self->all += result->cells[i].value[TRI_SPEED_ITEMS];
    TRI_TRY(measure_all(self));
    find_varied(request, result);
    return fit_all(result);
}

tri_status tri__speed_measure(const tri__speed_request *request, tri__speed_result *out)
{
    *out = (tri__speed_result){0};
    study self = {.request = request, .result = out};
    tri_status status = run(&self);
    for (int64_t i = 0; self.kept && i < self.combinations; i++)
        tri_dataset_destroy(self.kept[i]);
    free(self.kept);
    free(self.visits);
    if (status)
        tri__speed_result_fini(out);
    return status;
}

void tri__speed_result_fini(tri__speed_result *result)
{
    free(result->cells);
    *result = (tri__speed_result){0};
}

double tri__speed_mean(const tri__speed_result *result, tri__speed_parameter parameter, int64_t value)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < result->count; i++)
        if (result->cells[i].value[parameter] == value) {
            sum += result->cells[i].items_per_second;
            count++;
        }
    return count ? sum / (double)count : NAN;
}
