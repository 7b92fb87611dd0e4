/* lines.h: text files whose records are lines, known by record number through all of them. */
#ifndef TRI_DATA_TEXT_LINES_H
#define TRI_DATA_TEXT_LINES_H

#include <string.h>

#include "data/file/index.h"

typedef struct {
    char *path;
    tri__content content;
    tri__index index;
    int64_t first; /* its first record's number among all */
} tri__lines_file;

typedef struct {
    size_t count;
    tri__lines_file *files; /* [count] */
    int64_t records;
    int64_t bytes; /* on disk */
} tri__lines;

/* Open and index files; gzip files, too. A zeroed tri__lines is an empty one. */
TRI_MUST_CHECK tri_status tri__lines_open(const char *const *paths, size_t count, const tri__index_format *format, const char *cache_folder,
                                          tri__lines *out);
void tri__lines_fini(tri__lines *lines);

/* For formats' scans: go through a file's lines, a large file's in pieces by several threads. scan_lines goes through those in [from, to),
 * which are whole: it adds their offsets from begin to an empty index and sets its facts; join brings the facts of some lines to those of
 * all before them. */
TRI_MUST_CHECK tri_status tri__lines_scan(const tri__content *content,
                                          tri_status (*scan_lines)(const char *begin, const char *from, const char *to, tri__index *index),
                                          void (*join)(int64_t *facts, const int64_t *others), tri__index *index);

/* One record: a line and all that follows it in its file, so that who reads it may look ahead. */
typedef struct {
    const tri__lines_file *file;
    int64_t record;       /* in its file */
    const char *at, *end; /* end: of the file */
} tri__line;

tri__line tri__lines_find(const tri__lines *lines, int64_t record);

const char *tri__lines_path(const tri__lines *lines, int64_t record); /* of the file that has it */

/* A record that cannot be read: "file: record 17 at byte 5132: what is wrong; advice". */
TRI_MUST_CHECK tri_status tri__line_damaged(const tri__line *line, const char *at, const char *what);

/* Behind the newline that ends the line at `at`, or the end. */
static inline const char *tri__line_next(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline + 1 : end;
}

#endif
