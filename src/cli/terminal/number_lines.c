/* number_lines.c: reads examples from lines of numbers. */
#include "cli/terminal/number_lines.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN " \t,;\r\n"

void tri__number_lines_init(tri__number_lines *lines, FILE *file, const char *name, tri_type type, int64_t width)
{
    *lines = (tri__number_lines){.file = file, .name = name, .type = type, .width = width};
}

void tri__number_lines_fini(tri__number_lines *lines)
{
    free(lines->text);
}

static tri_status bad_number(const tri__number_lines *lines, int64_t column, const char *at, const char *expected)
{
    return tri_fail(TRI_BAD_DATA, "%s: line %lld, number %lld: expected %s, found '%.*s'", lines->name, (long long)lines->line,
                    (long long)column + 1, expected, (int)strcspn(at, BETWEEN), at);
}

static tri_status put_number(const tri__number_lines *lines, int64_t column, const char *at, double value, void *x)
{
    if (lines->type == TRI_F32) {
        ((float *)x)[column] = (float)value;
        return NULL;
    }
    if (!(value >= 0 && value <= 255) || value != floor(value))
        return bad_number(lines, column, at, "a whole number from 0 to 255");
    ((uint8_t *)x)[column] = (uint8_t)value;
    return NULL;
}

static tri_status parse_row(const tri__number_lines *lines, void *x)
{
    const char *at = lines->text + strspn(lines->text, BETWEEN);
    int64_t column = 0;
    for (; *at && column < lines->width; column++) {
        char *end = NULL;
        double value = strtod(at, &end);
        if (end == at || (*end && !strchr(BETWEEN, *end)) || !isfinite(value))
            return bad_number(lines, column, at, "a number");
        TRI_TRY(put_number(lines, column, at, value, x));
        at = end + strspn(end, BETWEEN);
    }
    if (column < lines->width || *at)
        return tri_fail(TRI_BAD_DATA, "%s: line %lld: %s than the %lld numbers of an example", lines->name, (long long)lines->line,
                        *at ? "more" : "fewer", (long long)lines->width);
    return NULL;
}

tri_status tri__number_lines_read(tri__number_lines *lines, void *x, int64_t most, int64_t *count)
{
    size_t bytes = (size_t)lines->width * tri_type_size(lines->type);
    *count = 0;
    while (*count < most && getline(&lines->text, &lines->capacity, lines->file) >= 0) {
        lines->line++;
        const char *first = lines->text + strspn(lines->text, BETWEEN);
        if (!*first || *first == '#')
            continue;
        TRI_TRY(parse_row(lines, (char *)x + (size_t)*count * bytes));
        ++*count;
    }
    return ferror(lines->file) ? tri_fail(TRI_IO, "%s: %s", lines->name, strerror(errno)) : NULL;
}
