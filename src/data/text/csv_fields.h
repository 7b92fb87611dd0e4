/* csv_fields.h: the fields of a line of separated values.
 *
 *     12.5,"Rome, Italy",,"say ""yes"""
 *
 * A field may be in quotes; a quote inside them is written twice. A field cannot continue on the next line. Blanks around it do not
 * count. */
#ifndef TRI_DATA_TEXT_CSV_FIELDS_H
#define TRI_DATA_TEXT_CSV_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *at; /* its text, without the quotes around it */
    size_t size;
    bool doubled; /* the text has a quote that is written twice and means one */
} tri__csv_field;

/* Parse the field at *at, and move *at to the next field, or to the end of the line; then *last is true. Returns NULL, or what is wrong;
 * then *at is the place. */
const char *tri__csv_next(const char **at, const char *end, char separator, tri__csv_field *field, bool *last);

/* Copy the field to room as a string. room: [size + 1] */
char *tri__csv_field_text(const tri__csv_field *field, char *room);

bool tri__csv_field_missing(const tri__csv_field *field);              /* empty, NA, N/A, nan, null, none or ?, in any case */
bool tri__csv_field_comma(const tri__csv_field *field);                /* a number with a decimal comma: 1,5 */
bool tri__csv_field_number(const tri__csv_field *field, float *value); /* a finite number, and nothing else */

#endif
