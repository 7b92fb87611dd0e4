/* dataset.c: order → shard → read and decode → cache → batch, behind one call.
 *
 * Where the source's rows stand in memory, the caller's own thread takes them: that costs microseconds, a wake-up between threads a
 * hundred. Where making an example costs time, threads make batches ahead (ahead.c). */
#include "data/dataset.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/ahead.h"
#include "data/damage.h"
#include "data/resident.h"

struct tri_dataset {
    tri_source *source;
    tri_dataset_options options; /* its texts are copies */
    int64_t position;            /* examples given out */
    tri__shard shard;
    tri__damage damage;
    bool warned; /* about the cache */

    tri__ahead *ahead;  /* where batches are made ahead; NULL: in memory */
    tri__course course; /* in memory … */
    tri__slot slot;     /* … of which this has rows then, and only then */
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
    if (source->info.examples < 1)
        return tri_fail(TRI_BAD_DATA, "%s: there are no examples in it", source->info.spec);
    return NULL;
}

static tri_status prepare_resident(tri_dataset *dataset)
{
    const tri_dataset_options *options = &dataset->options;
    TRI_TRY(tri__course_init(&dataset->course, dataset->source, options));
    dataset->shard = dataset->course.shard;
    return tri__slot_init(&dataset->slot, dataset->source, options->batch, options->in_place);
}

static tri_status prepare_ahead(tri_dataset *dataset)
{
    TRI_TRY(tri__ahead_create(dataset->source, &dataset->options, &dataset->ahead));
    dataset->shard = *tri__ahead_shard(dataset->ahead);
    return NULL;
}

static tri_status copy_text(const char **text)
{
    const char *given = *text;
    *text = given ? strdup(given) : NULL;
    return given && !*text ? tri_fail(TRI_NO_MEMORY, "no memory for the options of a dataset") : NULL;
}

static tri_status prepare(tri_dataset *dataset)
{
    tri_dataset_options *options = &dataset->options;
    bool resident = dataset->source->rows && !options->augment;
    tri_status folder = copy_text(&options->cache_folder), augment = copy_text(&options->augment);
    if (folder)
        tri_status_free(augment);
    TRI_TRY(folder ? folder : augment);
    return resident ? prepare_resident(dataset) : prepare_ahead(dataset);
}

tri_status tri_dataset_create(tri_source *source, const tri_dataset_options *options, tri_dataset **out)
{
    TRI_TRY(check_options(source, options));
    tri_dataset *dataset;
    TRI_TRY(tri__allocate(1, sizeof *dataset, "a dataset", &dataset));
    dataset->source = source;
    dataset->options = *options;
    tri__damage_init(&dataset->damage, options->skip_bad);
    tri_status status = prepare(dataset);
    if (status)
        tri_dataset_destroy(dataset);
    else
        *out = dataset;
    return status;
}

void tri_dataset_destroy(tri_dataset *dataset)
{
    if (!dataset)
        return;
    tri__ahead_destroy(dataset->ahead);
    tri__course_fini(&dataset->course);
    tri__slot_fini(&dataset->slot);
    tri__damage_fini(&dataset->damage);
    free((char *)dataset->options.cache_folder);
    free((char *)dataset->options.augment);
    free(dataset);
}

/* The records behind this batch are known, too: they can be fetched ahead. */
static void take_resident(tri_dataset *dataset, tri__slot **out, int64_t *after)
{
    tri__slot *slot = &dataset->slot;
    tri__slice slice = tri__shard_slice(&dataset->shard, dataset->position);
    if (slice.count > 0) {
        const int64_t *ids = tri__order_of(&dataset->course.order, slice.epoch) + slice.first;
        tri__resident_take(dataset->source, ids, slice.count, dataset->shard.examples - slice.first, slot);
        memcpy(slot->ids, ids, (size_t)slice.count * sizeof *ids);
    }
    tri__slot_pad(slot, dataset->source, slice.count);
    slot->batch.count = slice.count;
    slot->batch.epoch = slice.epoch;
    *out = slot;
    *after = slice.after;
}

static tri_status next_ahead(tri_dataset *dataset, tri__slot **out, int64_t *after)
{
    if (!dataset->ahead) { /* a thread of the last one hangs */
        TRI_TRY(prepare_ahead(dataset));
        if (!tri__ahead_seek(dataset->ahead, dataset->position))
            return tri_fail(TRI_INTERNAL, "%s: cannot begin again", dataset->source->info.spec);
    }
    TRI_TRY(tri__ahead_next(dataset->ahead, out, after));
    return tri__damage_judge(&dataset->damage, *out);
}

tri_status tri_dataset_next(tri_dataset *dataset, const tri_batch **out)
{
    *out = NULL;
    if (dataset->position == dataset->shard.end)
        return NULL;
    tri__slot *slot;
    int64_t after;
    if (dataset->slot.batch.rows > 0) {
        take_resident(dataset, &slot, &after);
    } else {
        tri_status status = next_ahead(dataset, &slot, &after);
        if (status) {
            /* The next call starts again at the same place. */
            tri_status_free(tri_dataset_seek(dataset, dataset->position));
            return status;
        }
    }
    dataset->position = after;
    *out = &slot->batch;
    return NULL;
}

int64_t tri_dataset_examples(const tri_dataset *dataset)
{
    return dataset->shard.examples;
}

int64_t tri_dataset_position(const tri_dataset *dataset)
{
    return dataset->position;
}

int64_t tri_dataset_damaged(const tri_dataset *dataset)
{
    return dataset->damage.count;
}

double tri__dataset_decoding(const tri_dataset *dataset)
{
    return dataset->ahead ? tri__ahead_cpu_seconds(dataset->ahead) : 0;
}

char *tri__dataset_note(tri_dataset *dataset)
{
    char *note = dataset->damage.told;
    dataset->damage.told = NULL;
    const tri__cache *cache = dataset->ahead ? tri__ahead_cache(dataset->ahead) : NULL;
    if (note || dataset->warned || !cache)
        return note;
    char trouble[256];
    tri__cache_trouble(cache, trouble, sizeof trouble);
    dataset->warned = *trouble;
    return *trouble ? strdup(trouble) : NULL;
}

tri_status tri_dataset_seek(tri_dataset *dataset, int64_t position)
{
    if (position < 0 || position > dataset->shard.end)
        return tri_fail(TRI_BAD_CALL, "%s: position %" PRId64 " is outside the %" PRId64 " examples of the whole run",
                        dataset->source->info.spec, position, dataset->shard.end);
    dataset->position = position;
    if (dataset->ahead && !tri__ahead_seek(dataset->ahead, position)) {
        tri__ahead_destroy(dataset->ahead);
        dataset->ahead = NULL;
    }
    return NULL;
}
