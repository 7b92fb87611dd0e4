/* dataset.c: order → shard → read and decode → cache → batch, behind one call.
 *
 * If the source's examples are in memory, the caller's own thread takes them: that costs a few microseconds, while waking another thread
 * costs a hundred. If examples must be read or decoded, threads make batches ahead (prefetch.c; for a stream, stream_batches.c). */
#include "data/batch/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "data/batch/damage.h"
#include "data/batch/mixup.h"
#include "data/batch/prefetch.h"
#include "data/batch/resident.h"
#include "data/batch/stream_batches.h"
#include "data/order/batch_plan.h"

struct tri_dataset {
    tri_source *source;
    tri_dataset_options options; /* its folder and class weights are copies that the dataset owns; mixed_classes: 0 means no shares */
    tri__augment augment;        /* what options.augment said */
    tri__batch_plan plan;
    tri__damage damage;
    bool warned; /* the user was told that the cache cannot hold all examples */

    tri__prefetch *prefetch;        /* makes batches ahead; NULL for examples in memory, for a stream, and after a thread hung */
    tri__record_order record_order; /* of examples in memory */
    tri__batch_buffer buffer;       /* of examples in memory; elsewhere it has no rows */

    tri__stream_batches *stream; /* NULL where the source is not a stream */
    tri_batch nothing;           /* what is given out if no example of the stream has come for a while */
};

static tri_status check_options(const tri_source *source, const tri_dataset_options *options)
{
    if (options->batch < 1)
        return tri_fail(TRI_BAD_CALL, "a batch of %" PRId64 " examples: the batch size must be at least 1", options->batch);
    if (options->shuffle < 0 || options->limit < 0 || options->epochs < 0 || options->skip_bad < 0)
        return tri_fail(TRI_BAD_CALL, "the shuffle window, the limit, the number of epochs and of bad records cannot be negative");
    int64_t step;
    if (options->workers < 0 || options->worker < 0 || options->worker >= (options->workers ? options->workers : 1) ||
        __builtin_mul_overflow(options->batch, options->workers, &step))
        return tri_fail(TRI_BAD_CALL, "worker %d of %d with a batch of %" PRId64 ": there is no such worker", options->worker,
                        options->workers, options->batch);
    if (options->mixed_classes < 0 || options->mixed_classes > INT32_MAX)
        return tri_fail(TRI_BAD_CALL, "%" PRId64 " mixed classes: there are at most %d", options->mixed_classes, INT32_MAX);
    if (source->info.examples < 1 && !source->info.stream)
        return tri_fail(TRI_BAD_DATA, "%s: there are no examples in it", source->info.spec);
    return NULL;
}

static tri_status check_memory(const tri_source *source, const tri_dataset_options *options)
{
    enum { MEGABYTE = 1 << 20 };
    size_t bytes = tri__batch_buffer_bytes(source, options->batch, options->mixed_classes), available = (size_t)tri__memory_available();
    if (bytes <= available / 2)
        return NULL;
    return tri_fail(TRI_NO_MEMORY,
                    "%s: a batch of %" PRId64 " examples takes %" PRId64 " MB, and %" PRId64 " MB are free (a smaller --batch takes less)",
                    source->info.spec, options->batch, bytes / MEGABYTE, available / MEGABYTE);
}

static tri_status prepare_resident(tri_dataset *dataset)
{
    const tri_dataset_options *options = &dataset->options;
    TRI_TRY(tri__record_order_init(&dataset->record_order, dataset->source, options));
    tri__batch_plan_init(&dataset->plan, dataset->record_order.shard, options->assigned);
    return tri__batch_buffer_init(&dataset->buffer, dataset->source, options->batch, options->in_place);
}

/* Check that the source's examples can be changed as asked, and find out how many classes have a share in a label. */
static tri_status prepare_augmenting(tri_dataset *dataset)
{
    const tri_source_info *info = &dataset->source->info;
    const tri__augment *augment = &dataset->augment;
    const int64_t wanted = dataset->options.mixed_classes;
    dataset->options.mixed_classes = 0;
    TRI_TRY(tri_wrap(tri__augment_check(augment, info->shape), "%s", info->spec));
    if (info->width)
        TRI_TRY(tri__augment_check_sparse(augment, info->spec));
    return augment->mixup > 0 ? tri__mixup_classes(info, wanted, &dataset->options.mixed_classes) : NULL;
}

