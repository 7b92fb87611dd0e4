/* gzip.h: gzip files inflated in memory; the only code that knows zlib. */
#ifndef TRI_DATA_GZIP_H
#define TRI_DATA_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

bool tri__gzip_is(const uint8_t *data, size_t size); /* by its magic bytes */

/* The first inflated bytes, at most count; how many were written. Damage only makes them fewer. */
size_t tri__gzip_peek(const uint8_t *data, size_t size, uint8_t *out, size_t count);

/* Inflate all members, checksums verified. name is for messages. free() what is given out. */
TRI_MUST_CHECK tri_status tri__gzip_inflate(const char *name, const uint8_t *data, size_t size, uint8_t **out, size_t *out_size);

/* What the last member's trailer says: checksum and length (modulo 2³²) of what it inflates to. size is at least 18. */
typedef struct {
    uint32_t crc, length;
} tri__gzip_trailer;
bool tri__gzip_read_trailer(const uint8_t *data, size_t size, tri__gzip_trailer *out); /* false: too short to have one */

const char *tri__gzip_version(void); /* of zlib: "1.2.13" */

#endif
