/* csv_fields.c: the fields of a line. */
#include "data/text/csv_fields.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "data/text/lines.h"
#include "data/text/number.h"

static const char not_text[] = "a byte 0 stands here, which is no text";

static inline bool is_blank(char byte, char separator)
{
    return (byte == ' ' || byte == '\t' || byte == '\r') && byte != separator;
}

static inline const char *skip_blanks(const char *at, const char *end, char separator)
{
    while (at < end && is_blank(*at, separator))
        at++;
    return at;
}

/* Read a field up to its closing quote. *at is after the opening quote. */
static const char *read_quoted(const char **at, const char *end, tri__csv_field *field)
{
    const char *begin = *at, *here = begin;
    for (; here < end && *here != '\n'; here++) {
        if (*here == '\0') {
            *at = here;
            return not_text;
        }
        if (*here != '"')
            continue;
        if (tri__text_look(here + 1, end) == '"') {
            field->doubled = true;
            here++;
            continue;
        }
        field->at = begin;
        field->size = (size_t)(here - begin);
        *at = here + 1;
        return NULL;
    }
    *at = begin - 1;
    return "a quote is opened here and not closed in its line";
}

const char *tri__csv_next(const char **at, const char *end, char separator, tri__csv_field *field, bool *last)
{
    const char *here = skip_blanks(*at, end, separator);
    *field = (tri__csv_field){.at = here};
    *at = here;
    if (tri__text_look(here, end) == '"') {
        *at = here + 1;
        const char *wrong = read_quoted(at, end, field);
        if (wrong)
            return wrong;
        here = *at = skip_blanks(*at, end, separator);
        if (here < end && *here != separator && *here != '\n')
            return "a separator should stand behind the closing quote";
    } else {
        while (here < end && *here != separator && *here != '\n' && *here)
            here++;
        if (here < end && !*here) {
            *at = here;
            return not_text;
        }
        const char *behind = here;
        while (behind > field->at && is_blank(behind[-1], separator))
            behind--;
        field->size = (size_t)(behind - field->at);
    }
    *last = here == end || *here == '\n';
    *at = *last ? here : here + 1;
    return NULL;
}

char *tri__csv_field_text(const tri__csv_field *field, char *room)
{
    size_t used = 0;
    for (size_t i = 0; i < field->size; i++) {
        room[used++] = field->at[i];
        i += field->doubled && field->at[i] == '"';
    }
    room[used] = '\0';
    return room;
}

bool tri__csv_field_missing(const tri__csv_field *field)
{
    static const char *const words[] = {"NA", "N/A", "nan", "null", "none", "?"};
    if (field->size > 4 || (field->size > 0 && !strchr("nN?", *field->at)))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (field->size == strlen(words[i]) && strncasecmp(field->at, words[i], field->size) == 0)
            return true;
    return field->size == 0;
}

bool tri__csv_field_comma(const tri__csv_field *field)
{
    const char *at = field->at, *end = at + field->size;
    float value;
    at += at < end && (*at == '-' || *at == '+');
    const char *comma = memchr(at, ',', (size_t)(end - at));
    if (!comma || comma == at || comma + 1 == end)
        return false;
    for (; at < end; at++)
        if (at != comma && (*at < '0' || *at > '9'))
            return at > comma && tri__number_float(comma + 1, end, &value) == end;
    return true;
}

bool tri__csv_field_number(const tri__csv_field *field, float *value)
{
    const char *end = field->at + field->size;
    return tri__number_float(field->at, end, value) == end && field->size > 0 && isfinite(*value);
}
