/* class_counts.c: how many examples of each class a training run reads. The order of an epoch names its records. If the source knows their
 * classes, nothing is read; otherwise a dataset goes through them once. */
#include "data/batch/class_counts.h"

#include <string.h>

#include "data/order/record_order.h"
#include "data/source/source.h"

/* A label that is not a class of the source is ignored here; the plan refuses it. */
static void count(const tri_source *source, int32_t label, int64_t *counts)
{
    if ((uint32_t)label < (uint64_t)source->info.classes)
        counts[label]++;
}

static tri_status count_known(const tri_source *source, const tri_dataset_options *options, int64_t *counts)
{
    enum { AT_ONCE = 1024 };
    int64_t ids[AT_ONCE];
    tri__record_order order;
    TRI_TRY(tri__record_order_init(&order, source, options));
    const int64_t examples = order.shard.examples;
    for (int64_t first = 0; first < examples; first += AT_ONCE) {
        const tri__slice slice = {.first = first, .count = examples - first < AT_ONCE ? examples - first : AT_ONCE};
        tri__record_order_take(&order, &slice, ids);
        for (int64_t i = 0; i < slice.count; i++)
            count(source, tri__source_class(source, ids[i]), counts);
    }
    tri__record_order_fini(&order);
    return NULL;
}

static tri_status count_batches(const tri_source *source, tri_dataset *dataset, int64_t *counts)
{
    const tri_batch *batch;
    for (;;) {
        TRI_TRY(tri_dataset_next(dataset, &batch));
        if (!batch)
            return NULL;
        for (int64_t i = 0; i < batch->count; i++)
            if (batch->weights[i] != 0)
                count(source, batch->labels[i], counts);
    }
}

static tri_status count_read(tri_source *source, const tri_dataset_options *options, int64_t *counts)
{
    tri_dataset_options once = {.batch = options->batch,
                                .seed = options->seed,
                                .limit = options->limit,
                                .sample = options->sample,
                                .epochs = 1,
                                .skip_bad = INT64_MAX};
    tri_dataset *dataset;
    TRI_TRY(tri_dataset_create(source, &once, &dataset));
    tri_status status = count_batches(source, dataset, counts);
    tri_dataset_destroy(dataset);
    return status;
}

tri_status tri__class_counts(tri_source *source, const tri_dataset_options *options, int64_t *counts)
{
    memset(counts, 0, (size_t)source->info.classes * sizeof *counts);
    return tri__source_class(source, 0) < 0 ? count_read(source, options, counts) : count_known(source, options, counts);
}
