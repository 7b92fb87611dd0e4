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
 * Every value is a list of numbers. What a name stands for is the caller's business (expression_value.h): a path of a JSON result, or the
 * medians of a column in each cell of a study. Operators work number by number; a list of one number goes with any other list. A number
 * that is not known is NaN, and so is what follows from it. "at" narrows the cells that the names in its term stand for.
 *
 * An expression is made once and evaluated as often as one likes, by one thread at a time. */
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

/* name = value, after "at". The list goes on with the conditions of the enclosing terms. */
typedef struct tri__condition {
    const char *name, *value;
    int column;
    const struct tri__condition *outer;
} tri__condition;

/* Which numbers of a name are wanted. */
typedef enum {
    TRI_WANT_MEDIANS,  /* one a cell */
    TRI_WANT_ALL,      /* every measurement: what statistics are made of */
    TRI_WANT_REPORTED, /* the published ones, one a cell */
} tri__wanted;

/* Where an expression stands, for messages: "a.yaml: line 7, column 12: …"; line 0: the column is told alone. */
typedef struct {
    const char *file;
    int line, column; /* from 1 */
} tri__text_position;

/* TRI_BAD_DATA with the position of what cannot be read. text is copied. */
TRI_MUST_CHECK tri_status tri__expression_parse(const tri__text_position *position, const char *text, tri__expression **out);
void tri__expression_destroy(tri__expression *expression); /* accepts NULL */

/* Call visit for each name (value is NULL) and each condition; stop at the first failure, which is told with its position. */
typedef tri_status tri__expression_visit(void *context, const char *name, const char *value);
TRI_MUST_CHECK tri_status tri__expression_check(const tri__expression *expression, tri__expression_visit *visit, void *context);

const char *tri__expression_text(const tri__expression *expression);

#endif
