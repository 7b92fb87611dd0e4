/* lines.h: text files whose records are lines. */
#ifndef TRI_DATA_TEXT_LINES_H
#define TRI_DATA_TEXT_LINES_H

#include <string.h>

#include "data/file/record_files.h"

/* For the scans of formats: go through the lines of a file; several threads share a large file. scan_lines goes through the lines in
 * [from, to), which are whole: it adds their offsets from begin to an empty index, and sets the facts of the index. merge adds the facts of
 * some lines to those of all lines before them. */
TRI_MUST_CHECK tri_status tri__lines_scan(const tri__content *content,
                                          tri_status (*scan_lines)(const char *begin, const char *from, const char *to, tri__index *index),
                                          void (*merge)(int64_t *facts, const int64_t *others), tri__index *index);

/* The fact in which scans count the lines that hold no record. */
#define TRI_LINES_EMPTY (TRI_INDEX_FACTS - 1)

enum { TRI_TEXT_MARK = 3 }; /* bytes of a byte order mark */

/* One record: a line, and all that follows it in its file, so that a parser may read ahead. */
typedef struct {
    const tri__record_file *file;
    int64_t record;       /* its number in its file */
    const char *at, *end; /* where the line begins, and where the file ends */
} tri__line;

tri__line tri__line_find(const tri__record_files *files, int64_t record);

/* The place of a line that cannot be read. line and column count from 1, record and byte from 0. */
typedef struct {
    const char *file;
    int64_t line, column, record, byte;
} tri__line_position;

/* "file: line 18, column 7 (record 17 at byte 5132): what is wrong (advice)" */
TRI_MUST_CHECK tri_status tri__line_damaged_at(tri__line_position at, const char *what);
TRI_MUST_CHECK tri_status tri__line_damaged(const tri__line *line, const char *at, const char *what);

/* Where the text of a file begins: after a byte order mark, as some programs put it before UTF-8. */
static inline const char *tri__text_begin(const char *text, const char *end)
{
    return end - text >= TRI_TEXT_MARK && !memcmp(text, "\xef\xbb\xbf", TRI_TEXT_MARK) ? text + TRI_TEXT_MARK : text;
}

/* The place after the newline that ends the line at `at`, or end. */
static inline const char *tri__line_next(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline + 1 : end;
}

#endif
