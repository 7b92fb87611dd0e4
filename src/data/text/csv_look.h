/* csv_look.h: what a table of separated values looks like, by its first lines.
 *
 * Values are separated by commas, semicolons or tabs: what makes most fields of the first line, and as many of the second. The first line
 * names the columns where it differs from the lines below it: it is a word above numbers, or its words stand nowhere below. */
#ifndef TRI_DATA_TEXT_CSV_LOOK_H
#define TRI_DATA_TEXT_CSV_LOOK_H

#include "data/text/csv_fields.h"

typedef struct {
    char separator;
    bool header;    /* the first line names the columns */
    bool unsure;    /* … or not: nothing in the lines below it tells */
    int64_t fields; /* of the first line */
} tri__csv_look;

/* Where the text of a file begins: behind a byte order mark, which spreadsheets write. */
const char *tri__csv_begin(const char *text, const char *end);
const char *tri__csv_first_line(const char *text, const char *end); /* that is not empty; NULL where there is none */

/* text: the beginning of a file, in whole lines. Of one without a whole line: no fields. Lines behind the first 64 kB change nothing. */
tri__csv_look tri__csv_look_at(const char *text, size_t size);

/* What to do about text that is no lines of UTF-8, in words that follow a file's name; NULL where it is. */
const char *tri__csv_refused(const char *text, size_t size);

/* Whether a file begins so: lines of equally many fields, at least two, with a number among those of the last one; or as a table that is
 * refused. */
bool tri__csv_is(const uint8_t *head, size_t size);

#endif
