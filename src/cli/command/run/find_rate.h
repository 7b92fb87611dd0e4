/* find_rate.h: train --find-rate: a short run whose rate rises from step to step. Its curve of losses suggests a rate. */
#ifndef TRI_CLI_COMMAND_RUN_FIND_RATE_H
#define TRI_CLI_COMMAND_RUN_FIND_RATE_H

#include "cli/process/session.h"
#include "train/run/run.h"

typedef struct tri__rate_curve tri__rate_curve;

/* Turn options into those of a sweep: they get the number of steps and the schedule, where these are not given, and no evaluation.
 * TRI_BAD_CALL where an option makes no sense for a sweep. */
TRI_MUST_CHECK tri_status tri__find_rate_prepare(const tri__run_request *request, tri__train_options *options);

TRI_MUST_CHECK tri_status tri__rate_curve_create(tri__rate_curve **out);
void tri__rate_curve_destroy(tri__rate_curve *curve); /* accepts NULL */

/* Add a step: its rate, and its loss before the update. False: the loss has exploded, and further steps are useless. */
bool tri__rate_curve_add(tri__rate_curve *curve, double rate, double loss);

bool tri__rate_curve_is_empty(const tri__rate_curve *curve); /* no step was made */

/* Write find-rate.csv and find-rate.svg into the folder, and print the table and the suggestion. TRI_STOPPED where the curve is empty. */
TRI_MUST_CHECK tri_status tri__find_rate_tell(tri__session *session, const tri__rate_curve *curve, const char *folder);

#endif
