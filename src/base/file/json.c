/* json.c: jansson with our messages and our way of writing files. */
#include "base/file/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"

#define LARGEST_FILE ((size_t)256 << 20)

tri_status tri__json_parse(const char *name, const char *text, size_t size, json_t **out)
{
    json_error_t error;
    *out = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!*out)
        return tri_fail(TRI_BAD_DATA, "%s: line %d, column %d: not JSON: %s", name, error.line, error.column, error.text);
    return NULL;
}

tri_status tri__json_read_as(tri__json_parser *parse, const char *path, size_t largest, json_t **out)
{
    char *text = NULL;
    size_t size = 0;
    *out = NULL;
    tri_status status = tri__file_read(path, largest, &text, &size);
    if (!status)
        status = parse(path, text, size, out);
    free(text);
    return status;
}

tri_status tri__json_read(const char *path, json_t **out)
{
    return tri__json_read_as(tri__json_parse, path, LARGEST_FILE, out);
}

/* jansson's callback: 0 means go on. The writer remembers its first failure. */
static int write_piece(const char *piece, size_t size, void *writer)
{
    tri__writer_write(writer, piece, size);
    return 0;
}

tri_status tri__json_write(const char *path, const json_t *value)
{
    tri__writer *writer = NULL;
    tri_status status = tri__writer_create(path, &writer);
    if (status)
        return status;
    if (json_dump_callback(value, write_piece, writer, JSON_INDENT(2) | JSON_ENCODE_ANY)) {
        tri__writer_abandon(writer);
        return tri_fail(TRI_INTERNAL, "%s: cannot write this value as JSON", path);
    }
    tri__writer_write(writer, "\n", 1);
    return tri__writer_commit(writer);
}

void tri__json_put_string(FILE *out, const char *text, const char *otherwise)
{
    json_t *string = text ? json_string(text) : NULL;
    if (!string || json_dumpf(string, out, JSON_ENCODE_ANY))
        fputs(otherwise, out);
    json_decref(string);
}

json_t *tri__json_shape(tri_shape shape)
{
    json_t *list = json_array();
    for (int i = 0; i < shape.rank; i++)
        json_array_append_new(list, json_integer(shape.dim[i]));
    return list;
}

json_t *tri__json_number(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

int64_t tri__json_integer_of(const json_t *object, const char *key, int64_t otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

double tri__json_number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}
