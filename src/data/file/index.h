/* index.h: where the records of a file begin, found once by going through it, and kept in the cache folder for the next time.
 *
 * An index is known by the file's path, size and time of change, by its format and that format's version: whatever of these changes, the
 * file is gone through again. A format may keep a few facts of its own with it (the most features of a record, its largest label, …). */
#ifndef TRI_DATA_FILE_INDEX_H
#define TRI_DATA_FILE_INDEX_H

#include "base/file/file.h"
#include "data/file/content.h"

#define TRI_INDEX_FACTS 10

typedef struct {
    int64_t records;
    const int64_t *offsets; /* [records] into the content, increasing */
    int64_t facts[TRI_INDEX_FACTS];
    tri__mapping mapping; /* what offsets points into: a mapping, or … */
    int64_t *own;         /* … memory of its own */
    int64_t room;
} tri__index;

/* How a format goes through a file's content: it adds the offsets, and sets the facts. name says format and version: "libsvm-1". */
typedef struct {
    const char *name;
    tri_status (*scan)(const char *path, const tri__content *content, tri__index *index);
} tri__index_format;

/* The index of the file at path, whose content is open. cache_folder: where indices are kept; NULL: nowhere. A zeroed tri__index is an
 * empty one. */
TRI_MUST_CHECK tri_status tri__index_open(const char *path, const tri__content *content, const tri__index_format *format,
                                          const char *cache_folder, tri__index *out);
void tri__index_fini(tri__index *index);

/* For scans: one more record. */
TRI_MUST_CHECK tri_status tri__index_add(tri__index *index, int64_t offset);

#endif
