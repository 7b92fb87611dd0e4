/* reports.h: what the workers of a job have told ps:0 of themselves, taken together.
 *
 * A report is JSON as its worker sent it (worker_task.c): nothing in it is trusted to be there, to be of the right kind or within
 * bounds. */
#ifndef TRI_TRAIN_PS_REPORTS_H
#define TRI_TRAIN_PS_REPORTS_H

#include "watch/summary.h"

/* reports: an array, or NULL, which is none. */
int64_t tri__reports_sum(const json_t *reports, const char *key);          /* of counts; those below 0 are none; at most INT64_MAX / 2 */
double tri__reports_mean(const json_t *reports, const char *key);          /* of those that tell; NaN where nobody does */
double tri__reports_most(const json_t *reports, const char *key);          /* the largest; NaN where nobody tells */
void tri__reports_phases(const json_t *reports, double share[TRI_PHASES]); /* each worker's as long as it worked; sum 1 */

/* One row for each report; rows must have room for json_array_size(reports). Texts stay the reports'. */
void tri__reports_workers(const json_t *reports, tri__worker_summary *rows);

#endif
