/* gzip.h: gzip and zlib files inflated in memory, and written piece by piece; the only code that knows zlib. */
#ifndef TRI_DATA_FILE_GZIP_H
#define TRI_DATA_FILE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/file.h"

typedef enum { TRI_UNCOMPRESSED, TRI_GZIP, TRI_ZLIB } tri__compression;

bool tri__gzip_is(const uint8_t *data, size_t size); /* by its magic bytes */
bool tri__zlib_is(const uint8_t *data, size_t size); /* by its two bytes of header, and because something can be inflated */

/* The first inflated bytes, at most count; how many were written. Damage only makes them fewer. */
size_t tri__gzip_peek(const uint8_t *data, size_t size, uint8_t *out, size_t count);

/* Inflate a zlib file or all members of a gzip file, checksums verified. name is for messages. free() what is given out. TRI_NO_MEMORY
 * where that would be more than limit bytes: a file may inflate to a thousand times its size. */
TRI_MUST_CHECK tri_status tri__gzip_inflate(const char *name, const uint8_t *data, size_t size, size_t limit, uint8_t **out,
                                            size_t *out_size);

/* What the last member's trailer says: checksum and length (modulo 2³²) of what it inflates to. size is at least 18. */
typedef struct {
    uint32_t crc, length;
} tri__gzip_trailer;
bool tri__gzip_read_trailer(const uint8_t *data, size_t size, tri__gzip_trailer *out); /* false: too short to have one */

/* Writes what it is given to a file, compressed; the same bytes always give the same file. Failures to write are kept by the file's
 * writer, which is borrowed. finish writes what is still to come; destroy accepts NULL. */
typedef struct tri__deflater tri__deflater;
TRI_MUST_CHECK tri_status tri__deflater_create(tri__writer *file, tri__compression compression, tri__deflater **out);
void tri__deflater_write(tri__deflater *deflater, const void *data, size_t size);
void tri__deflater_finish(tri__deflater *deflater);
void tri__deflater_destroy(tri__deflater *deflater);

const char *tri__gzip_version(void); /* of zlib: "1.2.13" */

#endif
