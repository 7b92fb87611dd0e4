/* batch.c: a batch and the memory that holds it. */
#include "data/batch/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

static tri_status allocate_sparse(tri__batch_buffer *buffer, size_t rows)
{
    TRI_TRY(tri__buffer_allocate((rows + 1) * sizeof *buffer->offsets, "a batch's offsets", &buffer->offsets));
    TRI_TRY(tri__allocate(rows, sizeof *buffer->row, "a batch's rows", &buffer->row));
    return tri__allocate(TRI_BATCH_PIECES, sizeof *buffer->piece, "a batch's rows", &buffer->piece);
}

/* Of one example. */
static size_t target_bytes(const tri_source *source)
{
    return (size_t)source->info.outputs * sizeof(float);
}

static tri_status allocate_examples(tri__batch_buffer *buffer, const tri_source *source, size_t rows, bool in_place)
{
    size_t bytes;
    if (!tri__size_multiply(rows, source->example_bytes + sizeof *buffer->row + target_bytes(source), &bytes))
        return tri_fail(TRI_BAD_CALL, "a batch of %zu examples of %zu bytes is too large", rows, source->example_bytes);
    if (in_place) {
        TRI_TRY(tri__buffer_allocate(source->example_bytes, "an empty example", &buffer->x));
        return tri__buffer_allocate(rows * sizeof *buffer->at, "a batch", &buffer->at);
    }
    return source->info.width ? allocate_sparse(buffer, rows) : tri__buffer_allocate(rows * source->example_bytes, "a batch", &buffer->x);
}

static tri_status allocate(tri__batch_buffer *buffer, const tri_source *source, size_t rows, bool in_place)
{
    TRI_TRY(allocate_examples(buffer, source, rows, in_place));
    TRI_TRY(tri__buffer_allocate(rows * sizeof *buffer->labels, "a batch's labels", &buffer->labels));
    TRI_TRY(tri__buffer_allocate(rows * target_bytes(source), "a batch's targets", &buffer->targets));
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
        .offsets = buffer->offsets,
        .labels = buffer->labels,
        .targets = source->info.outputs ? buffer->targets : NULL,
        .outputs = source->info.outputs,
        .weights = buffer->weights,
        .ids = buffer->ids,
    };
    return NULL;
}

tri_status tri__batch_buffer_add_shares(tri__batch_buffer *buffer, int64_t mixed_classes)
{
    size_t bytes;
    if (!tri__size_multiply((size_t)buffer->batch.rows, (size_t)mixed_classes * sizeof *buffer->targets, &bytes))
        return tri_fail(TRI_BAD_CALL, "a batch of %zu examples of %zu classes is too large", (size_t)buffer->batch.rows,
                        (size_t)mixed_classes);
    tri__buffer_free(buffer->targets);
    buffer->targets = NULL;
    TRI_TRY(tri__buffer_allocate(bytes, "a batch's shares of classes", &buffer->targets));
    buffer->batch.targets = buffer->targets;
    buffer->batch.outputs = mixed_classes;
    return NULL;
}

void tri__batch_buffer_fini(tri__batch_buffer *buffer)
{
    tri__batch_buffer_clear_failures(buffer);
    free(buffer->failures);
    tri__buffer_free(buffer->x);
    tri__buffer_free(buffer->at);
    tri__buffer_free(buffer->offsets);
    for (int i = 0; buffer->piece && i < TRI_BATCH_PIECES; i++) {
        free(buffer->piece[i].keys);
        free(buffer->piece[i].values);
    }
    free(buffer->piece);
    free(buffer->row);
    free(buffer->keys);
    free(buffer->values);
    tri__buffer_free(buffer->labels);
    tri__buffer_free(buffer->targets);
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
    for (int i = 0; buffer->piece && i < TRI_BATCH_PIECES; i++)
        buffer->piece[i].used = 0;
}

/* An estimate of the features of a sparse example: files have at least four bytes for each, and no example has more than info->width. */
static int64_t mean_features(const tri_source_info *info)
{
    const int64_t most = info->bytes > 0 && info->examples > 0 ? info->bytes / info->examples / 4 + 1 : info->width;
    return most < info->width ? most : info->width;
}

size_t tri__batch_buffer_bytes(const tri_source *source, int64_t rows, int64_t mixed_classes)
{
    size_t entries = (size_t)mean_features(&source->info) * (sizeof(int32_t) + sizeof(float));
    size_t row = (entries ? entries : source->example_bytes) + target_bytes(source) + (size_t)mixed_classes * sizeof(float) +
                 sizeof(int32_t) + sizeof(float) + sizeof(int64_t) + sizeof(tri_status);
    size_t bytes;
    return tri__size_multiply((size_t)rows, row, &bytes) ? bytes : SIZE_MAX;
}

