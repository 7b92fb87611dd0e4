/* rule_rows.h: what a row of the table of update rules is made of. */
#ifndef TRI_GRAPH_RULE_RULE_ROWS_H
#define TRI_GRAPH_RULE_RULE_ROWS_H

#include "base/text/option.h"
#include "trireme/store.h"

/* One range and what the rule needs to know about it. All pointers are to the range's first float and do not overlap. */
typedef struct {
    float *parameters;
    const float *gradient;
    float *slot[TRI_RULE_SLOTS]; /* NULL where the rule has no such slot */
    size_t count;
    size_t state;  /* of them, at the end: no parameters but state, which moves towards scale · gradient … */
    size_t frozen; /* … but for these of it, at its end, which stay */
    float scale;   /* what makes the offered sum the gradient to apply: 1 / Σ weight, less where it is clipped */
    tri_step step;
} tri__update;

/* A hyper-parameter. */
typedef struct {
    const char *key; /* in tri_rule, `.model` files and JSON: "ftrl_beta" */
    float standard;  /* where nobody says anything */
    tri__option option;
} tri__rule_number;

typedef struct {
    const char *name;
    const tri__rule_number *numbers[TRI_RULE_NUMBERS]; /* NULL past the last */
    int slots;
    void (*apply)(const tri_rule *rule, const tri__update *update); /* the rule is complete */
    bool is_linear; /* where all its numbers are 0, it is p ← p − r·g: parts of a gradient may be applied one after another */
} tri__rule_row;

const tri__rule_row *tri__rule_row_at(int index); /* from 0; NULL past the last */
const tri__option *tri__rule_choice(void);        /* --rule */

/* The numbers that any rule has, each once, by number from 0; NULL past the last. */
const tri__rule_number *tri__rule_number_at(int index);

#endif
