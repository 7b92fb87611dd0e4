/* model_read.c: the text of a model into statements.
 *
 *   line      = [ [ name "=" ] verb [ "(" [ argument { "," argument } ] ")" ] ] [ "#" comment ]
 *   argument  = name of an earlier line | [ key "=" ] value
 *   value     = number [ "/" number ] | size "x" size { "x" size } | word [ "(" number ")" ]
 *
 * A cursor walks through one line at a time. Every failure names file, line and column. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "graph/model.h"

typedef struct {
    tri_model *model;
    const char *line;     /* the first character of the current line */
    const char *at, *end; /* what is left of it, comment excluded */
    int number;           /* of the line, from 1 */
} model_reader;

static tri_status at(tri_status cause, const model_reader *reader, const char *where)
{
    return tri_wrap(cause, "%s:%d:%d", reader->model->file, reader->number, (int)(where - reader->line) + 1);
}

#define FAIL_AT(reader, where, ...) at(tri_fail(TRI_BAD_DATA, __VA_ARGS__), reader, where)

/* The cursor */

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

static bool starts_number(char c)
{
    return is_digit(c) || c == '-' || c == '+' || c == '.';
}

/* end, moved back over space */
static const char *without_space(const char *from, const char *end)
{
    while (end > from && is_space(end[-1]))
        end--;
    return end;
}

static char peek(const model_reader *reader)
{
    return reader->at < reader->end ? *reader->at : '\0';
}

static void skip_space(model_reader *reader)
{
    while (is_space(peek(reader)))
        reader->at++;
}

/* Step over c and the space behind it, if it comes next. */
static bool take(model_reader *reader, char c)
{
    if (reader->at == reader->end || *reader->at != c)
        return false;
    reader->at++;
    skip_space(reader);
    return true;
}

static tri_status expected(const model_reader *reader, const char *what)
{
    if (reader->at == reader->end)
        return FAIL_AT(reader, reader->at, "expected %s, found the end of the line", what);
    if (*reader->at < ' ' || *reader->at > '~')
        return FAIL_AT(reader, reader->at, "expected %s, found the byte 0x%02x", what, (unsigned char)*reader->at);
    return FAIL_AT(reader, reader->at, "expected %s, found '%c'", what, *reader->at);
}

static tri_status read_word(model_reader *reader, const char *what, char word[TRI_MODEL_NAME])
{
    if (!is_letter(peek(reader)))
        return expected(reader, what);
    const char *start = reader->at;
    while (is_letter(peek(reader)) || is_digit(peek(reader)))
        reader->at++;
    size_t length = (size_t)(reader->at - start);
    if (length >= TRI_MODEL_NAME)
        return FAIL_AT(reader, start, "a name of %zu characters is too long, expected at most %d", length, TRI_MODEL_NAME - 1);
    memcpy(word, start, length);
    word[length] = '\0';
    skip_space(reader);
    return NULL;
}

/* Values */

static int read_digits(model_reader *reader, double *value)
{
    int digits = 0;
    for (; is_digit(peek(reader)); digits++)
        *value = *value * 10 + (*reader->at++ - '0');
    return digits;
}

/* e-3, where a letter e comes next */
static tri_status read_exponent(model_reader *reader, double *exponent)
{
    if (peek(reader) != 'e' && peek(reader) != 'E')
        return NULL;
    reader->at++;
    bool negative = peek(reader) == '-';
    reader->at += negative || peek(reader) == '+';
    double value = 0;
    if (read_digits(reader, &value) == 0)
        return expected(reader, "the digits of an exponent");
    *exponent = negative ? -value : value;
    return NULL;
}

/* -12.5e-3: whole × 10^exponent, exact to double precision. The locale has no say in it, unlike in strtod. */
static tri_status read_number(model_reader *reader, double *out)
{
    bool negative = peek(reader) == '-';
    reader->at += negative || peek(reader) == '+';
    const char *start = reader->at;
    double value = 0, exponent = 0;
    int digits = read_digits(reader, &value), decimals = 0;
    if (peek(reader) == '.') {
        reader->at++;
        decimals = read_digits(reader, &value);
    }
    if (digits + decimals == 0)
        return expected(reader, "a number");
    TRI_TRY(read_exponent(reader, &exponent));
    exponent -= decimals;
    value = exponent < 0 ? value / pow(10, -exponent) : value * pow(10, exponent);
    if (!isfinite(value))
        return FAIL_AT(reader, start, "the number '%.*s' is out of range", (int)(reader->at - start), start);
    *out = negative ? -value : value;
    return NULL;
}

