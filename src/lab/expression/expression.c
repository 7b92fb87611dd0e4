/* expression.c: parses expressions by recursive descent: one function for each line of the grammar in the header. */
#include "lab/expression/expression.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/nearest.h"
#include "lab/expression/expression_inside.h"

enum { DEEPEST = 64, MOST_NODES = 4096, MOST_CONDITIONS = 8 };

typedef struct {
    tri__expression *made;
    const char *at; /* in made->text */
    int depth, nodes;
} reader;

static int column_of(const reader *from)
{
    return (int)(from->at - from->made->text) + 1;
}

static tri_status wrong_at(const tri__expression *expression, int column, const char *what)
{
    if (!expression->line)
        return tri_fail(TRI_BAD_DATA, "%s: column %d of '%s': %s", expression->file, column, expression->text, what);
    return tri_fail(TRI_BAD_DATA, "%s: line %d, column %d: %s", expression->file, expression->line, expression->column + column - 1, what);
}

static tri_status wrong(const reader *from, const char *what)
{
    return wrong_at(from->made, column_of(from), what);
}

static tri_status no_memory(void)
{
    return tri_fail(TRI_NO_MEMORY, "no memory for an expression");
}

/* ---- characters and words ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static void skip_space(reader *from)
{
    while (*from->at == ' ' || *from->at == '\t' || *from->at == '\n')
        from->at++;
}

/* Skip text if it comes next. A word must end there. */
static bool take(reader *from, const char *text)
{
    size_t length = strlen(text);
    skip_space(from);
    if (strncmp(from->at, text, length) || (is_word(text[0]) && is_word(from->at[length])))
        return false;
    from->at += length;
    return true;
}

static tri_status copy(const reader *from, const char *first, const char **out)
{
    char *text = tri__arena_alloc(from->made->arena, (size_t)(from->at - first) + 1);
    if (!text)
        return no_memory();
    memcpy(text, first, (size_t)(from->at - first));
    *out = text;
    return NULL;
}

/* worker0.steps: words with dots between them. */
static tri_status read_name(reader *from, const char **out)
{
    const char *first = from->at;
    while (is_word(*from->at) || (*from->at == '.' && is_word(from->at[1])))
        from->at++;
    return copy(from, first, out);
}

/* The value of a condition: everything up to a space, a comma or a bracket. */
static tri_status read_condition_value(reader *from, const char **out)
{
    skip_space(from);
    const char *first = from->at;
    from->at += strcspn(first, " \t\n,()<>=!");
    return from->at > first ? copy(from, first, out) : wrong(from, "expected the value of a condition, as in `at batch=100`");
}

/* ---- the tree ---- */

/* MOST_NODES limits the depth of trees such as that of `1 + 1 + 1 …`, because they are walked by recursion. */
static tri_status add_node(reader *from, tri__expression_node like, tri__expression_node **out)
{
    if (++from->nodes > MOST_NODES)
        return wrong(from, "the expression is too long");
    *out = TRI_ARENA_NEW(from->made->arena, tri__expression_node);
    if (!*out)
        return no_memory();
    **out = like;
    return NULL;
}

static tri_status join(reader *from, tri__binary binary, tri__expression_node *right, tri__expression_node **left)
{
    assert(*left && right);
    return add_node(
        from, (tri__expression_node){.kind = TRI_NODE_BINARY, .binary = binary, .column = (*left)->column, .child = {*left, right}}, left);
}

static tri_status read_expression(reader *from, tri__expression_node **out);

static tri_status read_arguments(reader *from, tri__expression_node *call)
{
    char text[96];
    snprintf(text, sizeof text, "%s takes %d value%s, in brackets", call->function->name, call->function->arguments,
             call->function->arguments > 1 ? "s" : "");
    for (int i = 0; i < call->function->arguments; i++) {
        if (i && !take(from, ","))
            return wrong(from, text);
        TRI_TRY(read_expression(from, &call->child[i]));
    }
    return take(from, ")") ? NULL : wrong(from, text);
}

static tri_status read_call(reader *from, int column, const char *name, tri__expression_node **out)
{
    tri__expression_node call = {.kind = TRI_NODE_CALL, .column = column, .function = tri__function_find(name)};
    if (call.function) {
        call.count = call.function->arguments;
        TRI_TRY(read_arguments(from, &call));
        return add_node(from, call, out);
    }
    tri__nearest nearest = tri__nearest_of(name);
    for (int i = 0; tri__function_row_name(i); i++)
        tri__nearest_offer(&nearest, tri__function_row_name(i));
    char hint[TRI_NEAREST_HINT], text[200];
    snprintf(text, sizeof text, "there is no function %.60s%s", name, tri__nearest_hint(&nearest, hint));
    return wrong_at(from->made, column, text);
}

