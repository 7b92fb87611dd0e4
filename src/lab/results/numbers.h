/* numbers.h: the columns of a study, as numbers. */
#ifndef TRI_LAB_RESULTS_NUMBERS_H
#define TRI_LAB_RESULTS_NUMBERS_H

#include "lab/expression/expression_value.h"
#include "lab/results/results.h"

/* The workers or hosts of a result, by number from 0; NULL past the last. TRI_SCOPE_RUN has one, the result itself. */
const json_t *tri__result_task(const json_t *result, tri__scope scope, int number);
const char *tri__result_task_name(const json_t *task, tri__scope scope, char *text, size_t size); /* "worker:0", "host1", "" */
const char *tri__result_task_word(const json_t *task, tri__scope scope, char *text, size_t size); /* its name in expressions: "worker0" */

/* A column's number in one measurement. task: from tri__result_task. Paths are looked up in the task, then in the whole result, then among
 * the factors. NaN where the result does not have the number. */
double tri__measured_number(const tri__study *study, const tri__measurement *measurement, int column, const json_t *task);

/* A column's numbers in a cell, one for each repeat that ended well. task: its name in expressions, "worker0", or "". *out is in the
 * arena's memory. */
TRI_MUST_CHECK tri_status tri__cell_numbers(const tri__results *results, int cell, int column, const char *task, tri__arena *arena,
                                            tri__number_list *out);

typedef enum { TRI_FINDING_UNKNOWN, TRI_FINDING_CONFIRMED, TRI_FINDING_REFUTED } tri__finding_state;

typedef struct {
    tri__finding_state state;
    tri__finding_evidence evidence;
} tri__finding_result;

const char *tri__finding_state_name(tri__finding_state state); /* "unknown", "confirmed", "not confirmed" */

TRI_MUST_CHECK tri_status tri__finding_evaluate(const tri__results *results, int finding, tri__finding_result *out);

#endif
