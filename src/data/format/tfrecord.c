/* tfrecord.c: the framing of TFRecord files. */
#include "data/format/tfrecord.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes/crc32c.h"
#include "base/bytes/little_endian.h"
#include "base/file/file.h"
#include "base/memory/memory.h"

enum { LENGTH_BYTES = 8 };

static bool is_length_right(const uint8_t *head)
{
    return tri__little_endian_load(head + LENGTH_BYTES, 4) == tri__crc32c_masked(head, LENGTH_BYTES);
}

bool tri__tfrecord_is(const uint8_t *data, size_t size)
{
    return size >= TRI_TFRECORD_HEAD && is_length_right(data);
}

#define REST "nothing behind this place can be read; --skip-bad goes without it"

tri_status tri__tfrecord_at(const tri__tfrecord_file *file, size_t offset, int64_t number, tri__record *out)
{
    size_t left = file->size - offset;
    const uint8_t *head = file->bytes + offset;
    if (left < TRI_TFRECORD_HEAD)
        return tri_fail(TRI_BAD_DATA, "%s: record %" PRId64 " at byte %zu: the file ends within its length (cut short? " REST ")",
                        file->name, number, offset);
    if (!is_length_right(head))
        return tri_fail(TRI_BAD_DATA,
                        "%s: record %" PRId64 " at byte %zu: the checksum of its length does not match (damaged, or no TFRecord file? " REST
                        ")",
                        file->name, number, offset);
    uint64_t length = tri__little_endian_load(head, LENGTH_BYTES);
    left -= TRI_TFRECORD_HEAD;
    if (left < TRI_TFRECORD_TAIL || length > left - TRI_TFRECORD_TAIL)
        return tri_fail(TRI_BAD_DATA,
                        "%s: record %" PRId64 " at byte %zu: its %" PRIu64 " bytes are more than the file holds (cut short? " REST ")",
                        file->name, number, offset, length);
    *out = (tri__record){.data = head + TRI_TFRECORD_HEAD, .size = (size_t)length, .offset = offset, .number = number};
    return NULL;
}

tri_status tri__tfrecord_check(const tri__tfrecord_file *file, const tri__record *record)
{
    if (tri__little_endian_load(record->data + record->size, TRI_TFRECORD_TAIL) == tri__crc32c_masked(record->data, record->size))
        return NULL;
    return tri_fail(TRI_BAD_DATA, "%s: record %" PRId64 " at byte %zu: checksum does not match (file damaged? --skip-bad skips it)",
                    file->name, record->number, record->offset);
}

struct tri__tfrecord_writer {
    tri__writer *file;
    tri__deflater *deflater; /* NULL: plain */
};

tri_status tri__tfrecord_writer_create(const char *path, tri__compression compression, tri__tfrecord_writer **out)
{
    tri__tfrecord_writer *writer;
    TRI_TRY(tri__allocate(1, sizeof *writer, path, &writer));
    tri_status status = tri__writer_create(path, &writer->file);
    if (!status && compression != TRI_UNCOMPRESSED)
        status = tri__deflater_create(writer->file, compression, &writer->deflater);
    if (status) {
        tri__tfrecord_writer_abandon(writer);
        return status;
    }
    *out = writer;
    return NULL;
}

static void put(tri__tfrecord_writer *writer, const void *data, size_t size)
{
    if (writer->deflater)
        tri__deflater_write(writer->deflater, data, size);
    else
        tri__writer_write(writer->file, data, size);
}

void tri__tfrecord_write(tri__tfrecord_writer *writer, const void *data, size_t size)
{
    uint8_t head[TRI_TFRECORD_HEAD], tail[TRI_TFRECORD_TAIL];
    tri__little_endian_store(head, size, LENGTH_BYTES);
    tri__little_endian_store(head + LENGTH_BYTES, tri__crc32c_masked(head, LENGTH_BYTES), 4);
    tri__little_endian_store(tail, tri__crc32c_masked(data, size), sizeof tail);
    put(writer, head, sizeof head);
    put(writer, data, size);
    put(writer, tail, sizeof tail);
}

tri_status tri__tfrecord_writer_commit(tri__tfrecord_writer *writer)
{
    if (writer->deflater)
        tri__deflater_finish(writer->deflater);
    tri_status status = tri__writer_commit(writer->file);
    tri__deflater_destroy(writer->deflater);
    free(writer);
    return status;
}

void tri__tfrecord_writer_abandon(tri__tfrecord_writer *writer)
{
    if (!writer)
        return;
    tri__deflater_destroy(writer->deflater);
    tri__writer_abandon(writer->file);
    free(writer);
}
