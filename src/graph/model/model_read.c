/* model_read.c: turns the text of a model into statements.
 *
 *   line      = [ [ name "=" ] verb [ "(" [ argument { "," argument } ] ")" ] ] [ "#" comment ]
 *   argument  = name of an earlier line | [ key "=" ] value | "place" "=" task                      values: model_scan.c */
#include "graph/model/model_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/text/nearest.h"
#include "base/text/utf8.h"
#include "graph/model/model_loop.h"
#include "graph/model/model_scan.h"
#include "graph/model/model_setting.h"
#include "graph/model/model_verb.h"

/* Arguments */

static tri_status set(tri__scan *scan, tri__statement *statement, int key_index, const char *where)
{
    char key[TRI_MODEL_NAME];
    tri__verb_key(&statement->verb, key_index, key);
    if (statement->given >> key_index & 1)
        return TRI_SCAN_FAIL(scan, where, "'%s' is given twice", key);
    const char *value_at = scan->at;
    tri__value value;
    TRI_TRY(tri__scan_value(scan, &value));
    TRI_TRY(tri__scan_at(tri__model_settings_read(statement->verb.form, key, &value, &statement->settings), scan, value_at));
    statement->given |= 1u << key_index;
    return NULL;
}

/* A value without a key sets the first key that has none yet. */
static tri_status set_next(tri__scan *scan, tri__statement *statement)
{
    int next = 0;
    while (statement->given >> next & 1)
        next++;
    char key[TRI_MODEL_NAME];
    if (tri__verb_key(&statement->verb, next, key))
        return set(scan, statement, next, scan->at);
    return TRI_SCAN_FAIL(scan, scan->at, "%s takes %s", statement->verb.name, next ? "no more values than that" : "no value");
}

static int find_statement(const tri_model *model, const char *name)
{
    for (int i = 0; i < model->count; i++)
        if (strcmp(model->statement[i].name, name) == 0)
            return i;
    return -1;
}

static tri_status unknown_name(const tri__scan *scan, const char *name, const char *where)
{
    tri__nearest nearest = tri__nearest_of(name);
    for (int i = 0; i < scan->model->count; i++)
        tri__nearest_offer(&nearest, scan->model->statement[i].name);
    char hint[TRI_NEAREST_HINT];
    return TRI_SCAN_FAIL(scan, where, "no line above is called '%s'%s", name, tri__nearest_hint(&nearest, hint));
}

static tri_status add_input(tri__scan *scan, tri__statement *statement, const char *name, const char *where)
{
    const tri__verb *verb = &statement->verb;
    if (statement->inputs == verb->most)
        return TRI_SCAN_FAIL(scan, where, "%s takes %d input%s, '%s' is one too many", verb->name, verb->most, verb->most == 1 ? "" : "s",
                             name);
    int index = find_statement(scan->model, name);
    if (index < 0)
        return unknown_name(scan, name, where);
    if (!tri__model_loop_shows(scan->model, index))
        return tri__model_loop_hides(scan, index, where);
    statement->input[statement->inputs++] = index;
    return NULL;
}

/* place=2: every line may say on which task it is computed. */
static tri_status read_place(tri__scan *scan, tri__statement *statement, const char *where)
{
    const char *value_at = scan->at;
    tri__value value;
    TRI_TRY(tri__scan_value(scan, &value));
    if (value.kind != TRI_VALUE_NUMBER || value.number != floor(value.number) || value.number < 0 || value.number > TRI_MODEL_TASKS - 1)
        return TRI_SCAN_FAIL(scan, value_at, "place: expected the number of a task, 0 to %d", TRI_MODEL_TASKS - 1);
    if (statement->task >= 0)
        return TRI_SCAN_FAIL(scan, where, "'place' is given twice");
    if (statement->verb.form == TRI_FORM_TRAIN)
        return TRI_SCAN_FAIL(scan, where, "train computes nothing that could be placed");
    statement->task = (int)value.number;
    return NULL;
}

