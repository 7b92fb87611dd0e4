/* rows.c: examples as lines of numbers. */
#include "cli/terminal/rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN " \t,;\r\n"

void tri__rows_init(tri__rows *rows, FILE *file, const char *name, tri_type type, int64_t width)
{
    *rows = (tri__rows){.file = file, .name = name, .type = type, .width = width};
}

void tri__rows_fini(tri__rows *rows)
{
    free(rows->text);
}

static tri_status bad_number(const tri__rows *rows, int64_t column, const char *at, const char *expected)
{
    return tri_fail(TRI_BAD_DATA, "%s: line %lld, number %lld: expected %s, found '%.*s'", rows->name, (long long)rows->line,
                    (long long)column + 1, expected, (int)strcspn(at, BETWEEN), at);
}

static tri_status put_number(const tri__rows *rows, int64_t column, const char *at, double value, void *x)
{
    if (rows->type == TRI_F32) {
        ((float *)x)[column] = (float)value;
        return NULL;
    }
    if (!(value >= 0 && value <= 255) || value != floor(value))
        return bad_number(rows, column, at, "a whole number from 0 to 255");
    ((uint8_t *)x)[column] = (uint8_t)value;
    return NULL;
}

static tri_status parse_row(const tri__rows *rows, void *x)
{
    const char *at = rows->text + strspn(rows->text, BETWEEN);
    int64_t column = 0;
    for (; *at && column < rows->width; column++) {
        char *end = NULL;
        double value = strtod(at, &end);
        if (end == at || (*end && !strchr(BETWEEN, *end)) || !isfinite(value))
            return bad_number(rows, column, at, "a number");
        TRI_TRY(put_number(rows, column, at, value, x));
        at = end + strspn(end, BETWEEN);
    }
    if (column < rows->width || *at)
        return tri_fail(TRI_BAD_DATA, "%s: line %lld: %s than the %lld numbers of an example", rows->name, (long long)rows->line,
                        *at ? "more" : "fewer", (long long)rows->width);
    return NULL;
}

tri_status tri__rows_read(tri__rows *rows, void *x, int64_t most, int64_t *count)
{
    size_t bytes = (size_t)rows->width * tri_type_size(rows->type);
    *count = 0;
    while (*count < most && getline(&rows->text, &rows->capacity, rows->file) >= 0) {
        rows->line++;
        const char *first = rows->text + strspn(rows->text, BETWEEN);
        if (!*first || *first == '#')
            continue;
        TRI_TRY(parse_row(rows, (char *)x + (size_t)*count * bytes));
        ++*count;
    }
    return ferror(rows->file) ? tri_fail(TRI_IO, "%s: %s", rows->name, strerror(errno)) : NULL;
}
