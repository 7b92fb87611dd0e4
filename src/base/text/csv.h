/* csv.h: tables as text with commas between, one line a row, the first line the names of the columns. */
#ifndef TRI_BASE_TEXT_CSV_H
#define TRI_BASE_TEXT_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/memory/arena.h"

typedef struct {
    int columns;
    int64_t rows;
    const char *const *names; /* [columns] */
    const char *const *cells; /* [rows][columns] */
} tri__csv;

/* All of *out lives in the arena. Lines end with \n, \r\n or \r; a field may stand in double quotes. TRI_BAD_DATA with the line of a row
 * that has more or fewer fields than there are names; name is what messages call the text. */
TRI_MUST_CHECK tri_status tri__csv_parse(const char *name, const char *text, tri__arena *arena, tri__csv *out);

typedef struct {
    char *at; /* NUL-terminated; fields are cut out in place */
    int line; /* of the next field, from 1 */
} tri__csv_reader;

/* The next field, which may stand in quotes: a quote within quotes is written twice. *last: it was the last of its row. */
char *tri__csv_next_field(tri__csv_reader *from, bool *last);

int tri__csv_find_column(const tri__csv *table, const char *name); /* −1 where there is none */
const char *tri__csv_cell(const tri__csv *table, int64_t row, int column);
double tri__csv_number(const char *cell);         /* NaN where the cell is empty or no number */
bool tri__csv_same(const char *a, const char *b); /* the same text, or the same number */

void tri__csv_write_cell(FILE *out, const char *text); /* in quotes where it must be */

#endif
