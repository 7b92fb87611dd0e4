/* results_csv.h: the results of a study as one flat table. */
#ifndef TRI_LAB_RESULTS_RESULTS_CSV_H
#define TRI_LAB_RESULTS_RESULTS_CSV_H

#include "lab/results/results.h"

/* Replace results.csv in folder. It has a row for each run, or for each worker and host of a run: factors, columns, command, version,
 * machine and the digest of the data. Numbers of the whole run are repeated in all of its rows. A run that failed has a row with the
 * reason. */
TRI_MUST_CHECK tri_status tri__results_csv_write(const tri__results *results, const char *folder);

/* *fits: results.csv in folder is what tri__results_csv_write would write, or does not exist. */
TRI_MUST_CHECK tri_status tri__results_csv_check(const tri__results *results, const char *folder, bool *fits);

#endif
