/* index.h: where the records of a file begin. A scan of the file finds this once, and the cache folder keeps it.
 *
 * The file's path, size and time of change, and the name and version of the format identify an index. If any of these changes, the file is
 * scanned again. A format may store a few facts of its own in the index (the most features of a record, the largest label, …). */
#ifndef TRI_DATA_FILE_INDEX_H
#define TRI_DATA_FILE_INDEX_H

#include "base/file/file.h"
#include "data/file/content.h"

#define TRI_INDEX_FACTS 10

typedef struct {
    int64_t records;
    const int64_t *offsets; /* [records] into the content, increasing */
    int64_t facts[TRI_INDEX_FACTS];
    tri__mapping mapping; /* if offsets points into a mapped file */
    int64_t *own;         /* if offsets is in allocated memory; otherwise NULL */
    int64_t room;         /* of own */
} tri__index;

/* How a format scans a file's content: scan adds the offsets, and sets the facts. name has format and version: "libsvm-1". */
typedef struct {
    const char *name;
    tri_status (*scan)(const char *path, const tri__content *content, tri__index *index);
} tri__index_format;

/* Get the index of the file at path. content: of that file. cache_folder: where indices are kept; NULL: nowhere. A zeroed tri__index is
 * empty. */
TRI_MUST_CHECK tri_status tri__index_open(const char *path, const tri__content *content, const tri__index_format *format,
                                          const char *cache_folder, tri__index *out);
void tri__index_fini(tri__index *index);

/* For scans: add a record. */
TRI_MUST_CHECK tri_status tri__index_add(tri__index *index, int64_t offset);

#endif
