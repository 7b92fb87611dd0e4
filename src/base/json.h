/* json.h: JSON in and out, by jansson; the only header that includes it. Values are json_t, owned as jansson says. */
#ifndef TRI_BASE_JSON_H
#define TRI_BASE_JSON_H

#include <jansson.h>

#include "trireme/tensor.h"

/* name is what messages call the text: a file, or "standard input". */
TRI_MUST_CHECK tri_status tri__json_parse(const char *name, const char *text, size_t size, json_t **out);
TRI_MUST_CHECK tri_status tri__json_read(const char *path, json_t **out);
TRI_MUST_CHECK tri_status tri__json_write(const char *path, const json_t *value); /* indented, atomically */

json_t *tri__json_shape(tri_shape shape); /* [28, 28, 1] */

#endif