static tri_status read_fraction(model_reader *reader, double *out)
{
    const char *start = reader->at;
    TRI_TRY(read_number(reader, out));
    skip_space(reader);
    if (!take(reader, '/'))
        return NULL;
    double divisor;
    TRI_TRY(read_number(reader, &divisor));
    *out /= divisor;
    return isfinite(*out) ? NULL : FAIL_AT(reader, start, "the fraction '%.*s' divides by zero", (int)(reader->at - start), start);
}

/* 28x28x1 */
static tri_status read_shape(model_reader *reader, tri_shape *out)
{
    const char *start = reader->at;
    do {
        double size = 0;
        if (read_digits(reader, &size) == 0)
            return expected(reader, "the next size of a shape such as 28x28x1");
        if (out->rank == TRI_MAX_RANK)
            return FAIL_AT(reader, start, "a shape has more than %d dimensions", TRI_MAX_RANK);
        if (size > TRI_MODEL_LARGEST)
            return FAIL_AT(reader, start, "a size of this shape is above %d", TRI_MODEL_LARGEST);
        out->dim[out->rank++] = (int64_t)size;
    } while (take(reader, 'x'));
    return NULL;
}

/* Whether the cursor is at digits with an x behind them. */
static bool comes_shape(const model_reader *reader)
{
    const char *c = reader->at;
    while (c < reader->end && is_digit(*c))
        c++;
    return c > reader->at && c < reader->end && *c == 'x';
}

/* normal(0.01), or a bare word */
static tri_status read_call(model_reader *reader, tri__value *value)
{
    TRI_TRY(read_word(reader, "a word", value->word));
    value->has_number = take(reader, '(');
    if (!value->has_number)
        return NULL;
    TRI_TRY(read_fraction(reader, &value->number));
    return take(reader, ')') ? NULL : expected(reader, "')'");
}

static tri_status read_value(model_reader *reader, tri__value *value)
{
    *value = (tri__value){.kind = TRI_VALUE_NUMBER, .text = reader->at};
    if (!is_letter(peek(reader)) && !starts_number(peek(reader)))
        return expected(reader, "a value");
    if (is_letter(peek(reader))) {
        value->kind = TRI_VALUE_WORD;
        TRI_TRY(read_call(reader, value));
    } else if (comes_shape(reader)) {
        value->kind = TRI_VALUE_SHAPE;
        TRI_TRY(read_shape(reader, &value->shape));
    } else {
        TRI_TRY(read_fraction(reader, &value->number));
    }
    value->length = (int)(without_space(value->text, reader->at) - value->text);
    skip_space(reader);
    return NULL;
}

/* Arguments */

static tri_status set(model_reader *reader, tri__statement *statement, int key_index, const char *where)
{
    char key[TRI_MODEL_NAME];
    tri__verb_key(&statement->verb, key_index, key);
    if (statement->given >> key_index & 1)
        return FAIL_AT(reader, where, "'%s' is given twice", key);
    const char *value_at = reader->at;
    tri__value value;
    TRI_TRY(read_value(reader, &value));
    TRI_TRY(at(tri__model_settings_read(statement->verb.form, key, &value, &statement->settings), reader, value_at));
    statement->given |= 1u << key_index;
    return NULL;
}

/* A value without a key sets the first key that has none yet. */
static tri_status set_next(model_reader *reader, tri__statement *statement)
{
    int next = 0;
    while (statement->given >> next & 1)
        next++;
    char key[TRI_MODEL_NAME];
    if (tri__verb_key(&statement->verb, next, key))
        return set(reader, statement, next, reader->at);
    return FAIL_AT(reader, reader->at, "%s takes %s", statement->verb.name, next ? "no more values than that" : "no value");
}

static int find_statement(const tri_model *model, const char *name)
{
    for (int i = 0; i < model->count; i++)
        if (strcmp(model->statement[i].name, name) == 0)
            return i;
    return -1;
}

static tri_status unknown_name(const model_reader *reader, const char *name, const char *where)
{
    tri__nearest nearest = tri__nearest_of(name);
    for (int i = 0; i < reader->model->count; i++)
        tri__nearest_offer(&nearest, reader->model->statement[i].name);
    char hint[TRI_NEAREST_HINT];
    return FAIL_AT(reader, where, "no line above is called '%s'%s", name, tri__nearest_hint(&nearest, hint));
}

static tri_status add_input(model_reader *reader, tri__statement *statement, const char *name, const char *where)
{
    const tri__verb *verb = &statement->verb;
    if (statement->inputs == verb->most)
        return FAIL_AT(reader, where, "%s takes %d input%s, '%s' is one too many", verb->name, verb->most, verb->most == 1 ? "" : "s",
                       name);
    int index = find_statement(reader->model, name);
    if (index < 0)
        return unknown_name(reader, name, where);
    statement->input[statement->inputs++] = index;
    return NULL;
}

