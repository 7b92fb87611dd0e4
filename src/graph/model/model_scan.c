/* model_scan.c: words and values of model files.
 *
 *   word      = letter { letter | digit }
 *   value     = number [ "/" number ] | size "x" size { "x" size } | word [ "(" number ")" ] */
#include "graph/model/model_scan.h"

#include <math.h>
#include <string.h>

/* Characters */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* end, moved back over space */
static const char *without_space(const char *from, const char *end)
{
    while (end > from && is_space(end[-1]))
        end--;
    return end;
}

/* Where the first c is; end where there is none. */
static const char *find_byte(const char *from, const char *end, char c)
{
    const char *found = memchr(from, c, (size_t)(end - from));
    return found ? found : end;
}

/* The cursor */

static char peek(const tri__scan *scan)
{
    return scan->at < scan->end ? *scan->at : '\0';
}

static void skip_space(tri__scan *scan)
{
    while (is_space(peek(scan)))
        scan->at++;
}

const char *tri__scan_begin(tri__scan *scan, const char *line, const char *end, int number)
{
    const char *line_end = find_byte(line, end, '\n');
    scan->line = scan->at = line;
    scan->end = without_space(line, find_byte(line, line_end, '#'));
    scan->number = number;
    skip_space(scan);
    return line_end < end ? line_end + 1 : end;
}

tri_status tri__scan_at(tri_status cause, const tri__scan *scan, const char *where)
{
    return tri_wrap(cause, "%s:%d:%d", scan->model->file, scan->number, (int)(where - scan->line) + 1);
}

tri_status tri__scan_expected(const tri__scan *scan, const char *what)
{
    if (tri__scan_ended(scan))
        return TRI_SCAN_FAIL(scan, scan->at, "expected %s, found the end of the line", what);
    if (*scan->at < ' ' || *scan->at > '~')
        return TRI_SCAN_FAIL(scan, scan->at, "expected %s, found the byte 0x%02x", what, (unsigned char)*scan->at);
    return TRI_SCAN_FAIL(scan, scan->at, "expected %s, found '%c'", what, *scan->at);
}

bool tri__scan_ended(const tri__scan *scan)
{
    return scan->at == scan->end;
}

bool tri__scan_starts_number(const tri__scan *scan)
{
    char c = peek(scan);
    return is_digit(c) || c == '-' || c == '+' || c == '.';
}

bool tri__scan_take(tri__scan *scan, char c)
{
    if (tri__scan_ended(scan) || *scan->at != c)
        return false;
    scan->at++;
    skip_space(scan);
    return true;
}

tri_status tri__scan_word(tri__scan *scan, const char *what, char word[TRI_MODEL_NAME])
{
    if (!is_letter(peek(scan)))
        return tri__scan_expected(scan, what);
    const char *start = scan->at;
    while (is_letter(peek(scan)) || is_digit(peek(scan)))
        scan->at++;
    size_t length = (size_t)(scan->at - start);
    if (length >= TRI_MODEL_NAME)
        return TRI_SCAN_FAIL(scan, start, "a name of %zu characters is too long, expected at most %d", length, TRI_MODEL_NAME - 1);
    memcpy(word, start, length);
    word[length] = '\0';
    skip_space(scan);
    return NULL;
}

/* Values */

static int read_digits(tri__scan *scan, double *value)
{
    int digits = 0;
    for (; is_digit(peek(scan)); digits++)
        *value = *value * 10 + (*scan->at++ - '0');
    return digits;
}

/* e-3, where a letter e comes next */
static tri_status read_exponent(tri__scan *scan, double *exponent)
{
    if (peek(scan) != 'e' && peek(scan) != 'E')
        return NULL;
    scan->at++;
    bool negative = peek(scan) == '-';
    scan->at += negative || peek(scan) == '+';
    double value = 0;
    if (read_digits(scan, &value) == 0)
        return tri__scan_expected(scan, "the digits of an exponent");
    *exponent = negative ? -value : value;
    return NULL;
}