static tri_status read_argument(tri__scan *scan, tri__statement *statement)
{
    const char *where = scan->at;
    if (tri__scan_starts_number(scan))
        return set_next(scan, statement);
    char word[TRI_MODEL_NAME];
    TRI_TRY(tri__scan_word(scan, "an input, a value or key=value", word));
    if (tri__scan_take(scan, '=')) {
        if (strcmp(word, "place") == 0)
            return read_place(scan, statement, where);
        int key_index = tri__verb_key_index(&statement->verb, word);
        if (key_index < 0)
            return tri__scan_at(tri__verb_unknown_key(&statement->verb, word), scan, where);
        return set(scan, statement, key_index, where);
    }
    if (strcmp(word, "classes") != 0 && strcmp(word, "outputs") != 0)
        return add_input(scan, statement, word, where);
    scan->at = where;
    return set_next(scan, statement);
}

static tri_status read_arguments(tri__scan *scan, tri__statement *statement)
{
    if (!tri__scan_take(scan, '(') || tri__scan_take(scan, ')'))
        return NULL;
    do
        TRI_TRY(read_argument(scan, statement));
    while (tri__scan_take(scan, ','));
    return tri__scan_take(scan, ')') ? NULL : tri__scan_expected(scan, "',' or ')'");
}

/* Statements */

/* The line above: the last line on the way from the input to the loss that can be read here; −1: there is none. */
static int line_above(const tri_model *model)
{
    int index = model->count - 1;
    while (index > 0 && (model->statement[index].verb.most == 0 || !tri__model_loop_shows(model, index)))
        index--;
    return tri__model_loop_shows(model, index) ? index : -1;
}

/* Where one input is missing, the line above becomes the first input. */
static tri_status complete_inputs(const tri__scan *scan, tri__statement *statement, const char *where)
{
    const tri__verb *verb = &statement->verb;
    if (statement->inputs >= verb->least)
        return NULL;
    if (statement->inputs < verb->least - 1)
        return TRI_SCAN_FAIL(scan, where, "%s needs %d inputs; only one may be left out, which is then the line above", verb->name,
                             verb->least);
    const int above = line_above(scan->model);
    if (above < 0)
        return TRI_SCAN_FAIL(scan, where, "there is no line above that %s could read", verb->name);
    for (int i = statement->inputs++; i > 0; i--)
        statement->input[i] = statement->input[i - 1];
    statement->input[0] = above;
    return NULL;
}

static tri_status check_needed(const tri__scan *scan, const tri__statement *statement, const char *where)
{
    char key[TRI_MODEL_NAME];
    for (int i = 0; i < statement->verb.needed && tri__verb_key(&statement->verb, i, key); i++)
        if (!(statement->given >> i & 1))
            return TRI_SCAN_FAIL(scan, where, "%s needs '%s'", statement->verb.name, key);
    return NULL;
}

static bool is_input_form(tri__form form)
{
    return form == TRI_FORM_INPUT || form == TRI_FORM_SPARSE;
}

/* A graph file has no examples and no labels. Its first line has no line above it to read. */
static tri_status check_in_graph(const tri__scan *scan, const tri__statement *statement, const char *where)
{
    if (statement->verb.form == TRI_FORM_LOSS || statement->verb.form == TRI_FORM_SPARSE || statement->verb.form == TRI_FORM_BATCH_NORM)
        return TRI_SCAN_FAIL(scan, where, "%s is for models, which 'trireme train' reads; a graph has no examples", statement->verb.name);
    if (scan->model->count == 0 && statement->verb.most > 0)
        return TRI_SCAN_FAIL(scan, where, "there is no line above that %s could read; begin with input, parameter, constant or random",
                             statement->verb.name);
    return NULL;
}

