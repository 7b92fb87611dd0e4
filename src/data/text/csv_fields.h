/* csv_fields.h: the fields of a line of separated values.
 *
 *     12.5,"Rome, Italy",,"say ""yes"""
 *
 * A field may stand in quotes, in which a quote is written twice. It ends in its line. Blanks around it do not count. */
#ifndef TRI_DATA_TEXT_CSV_FIELDS_H
#define TRI_DATA_TEXT_CSV_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *at; /* its text, without the quotes around it … */
    size_t size;
    bool doubled; /* … in which a quote written twice stands for one */
} tri__csv_field;

/* The field at *at, which moves to where the next one begins, or to the end of the line: last. NULL where it is whole; otherwise what is
 * wrong at *at. */
const char *tri__csv_next(const char **at, const char *end, char separator, tri__csv_field *field, bool *last);

/* The field as a string; room: size + 1 bytes. */
char *tri__csv_field_text(const tri__csv_field *field, char *room);

bool tri__csv_field_missing(const tri__csv_field *field);              /* empty, NA, N/A, nan, null, none or ?, in any case */
bool tri__csv_field_comma(const tri__csv_field *field);                /* a number with a decimal comma: 1,5 */
bool tri__csv_field_number(const tri__csv_field *field, float *value); /* a finite number, and nothing else */

#endif