/* Make room for `wanted` features in both arrays. values grow last: if that fails, *room still holds for both. */
static tri_status reserve(int32_t **keys, float **values, int64_t *room, int64_t wanted)
{
    if (wanted <= *room)
        return NULL;
    int64_t keys_room = *room;
    TRI_TRY(tri__grow(keys, &keys_room, wanted, sizeof **keys, "the features of a batch"));
    return tri__grow(values, room, wanted, sizeof **values, "the features of a batch");
}

tri_status tri__batch_buffer_row(tri__batch_buffer *buffer, const tri_source *source, int64_t i, int piece, tri__example_target *out)
{
    *out = (tri__example_target){.label = &buffer->labels[i], .targets = buffer->targets + i * source->info.outputs};
    if (!buffer->offsets) {
        out->x = buffer->x + (size_t)i * source->example_bytes;
        return NULL;
    }
    tri__batch_piece *to = &buffer->piece[piece];
    TRI_TRY(reserve(&to->keys, &to->values, &to->room, to->used + source->info.width));
    out->keys = to->keys + to->used;
    out->values = to->values + to->used;
    out->count = &buffer->row[i].count;
    return NULL;
}

void tri__batch_buffer_keep(tri__batch_buffer *buffer, int64_t i, int piece)
{
    if (!buffer->offsets)
        return;
    buffer->row[i].first = buffer->piece[piece].used;
    buffer->row[i].piece = piece;
    buffer->piece[piece].used += buffer->row[i].count;
}

/* If all rows follow each other in one piece, as when one thread has read them, the batch takes them where they are. */
static bool take_piece(tri__batch_buffer *buffer)
{
    const tri__batch_piece *from = NULL;
    int64_t count = 0;
    for (int64_t row = 0; row < buffer->batch.rows; row++) {
        const tri__piece_span *span = &buffer->row[row];
        if (span->count > 0 && ((from && from != &buffer->piece[span->piece]) || span->first != count))
            return false;
        if (span->count > 0)
            from = &buffer->piece[span->piece];
        count += span->count;
        buffer->offsets[row + 1] = count;
    }
    if (from) {
        buffer->batch.keys = from->keys;
        buffer->batch.values = from->values;
    }
    return from;
}

/* Copy together the rows from `first` on that follow each other in one piece. Returns the row after them. */
static int64_t copy_run(tri__batch_buffer *buffer, int64_t first)
{
    const tri__piece_span *row = &buffer->row[first];
    const tri__batch_piece *from = &buffer->piece[row->piece];
    int64_t end = first, at = buffer->offsets[first], count = 0;
    for (; end < buffer->batch.rows; end++) {
        const tri__piece_span *next = &buffer->row[end];
        if (next->count > 0 && (next->piece != row->piece || next->first != row->first + count))
            break;
        count += next->count;
        buffer->offsets[end + 1] = at + count;
    }
    if (count > 0) {
        memcpy(buffer->keys + at, from->keys + row->first, (size_t)count * sizeof *buffer->keys);
        memcpy(buffer->values + at, from->values + row->first, (size_t)count * sizeof *buffer->values);
    }
    return end;
}

static tri_status copy_rows(tri__batch_buffer *buffer)
{
    int64_t features = 0;
    for (int i = 0; i < TRI_BATCH_PIECES; i++)
        features += buffer->piece[i].used;
    TRI_TRY(reserve(&buffer->keys, &buffer->values, &buffer->room, features + 1));
    for (int64_t row = 0; row < buffer->batch.rows;)
        row = copy_run(buffer, row);
    buffer->batch.keys = buffer->keys;
    buffer->batch.values = buffer->values;
    return NULL;
}

tri_status tri__batch_buffer_join(tri__batch_buffer *buffer)
{
    if (!buffer->offsets)
        return NULL;
    buffer->offsets[0] = 0;
    if (!take_piece(buffer))
        TRI_TRY(copy_rows(buffer));
    for (int i = 0; i < TRI_BATCH_PIECES; i++)
        buffer->piece[i].used = 0;
    return NULL;
}

void tri__batch_buffer_unlabel(tri__batch_buffer *buffer, int64_t i)
{
    buffer->labels[i] = 0;
    for (int64_t k = 0; k < buffer->batch.outputs; k++)
        buffer->targets[i * buffer->batch.outputs + k] = 0;
}

static void clear_row(tri__batch_buffer *buffer, const tri_source *source, int64_t i)
{
    tri__batch_buffer_unlabel(buffer, i);
    if (buffer->at)
        buffer->at[i] = buffer->x;
    else if (buffer->x)
        memset(buffer->x + (size_t)i * source->example_bytes, 0, source->example_bytes);
    if (buffer->row)
        buffer->row[i].count = 0;
}

void tri__batch_buffer_mark_damaged(tri__batch_buffer *buffer, const tri_source *source, int64_t i, tri_status reason)
{
    clear_row(buffer, source, i);
    buffer->weights[i] = 0;
    buffer->failures[i] = reason;
}

/* Weights are written only if the number of examples has changed: between two full batches they stay the same. */
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