/* The input comes first and the loss last, each once. */
static tri_status check_place(const tri__scan *scan, const tri__statement *statement, const char *where)
{
    const tri_model *model = scan->model;
    bool first = model->count == 0, is_input = is_input_form(statement->verb.form);
    if (model->count == TRI_MODEL_STATEMENTS)
        return TRI_SCAN_FAIL(scan, where, "a %s has at most %d lines", model->is_graph ? "graph" : "model", TRI_MODEL_STATEMENTS);
    if (model->is_graph)
        return check_in_graph(scan, statement, where);
    if (statement->verb.form >= TRI_FORM_WHILE)
        return TRI_SCAN_FAIL(scan, where, "%s is for graphs, which 'trireme run' reads: a loop has no gradient that could be trained by",
                             statement->verb.name);
    if (first && !is_input)
        return TRI_SCAN_FAIL(scan, where, "expected the input before '%s': input(), input(scale=1/255) or sparse()", statement->verb.name);
    if (!first && is_input)
        return TRI_SCAN_FAIL(scan, where, "a second input; line %d has the first", model->statement[0].line);
    if (!first && model->statement[model->count - 1].verb.form == TRI_FORM_LOSS)
        return TRI_SCAN_FAIL(scan, where, "nothing may follow the loss in line %d", model->statement[model->count - 1].line);
    return NULL;
}

/* "conv2" for the second conv, whatever the first is called. The only input is "input". */
static char *made_name(const tri_model *model, const tri__verb *verb)
{
    if (is_input_form(verb->form) && !model->is_graph)
        return tri__arena_copy(model->arena, verb->name);
    int nth = 1;
    for (int i = 0; i < model->count; i++)
        nth += strcmp(model->statement[i].verb.name, verb->name) == 0;
    return tri__arena_format(model->arena, "%s%d", verb->name, nth);
}

/* Names of nodes that the builder makes beside those of a model's lines, and words that files know. The input may be called x or image,
 * because it is that node. */
