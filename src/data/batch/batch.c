/* batch.c: a batch and the memory it stands in. */
#include "data/batch/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static tri_status allocate_examples(tri__batch_buffer *buffer, const tri_source *source, size_t rows, bool in_place)
{
    const size_t width = (size_t)source->info.width;
    size_t bytes, entries;
    if (!tri__size_multiply(rows, source->example_bytes, &bytes) || !tri__size_multiply(rows, width * sizeof(float), &entries))
        return tri_fail(TRI_BAD_CALL, "a batch of %zu examples of %zu bytes is too large", rows, source->example_bytes);
    if (in_place) {
        TRI_TRY(tri__buffer_allocate(source->example_bytes, "an empty example", &buffer->x));
        return tri__buffer_allocate(rows * sizeof *buffer->at, "a batch", &buffer->at);
    }
    if (width == 0)
        return tri__buffer_allocate(bytes, "a batch", &buffer->x);
    TRI_TRY(tri__buffer_allocate(entries, "a batch's keys", &buffer->keys));
    return tri__buffer_allocate(entries, "a batch's values", &buffer->values);
}

static tri_status allocate(tri__batch_buffer *buffer, const tri_source *source, size_t rows, bool in_place)
{
    TRI_TRY(allocate_examples(buffer, source, rows, in_place));
    TRI_TRY(tri__buffer_allocate(rows * sizeof *buffer->labels, "a batch's labels", &buffer->labels));
    TRI_TRY(tri__buffer_allocate(rows * sizeof *buffer->weights, "a batch's weights", &buffer->weights));
    TRI_TRY(tri__buffer_allocate(rows * sizeof *buffer->ids, "a batch's record numbers", &buffer->ids));
    return tri__allocate(rows, sizeof(tri_status), "a batch's failures", &buffer->failures);
}

tri_status tri__batch_buffer_init(tri__batch_buffer *buffer, const tri_source *source, int64_t rows, bool in_place)
{
    *buffer = (tri__batch_buffer){0};
    TRI_TRY(allocate(buffer, source, (size_t)rows, in_place));
    if (in_place)
        memset(buffer->x, 0, source->example_bytes);
    buffer->batch = (tri_batch){
        .rows = rows,
        .type = source->info.type,
        .x = in_place ? NULL : buffer->x,
        .at = buffer->at,
        .keys = buffer->keys,
        .values = buffer->values,
        .labels = buffer->labels,
        .weights = buffer->weights,
        .ids = buffer->ids,
    };
    return NULL;
}

void tri__batch_buffer_fini(tri__batch_buffer *buffer)
{
    tri__batch_buffer_clear_failures(buffer);
    free(buffer->failures);
    tri__buffer_free(buffer->x);
    tri__buffer_free(buffer->at);
    tri__buffer_free(buffer->keys);
    tri__buffer_free(buffer->values);
    tri__buffer_free(buffer->labels);
    tri__buffer_free(buffer->weights);
    tri__buffer_free(buffer->ids);
    *buffer = (tri__batch_buffer){0};
}

void tri__batch_buffer_clear_failures(tri__batch_buffer *buffer)
{
    for (int64_t i = 0; buffer->failures && i < buffer->batch.rows; i++) {
        tri_status_free(buffer->failures[i]);
        buffer->failures[i] = NULL;
    }
}

size_t tri__batch_buffer_bytes(const tri_source *source, int64_t rows)
{
    size_t entries = (size_t)source->info.width * (sizeof(int32_t) + sizeof(float));
    size_t row = (entries ? entries : source->example_bytes) + sizeof(int32_t) + sizeof(float) + sizeof(int64_t) + sizeof(tri_status);
    size_t bytes;
    return tri__size_multiply((size_t)rows, row, &bytes) ? bytes : SIZE_MAX;
}

tri__example_target tri__batch_buffer_row(const tri__batch_buffer *buffer, const tri_source *source, int64_t i)
{
    const size_t entry = (size_t)(i * source->info.width);
    return (tri__example_target){
        .x = buffer->x ? buffer->x + (size_t)i * source->example_bytes : NULL,
        .keys = buffer->keys ? buffer->keys + entry : NULL,
        .values = buffer->values ? buffer->values + entry : NULL,
        .label = &buffer->labels[i],
    };
}

static void clear_row(tri__batch_buffer *buffer, const tri_source *source, int64_t i)
{
    const tri__example_target target = tri__batch_buffer_row(buffer, source, i);
    buffer->labels[i] = 0;
    if (buffer->at)
        buffer->at[i] = buffer->x;
    else if (target.x)
        memset(target.x, 0, source->example_bytes);
    for (int64_t k = 0; target.keys && target.values && k < source->info.width; k++) {
        target.keys[k] = -1;
        target.values[k] = 0;
    }
}

void tri__batch_buffer_mark_damaged(tri__batch_buffer *buffer, const tri_source *source, int64_t i, tri_status reason)
{
    clear_row(buffer, source, i);
    buffer->weights[i] = 0;
    buffer->failures[i] = reason;
}

/* Weights are written only where the number of examples changes: from one whole batch to the next they stay. */
void tri__batch_buffer_pad(tri__batch_buffer *buffer, const tri_source *source, int64_t count)
{
    const int64_t rows = buffer->batch.rows;
    if (count != buffer->batch.count)
        for (int64_t i = 0; i < rows; i++)
            buffer->weights[i] = i < count ? 1.0F : 0.0F;
    for (int64_t i = count; i < rows; i++) {
        clear_row(buffer, source, i);
        buffer->ids[i] = -1;
    }
}
