/* batch.c: a batch and the memory it stands in. */
#include "data/batch/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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
    TRI_TRY(tri__buffer_allocate(rows * sizeof *slot->ids, "a batch's record numbers", &slot->ids));
    return tri__allocate(rows, sizeof(tri_status), "a batch's failures", &slot->failures);
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
    tri__slot_forget(slot);
    free(slot->failures);
    tri__buffer_free(slot->x);
    tri__buffer_free(slot->at);
    tri__buffer_free(slot->keys);
    tri__buffer_free(slot->values);
    tri__buffer_free(slot->labels);
    tri__buffer_free(slot->weights);
    tri__buffer_free(slot->ids);
    *slot = (tri__slot){0};
}

void tri__slot_forget(tri__slot *slot)
{
    for (int64_t i = 0; slot->failures && i < slot->batch.rows; i++) {
        tri_status_free(slot->failures[i]);
        slot->failures[i] = NULL;
    }
}

size_t tri__slot_bytes(const tri_source *source, int64_t rows)
{
    size_t entries = (size_t)source->info.width * (sizeof(int32_t) + sizeof(float));
    size_t row = (entries ? entries : source->example_bytes) + sizeof(int32_t) + sizeof(float) + sizeof(int64_t) + sizeof(tri_status);
    size_t bytes;
    return tri__size_multiply((size_t)rows, row, &bytes) ? bytes : SIZE_MAX;
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
    if (slot->at)
        slot->at[i] = slot->x;
    else if (place.x)
        memset(place.x, 0, source->example_bytes);
    for (int64_t k = 0; place.keys && place.values && k < source->info.width; k++) {
        place.keys[k] = -1;
        place.values[k] = 0;
    }
}

void tri__slot_spoil(tri__slot *slot, const tri_source *source, int64_t i, tri_status reason)
{
    clear_row(slot, source, i);
    slot->weights[i] = 0;
    slot->failures[i] = reason;
}

/* Whole batches, which follow each other, leave the weights alone. */
void tri__slot_pad(tri__slot *slot, const tri_source *source, int64_t count)
{
    const int64_t rows = slot->batch.rows;
    if (count != slot->batch.count)
        for (int64_t i = 0; i < rows; i++)
            slot->weights[i] = i < count ? 1.0F : 0.0F;
    for (int64_t i = count; i < rows; i++) {
        clear_row(slot, source, i);
        slot->ids[i] = -1;
    }
}