static bool is_reserved(const tri_model *model, const tri__statement *statement, const char *name)
{
    static const char *const reserved[] = {"classes", "outputs", "labels", "targets", "weights", "keys", "values", "x", "image"};
    const int all = sizeof reserved / sizeof *reserved;
    const int count = model->is_graph ? 1 : statement->verb.form == TRI_FORM_INPUT ? all - 2 : all;
    for (int i = 0; i < count; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return false;
}

static tri_status name_statement(const tri__scan *scan, tri__statement *statement, const char *given, const char *where)
{
    const tri_model *model = scan->model;
    if (given && is_reserved(model, statement, given))
        return TRI_SCAN_FAIL(scan, where, "the name '%s' has a meaning of its own; choose another", given);
    statement->name = given ? tri__arena_copy(model->arena, given) : made_name(model, &statement->verb);
    if (!statement->name)
        return tri_fail(TRI_NO_MEMORY, "no memory for a model");
    int other = find_statement(model, statement->name);
    if (other < 0)
        return NULL;
    if (given)
        return TRI_SCAN_FAIL(scan, where, "the name '%s' is taken by line %d", given, model->statement[other].line);
    return TRI_SCAN_FAIL(scan, where, "without a name this would be '%s', which line %d is called; give it a name", statement->name,
                         model->statement[other].line);
}

static tri_status append(tri_model *model, const tri__statement *statement)
{
    TRI_TRY(tri__grow(&model->statement, &model->room, model->count + 1, sizeof *model->statement, "the lines of a model"));
    model->statement[model->count++] = *statement;
    return NULL;
}

static tri_status accept_train(const tri__scan *scan, const tri__statement *statement, const char *given, const char *where)
{
    tri_model *model = scan->model;
    if (model->is_graph)
        return TRI_SCAN_FAIL(scan, where, "train is for models, which 'trireme train' reads");
    if (given)
        return TRI_SCAN_FAIL(scan, scan->line, "train gives no result that '%s' could name", given);
    if (model->train.verb.name)
        return TRI_SCAN_FAIL(scan, where, "a second train(); line %d has the first", model->train.line);
    TRI_TRY(tri__scan_at(tri__model_train_check(&statement->settings.train), scan, where));
    model->train = *statement;
    return NULL;
}

/* Check what the line says against the lines above, and keep it. given is its name, or NULL. */
static tri_status accept(const tri__scan *scan, tri__statement *statement, const char *given, const char *name_at, const char *verb_at)
{
    if (statement->verb.form == TRI_FORM_TRAIN)
        return accept_train(scan, statement, given, verb_at);
    TRI_TRY(check_place(scan, statement, verb_at));
    TRI_TRY(check_needed(scan, statement, verb_at));
    TRI_TRY(complete_inputs(scan, statement, verb_at));
    TRI_TRY(name_statement(scan, statement, given, name_at));
    TRI_TRY(tri__model_loop_check(scan, statement, verb_at));
    TRI_TRY(append(scan->model, statement));
    tri__model_loop_follow(scan->model);
    return NULL;
}

static tri_status read_line(tri__scan *scan)
{
    if (tri__scan_ended(scan))
        return NULL;
    const char *name_at = scan->at, *verb_at = scan->at;
    char name[TRI_MODEL_NAME], verb[TRI_MODEL_NAME];
    TRI_TRY(tri__scan_word(scan, "an operator", verb));
    bool named = tri__scan_take(scan, '=');
    if (named) {
        memcpy(name, verb, sizeof name);
        verb_at = scan->at;
        TRI_TRY(tri__scan_word(scan, "an operator", verb));
    }
    tri__statement statement = {.line = scan->number, .column = (int)(verb_at - scan->line) + 1, .task = -1};
    statement.loop = scan->model->open_loop;
    if (!tri__verb_find(verb, &statement.verb))
        return tri__scan_at(tri__verb_unknown(verb), scan, verb_at);
    tri__model_settings_init(statement.verb.form, &statement.settings);
    TRI_TRY(read_arguments(scan, &statement));
    if (!tri__scan_ended(scan))
        return tri__scan_expected(scan, "the end of the line");
    statement.written = tri__arena_format(scan->model->arena, "%.*s", (int)(scan->end - verb_at), verb_at);
    if (!statement.written)
        return tri_fail(TRI_NO_MEMORY, "no memory for a model");
    return accept(scan, &statement, named ? name : NULL, name_at, verb_at);
}

/* The whole file */

static tri_status check_end(const tri__scan *scan)
{
    const tri_model *model = scan->model;
    if (model->is_graph)
        return model->count ? NULL
                            : TRI_SCAN_FAIL(scan, scan->line, "the graph is empty, expected lines such as a = random(4x4, init=normal(1))");
    if (model->count == 0)
        return TRI_SCAN_FAIL(scan, scan->line, "the model is empty, expected input(), layers and a loss such as softmax_loss()");
    const tri__statement *last = &model->statement[model->count - 1];
    if (last->verb.form != TRI_FORM_LOSS)
        return tri__model_at(
            tri_fail(TRI_BAD_DATA, "the model ends here, expected a loss as its last line: softmax_loss() or logistic_loss()"), model,
            last);
    return NULL;
}

/* A result that no line reads is a mistake: its parameters would never be trained. */
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

/* Checkpoints have the text as JSON, which must be UTF-8. Check it now: otherwise a comment could keep a run from writing checkpoints. */
static tri_status check_text(tri_model *model, size_t length)
{
    const char *end = model->text + tri__utf8_length(model->text, length);
    if (end == model->text + length)
        return NULL;
    tri__scan scan = {.model = model, .line = model->text, .number = 1};
    for (const char *at = model->text; at < end; at++)
        if (*at == '\n') {
            scan.line = at + 1;
            scan.number++;
        }
    return TRI_SCAN_FAIL(&scan, end, "the byte 0x%02x is not UTF-8 text (remove it, or save the file as UTF-8)", (unsigned char)*end);
}

tri_status tri__model_read(tri_model *model, size_t length)
{
    model->open_loop = -1;
    TRI_TRY(check_text(model, length));
    const char *end = model->text + length, *next = model->text;
    tri__scan scan = {.model = model, .line = next, .number = 1};
    for (int number = 1; next < end; number++) {
        next = tri__scan_begin(&scan, next, end, number);
        TRI_TRY(read_line(&scan));
    }
    TRI_TRY(check_end(&scan));
    TRI_TRY(tri__model_loop_finish(model));
    return model->is_graph ? NULL : check_used(model);
}
