/* text_table.h: tables as text: one line for each row, with commas between the fields; the first line has the names of the columns. */
#ifndef TRI_BASE_TEXT_TEXT_TABLE_H
#define TRI_BASE_TEXT_TEXT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/memory/arena.h"

typedef struct {
    int columns;
    int64_t rows;
    const char *const *names; /* [columns] */
    const char *const *cells; /* [rows][columns] */
} tri__text_table;

/* All of *out lives in the arena. Lines end with \n, \r\n or \r; a field may stand in double quotes. TRI_BAD_DATA with the line of a row
 * that has more or fewer fields than there are names; name is what messages call the text. */
TRI_MUST_CHECK tri_status tri__text_table_parse(const char *name, const char *text, tri__arena *arena, tri__text_table *out);

typedef struct {
    char *at; /* NUL-terminated; fields are cut out in place */
    int line; /* of the next field, from 1 */
} tri__text_table_reader;

/* The next field, which may stand in quotes: a quote within quotes is written twice. *last: whether it was the last of its row. */
char *tri__text_table_next_field(tri__text_table_reader *from, bool *last);

int tri__text_table_find_column(const tri__text_table *table, const char *name); /* −1 where there is none */
const char *tri__text_table_cell(const tri__text_table *table, int64_t row, int column);
double tri__text_table_number(const char *cell);              /* NaN where the cell is empty or no number */
bool tri__text_table_same_cell(const char *a, const char *b); /* the same text, or the same number */

void tri__text_table_write_cell(FILE *out, const char *text); /* in quotes where it must be */

#endif
