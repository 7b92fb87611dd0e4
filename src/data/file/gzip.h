/* gzip.h: inflates gzip and zlib files in memory, and writes such files piece by piece. */
#ifndef TRI_DATA_FILE_GZIP_H
#define TRI_DATA_FILE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/file.h"

typedef enum { TRI_UNCOMPRESSED, TRI_GZIP, TRI_ZLIB } tri__compression;

bool tri__gzip_is(const uint8_t *data, size_t size); /* by its magic bytes */
bool tri__zlib_is(const uint8_t *data, size_t size); /* by its header of two bytes, and a first byte that can be inflated */

/* Inflate the first bytes, at most count, into out. Returns how many were written: fewer if the data is short or damaged. */
size_t tri__gzip_peek(const uint8_t *data, size_t size, uint8_t *out, size_t count);

/* Inflate a zlib file, or all members of a gzip file, and verify the checksums. name is for messages. free() *out. TRI_NO_MEMORY if the
 * result has more than limit bytes: a file may inflate to a thousand times its size. */
TRI_MUST_CHECK tri_status tri__gzip_inflate(const char *name, const uint8_t *data, size_t size, size_t limit, uint8_t **out,
                                            size_t *out_size);

/* What the trailer of the last member says: checksum and length (modulo 2³²) of what that member inflates to. */
typedef struct {
    uint32_t crc, length;
} tri__gzip_trailer;
bool tri__gzip_read_trailer(const uint8_t *data, size_t size, tri__gzip_trailer *out); /* false if the file is too short to have one */

/* Compresses bytes and writes them to a file; the same bytes always give the same file. The file's writer is borrowed, and keeps failures
 * to write. finish writes the rest; call it once, at the end. destroy accepts NULL. */
typedef struct tri__deflater tri__deflater;
TRI_MUST_CHECK tri_status tri__deflater_create(tri__writer *file, tri__compression compression, tri__deflater **out);
void tri__deflater_write(tri__deflater *deflater, const void *data, size_t size);
void tri__deflater_finish(tri__deflater *deflater);
void tri__deflater_destroy(tri__deflater *deflater);

const char *tri__gzip_version(void); /* of zlib: "1.2.13" */

#endif
