/* csv_look.c: separators, and whether the first line names the columns.
 *
 * Each column is judged by what stands in its first line and below. A word above numbers is a name; so is an empty field above
 * 0, 1, 2 …, the numbers of rows as pandas writes them. A word that stands below, too, is a value. Where neither is seen, a first line of
 * words alone names the columns; one with numbers or empty fields among its words does so where each word stands above others that repeat,
 * and each number above others. That is a guess, and called one. */
#include "data/text/csv_look.h"

#include <math.h>
#include <string.h>

#include "data/text/lines.h"

enum { LOOK_BYTES = 1 << 16, LOOK_LINES = 16, JUDGED_LINES = 100, JUDGED_COLUMNS = 256 };

/* ---- lines ---- */

/* What the fields of a line are. */
typedef struct {
    int64_t fields; /* −1: the line is damaged */
    int64_t numbers, missing;
    int64_t commas; /* numbers with a decimal comma */
} line_facts;

static line_facts look_at_line(const char *at, const char *end, char separator)
{
    line_facts facts = {0};
    for (bool last = false; !last; facts.fields++) {
        tri__csv_field field;
        float value;
        if (tri__csv_next(&at, end, separator, &field, &last))
            return (line_facts){.fields = -1};
        facts.numbers += tri__csv_field_number(&field, &value);
        facts.missing += tri__csv_field_missing(&field);
        facts.commas += separator != ',' && tri__csv_field_comma(&field);
    }
    return facts;
}

/* The first line, from at on, that is not empty; NULL where there is none. */
static const char *first_line(const char *at, const char *end)
{
    while (at < end && (*at == '\n' || *at == '\r'))
        at++;
    return at < end ? at : NULL;
}

static const char *line_below(const char *line, const char *end)
{
    return first_line(tri__line_next(line, end), end);
}

const char *tri__csv_begin(const char *text, const char *end)
{
    static const char mark[] = "\xef\xbb\xbf";
    return end - text >= 3 && !memcmp(text, mark, 3) ? text + 3 : text;
}

const char *tri__csv_first_line(const char *text, const char *end)
{
    return first_line(tri__csv_begin(text, end), end);
}

/* ---- names or values ---- */

typedef struct {
    tri__csv_field first, second, latest; /* of the first line, the one below it, and the latest that was seen */
    int64_t numbers, missing, others;     /* below the first line */
    bool again, repeats;                  /* the first line's value stands below; two values below are the same */
    bool counts;                          /* 0, 1, 2 … stand below */
} column_look;

typedef struct {
    column_look column[JUDGED_COLUMNS];
    int64_t columns, lines; /* lines: below the first */
} table_look;

static bool same(const tri__csv_field *a, const tri__csv_field *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->at, b->at, a->size) == 0);
}

/* One with a decimal comma is no name, either. */
static bool is_number(const tri__csv_field *field, float *value)
{
    return tri__csv_field_number(field, value) || tri__csv_field_comma(field);
}

static void see_below(column_look *column, const tri__csv_field *field, int64_t line)
{
    float value = -1;
    const bool number = is_number(field, &value), missing = !number && tri__csv_field_missing(field);
    column->numbers += number;
    column->missing += missing;
    column->others += !number && !missing;
    column->again |= same(field, &column->first);
    column->repeats |= line > 0 && (same(field, &column->second) || same(field, &column->latest));
    column->counts = (line == 0 || column->counts) && number && value == (float)line;
    if (line == 0)
        column->second = *field;
    column->latest = *field;
}

/* Names that stand in a file again, as where files were joined. */
static bool is_repeated(const char *line, const char *first, const char *end)
{
    const size_t size = (size_t)(tri__line_next(first, end) - first);
    return (size_t)(end - line) >= size && memcmp(line, first, size) == 0;
}

/* The fields of a line below the first; one that has another number of them says nothing. */
static void see_line(table_look *table, const char *at, const char *end, const tri__csv_look *look)
{
    if (look_at_line(at, end, look->separator).fields != look->fields)
        return;
    for (int64_t i = 0; i < table->columns; i++) {
        tri__csv_field field;
        bool last;
        if (!tri__csv_next(&at, end, look->separator, &field, &last))
            see_below(&table->column[i], &field, table->lines);
    }
    table->lines++;
}

/* What the first line's fields say together. */
typedef struct {
    bool name, value; /* one is a name, one is a value, for certain */
    bool like_names;  /* all may be names */
    bool word, other; /* one is a word, one is not */
} verdict;

static void judge(const column_look *column, int64_t index, verdict *to)
{
    float value = 0;
    const bool number = is_number(&column->first, &value), missing = !number && tri__csv_field_missing(&column->first);
    const bool word = !number && !missing;
    to->word |= word;
    to->other |= !word;
    to->name |= word && column->numbers > 0 && column->numbers >= 9 * column->others;
    to->name |= index == 0 && column->first.size == 0 && column->counts;
    to->value |= word && column->again;
    to->like_names &= !column->again && (word ? column->repeats || column->numbers > 0 : missing || value == truncf(value));
}