static tri_status read_number(reader *from, tri__expression_node **out)
{
    char *end = NULL;
    int column = column_of(from);
    double number = strtod(from->at, &end);
    if (end == from->at || !isfinite(number))
        return wrong(from, "not a number");
    from->at = end;
    return add_node(from, (tri__expression_node){.kind = TRI_NODE_NUMBER, .column = column, .number = number}, out);
}

static tri_status read_term(reader *from, tri__expression_node **out)
{
    skip_space(from);
    int column = column_of(from);
    if (take(from, "(")) {
        TRI_TRY(read_expression(from, out));
        return take(from, ")") ? NULL : wrong(from, "expected )");
    }
    if (is_digit(*from->at) || (*from->at == '.' && is_digit(from->at[1])))
        return read_number(from, out);
    if (!is_word(*from->at))
        return wrong(from, *from->at ? "expected a number, a name or (" : "the expression ends here; expected a number, a name or (");
    const char *name;
    TRI_TRY(read_name(from, &name));
    if (take(from, "("))
        return read_call(from, column, name, out);
    return add_node(from, (tri__expression_node){.kind = TRI_NODE_NAME, .column = column, .name = name}, out);
}

static tri_status read_condition(reader *from, tri__condition *out)
{
    skip_space(from);
    out->column = column_of(from);
    TRI_TRY(is_word(*from->at) ? read_name(from, &out->name) : wrong(from, "expected a condition, as in `at batch=100`"));
    if (!take(from, "="))
        return wrong(from, "expected = and a value, as in `at batch=100`");
    return read_condition_value(from, &out->value);
}

/* After a comma: whether another condition follows, or the next argument of a function. */
static bool another_condition(reader *from)
{
    const reader before = *from;
    const char *name;
    bool follows = false;
    if (take(from, ",")) {
        skip_space(from);
        tri_status status = is_word(*from->at) ? read_name(from, &name) : no_memory();
        follows = !status && take(from, "=") && *from->at != '=';
        tri_status_free(status);
        *from = before;
    }
    return follows && take(from, ",");
}

static tri_status read_conditions(reader *from, tri__expression_node **term)
{
    tri__expression_node node = {.kind = TRI_NODE_AT, .column = (*term)->column, .child = {*term}};
    node.conditions = tri__arena_alloc(from->made->arena, MOST_CONDITIONS * sizeof *node.conditions);
    if (!node.conditions)
        return no_memory();
    do {
        if (node.count == MOST_CONDITIONS)
            return wrong(from, "more than 8 conditions");
        TRI_TRY(read_condition(from, &node.conditions[node.count++]));
    } while (another_condition(from));
    return add_node(from, node, term);
}

static tri_status read_factor(reader *from, tri__expression_node **out)
{
    skip_space(from);
    int column = column_of(from);
    if (++from->depth > DEEPEST)
        return wrong(from, "nested too deeply");
    if (take(from, "-")) {
        tri__expression_node *negated = NULL;
        TRI_TRY(read_factor(from, &negated));
        TRI_TRY(add_node(from, (tri__expression_node){.kind = TRI_NODE_NEGATE, .column = column, .child = {negated}}, out));
    } else {
        TRI_TRY(read_term(from, out));
        if (take(from, "at"))
            TRI_TRY(read_conditions(from, out));
    }
    from->depth--;
    return NULL;
}

static tri_status read_product(reader *from, tri__expression_node **out)
{
    TRI_TRY(read_factor(from, out));
    for (;;) {
        tri__expression_node *right = NULL;
        tri__binary binary = take(from, "*") ? TRI_BINARY_TIMES : TRI_BINARY_OVER;
        if (binary == TRI_BINARY_OVER && !take(from, "/"))
            return NULL;
        TRI_TRY(read_factor(from, &right));
        TRI_TRY(join(from, binary, right, out));
    }
}

