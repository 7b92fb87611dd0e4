/* tfrecord.h: TFRecord files. They are read in memory without a copy, and written complete or not at all.
 *
 * A record is its length (8 bytes, least significant first), a masked CRC-32C of the length, the data, and a masked CRC-32C of the data.
 * If a length is damaged, the beginning of the next record is unknown: reading that file ends there. */
#ifndef TRI_DATA_FORMAT_TFRECORD_H
#define TRI_DATA_FORMAT_TFRECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/file/gzip.h"

enum {
    TRI_TFRECORD_HEAD = 12, /* bytes before the data */
    TRI_TFRECORD_TAIL = 4,  /* bytes after the data */
};

/* Whether the bytes begin like a TFRecord file: with a length whose checksum is right. */
bool tri__tfrecord_is(const uint8_t *data, size_t size);

/* The plain bytes of a file. They are borrowed; nothing is copied. */
typedef struct {
    const char *name; /* for messages */
    const uint8_t *bytes;
    size_t size;
} tri__tfrecord_file;

typedef struct {
    const uint8_t *data; /* borrowed from the file */
    size_t size;
    size_t offset;  /* where its head begins in the file */
    int64_t number; /* from 0, in its file */
} tri__record;

/* The record whose head is at offset. This verifies the checksum of the length, and that the file holds the whole record, but not the
 * checksum of the data. The message of TRI_BAD_DATA has number, offset and advice. offset is at most the file's size. */
TRI_MUST_CHECK tri_status tri__tfrecord_at(const tri__tfrecord_file *file, size_t offset, int64_t number, tri__record *out);

/* The offset where the next record begins, or the file ends. */
static inline size_t tri__record_end(const tri__record *record)
{
    return record->offset + TRI_TFRECORD_HEAD + record->size + TRI_TFRECORD_TAIL;
}

/* Verify the data's checksum. */
TRI_MUST_CHECK tri_status tri__tfrecord_check(const tri__tfrecord_file *file, const tri__record *record);

/* A file that is written under a temporary name; commit gives it its final name. The writer keeps the first failure, and commit returns
 * it. */
typedef struct tri__tfrecord_writer tri__tfrecord_writer;
TRI_MUST_CHECK tri_status tri__tfrecord_writer_create(const char *path, tri__compression compression, tri__tfrecord_writer **out);
void tri__tfrecord_write(tri__tfrecord_writer *writer, const void *data, size_t size);
TRI_MUST_CHECK tri_status tri__tfrecord_writer_commit(tri__tfrecord_writer *writer); /* frees writer in any case */
void tri__tfrecord_writer_abandon(tri__tfrecord_writer *writer);                     /* accepts NULL */

#endif
