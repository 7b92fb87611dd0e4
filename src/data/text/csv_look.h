/* csv_look.h: what a table of separated values looks like, as its first lines show.
 *
 * Commas, semicolons or tabs separate values: whichever gives the most fields in the first line, and as many in the second. The first line
 * names the columns if it differs from the lines below: it has a word above numbers, or its words do not occur below. */
#ifndef TRI_DATA_TEXT_CSV_LOOK_H
#define TRI_DATA_TEXT_CSV_LOOK_H

#include "data/text/csv_fields.h"

typedef struct {
    char separator;
    bool header;    /* the first line names the columns */
    bool unsure;    /* `header` is a guess: the lines below do not show it */
    int64_t fields; /* in the first line; 0: there is no whole line */
} tri__csv_look;

const char *tri__csv_first_line(const char *text, const char *end); /* the first line that is not empty; NULL if there is none */

/* text: the beginning of a file, in whole lines. Only the first 64 kB count. */
tri__csv_look tri__csv_look_at(const char *text, size_t size);

/* If text is not lines of UTF-8: what to do about it, in words that follow a file's name. Otherwise NULL. */
const char *tri__csv_refused(const char *text, size_t size);

/* Whether a file begins like a table: all lines have the same number of fields, at least two, and the last line has a number; or whether it
 * is a table that tri__csv_refused refuses. */
bool tri__csv_is(const uint8_t *head, size_t size);

#endif
