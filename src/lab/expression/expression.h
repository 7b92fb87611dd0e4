/* expression.h: the small language of a study's columns and findings.
 *
 *     expression = both { "or" both }                           true is 1, false is 0
 *     both       = test { "and" test }
 *     test       = [ "not" ] sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
 *     sum        = product { ("+" | "-") product }
 *     product    = factor { ("*" | "/") factor }
 *     factor     = "-" factor | term [ "at" name "=" value { "," name "=" value } ]
 *     term       = number | name | function "(" [ expression { "," expression } ] ")" | "(" expression ")"
 *     name       = word { "." word or number }                  test_accuracy, worker0.steps
 *
 * Every value is a list of numbers. The caller says what a name stands for (expression_value.h): a path in a JSON result, or the medians of
 * a column in each cell of a study. Operators work number by number; a list of one number goes with any other list. A number that is not
 * known is NaN, and so is every result computed from it. "at" limits the cells that the names in its term stand for.
 *
 * An expression is parsed once and can be evaluated any number of times, by one thread at a time. */
#ifndef TRI_LAB_EXPRESSION_EXPRESSION_H
#define TRI_LAB_EXPRESSION_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory/arena.h"

typedef struct tri__expression tri__expression;

typedef struct {
    double *number;
    int64_t count;
} tri__number_list;

/* name = value, after "at". outer: the next condition; after those of this term come those of the enclosing terms. */
typedef struct tri__condition {
    const char *name, *value;
    int column;
    const struct tri__condition *outer;
} tri__condition;

/* Which numbers of a name are wanted. */
typedef enum {
    TRI_WANT_MEDIANS,  /* one for each cell */
    TRI_WANT_ALL,      /* every measurement: statistics need them */
    TRI_WANT_REPORTED, /* the published numbers, one for each cell */
} tri__wanted;

/* Where an expression is, for messages: "a.yaml: line 7, column 12: …". line 0: messages have only the column. */
typedef struct {
    const char *file;
    int line, column; /* from 1 */
} tri__text_position;

/* TRI_BAD_DATA with the position of what cannot be read. text is copied. */
TRI_MUST_CHECK tri_status tri__expression_parse(const tri__text_position *position, const char *text, tri__expression **out);
void tri__expression_destroy(tri__expression *expression); /* accepts NULL */

/* Call visit for each name (value is NULL) and each condition. Stops at the first failure, and adds the position to its message. */
typedef tri_status tri__expression_visit(void *context, const char *name, const char *value);
TRI_MUST_CHECK tri_status tri__expression_check(const tri__expression *expression, tri__expression_visit *visit, void *context);

const char *tri__expression_text(const tri__expression *expression);

#endif
