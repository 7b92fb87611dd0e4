/* results_csv.h: the results of a study as one flat table. */
#ifndef TRI_LAB_RESULTS_RESULTS_CSV_H
#define TRI_LAB_RESULTS_RESULTS_CSV_H

#include "lab/results/results.h"

/* Replace results.csv in folder: a row for each run, or for each worker and host of a run; its factors, columns, command, version, machine
 * and digest of its data. Numbers of a run stand in all of its rows. A run that failed has a row with its reason. */
TRI_MUST_CHECK tri_status tri__results_csv_write(const tri__results *results, const char *folder);

#endif
