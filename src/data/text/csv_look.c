/* csv_look.c: finds the separator, and whether the first line names the columns.
 *
 * Each column is judged by its first line and the lines below. A word above numbers is a name; so is an empty field above 0, 1, 2 …, the
 * row numbers that pandas writes. A word that also occurs below is a value. If neither is found, a first line of words alone names the
 * columns. A first line with numbers or empty fields among its words does so if each word is above other words that repeat, and each
 * number above other numbers. That is a guess, and is reported as one (unsure). */
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

/* The first line from at on that is not empty; NULL if there is none. */
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

const char *tri__csv_first_line(const char *text, const char *end)
{
    return first_line(tri__text_begin(text, end), end);
}

/* ---- names or values ---- */

typedef struct {
    tri__csv_field first, second, latest; /* in the first line, in the second, and in the last line seen so far */
    int64_t numbers, missing, others;     /* counts of the values below the first line */
    bool again, repeats;                  /* the first line's value occurs again below; a value occurs twice below */
    bool counts;                          /* the values below are 0, 1, 2 … */
} column_look;

typedef struct {
    column_look column[JUDGED_COLUMNS];
    int64_t columns, lines; /* lines: below the first */
} table_look;

static bool same(const tri__csv_field *a, const tri__csv_field *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->at, b->at, a->size) == 0);
}

/* A number with a decimal comma also counts: it is not a name, either. */
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

/* Whether a line repeats the first line, as in a file that was joined from several. */
static bool is_repeated(const char *line, const char *first, const char *end)
{
    const size_t size = (size_t)(tri__line_next(first, end) - first);
    return (size_t)(end - line) >= size && memcmp(line, first, size) == 0;
}

/* Look at the fields of a line below the first. A line with another number of fields is ignored. */
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
    bool name, value; /* a field certainly is a name; a field certainly is a value */
    bool like_names;  /* all fields may be names */
    bool word, other; /* a field is a word; a field is not */
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

/* How many commas, semicolons and tabs come before the next carriage return. Moves *at past it. */
static int64_t separators_before_return(const char **at, const char *end)
{
    int64_t count = 0;
    for (; *at < end && **at != '\r'; (*at)++)
        count += **at == ',' || **at == ';' || **at == '\t';
    *at += *at < end;
    return count;
}

/* Whether the text has two lines that end in carriage returns alone and have the same number of fields. */
static bool has_returns_only(const char *text, size_t size)
{
    const char *at = text, *end = text + (size < LOOK_BYTES ? size : LOOK_BYTES);
    if (memchr(text, '\n', (size_t)(end - text)) || !memchr(text, '\r', (size_t)(end - text)))
        return false;
    const int64_t first = separators_before_return(&at, end);
    return first > 0 && at < end && separators_before_return(&at, end) == first;
}

/* Whether the second line also has `fields` fields; true if there is none. */
static bool second_agrees(const char *line, const char *end, char separator, int64_t fields)
{
    const char *second = line_below(line, end);
    return !second || look_at_line(second, end, separator).fields == fields;
}

tri__csv_look tri__csv_look_at(const char *text, size_t size)
{
    static const char separators[] = {',', ';', '\t'};
    tri__csv_look best = {.separator = ','};
    bool agrees = false; /* the best separator gives as many fields in the second line; one that does not is only a last resort */
    const char *end = text + size, *line = tri__csv_first_line(text, end);
    for (size_t i = 0; line && i < sizeof separators; i++) {
        const line_facts first = look_at_line(line, end, separators[i]);
        const int64_t fields = first.fields;
        const bool even = fields > 1 && second_agrees(line, end, separators[i], fields);
        const bool decimal = even && first.commas == fields; /* all commas are decimal commas, not separators */
        if (!decimal && (even < agrees || (even == agrees && fields <= best.fields)))
            continue;
        best = (tri__csv_look){.separator = separators[i], .fields = fields};
        agrees = even;
    }
    if (line)
        judge_first_line(line, end, &best);
    return best;
}

/* Whether the first line has a quote that does not close. line: the first, or NULL. All separators are tried, as a quote opens a field only
 * after the right one. */
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
            break; /* head ends within this line */
        facts = look_at_line(at, end, look.separator);
        if (facts.fields != look.fields)
            return false;
    }
    return look.fields >= 2 && lines > 0 && facts.numbers + facts.commas > 0;
}
