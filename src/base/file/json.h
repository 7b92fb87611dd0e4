/* json.h: JSON in and out, by jansson; the only header that includes it. Values are json_t, owned as jansson says. */
#ifndef TRI_BASE_FILE_JSON_H
#define TRI_BASE_FILE_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "trireme/tensor.h"

/* name is what messages call the text: a file, or "standard input". */
TRI_MUST_CHECK tri_status tri__json_parse(const char *name, const char *text, size_t size, json_t **out);
TRI_MUST_CHECK tri_status tri__json_read(const char *path, json_t **out);

/* Read a file of at most `largest` bytes with another parser than JSON's. */
typedef tri_status tri__json_parser(const char *name, const char *text, size_t size, json_t **out);
TRI_MUST_CHECK tri_status tri__json_read_as(tri__json_parser *parse, const char *path, size_t largest, json_t **out);

TRI_MUST_CHECK tri_status tri__json_write(const char *path, const json_t *value); /* indented, atomically */

/* Write text as a string of JSON; or write `otherwise`, as it is, where text is NULL or not UTF-8, or memory is short. */
void tri__json_put_string(FILE *out, const char *text, const char *otherwise);

json_t *tri__json_shape(tri_shape shape); /* [28, 28, 1] */
json_t *tri__json_number(double number);  /* null where it is not finite: JSON has no such number */

/* The value of a key. Where there is none, or it is of another type, they return `otherwise`, and NaN. object may be NULL. */
int64_t tri__json_integer_of(const json_t *object, const char *key, int64_t otherwise);
double tri__json_number_of(const json_t *object, const char *key);

#endif
