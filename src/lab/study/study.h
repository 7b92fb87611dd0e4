/* study.h: a study: one command that is run many times with different values, and the findings to check.
 *
 * A study is a YAML file (docs/lab.md explains it to users). Its factors have values; a cell is one combination of them. Each cell is run
 * `repeats` times. Columns are expressions over the JSON result of a run; findings are expressions over the columns that a machine can
 * check. `quick` and `full` in the file replace parts of it for short and for complete runs. */
#ifndef TRI_LAB_STUDY_STUDY_H
#define TRI_LAB_STUDY_STUDY_H

#include "base/file/json.h"
#include "lab/expression/expression.h"
#include "train/job/command_line.h"

typedef enum { TRI_SCALE_USUAL, TRI_SCALE_QUICK, TRI_SCALE_FULL } tri__scale;

const char *tri__scale_name(tri__scale scale); /* "usual" */

/* What a column has a number for: each run, each worker of a run, or each host of a run. */
typedef enum { TRI_SCOPE_RUN, TRI_SCOPE_WORKER, TRI_SCOPE_HOST } tri__scope;

typedef struct {
    tri__scope scope;
    const char *name;  /* "accuracy" */
    const char *label; /* for people: "test accuracy, %" */
    int digits;        /* after the decimal point */
    tri__expression *expression;
} tri__study_column;

typedef struct {
    const char *name; /* what it says, in words */
    tri__expression *expression;
    const char *why; /* a remark for the report; NULL: none */
} tri__study_finding;

/* A published number. */
typedef struct {
    int cell, column;
    const char *task; /* its name in expressions: "worker0", "host1"; "" for a run */
    double number;
} tri__reported;

typedef struct {
    json_t *document; /* the file's content, with quick or full applied; owns most texts */
    tri__arena *arena;
    const char *file; /* for messages */
    char *text;       /* the file's text */
    const char *name, *title, *about, *command;
    tri__scale scale;

    const char **factors; /* [factor_count] names */
    int factor_count;
    const char **values; /* [cell_count][factor_count] */
    int cell_count;
    int repeats;
    int64_t seed;
    int64_t patience; /* nanoseconds that a run may take */

    tri__study_column *columns; /* [column_count] */
    int column_count;
    tri__study_finding *findings; /* [finding_count] */
    int finding_count;
    tri__reported *reported; /* [reported_count] */
    int reported_count;
    bool builtin;
    char digest[65]; /* of the document: results of another document do not go with it */
} tri__study;

/* A study's text, and where it comes from. */
typedef struct {
    const char *file; /* the path, or a built-in study's name; the last part of the path, without its ending, is the study's name */
    const char *text;
    bool builtin;
} tri__study_text;

TRI_MUST_CHECK tri_status tri__study_parse(const tri__study_text *from, tri__scale scale, tri__study **out);

/* A built-in study by its name, in any case of letters, or a file. TRI_NOT_FOUND where there is neither; TRI_BAD_DATA with line and
 * column. */
TRI_MUST_CHECK tri_status tri__study_load(const char *name_or_path, tri__scale scale, tri__study **out);
void tri__study_destroy(tri__study *study); /* accepts NULL */

const char *tri__study_value(const tri__study *study, int cell, int factor);
int tri__study_factor(const tri__study *study, const char *name); /* −1 where there is none */
int tri__study_column_find(const tri__study *study, tri__scope scope, const char *name);

/* Whether a cell has these values. conditions: a mapping of factors to values; NULL: every cell has them. */
bool tri__study_cell_is_at(const tri__study *study, int cell, const json_t *conditions);

/* Writes "batch=100 workers=3" into text. Returns text. */
const char *tri__study_cell_text(const tri__study *study, int cell, char *text, size_t size);

/* What the names of a template stand for besides factors and settings. */
typedef struct {
    const char *data;    /* {data}: a folder for data */
    const char *run;     /* {run}: a path for the run folder, which does not exist yet; NULL: the run has none */
    const char *cluster; /* {cluster}: the name of the virtual cluster; NULL: there is none */
    int repeat;          /* {repeat}, from 1; {seed} differs from repeat to repeat */
} tri__study_names;

/* Add the words of a cell's command to line. */
TRI_MUST_CHECK tri_status tri__study_command(const tri__study *study, int cell, const tri__study_names *names, tri__command_line *line);

/* Add the words of a command that runs once, before all cells. number: from 0; past the last command, no words are added. The command can
 * use settings, {data}, {seed} and {repeat}: there is neither a cell nor a run nor a cluster yet. */
TRI_MUST_CHECK tri_status tri__study_preparation(const tri__study *study, int number, const char *data, tri__command_line *line);

/* TRI_BAD_DATA with the position of text in the study's file. */
TRI_MUST_CHECK tri_status tri__study_wrong(const tri__study *study, const char *text, const char *format, ...) TRI_FORMAT(3, 4);

#endif