static void judge_first_line(const char *line, const char *end, tri__csv_look *look)
{
    table_look table;
    table.columns = look->fields < JUDGED_COLUMNS ? look->fields : JUDGED_COLUMNS;
    table.lines = 0;
    const char *first = line, *at = line, *limit = line + LOOK_BYTES;
    for (int64_t i = 0; i < table.columns; i++) {
        bool last;
        table.column[i] = (column_look){0};
        if (tri__csv_next(&at, end, look->separator, &table.column[i].first, &last))
            return;
    }
    for (int i = 0; i < JUDGED_LINES && (line = line_below(line, end)) && line < limit; i++)
        if (!is_repeated(line, first, end))
            see_line(&table, line, end, look);
    verdict all = {.like_names = table.lines > 1};
    for (int64_t i = 0; i < table.columns; i++)
        judge(&table.column[i], i, &all);
    if (!all.other)
        look->header = all.name || !all.value;
    else
        look->header = !all.value && (all.name || (all.word && all.like_names));
    look->unsure = all.word && all.other && !all.name && !all.value && table.lines > 0;
}

/* ---- the whole ---- */

static bool is_utf16(const char *text, size_t size)
{
    return size >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2));
}

/* How many commas, semicolons and tabs stand before the next carriage return, which *at moves behind. */
static int64_t separators_before_return(const char **at, const char *end)
{
    int64_t count = 0;
    for (; *at < end && **at != '\r'; (*at)++)
        count += **at == ',' || **at == ';' || **at == '\t';
    *at += *at < end;
    return count;
}

/* Two lines, of equally many fields, which end in carriage returns alone. */
static bool has_returns_only(const char *text, size_t size)
{
    const char *at = text, *end = text + (size < LOOK_BYTES ? size : LOOK_BYTES);
    if (memchr(text, '\n', (size_t)(end - text)) || !memchr(text, '\r', (size_t)(end - text)))
        return false;
    const int64_t first = separators_before_return(&at, end);
    return first > 0 && at < end && separators_before_return(&at, end) == first;
}

/* Whether the second line has as many fields; true where there is none. */
static bool second_agrees(const char *line, const char *end, char separator, int64_t fields)
{
    const char *second = line_below(line, end);
    return !second || look_at_line(second, end, separator).fields == fields;
}

tri__csv_look tri__csv_look_at(const char *text, size_t size)
{
    static const char separators[] = {',', ';', '\t'};
    tri__csv_look best = {.separator = ','};
    bool agrees = false; /* the best one has as many fields in the second line; one that has not is taken only for want of another */
    const char *end = text + size, *line = tri__csv_first_line(text, end);
    for (size_t i = 0; line && i < sizeof separators; i++) {
        const line_facts first = look_at_line(line, end, separators[i]);
        const int64_t fields = first.fields;
        const bool even = fields > 1 && second_agrees(line, end, separators[i], fields);
        const bool decimal = even && first.commas == fields; /* commas belong to numbers: they separate nothing */
        if (!decimal && (even < agrees || (even == agrees && fields <= best.fields)))
            continue;
        best = (tri__csv_look){.separator = separators[i], .fields = fields};
        agrees = even;
    }
    if (line)
        judge_first_line(line, end, &best);
    return best;
}

/* line: the first, or NULL. A quote opens a field only behind the right separator. */
static bool has_open_quote(const char *line, const char *end)
{
    return line &&
           (look_at_line(line, end, ',').fields < 0 || look_at_line(line, end, ';').fields < 0 || look_at_line(line, end, '\t').fields < 0);
}

const char *tri__csv_refused(const char *text, size_t size)
{
    if (is_utf16(text, size))
        return "is text in UTF-16 (iconv -f UTF-16 -t UTF-8 makes a file that can be read)";
    if (has_returns_only(text, size))
        return "its lines end in carriage returns alone (tr '\\r' '\\n' makes a file that can be read)";
    if (has_open_quote(tri__csv_first_line(text, text + size), text + size) && tri__csv_look_at(text, size).fields < 2)
        return "its first line cannot be split: a quote in it is not closed (names and values end in their line)";
    return NULL;
}

bool tri__csv_is(const uint8_t *head, size_t size)
{
    const char *at = (const char *)head, *end = at + (size < LOOK_BYTES ? size : LOOK_BYTES);
    if (is_utf16(at, (size_t)(end - at)))
        return memchr(at, ',', (size_t)(end - at)) || memchr(at, ';', (size_t)(end - at)) || memchr(at, '\t', (size_t)(end - at));
    if (memchr(at, '\0', (size_t)(end - at)))
        return false;
    if (has_returns_only(at, (size_t)(end - at)))
        return true;
    const tri__csv_look look = tri__csv_look_at(at, (size_t)(end - at));
    line_facts facts = {0};
    int64_t lines = 0;
    for (at = tri__csv_first_line(at, end); at && lines < LOOK_LINES; at = line_below(at, end), lines++) {
        if (lines > 0 && end < (const char *)head + size && !memchr(at, '\n', (size_t)(end - at)))
            break; /* cut by the end of what is looked at */
        facts = look_at_line(at, end, look.separator);
        if (facts.fields != look.fields)
            return false;
    }
    return look.fields >= 2 && lines > 0 && facts.numbers + facts.commas > 0;
}
