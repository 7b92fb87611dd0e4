/* rules.h: how a mean gradient becomes an update of a range of parameters. */
#ifndef TRI_STORE_RULES_H
#define TRI_STORE_RULES_H

#include "trireme/store.h"

/* One range and what the rule needs to know about it. All pointers are to the range's first float and do not overlap. */
typedef struct {
    float *parameters;
    const float *gradient;
    float *slot[2]; /* NULL where the rule has no such slot */
    size_t count;
    float scale; /* what makes the offered sum the gradient to apply: 1 / Σ weight, less where it is clipped */
    tri_step step;
} tri__update;

/* Check a rule's numbers and put the defaults where they are 0. */
TRI_MUST_CHECK tri_status tri__rule_complete(tri_rule *rule);

/* Apply a complete rule. Ranges above some 64k floats are shared out over the OpenMP team; no result depends on its size. */
void tri__rule_apply(const tri_rule *rule, const tri__update *update);

/* Σ x², in double precision and in an order that depends on count alone. */
double tri__sum_of_squares(const float *x, size_t count);

#endif