static tri_status read_argument(model_reader *reader, tri__statement *statement)
{
    const char *where = reader->at;
    if (starts_number(peek(reader)))
        return set_next(reader, statement);
    char word[TRI_MODEL_NAME];
    TRI_TRY(read_word(reader, "an input, a value or key=value", word));
    if (take(reader, '=')) {
        int key_index = tri__verb_key_index(&statement->verb, word);
        if (key_index < 0)
            return at(tri__verb_unknown_key(&statement->verb, word), reader, where);
        return set(reader, statement, key_index, where);
    }
    if (strcmp(word, "classes") != 0)
        return add_input(reader, statement, word, where);
    reader->at = where;
    return set_next(reader, statement);
}

static tri_status read_arguments(model_reader *reader, tri__statement *statement)
{
    if (!take(reader, '(') || take(reader, ')'))
        return NULL;
    do
        TRI_TRY(read_argument(reader, statement));
    while (take(reader, ','));
    return take(reader, ')') ? NULL : expected(reader, "',' or ')'");
}

/* Statements */

/* The line above: the last one that takes part in the flow from the input to the loss. */
static int line_above(const tri_model *model)
{
    int index = model->count - 1;
    while (index > 0 && model->statement[index].verb.most == 0)
        index--;
    return index;
}

/* The one input that is missing is the line above, and comes first. */
static tri_status complete_inputs(const model_reader *reader, tri__statement *statement, const char *where)
{
    const tri__verb *verb = &statement->verb;
    if (statement->inputs >= verb->least)
        return NULL;
    if (statement->inputs < verb->least - 1)
        return FAIL_AT(reader, where, "%s needs %d inputs; only one may be left out, which is then the line above", verb->name,
                       verb->least);
    for (int i = statement->inputs++; i > 0; i--)
        statement->input[i] = statement->input[i - 1];
    statement->input[0] = line_above(reader->model);
    return NULL;
}

static tri_status check_needed(const model_reader *reader, const tri__statement *statement, const char *where)
{
    char key[TRI_MODEL_NAME];
    for (int i = 0; i < statement->verb.needed && tri__verb_key(&statement->verb, i, key); i++)
        if (!(statement->given >> i & 1))
            return FAIL_AT(reader, where, "%s needs '%s'", statement->verb.name, key);
    return NULL;
}

/* The input comes first and the loss last, each once. */
static tri_status check_place(const model_reader *reader, const tri__statement *statement, const char *where)
{
    const tri_model *model = reader->model;
    bool first = model->count == 0, is_input = statement->verb.form == TRI_FORM_INPUT;
    if (first && !is_input)
        return FAIL_AT(reader, where, "expected the input before '%s': input() or input(scale=1/255)", statement->verb.name);
    if (!first && is_input)
        return FAIL_AT(reader, where, "a second input; line %d has the first", model->statement[0].line);
    if (!first && model->statement[model->count - 1].verb.form == TRI_FORM_LOSS)
        return FAIL_AT(reader, where, "nothing may follow the loss in line %d", model->statement[model->count - 1].line);
    if (model->count == TRI_MODEL_STATEMENTS)
        return FAIL_AT(reader, where, "a model has at most %d lines", TRI_MODEL_STATEMENTS);
    return NULL;
}

/* "conv2" for the second conv, whatever the first is called. The only input is "input". */
static char *made_name(const tri_model *model, const tri__verb *verb)
{
    if (verb->form == TRI_FORM_INPUT)
        return tri__arena_copy(model->arena, verb->name);
    int nth = 1;
    for (int i = 0; i < model->count; i++)
        nth += strcmp(model->statement[i].verb.name, verb->name) == 0;
    return tri__arena_format(model->arena, "%s%d", verb->name, nth);
}