/* -12.5e-3: whole × 10^exponent, exact to double precision. Unlike strtod, it does not depend on the locale. */
static tri_status read_number(tri__scan *scan, double *out)
{
    bool negative = peek(scan) == '-';
    scan->at += negative || peek(scan) == '+';
    const char *start = scan->at;
    double value = 0, exponent = 0;
    int digits = read_digits(scan, &value), decimals = 0;
    if (peek(scan) == '.') {
        scan->at++;
        decimals = read_digits(scan, &value);
    }
    if (digits + decimals == 0)
        return tri__scan_expected(scan, "a number");
    TRI_TRY(read_exponent(scan, &exponent));
    exponent -= decimals;
    value = exponent < 0 ? value / pow(10, -exponent) : value * pow(10, exponent);
    if (!isfinite(value))
        return TRI_SCAN_FAIL(scan, start, "the number '%.*s' is out of range", (int)(scan->at - start), start);
    *out = negative ? -value : value;
    return NULL;
}

static tri_status read_fraction(tri__scan *scan, double *out)
{
    const char *start = scan->at;
    TRI_TRY(read_number(scan, out));
    skip_space(scan);
    if (!tri__scan_take(scan, '/'))
        return NULL;
    double divisor = 0;
    TRI_TRY(read_number(scan, &divisor));
    *out /= divisor;
    return isfinite(*out) ? NULL : TRI_SCAN_FAIL(scan, start, "the fraction '%.*s' divides by zero", (int)(scan->at - start), start);
}

/* 28x28x1 */
static tri_status read_shape(tri__scan *scan, tri_shape *out)
{
    const char *start = scan->at;
    do {
        double size = 0;
        if (read_digits(scan, &size) == 0)
            return tri__scan_expected(scan, "the next size of a shape such as 28x28x1");
        if (out->rank == TRI_MAX_RANK)
            return TRI_SCAN_FAIL(scan, start, "a shape has more than %d dimensions", TRI_MAX_RANK);
        if (size > TRI_MODEL_LARGEST)
            return TRI_SCAN_FAIL(scan, start, "a size of this shape is above %d", TRI_MODEL_LARGEST);
        out->dim[out->rank++] = (int64_t)size;
    } while (tri__scan_take(scan, 'x'));
    return NULL;
}

/* Whether the cursor is at digits with an x behind them. */
static bool comes_shape(const tri__scan *scan)
{
    const char *c = scan->at;
    while (c < scan->end && is_digit(*c))
        c++;
    return c > scan->at && c < scan->end && *c == 'x';
}

/* normal(0.01), or a bare word */
static tri_status read_call(tri__scan *scan, tri__value *value)
{
    TRI_TRY(tri__scan_word(scan, "a word", value->word));
    value->has_number = tri__scan_take(scan, '(');
    if (!value->has_number)
        return NULL;
    TRI_TRY(read_fraction(scan, &value->number));
    return tri__scan_take(scan, ')') ? NULL : tri__scan_expected(scan, "')'");
}

tri_status tri__scan_value(tri__scan *scan, tri__value *value)
{
    *value = (tri__value){.kind = TRI_VALUE_NUMBER, .text = scan->at};
    if (!is_letter(peek(scan)) && !tri__scan_starts_number(scan))
        return tri__scan_expected(scan, "a value");
    if (is_letter(peek(scan))) {
        value->kind = TRI_VALUE_WORD;
        TRI_TRY(read_call(scan, value));
    } else if (comes_shape(scan)) {
        value->kind = TRI_VALUE_SHAPE;
        TRI_TRY(read_shape(scan, &value->shape));
    } else {
        TRI_TRY(read_fraction(scan, &value->number));
    }
    value->length = (int)(without_space(value->text, scan->at) - value->text);
    skip_space(scan);
    return NULL;
}
