/* tar.h: the files in a tar archive that is in memory. */
#ifndef TRI_DATA_FILE_TAR_H
#define TRI_DATA_FILE_TAR_H

#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

typedef struct {
    char name[101];      /* without folders */
    const uint8_t *data; /* borrowed from the archive */
    size_t size;
} tri__tar_file;

/* A position in an archive. To begin, set data and size to the archive's bytes, and name for messages. */
typedef struct {
    const char *name;
    const uint8_t *data;
    size_t size, at;
} tri__tar;

/* The next regular file; out->name is "" at the end. Every header is checked. */
TRI_MUST_CHECK tri_status tri__tar_next(tri__tar *tar, tri__tar_file *out);

#endif
