/* results.h: the results of a study's runs, kept in a folder.
 *
 * The folder has a journal, `cells.jsonl`. Its first line names the study, the scale, the version and the machine. Then there is a line for
 * each run that has ended, well or not, with its whole JSON result. A line is written and synced as soon as the run ends, so an interrupted
 * study loses only the run that was under way. Columns and findings are computed from the journal. */
#ifndef TRI_LAB_RESULTS_RESULTS_H
#define TRI_LAB_RESULTS_RESULTS_H

#include "lab/study/study.h"

typedef struct {
    int cell, repeat;     /* repeat from 1 */
    const json_t *record; /* the whole line */
    const json_t *result; /* what the command printed; NULL where it failed */
} tri__measurement;

typedef struct tri__results tri__results;

/* Open the folder to run a study, and make it where it does not exist. about: version, machine and data of this call, as a JSON object; a
 * new journal keeps it in its first line. fresh: where the folder has a journal, remove the journal, results.csv, `data` and `runs` first,
 * and nothing else. TRI_BAD_CALL where another process runs this study (nothing is removed then), or where the folder has results of
 * another study, another text of it or another scale. study is borrowed. */
TRI_MUST_CHECK tri_status tri__results_open(const char *folder, const tri__study *study, const json_t *about, bool fresh,
                                            tri__results **out);

/* Open the folder for reading only. The study is read from the journal: tri__results_study. */
TRI_MUST_CHECK tri_status tri__results_read(const char *folder, tri__results **out);
void tri__results_destroy(tri__results *results); /* accepts NULL */

/* Write one line and sync it. Takes record: "cell", "repeat", and "result" or "failure". */
TRI_MUST_CHECK tri_status tri__results_append(tri__results *results, json_t *record);

const tri__study *tri__results_study(const tri__results *results);
const json_t *tri__results_head(const tri__results *results);
const json_t *tri__results_data(const tri__results *results); /* digests of the data, by source; NULL: not known */
int64_t tri__results_count(const tri__results *results);
const tri__measurement *tri__results_at(const tri__results *results, int64_t index);

const char *tri__results_cluster(const tri__results *results, int number); /* names of clusters that runs had, from 0; NULL past the last */

char *tri__results_run_folder(const tri__results *results, int cell); /* of the first run that ended well; free() it. NULL: none */

bool tri__results_has(const tri__results *results, int cell, int repeat);     /* whether it ended well */
int tri__results_failures(const tri__results *results, int cell, int repeat); /* how often it failed */
bool tri__results_prepared(const tri__results *results, const char *command); /* whether this preparation ended well */

#endif
