/* rule.h: update rules by name: their numbers, checked and completed, and their use on a range of parameters. */
#ifndef TRI_GRAPH_RULE_RULE_H
#define TRI_GRAPH_RULE_RULE_H

#include "graph/rule/rule_rows.h"

#define TRI_ALL_RULE_NUMBERS 24 /* names of numbers that all rules have together, at most */

/* Check a rule's name and numbers; set gets all numbers of the rule, in the order of its row, with the table's own names. */
TRI_MUST_CHECK tri_status tri__rule_complete(tri_rule *rule);

/* Whether a complete rule applies a gradient in parts as it applies it in one: p ← p − r·g, without clipping. */
bool tri__rule_is_linear(const tri_rule *rule);

/* The update of a range by its gradient. Parameters and slots are those of the whole buffer, a slot that the rule has not is NULL; gradient
 * is the range's own. */
tri__update tri__update_of(float *parameters, float *const slot[TRI_RULE_SLOTS], tri_range range, const float *gradient, double scale,
                           tri_step step);

/* Apply a complete rule. Ranges above some 64k floats are shared out over the OpenMP team; no result depends on its size. */
void tri__rule_apply(const tri_rule *rule, const tri__update *update);

/* How many floats at the end of a range are state, frozen ones included. */
size_t tri__rule_state_in(const tri_rule *rule, tri_range range);

/* Tell the update of a range which of its floats are state, and frozen. */
void tri__update_mark_state(tri__update *update, const tri_rule *rule, tri_range range);

/* State is neither clipped nor a sum over workers: divide its part of the range's gradient by the factor of the scale that would do so. */
void tri__rule_spare_state(const tri_rule *rule, tri_range range, float *gradient, double factor);

const tri__rule_number *tri__rule_number_find(const char *key);       /* NULL where no rule has it */
bool tri__rule_has(const char *rule, const tri__rule_number *number); /* rule: NULL is the first */

/* What options the rules have: --rule and the numbers, by number from 0; NULL past the last. */
const tri__option *tri__rule_option(int index);

/* Set a number, which replaces what was set for it. The key is the table's own. TRI_BAD_CALL where there is no room for more. */
TRI_MUST_CHECK tri_status tri__rule_set(tri_rule *rule, const tri__rule_number *number, float value);

/* The names of the rules that have the number, or of all where it is NULL: "adagrad or adam". */
const char *tri__rule_names(const tri__rule_number *number, char *text, size_t size);

/* A complete rule as a command line would say it: "--rule momentum --momentum 0.9 --l2 0". */
const char *tri__rule_text(const tri_rule *rule, char *text, size_t size);

#endif
