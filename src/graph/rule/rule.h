/* rule.h: update rules by name: checks and completes their numbers, and applies them to a range of parameters. */
#ifndef TRI_GRAPH_RULE_RULE_H
#define TRI_GRAPH_RULE_RULE_H

#include "graph/rule/rule_rows.h"

#define TRI_ALL_RULE_NUMBERS 24 /* names of numbers that all rules have together, at most */

/* Check a rule's name and numbers; set gets all numbers of the rule, in the order of its row, with the table's own names. */
TRI_MUST_CHECK tri_status tri__rule_complete(tri_rule *rule);

/* Which slot has the averages of the parameters; −1: the rule keeps none. */
int tri__rule_average_slot(const tri_rule *rule);

/* Whether a gradient may be applied in parts, with the same result as in one: p ← p − r·g, without clipping and averages. The rule is
 * complete. */
bool tri__rule_is_linear(const tri_rule *rule);

/* The update of a range by its gradient. parameters and slot point to the whole buffer (NULL: the rule has no such slot); gradient points
 * to the range's. */
tri__update tri__update_of(float *parameters, float *const slot[TRI_RULE_SLOTS], tri_range range, const float *gradient, double scale,
                           tri_step step);

/* Apply a complete rule. Ranges above some 64k floats are shared out over the OpenMP team; no result depends on its size. */
void tri__rule_apply(const tri_rule *rule, const tri__update *update);

/* How many floats at the end of a range are state, frozen ones included. */
size_t tri__rule_state_in(const tri_rule *rule, tri_range range);

/* Set how many floats of the update's range are state, and frozen. */
void tri__update_mark_state(tri__update *update, const tri_rule *rule, tri_range range);

/* State is neither clipped nor summed over workers. So divide its part of the range's gradient by the factor by which clipping or the sum
 * changes the scale. */
void tri__rule_spare_state(const tri_rule *rule, tri_range range, float *gradient, double factor);

const tri__rule_number *tri__rule_number_find(const char *key);       /* NULL where no rule has it */
bool tri__rule_has(const char *rule, const tri__rule_number *number); /* rule: NULL is the first */

/* The options of the rules: --rule and the hyper-parameters, by index from 0; NULL past the last. */
const tri__option *tri__rule_option(int index);

/* Set a number; it replaces an earlier value. number comes from the table. TRI_BAD_CALL where there is no room for more. */
TRI_MUST_CHECK tri_status tri__rule_set(tri_rule *rule, const tri__rule_number *number, float value);

/* The names of the rules that have the number, or of all where it is NULL: "adagrad or adam". */
const char *tri__rule_names(const tri__rule_number *number, char *text, size_t size);

/* A complete rule as a command line would say it, without the clipping: "--rule momentum --momentum 0.9 --l2 0". */
const char *tri__rule_text(const tri_rule *rule, char *text, size_t size);

#endif
