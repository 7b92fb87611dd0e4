/* run_view.h: a run as its samples and marks show it (sample.h, marks.h): one row a task, also of a run that another program has started,
 * or that has ended. */
#ifndef TRI_WATCH_SAMPLE_RUN_VIEW_H
#define TRI_WATCH_SAMPLE_RUN_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"
#include "watch/progress/phases.h"
#include "watch/sample/marks.h"
#include "watch/sample/sample_read.h"

typedef enum {
    TRI_ROW_ACTIVE,
    TRI_ROW_SLOW,   /* a worker at less than 0.7 of the median worker's examples a second */
    TRI_ROW_SILENT, /* no sample for longer than its pace, while others go on */
    TRI_ROW_ENDED,  /* none of the run's tasks is active */
} tri__row_state;

const char *tri__row_state_name(tri__row_state state);

typedef struct {
    char task[TRI_SAMPLE_TASK]; /* "worker:0" */
    tri__row_state state;
    double every;                            /* seconds between its samples */
    double wall;                             /* of the last sample; the others are not a number where it does not tell them */
    double step, examples, speed, loss, cpu; /* cpu: percent of one CPU */
    double resident, sent, received;         /* bytes, bytes a second */
    double share[TRI_PHASES];
} tri__run_row;

typedef struct {
    tri__run_row *row;
    int count;
    bool running;    /* a task is active */
    tri__mark *mark; /* what happened, oldest first (marks.h) */
    int marks;
} tri__run_view;

/* The rows of the run in this folder, by the kinds of tasks and their numbers. TRI_NOT_FOUND where it has no samples. */
TRI_MUST_CHECK tri_status tri__run_view_read(const char *folder, tri__run_view *out);
void tri__run_view_fini(tri__run_view *view);
void tri__run_view_end(tri__run_view *view); /* the caller knows that the run has ended, however new its samples are */

/* Lines: the names of columns, a row with its phases as a bar where `columns` has room for it, what the letters of the bar mean ("" without
 * a bar). Return buffer. */
const char *tri__run_view_header(int columns, char *buffer, size_t size);
const char *tri__run_view_line(const tri__run_row *row, int columns, char *buffer, size_t size);
const char *tri__run_view_legend(int columns, char *buffer, size_t size);

#endif
