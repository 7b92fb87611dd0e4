/* expression_value.h: the value of an expression. */
#ifndef TRI_LAB_EXPRESSION_EXPRESSION_VALUE_H
#define TRI_LAB_EXPRESSION_EXPRESSION_VALUE_H

#include "lab/expression/expression.h"

/* The numbers behind an expression's comparisons. */
typedef struct {
    char text[512]; /* all comparisons, in order: "0.91 > 0.8, 3 … 5 < 9"; "" where there is none */
    double first;   /* the number to the left of the first comparison; the median where it is a list; NaN where it is not known */
} tri__finding_evidence;

typedef struct {
    /* Finds the numbers that name stands for where the conditions hold. *out is in the arena's memory. */
    tri_status (*find)(void *context, tri__arena *arena, const char *name, const tri__condition *where, tri__wanted wanted,
                       tri__number_list *out);
    void *context;
} tri__names;

/* *out is in the arena's memory. evidence may be NULL. */
TRI_MUST_CHECK tri_status tri__expression_evaluate(const tri__expression *expression, const tri__names *names, tri__arena *arena,
                                                   tri__finding_evidence *evidence, tri__number_list *out);

#endif
