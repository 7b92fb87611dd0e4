/* rule_rows.h: what a row of the table of update rules is made of. */
#ifndef TRI_GRAPH_RULE_RULE_ROWS_H
#define TRI_GRAPH_RULE_RULE_ROWS_H

#include "base/text/option.h"
#include "trireme/store.h"

/* One range, and what a rule needs to know about it. All pointers point to the range's first float; the memory does not overlap. */
typedef struct {
    float *parameters;
    const float *gradient;
    float *slot[TRI_RULE_SLOTS]; /* NULL where the rule has no such slot */
    size_t count;
    size_t state;  /* how many of the range's last floats are state, which moves towards scale · gradient */
    size_t frozen; /* how many of the state's last floats are frozen, and do not change */
    float scale;   /* the gradient to apply is scale · the offered sum: 1 / Σ weight, less where it is clipped */
    tri_step step;
    int64_t updates; /* of the range before this one. Where workers are not in step, it differs from the step of the gradient */
} tri__update;

/* A hyper-parameter. */
typedef struct {
    const char *key; /* in tri_rule, `.model` files and JSON: "ftrl_beta" */
    float standard;  /* the default value */
    tri__option option;
} tri__rule_number;

typedef struct {
    const char *name;
    const tri__rule_number *numbers[TRI_RULE_NUMBERS]; /* NULL past the last */
    int slots;
    void (*apply)(const tri_rule *rule, const tri__update *update); /* the rule is complete */
    bool is_linear; /* where all its numbers are 0, the rule is p ← p − r·g: parts of a gradient may be applied one after another */
} tri__rule_row;

const tri__rule_row *tri__rule_row_at(int index); /* from 0; NULL past the last */
const tri__option *tri__rule_choice(void);        /* --rule */

/* The hyper-parameters of all rules, each once, by index from 0; NULL past the last. */
const tri__rule_number *tri__rule_number_at(int index);

#endif
