/* batch.c: batches put together from a source. */
#include "data/batch.h"

#include <string.h>

#include "base/memory.h"
#include "data/resident.h"

static tri_status allocate_examples(tri__slot *slot, const tri_source *source, size_t rows, bool in_place)
{
    const size_t width = (size_t)source->info.width;
    size_t bytes, entries;
    if (!tri__size_multiply(rows, source->example_bytes, &bytes) || !tri__size_multiply(rows, width * sizeof(float), &entries))
        return tri_fail(TRI_BAD_CALL, "a batch of %zu examples of %zu bytes is too large", rows, source->example_bytes);
    if (in_place) {
        TRI_TRY(tri__buffer_allocate(source->example_bytes, "an empty example", &slot->x));
        return tri__buffer_allocate(rows * sizeof *slot->at, "a batch", &slot->at);
    }
    if (width == 0)
        return tri__buffer_allocate(bytes, "a batch", &slot->x);
    TRI_TRY(tri__buffer_allocate(entries, "a batch's keys", &slot->keys));
    return tri__buffer_allocate(entries, "a batch's values", &slot->values);
}

static tri_status allocate(tri__slot *slot, const tri_source *source, size_t rows, bool in_place)
{
    TRI_TRY(allocate_examples(slot, source, rows, in_place));
    TRI_TRY(tri__buffer_allocate(rows * sizeof *slot->labels, "a batch's labels", &slot->labels));
    TRI_TRY(tri__buffer_allocate(rows * sizeof *slot->weights, "a batch's weights", &slot->weights));
    return tri__buffer_allocate(rows * sizeof *slot->ids, "a batch's record numbers", &slot->ids);
}

tri_status tri__slot_init(tri__slot *slot, const tri_source *source, int64_t rows, bool in_place)
{
    *slot = (tri__slot){0};
    TRI_TRY(allocate(slot, source, (size_t)rows, in_place));
    if (in_place)
        memset(slot->x, 0, source->example_bytes);
    slot->batch = (tri_batch){
        .rows = rows,
        .type = source->info.type,
        .x = in_place ? NULL : slot->x,
        .at = slot->at,
        .keys = slot->keys,
        .values = slot->values,
        .labels = slot->labels,
        .weights = slot->weights,
        .ids = slot->ids,
    };
    return NULL;
}

void tri__slot_fini(tri__slot *slot)
{
    tri__buffer_free(slot->x);
    tri__buffer_free(slot->at);
    tri__buffer_free(slot->keys);
    tri__buffer_free(slot->values);
    tri__buffer_free(slot->labels);
    tri__buffer_free(slot->weights);
    tri__buffer_free(slot->ids);
    tri_status_free(slot->status);
    *slot = (tri__slot){0};
}

tri__place tri__slot_place(const tri__slot *slot, const tri_source *source, int64_t i)
{
    const size_t entry = (size_t)(i * source->info.width);
    return (tri__place){
        .x = slot->x ? slot->x + (size_t)i * source->example_bytes : NULL,
        .keys = slot->keys ? slot->keys + entry : NULL,
        .values = slot->values ? slot->values + entry : NULL,
        .label = &slot->labels[i],
    };
}

static void clear_row(tri__slot *slot, const tri_source *source, int64_t i)
{
    const tri__place place = tri__slot_place(slot, source, i);
    slot->labels[i] = 0;
    slot->ids[i] = -1;
    if (slot->at)
        slot->at[i] = slot->x;
    else if (place.x)
        memset(place.x, 0, source->example_bytes);
    for (int64_t k = 0; place.keys && k < source->info.width; k++) {
        place.keys[k] = -1;
        place.values[k] = 0;
    }
}

/* Whole batches, which follow each other, leave the weights alone. */
void tri__slot_pad(tri__slot *slot, const tri_source *source, int64_t count)
{
    const int64_t rows = slot->batch.rows;
    if (count != slot->batch.count)
        for (int64_t i = 0; i < rows; i++)
            slot->weights[i] = i < count ? 1.0F : 0.0F;
    for (int64_t i = count; i < rows; i++)
        clear_row(slot, source, i);
}

tri_status tri__maker_init(tri__maker *maker, tri_source *source, const tri_dataset_options *options)
{
    int64_t all = source->info.examples;
    int64_t examples = options->limit > 0 && options->limit < all ? options->limit : all;
    *maker = (tri__maker){.source = source, .rows = options->batch, .examples = examples, .end = INT64_MAX};
    if (options->epochs > 0 && __builtin_mul_overflow(options->epochs, examples, &maker->end))
        maker->end = INT64_MAX;
    TRI_TRY(tri__reader_create(source, &maker->reader));
    return tri__order_init(&maker->order, options->seed, examples, options->shuffle);
}

void tri__maker_fini(tri__maker *maker)
{
    tri__reader_destroy(maker->reader);
    tri__order_fini(&maker->order);
}

static tri_status read_rows(tri__maker *maker, const int64_t *ids, int64_t count, tri__slot *slot)
{
    for (int64_t i = 0; i < count; i++) {
        const tri__place place = tri__slot_place(slot, maker->source, i);
        TRI_TRY(maker->source->kind->read(maker->reader, ids[i], &place));
    }
    return NULL;
}

static int64_t smallest(int64_t a, int64_t b, int64_t c)
{
    int64_t least = a < b ? a : b;
    return least < c ? least : c;
}

tri_status tri__maker_next(tri__maker *maker, tri__slot *slot)
{
    tri_source *source = maker->source;
    int64_t epoch = maker->position / maker->examples, first = maker->position % maker->examples;
    int64_t known = maker->examples - first;
    int64_t count = smallest(maker->rows, known, maker->end - maker->position);
    if (count > 0) {
        const int64_t *ids = tri__order_of(&maker->order, epoch) + first;
        if (source->rows)
            tri__resident_take(source, ids, count, known, slot);
        else
            TRI_TRY(read_rows(maker, ids, count, slot));
        memcpy(slot->ids, ids, (size_t)count * sizeof *ids);
    }
    tri__slot_pad(slot, source, count);
    slot->batch.count = count;
    slot->batch.epoch = epoch;
    maker->position += count;
    return NULL;
}
