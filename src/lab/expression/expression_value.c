/* expression_value.c: evaluates an expression, node by node. */
#include "lab/expression/expression_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/expression/expression_inside.h"
#include "lab/figures/statistics.h"

typedef struct {
    const tri__expression *expression;
    const tri__names *names;
    tri__arena *arena;
    tri__finding_evidence *evidence; /* may be NULL */
    size_t told;                     /* characters of evidence->text that are used */
} evaluation;

/* What the enclosing nodes say. */
typedef struct {
    const tri__condition *where;
    tri__wanted wanted;
} surroundings;

static tri_status allocate(evaluation *self, int64_t count, tri__number_list *out)
{
    out->count = count;
    out->number = tri__arena_alloc(self->arena, (size_t)(count ? count : 1) * sizeof *out->number);
    return out->number ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for the value of '%s'", self->expression->text);
}

static tri_status evaluate(evaluation *self, const tri__expression_node *node, surroundings around, tri__number_list *out);

/* ---- operators ---- */

static double truth(double a, double b, bool holds)
{
    return isnan(a) || isnan(b) ? NAN : holds;
}

/* "and" is false if one side is false, even where the other is not known; "or" is true if one side is true. */
static double either(double a, double b, bool decisive)
{
    bool a_decides = !isnan(a) && (a != 0) == decisive, b_decides = !isnan(b) && (b != 0) == decisive;
    return a_decides || b_decides ? decisive : truth(a, b, !decisive);
}

static double combine(tri__binary binary, double a, double b)
{
    switch (binary) {
    case TRI_BINARY_OR:
        return either(a, b, true);
    case TRI_BINARY_AND:
        return either(a, b, false);
    case TRI_BINARY_LESS:
        return truth(a, b, a < b);
    case TRI_BINARY_AT_MOST:
        return truth(a, b, a <= b);
    case TRI_BINARY_MORE:
        return truth(a, b, a > b);
    case TRI_BINARY_AT_LEAST:
        return truth(a, b, a >= b);
    case TRI_BINARY_EQUAL:
        return truth(a, b, a == b);
    case TRI_BINARY_UNEQUAL:
        return truth(a, b, a != b);
    case TRI_BINARY_PLUS:
        return a + b;
    case TRI_BINARY_MINUS:
        return a - b;
    case TRI_BINARY_TIMES:
        return a * b;
    case TRI_BINARY_OVER:
        return b == 0 ? NAN : a / b;
    }
    return NAN;
}

/* ---- evidence ---- */

static void tell(evaluation *self, const char *text)
{
    size_t room = sizeof self->evidence->text - self->told;
    int length = snprintf(self->evidence->text + self->told, room, "%s", text);
    self->told += (size_t)length < room ? (size_t)length : room - 1;
}

/* "0.91", or "3 … 5" for several values */
static void tell_values(evaluation *self, const tri__number_list *values)
{
    char text[64];
    double low = tri__quantile(values->number, values->count, 0), high = tri__quantile(values->number, values->count, 1);
    if (isnan(low))
        snprintf(text, sizeof text, "unknown");
    else if (low == high)
        snprintf(text, sizeof text, "%.4g", low);
    else
        snprintf(text, sizeof text, "%.4g … %.4g", low, high);
    tell(self, text);
}

/* "92.1, 91.3, 90.2" */
static void tell_list(evaluation *self, const tri__number_list *values)
{
    char text[32];
    if (!self->told)
        self->evidence->first = values->count ? values->number[0] : NAN;
    for (int64_t i = 0; i < values->count; i++) {
        snprintf(text, sizeof text, isnan(values->number[i]) ? "%sunknown" : "%s%.4g", self->told ? ", " : "", values->number[i]);
        tell(self, text);
    }
}