static tri_status read_sum(reader *from, tri__expression_node **out)
{
    TRI_TRY(read_product(from, out));
    for (;;) {
        tri__expression_node *right = NULL;
        tri__binary binary = take(from, "+") ? TRI_BINARY_PLUS : TRI_BINARY_MINUS;
        if (binary == TRI_BINARY_MINUS && !take(from, "-"))
            return NULL;
        TRI_TRY(read_product(from, &right));
        TRI_TRY(join(from, binary, right, out));
    }
}

static tri_status read_test(reader *from, tri__expression_node **out)
{
    static const struct {
        const char *text;
        tri__binary binary;
    } comparisons[] = {{"<=", TRI_BINARY_AT_MOST}, {"<", TRI_BINARY_LESS},   {">=", TRI_BINARY_AT_LEAST},
                       {">", TRI_BINARY_MORE},     {"==", TRI_BINARY_EQUAL}, {"!=", TRI_BINARY_UNEQUAL}};
    skip_space(from);
    int column = column_of(from);
    if (take(from, "not")) {
        tri__expression_node *denied = NULL;
        TRI_TRY(read_sum(from, &denied));
        return add_node(from, (tri__expression_node){.kind = TRI_NODE_NOT, .column = column, .child = {denied}}, out);
    }
    TRI_TRY(read_sum(from, out));
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (take(from, comparisons[i].text)) {
            tri__expression_node *right = NULL;
            TRI_TRY(read_sum(from, &right));
            return join(from, comparisons[i].binary, right, out);
        }
    return NULL;
}

static tri_status read_both(reader *from, tri__expression_node **out)
{
    TRI_TRY(read_test(from, out));
    while (take(from, "and")) {
        tri__expression_node *right = NULL;
        TRI_TRY(read_test(from, &right));
        TRI_TRY(join(from, TRI_BINARY_AND, right, out));
    }
    return NULL;
}

static tri_status read_expression(reader *from, tri__expression_node **out)
{
    TRI_TRY(read_both(from, out));
    while (take(from, "or")) {
        tri__expression_node *right = NULL;
        TRI_TRY(read_both(from, &right));
        TRI_TRY(join(from, TRI_BINARY_OR, right, out));
    }
    return NULL;
}

static tri_status read_whole(tri__expression *made)
{
    reader from = {.made = made, .at = made->text};
    TRI_TRY(read_expression(&from, &made->root));
    skip_space(&from);
    return *from.at ? wrong(&from, "expected an operator, or the end") : NULL;
}

tri_status tri__expression_parse(const tri__text_position *position, const char *text, tri__expression **out)
{
    tri__arena *arena = NULL;
    *out = NULL;
    TRI_TRY(tri__arena_create(&arena));
    tri__expression *made = TRI_ARENA_NEW(arena, tri__expression);
    tri_status status = made ? NULL : no_memory();
    if (made) {
        *made = (tri__expression){.arena = arena,
                                  .text = tri__arena_copy(arena, text),
                                  .file = tri__arena_copy(arena, position->file),
                                  .line = position->line,
                                  .column = position->column};
        status = made->text && made->file ? read_whole(made) : no_memory();
    }
    if (status)
        tri__arena_destroy(arena);
    else
        *out = made;
    return status;
}

void tri__expression_destroy(tri__expression *expression)
{
    if (expression)
        tri__arena_destroy(expression->arena);
}

const char *tri__expression_text(const tri__expression *expression)
{
    return expression->text;
}

/* ---- checking names ---- */

/* Add the position of what was visited to the failure of a visit. */
static tri_status placed(const tri__expression *expression, int column, tri_status why)
{
    if (!why)
        return NULL;
    tri_status status = wrong_at(expression, column, tri_status_message(why));
    tri_status_free(why);
    return status;
}

static tri_status check_node(const tri__expression *expression, const tri__expression_node *node, tri__expression_visit *visit,
                             void *context)
{
    if (node->kind == TRI_NODE_NAME)
        TRI_TRY(placed(expression, node->column, visit(context, node->name, NULL)));
    for (int i = 0; node->kind == TRI_NODE_AT && i < node->count; i++)
        TRI_TRY(placed(expression, node->conditions[i].column, visit(context, node->conditions[i].name, node->conditions[i].value)));
    for (int i = 0; i < 2; i++)
        if (node->child[i])
            TRI_TRY(check_node(expression, node->child[i], visit, context));
    return NULL;
}

tri_status tri__expression_check(const tri__expression *expression, tri__expression_visit *visit, void *context)
{
    return check_node(expression, expression->root, visit, context);
}
