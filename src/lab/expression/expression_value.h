/* expression_value.h: the value of an expression. */
#ifndef TRI_LAB_EXPRESSION_EXPRESSION_VALUE_H
#define TRI_LAB_EXPRESSION_EXPRESSION_VALUE_H

#include "lab/expression/expression.h"

/* The numbers behind an expression's comparisons. */
typedef struct {
    char text[512]; /* of all of them, in order: "0.91 > 0.8, 3 … 5 < 9"; "" where there is none */
    double first;   /* left of the first of them; the median where there are several; NaN where it is not known */
} tri__finding_evidence;

typedef struct {
    /* The numbers of name where the conditions hold, in the arena's memory. */
    tri_status (*find)(void *context, tri__arena *arena, const char *name, const tri__condition *where, tri__wanted wanted,
                       tri__number_list *out);
    void *context;
} tri__names;

/* *out is in the arena's memory. evidence may be NULL. */
TRI_MUST_CHECK tri_status tri__expression_evaluate(const tri__expression *expression, const tri__names *names, tri__arena *arena,
                                                   tri__finding_evidence *evidence, tri__number_list *out);

#endif
