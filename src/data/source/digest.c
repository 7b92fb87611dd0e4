/* digest.c: a CRC-32C of a source's description and of a few of its examples. */
#include "data/source/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/crc32c.h"
#include "base/memory/memory.h"
#include "data/source/source.h"

/* Memory for one example: x if it is dense, keys and values if it is sparse. */
typedef struct {
    uint8_t *x;
    int32_t *keys;
    float *values;
    int64_t count; /* of features */
    int32_t label;
    float *targets;
} example_buffer;

static tri_status buffer_init(example_buffer *buffer, const tri_source *source)
{
    size_t width = (size_t)source->info.width;
    *buffer = (example_buffer){0};
    if (source->info.outputs)
        TRI_TRY(tri__allocate((size_t)source->info.outputs, sizeof *buffer->targets, "an example's targets", &buffer->targets));
    if (width == 0)
        return tri__allocate(source->example_bytes, 1, "an example", &buffer->x);
    TRI_TRY(tri__allocate(width, sizeof *buffer->keys, "an example's features", &buffer->keys));
    return tri__allocate(width, sizeof *buffer->values, "an example's features", &buffer->values);
}

static void buffer_fini(example_buffer *buffer)
{
    free(buffer->x);
    free(buffer->keys);
    free(buffer->values);
    free(buffer->targets);
}

static uint32_t sum_number(uint32_t sum, int64_t number)
{
    return tri__crc32c(sum, &number, sizeof number);
}

static uint32_t sum_info(const tri_source_info *info, int64_t examples)
{
    uint32_t sum = sum_number(0, examples);
    sum = sum_number(sum, info->type);
    sum = sum_number(sum, info->classes);
    return tri__crc32c(sum, info->shape.dim, (size_t)info->shape.rank * sizeof *info->shape.dim);
}

/* Sum only the features that the example has, not info.width: on a machine with other test files the width may differ. */
static uint32_t sum_example(uint32_t sum, const tri_source *source, const example_buffer *buffer)
{
    sum = sum_number(sum, buffer->label);
    sum = tri__crc32c(sum, buffer->targets, (size_t)source->info.outputs * sizeof *buffer->targets);
    if (source->info.width == 0)
        return tri__crc32c(sum, buffer->x, source->example_bytes);
    const size_t features = (size_t)buffer->count;
    sum = tri__crc32c(sum, buffer->keys, features * sizeof *buffer->keys);
    return tri__crc32c(sum, buffer->values, features * sizeof *buffer->values);
}

static tri_status sum_record(tri__reader *reader, int64_t record, example_buffer *buffer, uint32_t *sum)
{
    const tri__example_target to = {.x = buffer->x,
                                    .keys = buffer->keys,
                                    .values = buffer->values,
                                    .count = &buffer->count,
                                    .label = &buffer->label,
                                    .targets = buffer->targets};
    TRI_TRY(reader->source->kind->read(reader, record, &to));
    *sum = sum_example(*sum, reader->source, buffer);
    return NULL;
}

bool tri__data_differs(const char *digest, const char *other)
{
    return *digest && *other && strcmp(digest, other) != 0;
}

tri_status tri__source_digest(tri_source *source, char digest[TRI_DATA_DIGEST_SIZE])
{
    int64_t last = source->info.examples - 1;
    int64_t parts = last < TRI_DIGEST_EXAMPLES ? last : TRI_DIGEST_EXAMPLES - 1;
    uint32_t sum = sum_info(&source->info, last + 1);
    tri__reader *reader = NULL;
    example_buffer buffer;
    tri_status status = buffer_init(&buffer, source);
    if (!status)
        status = tri__reader_create(source, &reader);
    for (int64_t i = 0; i <= parts && !status; i++)
        status = sum_record(reader, parts ? last / parts * i + last % parts * i / parts : 0, &buffer, &sum);
    tri__reader_destroy(reader);
    buffer_fini(&buffer);
    bool damaged = tri_status_code(status) == TRI_BAD_DATA;
    snprintf(digest, TRI_DATA_DIGEST_SIZE, "%08" PRIx32, sum);
    if (damaged)
        digest[0] = '\0';
    if (!damaged)
        return status;
    tri_status_free(status);
    return NULL;
}