static tri_status create_prefetch(tri_dataset *dataset)
{
    return tri__prefetch_create(dataset->source, &dataset->options, &dataset->augment, &dataset->prefetch);
}

static tri_status prepare_prefetch(tri_dataset *dataset)
{
    TRI_TRY(check_memory(dataset->source, &dataset->options));
    TRI_TRY(create_prefetch(dataset));
    tri__batch_plan_init(&dataset->plan, *tri__prefetch_shard(dataset->prefetch), dataset->options.assigned);
    return NULL;
}

static tri_status prepare_stream(tri_dataset *dataset)
{
    const tri_dataset_options *options = &dataset->options;
    if (options->assigned || options->workers > 1 || options->epochs > 1 || options->cache || options->own_files ||
        tri__augment_is_on(&dataset->augment) || options->class_weights)
        return tri_fail(
            TRI_BAD_CALL,
            "%s: a stream is read once, by one worker, in its order: it cannot be shared out, cached, changed, weighed or repeated",
            dataset->source->info.spec);
    dataset->nothing.rows = options->batch;
    return tri__stream_batches_create(dataset->source, options, &dataset->stream);
}

static tri_status copy_text(const char **text)
{
    const char *given = *text;
    *text = given ? strdup(given) : NULL;
    return given && !*text ? tri_fail(TRI_NO_MEMORY, "no memory for the options of a dataset") : NULL;
}

/* Replace the caller's class weights by a copy that the dataset owns. */
static tri_status copy_class_weights(tri_dataset *dataset)
{
    const float *given = dataset->options.class_weights;
    const int64_t classes = dataset->source->info.classes;
    dataset->options.class_weights = NULL;
    if (!given)
        return NULL;
    if (classes < 1)
        return tri_fail(TRI_BAD_CALL, "%s: its labels are no classes, so that none can have a weight", dataset->source->info.spec);
    float *copy;
    TRI_TRY(tri__allocate((size_t)classes, sizeof *copy, "weights of classes", &copy));
    dataset->options.class_weights = memcpy(copy, given, (size_t)classes * sizeof *copy);
    for (int64_t i = 0; i < classes; i++)
        if (!(given[i] > 0 && isfinite(given[i])))
            return tri_fail(TRI_BAD_CALL, "class %" PRId64 " has the weight %g: weights are finite and above 0", i, (double)given[i]);
    return NULL;
}

static tri_status prepare(tri_dataset *dataset)
{
    tri_dataset_options *options = &dataset->options;
    const bool resident = dataset->source->resident_x && !tri__augment_is_on(&dataset->augment);
    tri_status folder = copy_text(&options->cache_folder), weights = copy_class_weights(dataset);
    if (folder)
        tri_status_free(weights);
    TRI_TRY(folder ? folder : weights);
    if (dataset->source->info.stream)
        return prepare_stream(dataset);
    TRI_TRY(prepare_augmenting(dataset));
    return resident ? prepare_resident(dataset) : prepare_prefetch(dataset);
}

tri_status tri__dataset_create(tri_source *source, const tri_dataset_options *options, const tri__augment *augment, tri_dataset **out)
{
    TRI_TRY(check_options(source, options));
    tri_dataset *dataset;
    TRI_TRY(tri__allocate(1, sizeof *dataset, "a dataset", &dataset));
    dataset->source = source;
    dataset->options = *options;
    dataset->options.augment = NULL;
    dataset->augment = *augment;
    tri__damage_init(&dataset->damage, options->skip_bad);
    tri_status status = prepare(dataset);
    if (status)
        tri_dataset_destroy(dataset);
    else
        *out = dataset;
    return status;
}

tri_status tri_dataset_create(tri_source *source, const tri_dataset_options *options, tri_dataset **out)
{
    tri__augment augment;
    TRI_TRY(tri__augment_parse(options->augment, &augment));
    return tri__dataset_create(source, options, &augment, out);
}