/* Nodes that the builder makes beside those of the lines. */
static bool is_reserved(const tri__statement *statement, const char *name)
{
    static const char *const reserved[] = {"x", "image", "labels", "weights", "classes"};
    int from = statement->verb.form == TRI_FORM_INPUT ? 2 : 0; /* the input may be called x or image: it is */
    for (int i = from; i < (int)(sizeof reserved / sizeof *reserved); i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return false;
}

static tri_status name_statement(const model_reader *reader, tri__statement *statement, const char *given, const char *where)
{
    const tri_model *model = reader->model;
    if (given && is_reserved(statement, given))
        return FAIL_AT(reader, where, "the name '%s' has a meaning of its own; choose another", given);
    statement->name = given ? tri__arena_copy(model->arena, given) : made_name(model, &statement->verb);
    if (!statement->name)
        return tri_fail(TRI_NO_MEMORY, "out of memory for a model");
    int other = find_statement(model, statement->name);
    if (other < 0)
        return NULL;
    if (given)
        return FAIL_AT(reader, where, "the name '%s' is taken by line %d", given, model->statement[other].line);
    return FAIL_AT(reader, where, "without a name this would be '%s', which line %d is called; give it a name", statement->name,
                   model->statement[other].line);
}

static tri_status append(tri_model *model, const tri__statement *statement)
{
    if (model->count == model->capacity) {
        int larger = model->capacity ? 2 * model->capacity : 32;
        tri__statement *moved = realloc(model->statement, (size_t)larger * sizeof *moved);
        if (!moved)
            return tri_fail(TRI_NO_MEMORY, "out of memory for a model of %d lines", model->count);
        model->statement = moved;
        model->capacity = larger;
    }
    model->statement[model->count++] = *statement;
    return NULL;
}

static tri_status accept_train(const model_reader *reader, const tri__statement *statement, const char *given, const char *where)
{
    tri_model *model = reader->model;
    if (given)
        return FAIL_AT(reader, reader->line, "train gives no result that '%s' could name", given);
    if (model->train.verb.name)
        return FAIL_AT(reader, where, "a second train(); line %d has the first", model->train.line);
    model->train = *statement;
    return NULL;
}

/* Check what the line says against the lines above, and keep it. given is its name, or NULL. */
static tri_status accept(const model_reader *reader, tri__statement *statement, const char *given, const char *name_at, const char *verb_at)
{
    if (statement->verb.form == TRI_FORM_TRAIN)
        return accept_train(reader, statement, given, verb_at);
    TRI_TRY(check_place(reader, statement, verb_at));
    TRI_TRY(check_needed(reader, statement, verb_at));
    TRI_TRY(complete_inputs(reader, statement, verb_at));
    TRI_TRY(name_statement(reader, statement, given, name_at));
    return append(reader->model, statement);
}

static tri_status read_line(model_reader *reader)
{
    skip_space(reader);
    if (reader->at == reader->end)
        return NULL;
    const char *name_at = reader->at, *verb_at = reader->at;
    char name[TRI_MODEL_NAME], verb[TRI_MODEL_NAME];
    TRI_TRY(read_word(reader, "an operator", verb));
    bool named = take(reader, '=');
    if (named) {
        memcpy(name, verb, sizeof name);
        verb_at = reader->at;
        TRI_TRY(read_word(reader, "an operator", verb));
    }
    tri__statement statement = {.line = reader->number, .column = (int)(verb_at - reader->line) + 1};
    if (!tri__verb_find(verb, &statement.verb))
        return at(tri__verb_unknown(verb), reader, verb_at);
    tri__model_settings_init(statement.verb.form, &statement.settings);
    TRI_TRY(read_arguments(reader, &statement));
    if (reader->at < reader->end)
        return expected(reader, "the end of the line");
    statement.written = tri__arena_format(reader->model->arena, "%.*s", (int)(reader->end - verb_at), verb_at);
    if (!statement.written)
        return tri_fail(TRI_NO_MEMORY, "out of memory for a model");
    return accept(reader, &statement, named ? name : NULL, name_at, verb_at);
}

/* The whole file */

static tri_status check_end(const model_reader *reader)
{
    const tri_model *model = reader->model;
    if (model->count == 0)
        return FAIL_AT(reader, reader->line, "the model is empty, expected input(), layers and a loss such as softmax_loss()");
    const tri__statement *last = &model->statement[model->count - 1];
    if (last->verb.form != TRI_FORM_LOSS)
        return tri__model_at(
            tri_fail(TRI_BAD_DATA, "the model ends here, expected a loss as its last line: softmax_loss() or logistic_loss()"), model,
            last);
    return NULL;
}

/* A result that nobody reads is a mistake: its parameters would never be trained. */
static tri_status check_used(const tri_model *model)
{
    bool used[TRI_MODEL_STATEMENTS] = {false};
    for (int i = 0; i < model->count; i++)
        for (int j = 0; j < model->statement[i].inputs; j++)
            used[model->statement[i].input[j]] = true;
    for (int i = 0; i < model->count - 1; i++)
        if (!used[i])
            return tri__model_at(tri_fail(TRI_BAD_DATA, "no line uses '%s'", model->statement[i].name), model, &model->statement[i]);
    return NULL;
}

/* Where the first c is, or the end. */
static const char *find_byte(const char *from, const char *end, char c)
{
    const char *found = memchr(from, c, (size_t)(end - from));
    return found ? found : end;
}

tri_status tri__model_read(tri_model *model, size_t length)
{
    const char *end = model->text + length, *next = model->text;
    model_reader reader = {.model = model, .line = next, .number = 1};
    for (int number = 1; next < end; number++) {
        const char *line_end = find_byte(next, end, '\n');
        const char *text_end = find_byte(next, line_end, '#');
        reader = (model_reader){model, next, next, without_space(next, text_end), number};
        TRI_TRY(read_line(&reader));
        next = line_end < end ? line_end + 1 : end;
    }
    TRI_TRY(check_end(&reader));
    return check_used(model);
}
