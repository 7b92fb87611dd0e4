/* run_curves.h: the curves of a run and its graph, from the event files of its tasks (RUN/events/TASK), which may still be growing. A curve
 * has a bounded number of points: when it is full, every second point is dropped. */
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
    int stride, skipped;   /* every stride-th value becomes a point; values since the last point */
    tri__curve_point last; /* the last value, whether or not it is a point; unlike points, it may be infinite or NaN */
} tri__curve;

typedef struct tri__run_curves tri__run_curves;

TRI_MUST_CHECK tri_status tri__run_curves_open(const char *folder, tri__run_curves **out); /* folder: of a run; reads what there is */
void tri__run_curves_close(tri__run_curves *curves);                                       /* accepts NULL */

/* Read what was written since the last call. A damaged file is read up to the damage. */
TRI_MUST_CHECK tri_status tri__run_curves_poll(tri__run_curves *curves);

/* A number that changes when points were dropped, or a curve or the graph is new. If it is unchanged, points were only added. */
int64_t tri__run_curves_version(const tri__run_curves *curves);
int tri__run_curves_count(const tri__run_curves *curves);
const tri__curve *tri__run_curves_get(const tri__run_curves *curves, int index);
const tri__curve *tri__run_curves_find(const tri__run_curves *curves, const char *tag); /* of any task, the newest; NULL if there is none */

/* A GraphDef of TensorFlow; empty if there is none. */
tri__span tri__run_curves_graph(const tri__run_curves *curves);

#endif
