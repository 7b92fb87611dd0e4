/* results.h: what the runs of a study gave, kept in a folder.
 *
 * The folder has a journal, `cells.jsonl`: a first line that says which study it is, at which scale, by which version, on which machine;
 * then a line for each run that has ended, well or not, with its whole JSON result. A line is written and synced as soon as the run ends,
 * so whatever interrupts a study loses the run that was under way and nothing else. Columns and findings are computed from the journal. */
#ifndef TRI_LAB_RESULTS_RESULTS_H
#define TRI_LAB_RESULTS_RESULTS_H

#include "lab/study/study.h"

typedef struct {
    int cell, repeat;     /* repeat from 1 */
    const json_t *record; /* the whole line */
    const json_t *result; /* what the command printed; NULL where it failed */
} tri__measurement;

typedef struct tri__results tri__results;

/* Open the folder to run a study, and make it where it is not there. about: version, machine and data of this call, as a JSON object; it
 * is kept where the journal begins. fresh: the journal, results.csv, `data` and `runs` of a folder that has a journal are removed first,
 * and nothing else there. TRI_BAD_CALL where another process runs it, which loses nothing by that; or where the folder has results of
 * another study, another text of it or another scale. study is borrowed. */
TRI_MUST_CHECK tri_status tri__results_open(const char *folder, const tri__study *study, const json_t *about, bool fresh,
                                            tri__results **out);

/* Only to look at. The study is read from the journal: tri__results_study. */
TRI_MUST_CHECK tri_status tri__results_read(const char *folder, tri__results **out);
void tri__results_destroy(tri__results *results); /* accepts NULL */

/* Write one line and sync it. Takes record: "cell", "repeat", and "result" or "failure". */
TRI_MUST_CHECK tri_status tri__results_append(tri__results *results, json_t *record);

const tri__study *tri__results_study(const tri__results *results);
const json_t *tri__results_head(const tri__results *results);
const json_t *tri__results_data(const tri__results *results); /* digests of the data, by source; NULL: not known */
int64_t tri__results_count(const tri__results *results);
const tri__measurement *tri__results_at(const tri__results *results, int64_t index);

const char *tri__results_cluster(const tri__results *results, int number); /* that runs had, by number from 0; NULL past the last */

char *tri__results_run_folder(const tri__results *results, int cell); /* of the first run that ended well; free() it. NULL: none */

bool tri__results_has(const tri__results *results, int cell, int repeat);     /* it ended well */
int tri__results_failures(const tri__results *results, int cell, int repeat); /* how often it failed */
bool tri__results_prepared(const tri__results *results, const char *command); /* this preparation ended well */

#endif
