/* run_row.h: what a sample says about a task and its host, as one struct, and a table of its numbers. All code that shows, sends or merges
 * rows goes through the table, so a number that is added there appears everywhere. */
#ifndef TRI_WATCH_SAMPLE_RUN_ROW_H
#define TRI_WATCH_SAMPLE_RUN_ROW_H

#include <stdbool.h>

#include "watch/progress/phases.h"
#include "watch/sample/sample_read.h"

typedef enum {
    TRI_TASK_ACTIVE,
    TRI_TASK_SLOW,   /* a worker at less than 0.7 of the median worker's examples a second */
    TRI_TASK_SILENT, /* no sample for longer than its pace, while others continue */
    TRI_TASK_ENDED,  /* no task of the run is active */
} tri__task_state;

const char *tri__task_state_name(tri__task_state state);

typedef struct {
    char task[TRI_SAMPLE_TASK]; /* "worker:0" */
    tri__task_state state;
    double every;                            /* seconds between its samples */
    double wall;                             /* time of the last sample; numbers below that it does not have are NaN */
    double step, examples, speed, loss, cpu; /* cpu: percent of one CPU */
    double resident, sent, received;         /* bytes, bytes a second */
    double share[TRI_PHASES];
    struct {
        double user, system;                  /* percent of all of its CPUs */
        double used;                          /* bytes of memory */
        double sent, received, read, written; /* bytes a second, of all interfaces but lo, and of disks */
    } host;
} tri__run_row;

typedef enum { TRI_FIELD_OF_TASK, TRI_FIELD_OF_HOST } tri__run_field_owner;

typedef struct {
    const char *name;   /* its key in JSON: "cpu" */
    const char *column; /* its column in files of samples */
    size_t offset;      /* of the number in tri__run_row */
    double scale;       /* the column's value × scale is the number */
    tri__run_field_owner owner;
    bool counts; /* to merge samples, take the last value; otherwise take the mean */
} tri__run_field;

enum { TRI_RUN_FIELDS = 9 + TRI_PHASES + 7 };
extern const tri__run_field tri__run_fields[TRI_RUN_FIELDS]; /* the first is wall */

double tri__run_row_get(const tri__run_row *row, const tri__run_field *field);
void tri__run_row_set(tri__run_row *row, const tri__run_field *field, double value);
void tri__run_row_clear(tri__run_row *row); /* set every number of the table to NaN */

/* The column of each number in a file; −1 if the file does not have it. */
void tri__run_row_columns(const tri__sample_reader *reader, int column[TRI_RUN_FIELDS]);
void tri__run_row_take(tri__run_row *row, const int column[TRI_RUN_FIELDS], const double *sample);

#endif