void tri_dataset_destroy(tri_dataset *dataset)
{
    if (!dataset)
        return;
    tri__prefetch_destroy(dataset->prefetch);
    tri__stream_batches_destroy(dataset->stream);
    tri__record_order_fini(&dataset->record_order);
    tri__batch_buffer_fini(&dataset->buffer);
    tri__damage_fini(&dataset->damage);
    free((char *)dataset->options.cache_folder);
    free((float *)dataset->options.class_weights);
    free(dataset);
}

/* The record numbers of a slice of examples in memory; none if the slice is not of that epoch. */
static tri__record_numbers records_of(tri_dataset *dataset, const tri__slice *slice, int64_t epoch)
{
    if (!slice || slice->epoch != epoch || slice->count == 0)
        return (tri__record_numbers){0};
    return (tri__record_numbers){tri__epoch_order_of(&dataset->record_order.order, epoch) + slice->first, slice->count};
}

/* If the next batch is known, too, its first examples are prefetched into the CPU's cache. */
static tri__batch_buffer *take_resident(tri_dataset *dataset, const tri__slice *slice)
{
    tri__batch_buffer *buffer = &dataset->buffer;
    tri__record_numbers records = records_of(dataset, slice, slice->epoch);
    if (records.count > 0) {
        tri__resident_take(dataset->source, records, records_of(dataset, tri__batch_plan_find(&dataset->plan, 1), slice->epoch), buffer);
        memcpy(buffer->ids, records.ids, (size_t)records.count * sizeof *records.ids);
    }
    tri__batch_buffer_pad(buffer, dataset->source, records.count);
    buffer->batch.count = records.count;
    buffer->batch.epoch = slice->epoch;
    return buffer;
}

static tri_status take_prefetched(tri_dataset *dataset, tri__batch_buffer **out)
{
    if (!dataset->prefetch) /* the last one was given up because a thread of it hangs */
        TRI_TRY(create_prefetch(dataset));
    tri__prefetch_plan(dataset->prefetch, &dataset->plan);
    TRI_TRY(tri__prefetch_next(dataset->prefetch, out));
    return tri__damage_check(&dataset->damage, *out);
}

/* Forget the batches that were made ahead. */
static void clear_prefetch(tri_dataset *dataset)
{
    if (dataset->prefetch && !tri__prefetch_clear(dataset->prefetch)) {
        tri__prefetch_destroy(dataset->prefetch);
        dataset->prefetch = NULL;
    }
}

static bool is_resident(const tri_dataset *dataset)
{
    return dataset->buffer.batch.rows > 0;
}

/* The next batch of a stream: NULL at its end; a batch without examples if no input has come for a while. */
static tri_status take_from_stream(tri_dataset *dataset, const tri_batch **out)
{
    const int64_t limit = dataset->options.limit, position = dataset->plan.position;
    tri__batch_buffer *buffer;
    tri__awaited came;
    TRI_TRY(tri__stream_batches_next(dataset->stream, limit > 0 ? limit - position : INT64_MAX, &buffer, &came));
    *out = came == TRI_AWAITED_NOTHING ? &dataset->nothing : NULL;
    if (!buffer)
        return NULL;
    for (int64_t i = 0; i < buffer->batch.rows; i++)
        buffer->ids[i] = i < buffer->batch.count ? position + i : -1;
    dataset->plan.position += buffer->batch.count;
    *out = &buffer->batch;
    return tri__damage_check(&dataset->damage, buffer);
}

/* Give each example that is not damaged the weight of its class, or of its classes if it is mixed. A label that is not a class of the
 * source is ignored here; the plan refuses it. */
static void weigh(const tri_dataset *dataset, tri__batch_buffer *buffer)
{
    const float *weights = dataset->options.class_weights;
    const int64_t classes = dataset->source->info.classes, mixed_classes = buffer->batch.outputs;
    for (int64_t i = 0; weights && i < buffer->batch.count; i++)
        if (buffer->weights[i] != 0 && mixed_classes)
            buffer->weights[i] = tri__mixup_weigh(mixed_classes, weights, classes, buffer->targets + i * mixed_classes);
        else if (buffer->weights[i] != 0 && (uint32_t)buffer->labels[i] < (uint64_t)classes)
            buffer->weights[i] = weights[buffer->labels[i]];
}

