/* run_row.h: what a sample of a task says of it and of its host, as one struct, and the table of its numbers: whoever shows, sends or
 * merges rows goes through the table, so a number that is added there is seen everywhere. */
#ifndef TRI_WATCH_SAMPLE_RUN_ROW_H
#define TRI_WATCH_SAMPLE_RUN_ROW_H

#include <stdbool.h>

#include "watch/progress/phases.h"
#include "watch/sample/sample_read.h"

typedef enum {
    TRI_TASK_ACTIVE,
    TRI_TASK_SLOW,   /* a worker at less than 0.7 of the median worker's examples a second */
    TRI_TASK_SILENT, /* no sample for longer than its pace, while others go on */
    TRI_TASK_ENDED,  /* none of the run's tasks is active */
} tri__task_state;

const char *tri__task_state_name(tri__task_state state);

typedef struct {
    char task[TRI_SAMPLE_TASK]; /* "worker:0" */
    tri__task_state state;
    double every;                            /* seconds between its samples */
    double wall;                             /* of the last sample; the others are not a number where it does not tell them */
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
    const char *name;   /* "cpu": a key */
    const char *column; /* in files of samples */
    size_t offset;      /* in a row */
    double scale;       /* of the column */
    tri__run_field_owner owner;
    bool counts; /* of several samples the last one holds; otherwise their mean */
} tri__run_field;

enum { TRI_RUN_FIELDS = 9 + TRI_PHASES + 7 };
extern const tri__run_field tri__run_fields[TRI_RUN_FIELDS]; /* the first is wall */

double tri__run_row_get(const tri__run_row *row, const tri__run_field *field);
void tri__run_row_set(tri__run_row *row, const tri__run_field *field, double value);
void tri__run_row_clear(tri__run_row *row); /* every number of the table is not a number */

/* The columns of a file, by the rows of the table; −1 where it has none. */
void tri__run_row_columns(const tri__sample_reader *reader, int column[TRI_RUN_FIELDS]);
void tri__run_row_take(tri__run_row *row, const int column[TRI_RUN_FIELDS], const double *sample);

#endif
