/* run_curves.h: the curves of a run and its graph, from the event files of its tasks (RUN/events/TASK), read on as they are written. A
 * curve has a bounded number of points: when it is full, every second one is left out. */
#ifndef TRI_WATCH_REPORT_RUN_CURVES_H
#define TRI_WATCH_REPORT_RUN_CURVES_H

#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"
#include "watch/report/event_reader.h"

enum { TRI_CURVE_POINTS = 720, TRI_CURVES_MOST = 1024, TRI_CURVE_NAME = 64 };

typedef struct {
    double wall, step, value;
} tri__curve_point;

typedef struct {
    char task[TRI_CURVE_NAME]; /* "worker:0" */
    char tag[TRI_CURVE_NAME];  /* "test/accuracy" */
    tri__curve_point *point;   /* [TRI_CURVE_POINTS] */
    int count;
    int stride, skipped;   /* of so many values one is a point, and how many were not since */
    tri__curve_point last; /* value, whether it is a point or not; points are finite, it need not be */
} tri__curve;

typedef struct tri__run_curves tri__run_curves;

TRI_MUST_CHECK tri_status tri__run_curves_open(const char *folder, tri__run_curves **out); /* of a run; reads what there is */
void tri__run_curves_close(tri__run_curves *curves);                                       /* accepts NULL */

/* Read what was written since. A file that is damaged is read up to there. */
TRI_MUST_CHECK tri_status tri__run_curves_poll(tri__run_curves *curves);

/* A number that changes when points went away, or a curve or the graph came; otherwise points were added only. */
int64_t tri__run_curves_version(const tri__run_curves *curves);
int tri__run_curves_count(const tri__run_curves *curves);
const tri__curve *tri__run_curves_get(const tri__run_curves *curves, int index);
const tri__curve *tri__run_curves_find(const tri__run_curves *curves, const char *tag); /* of any task, the newest; NULL: there is none */

/* A GraphDef of TensorFlow; empty where there is none. */
tri__span tri__run_curves_graph(const tri__run_curves *curves);

#endif
