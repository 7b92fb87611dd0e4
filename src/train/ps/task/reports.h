/* reports.h: sums and means over the reports that workers send to ps:0.
 *
 * A report is JSON as its worker sent it (worker_task.c). We do not rely on it: a key may be missing, of the wrong kind or out of
 * bounds. */
#ifndef TRI_TRAIN_PS_TASK_REPORTS_H
#define TRI_TRAIN_PS_TASK_REPORTS_H

#include "watch/report/summary.h"

/* reports: an array; NULL: there are none. */
int64_t tri__reports_sum(const json_t *reports, const char *key);          /* of counts; negative ones count as 0; at most INT64_MAX / 2 */
double tri__reports_total(const json_t *reports, const char *key);         /* of numbers; 0 where no report has the key */
double tri__reports_mean(const json_t *reports, const char *key);          /* over the reports that have the key; NaN where none has it */
double tri__reports_most(const json_t *reports, const char *key);          /* the largest; NaN where no report has the key */
void tri__reports_phases(const json_t *reports, double share[TRI_PHASES]); /* weighted by each worker's time; shares add up to 1 */

/* One row for each report; rows must have room for json_array_size(reports). Strings belong to the reports. */
void tri__reports_workers(const json_t *reports, tri__worker_summary *rows);

#endif
