/* functions.h: the functions of the language of expression.h, a row each. docs/lab.md explains them to people. */
#ifndef TRI_LAB_EXPRESSION_FUNCTIONS_H
#define TRI_LAB_EXPRESSION_FUNCTIONS_H

#include "lab/expression/expression.h"

typedef struct {
    const char *name;
    int arguments;                                   /* 1 or 2 */
    tri__wanted wanted;                              /* what names mean in its arguments */
    bool inherits;                                   /* … unless the call itself stands where something else is wanted */
    bool tells;                                      /* its list is evidence by itself */
    double (*of_list)(const tri__number_list *list); /* one list becomes one number … */
    double (*of_each)(double number);                /* … or each number another one … */
    double (*of_two)(const tri__number_list *a, const tri__number_list *b); /* … or two lists one number; all NULL: the list as it is */
} tri__function;

const tri__function *tri__function_find(const char *name); /* NULL where there is none */
const char *tri__function_row_name(int row);               /* by number from 0, for suggestions; NULL past the last */

#endif
