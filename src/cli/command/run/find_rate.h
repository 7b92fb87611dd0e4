/* find_rate.h: train --find-rate: a short run whose rate rises from step to step, the curve of its loss, and the rate that it suggests. */
#ifndef TRI_CLI_COMMAND_RUN_FIND_RATE_H
#define TRI_CLI_COMMAND_RUN_FIND_RATE_H

#include "cli/process/session.h"
#include "train/run/run.h"

typedef struct tri__rate_curve tri__rate_curve;

/* Make options those of a sweep: so many steps, no evaluation. TRI_BAD_CALL where they ask for what a sweep is not. */
TRI_MUST_CHECK tri_status tri__find_rate_prepare(const tri__run_request *request, tri__train_options *options);

TRI_MUST_CHECK tri_status tri__rate_curve_create(tri__rate_curve **out);
void tri__rate_curve_destroy(tri__rate_curve *curve); /* accepts NULL */

/* A step's rate, and its loss before the update. False: the loss has exploded, and no more is to be learnt. */
bool tri__rate_curve_add(tri__rate_curve *curve, double rate, double loss);

bool tri__rate_curve_is_empty(const tri__rate_curve *curve); /* no step was made */

/* A tenth of the rate with the least smoothed loss, as is usual; NaN where the loss never falls. */
double tri__rate_curve_suggest(const tri__rate_curve *curve);

/* Write find-rate.csv and find-rate.svg into the folder, and print the table and the suggestion. TRI_STOPPED where the curve is empty. */
TRI_MUST_CHECK tri_status tri__find_rate_tell(tri__session *session, const tri__rate_curve *curve, const char *folder);

#endif
