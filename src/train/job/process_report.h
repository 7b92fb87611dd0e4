/* process_report.h: what a task's process reports to the process that started it: lines of JSON on its standard output.
 *
 *     {"started": true}                              rank 0: it runs, and looks for the other ranks
 *     {"began": true}                                rank 0: all ranks are ready, and train now
 *     {"progress": {…}}                              the leading task, some ten times a second
 *     {"result": {"summary": {…}, "table": "…"}}     the leading task, at its end
 *     {"failure": "why"}                             any task that fails
 *     {"damage": "why"}                              any task that fails because of damaged data: started again, it would fail again
 *
 * Every other line is for people. A line that begins with the program's name is a warning: the terminal writes warnings so. */
#ifndef TRI_TRAIN_JOB_PROCESS_REPORT_H
#define TRI_TRAIN_JOB_PROCESS_REPORT_H

#include "base/file/json.h"
#include "base/report/log.h"

typedef enum {
    TRI_REPORT_NONE,
    TRI_REPORT_STARTED,
    TRI_REPORT_BEGAN,
    TRI_REPORT_PROGRESS,
    TRI_REPORT_RESULT,
    TRI_REPORT_FAILURE,
    TRI_REPORT_DAMAGE
} tri__report_kind;

/* TRI_REPORT_NONE where the line is not a report. Otherwise *value is what it reports, a string for a failure or damage; the caller drops
 * it with json_decref. */
tri__report_kind tri__process_report_read(const char *line, json_t **value);

/* Makes {"progress": value}; takes value; the caller drops the result. NULL where value is NULL or memory is short, so that callers need to
 * check only once. */
json_t *tri__process_report_make(tri__report_kind kind, json_t *value);

/* A line for people: returns its text, which is within line, and sets its level. */
const char *tri__process_line_read(const char *line, tri__log_level *level);

#endif
