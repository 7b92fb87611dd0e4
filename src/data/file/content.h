/* content.h: the plain content of a file, whether or not the file is compressed. */
#ifndef TRI_DATA_FILE_CONTENT_H
#define TRI_DATA_FILE_CONTENT_H

#include "base/file/file.h"

typedef struct {
    const uint8_t *data;
    size_t size;
    int64_t disk_bytes;   /* size of the file itself */
    tri__mapping mapping; /* if data points into a mapped file */
    uint8_t *inflated;    /* if data is in allocated memory; otherwise NULL */
} tri__content;

/* Map a plain file. Inflate a gzip or zlib file, or map the inflated copy of it in cache_folder (NULL: there is no such folder). The first
 * run writes the copy of a gzip file, complete or not at all; it is no error if that fails. A copy is checked, and a damaged one is
 * replaced. TRI_NO_MEMORY if a file would inflate to more than half of the available memory. A zeroed tri__content is empty. */
TRI_MUST_CHECK tri_status tri__content_open(const char *path, const char *cache_folder, tri__content *out);
void tri__content_fini(tri__content *content);

#endif
