/* number_lines.h: examples as lines of numbers, with spaces, tabs, commas or semicolons between them. */
#ifndef TRI_CLI_TERMINAL_NUMBER_LINES_H
#define TRI_CLI_TERMINAL_NUMBER_LINES_H

#include <stdio.h>

#include "trireme/tensor.h"

typedef struct {
    FILE *file;       /* borrowed */
    const char *name; /* for messages */
    tri_type type;    /* TRI_U8: whole numbers from 0 to 255; TRI_F32: any numbers */
    int64_t width;    /* numbers in a row */
    int64_t line;     /* lines read so far */
    char *text;       /* of the present line */
    size_t capacity;
} tri__number_lines;

void tri__number_lines_init(tri__number_lines *lines, FILE *file, const char *name, tri_type type, int64_t width);
void tri__number_lines_fini(tri__number_lines *lines);

/* Read up to `most` rows into x, one after another. count is less than `most` only at the end of the file. Empty lines and lines that begin
 * with # are skipped. */
TRI_MUST_CHECK tri_status tri__number_lines_read(tri__number_lines *lines, void *x, int64_t most, int64_t *count);

#endif