tri_status tri_dataset_next(tri_dataset *dataset, const tri_batch **out)
{
    *out = NULL;
    if (dataset->stream)
        return take_from_stream(dataset, out);
    const tri__slice *slice = tri__batch_plan_find(&dataset->plan, 0);
    if (!slice && dataset->options.assigned)
        return tri_fail(TRI_BAD_CALL, "%s: no batch is assigned", dataset->source->info.spec);
    if (!slice)
        return NULL;
    tri__batch_buffer *buffer;
    if (is_resident(dataset)) {
        buffer = take_resident(dataset, slice);
    } else {
        tri_status status = take_prefetched(dataset, &buffer);
        if (status) {
            clear_prefetch(dataset); /* the next call tries the same batch again */
            return status;
        }
    }
    tri__batch_plan_take(&dataset->plan);
    weigh(dataset, buffer);
    *out = &buffer->batch;
    return NULL;
}

const tri_batch *tri__dataset_peek(tri_dataset *dataset)
{
    return dataset->prefetch ? tri__prefetch_peek(dataset->prefetch) : NULL;
}

tri_status tri_dataset_assign(tri_dataset *dataset, int64_t position, int worker, int workers)
{
    const char *spec = dataset->source->info.spec;
    if (!dataset->options.assigned)
        return tri_fail(TRI_BAD_CALL, "%s: batches are assigned only where options.assigned asks for it", spec);
    TRI_TRY(tri_wrap(tri__batch_plan_assign(&dataset->plan, position, worker, workers), "%s", spec));
    if (dataset->prefetch)
        tri__prefetch_plan(dataset->prefetch, &dataset->plan);
    return NULL;
}

void tri_dataset_revoke(tri_dataset *dataset)
{
    if (!dataset->options.assigned)
        return;
    tri__batch_plan_revoke(&dataset->plan);
    clear_prefetch(dataset);
}

int tri_dataset_ahead(const tri_dataset *dataset)
{
    return dataset->prefetch ? tri__prefetch_depth(dataset->prefetch) : 1;
}

int64_t tri_dataset_examples(const tri_dataset *dataset)
{
    return dataset->plan.shard.examples;
}

int64_t tri_dataset_position(const tri_dataset *dataset)
{
    return dataset->plan.position;
}

int64_t tri_dataset_damaged(const tri_dataset *dataset)
{
    return dataset->damage.count;
}

int64_t tri__dataset_damage(const tri_dataset *dataset, const int64_t **records)
{
    *records = dataset->damage.records;
    return dataset->damage.count;
}

tri_status tri__dataset_recall_damage(tri_dataset *dataset, const int64_t *records, int64_t count)
{
    bool is_new;
    for (int64_t i = 0; i < count; i++)
        TRI_TRY(tri__damage_add(&dataset->damage, records[i], &is_new));
    return NULL;
}

double tri__dataset_decoding(const tri_dataset *dataset)
{
    return dataset->prefetch ? tri__prefetch_cpu_seconds(dataset->prefetch) : 0;
}

char *tri__dataset_note(tri_dataset *dataset)
{
    char *note = dataset->damage.told;
    dataset->damage.told = NULL;
    const tri__cache *cache = dataset->prefetch ? tri__prefetch_cache(dataset->prefetch) : NULL;
    if (note || dataset->warned || !cache)
        return note;
    char trouble[256];
    tri__cache_trouble(cache, trouble, sizeof trouble);
    dataset->warned = *trouble;
    return *trouble ? strdup(trouble) : NULL;
}

tri_status tri_dataset_seek(tri_dataset *dataset, int64_t position)
{
    const char *spec = dataset->source->info.spec;
    int64_t end = dataset->plan.shard.end;
    if (dataset->stream) { /* a stream cannot go back or skip: only the record numbers continue from position */
        dataset->plan.position = position;
        return NULL;
    }
    if (dataset->options.assigned)
        return tri_fail(TRI_BAD_CALL, "%s: batches come as they are assigned: revoke them and assign others", spec);
    if (position < 0 || position > end)
        return tri_fail(TRI_BAD_CALL, "%s: position %" PRId64 " is outside the %" PRId64 " examples of the whole run", spec, position, end);
    tri__batch_plan_seek(&dataset->plan, position);
    clear_prefetch(dataset);
    return NULL;
}
