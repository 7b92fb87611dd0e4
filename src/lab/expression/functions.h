/* functions.h: the functions of the language of expression.h, one row each. docs/lab.md explains them to users. */
#ifndef TRI_LAB_EXPRESSION_FUNCTIONS_H
#define TRI_LAB_EXPRESSION_FUNCTIONS_H

#include "lab/expression/expression.h"

typedef struct {
    const char *name;
    int arguments;                                   /* 1 or 2 */
    tri__wanted wanted;                              /* which numbers the names in its arguments stand for */
    bool inherits;                                   /* ignore wanted: names mean what they mean outside the call */
    bool tells;                                      /* its argument is evidence, without a comparison */
    double (*of_list)(const tri__number_list *list); /* a list becomes one number. All three NULL: it stays as it is */
    double (*of_each)(double number);                /* each number becomes another number */
    double (*of_two)(const tri__number_list *a, const tri__number_list *b); /* two lists become one number */
} tri__function;

const tri__function *tri__function_find(const char *name); /* NULL where there is none */
const char *tri__function_row_name(int row);               /* by number from 0, for suggestions; NULL past the last */

#endif