static void tell_comparison(evaluation *self, tri__binary binary, const tri__number_list *a, const tri__number_list *b)
{
    static const char *const signs[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
    if (self->told)
        tell(self, ", ");
    else
        self->evidence->first = tri__median(a->number, a->count);
    tell_values(self, a);
    tell(self, signs[binary - TRI_BINARY_LESS]);
    tell_values(self, b);
}

/* ---- nodes ---- */

static tri_status evaluate_binary(evaluation *self, const tri__expression_node *node, surroundings around, tri__number_list *out)
{
    tri__number_list a = {0}, b = {0};
    TRI_TRY(evaluate(self, node->child[0], around, &a));
    TRI_TRY(evaluate(self, node->child[1], around, &b));
    if (a.count != b.count && a.count != 1 && b.count != 1)
        return tri_fail(TRI_BAD_CALL, "'%s': %lld values on one side of an operator and %lld on the other: narrow one of them with `at`",
                        self->expression->text, (long long)a.count, (long long)b.count);
    TRI_TRY(allocate(self, a.count == 1 ? b.count : a.count, out));
    for (int64_t i = 0; i < out->count; i++)
        out->number[i] = combine(node->binary, a.number[a.count == 1 ? 0 : i], b.number[b.count == 1 ? 0 : i]);
    if (self->evidence && node->binary >= TRI_BINARY_LESS && node->binary <= TRI_BINARY_UNEQUAL)
        tell_comparison(self, node->binary, &a, &b);
    return NULL;
}

static tri_status evaluate_each(evaluation *self, double (*change)(double), const tri__number_list *from, tri__number_list *out)
{
    TRI_TRY(allocate(self, from->count, out));
    for (int64_t i = 0; i < from->count; i++)
        out->number[i] = change(from->number[i]);
    return NULL;
}

static tri_status evaluate_call(evaluation *self, const tri__expression_node *node, surroundings around, tri__number_list *out)
{
    const tri__function *function = node->function;
    tri__number_list argument[2] = {{0}};
    if (!function->inherits)
        around.wanted = function->wanted;
    for (int i = 0; i < node->count; i++)
        TRI_TRY(evaluate(self, node->child[i], around, &argument[i]));
    if (function->of_each)
        return evaluate_each(self, function->of_each, &argument[0], out);
    if (!function->of_list && !function->of_two) {
        *out = argument[0];
        return NULL;
    }
    if (function->tells && self->evidence)
        tell_list(self, &argument[0]);
    TRI_TRY(allocate(self, 1, out));
    out->number[0] = function->of_list ? function->of_list(&argument[0]) : function->of_two(&argument[0], &argument[1]);
    return NULL;
}

/* The conditions of a term, followed by those of the enclosing terms. */
static tri_status evaluate_at(evaluation *self, const tri__expression_node *node, surroundings around, tri__number_list *out)
{
    for (int i = 0; i < node->count; i++) {
        tri__condition *condition = TRI_ARENA_NEW(self->arena, tri__condition);
        if (!condition)
            return tri_fail(TRI_NO_MEMORY, "no memory for the conditions of '%s'", self->expression->text);
        *condition = node->conditions[i];
        condition->outer = around.where;
        around.where = condition;
    }
    return evaluate(self, node->child[0], around, out);
}

static double negative(double number)
{
    return -number;
}

static double denial(double number)
{
    return isnan(number) ? NAN : number == 0;
}

static tri_status evaluate(evaluation *self, const tri__expression_node *node, surroundings around, tri__number_list *out)
{
    tri__number_list inner = {0};
    switch (node->kind) {
    case TRI_NODE_NUMBER:
        TRI_TRY(allocate(self, 1, out));
        out->number[0] = node->number;
        return NULL;
    case TRI_NODE_NAME:
        return self->names->find(self->names->context, self->arena, node->name, around.where, around.wanted, out);
    case TRI_NODE_CALL:
        return evaluate_call(self, node, around, out);
    case TRI_NODE_AT:
        return evaluate_at(self, node, around, out);
    case TRI_NODE_NEGATE:
    case TRI_NODE_NOT:
        TRI_TRY(evaluate(self, node->child[0], around, &inner));
        return evaluate_each(self, node->kind == TRI_NODE_NOT ? denial : negative, &inner, out);
    case TRI_NODE_BINARY:
        return evaluate_binary(self, node, around, out);
    }
    return tri_fail(TRI_INTERNAL, "an expression of an unknown kind");
}

tri_status tri__expression_evaluate(const tri__expression *expression, const tri__names *names, tri__arena *arena,
                                    tri__finding_evidence *evidence, tri__number_list *out)
{
    evaluation self = {.expression = expression, .names = names, .arena = arena, .evidence = evidence};
    if (evidence)
        *evidence = (tri__finding_evidence){.first = NAN};
    return evaluate(&self, expression->root, (surroundings){.wanted = TRI_WANT_MEDIANS}, out);
}
