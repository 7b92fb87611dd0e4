/* content.h: what a file holds, plain, whether or not it is compressed on disk. */
#ifndef TRI_DATA_FILE_CONTENT_H
#define TRI_DATA_FILE_CONTENT_H

#include "base/file/file.h"

typedef struct {
    const uint8_t *data;
    size_t size;
    int64_t disk_bytes;   /* of the file itself */
    tri__mapping mapping; /* what data points into: a mapping, or … */
    uint8_t *inflated;    /* … memory of its own */
} tri__content;

/* Map a plain file; inflate a gzip or zlib file, or map the copy that an earlier run left in cache_folder (NULL: there is none). A first
 * run leaves such a copy, whole or not at all; where it cannot, that is no error. A copy is checked, and a damaged one is made anew.
 * TRI_NO_MEMORY where a file would inflate to more than half of the memory that is available. A zeroed tri__content is an empty one. */
TRI_MUST_CHECK tri_status tri__content_open(const char *path, const char *cache_folder, tri__content *out);
void tri__content_fini(tri__content *content);

#endif
