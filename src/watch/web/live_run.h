/* live_run.h: everything that the live page shows of a run, read from its folder: samples, curves, graph, marks, summary. live_json.h
 * writes it as JSON. */
#ifndef TRI_WATCH_WEB_LIVE_RUN_H
#define TRI_WATCH_WEB_LIVE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/json.h"
#include "watch/report/run_curves.h"
#include "watch/sample/run_history.h"

typedef struct {
    const char *folder; /* borrowed */

    /* Whether the run of these tasks has ended, even if their samples are new. */
    bool (*has_ended)(const char *folder, const tri__run_view *view);

    tri__run_history *history;
    tri__run_curves *curves;
    json_t *summary;                /* NULL while the run goes on, or if there is none */
    char *command;                  /* the command that repeats the run; NULL if the folder does not have it */
    int64_t version;                /* changes when more has changed than additions can say: a page with an older version needs all */
    int64_t structure;              /* the sum of the versions of history and curves at the last poll */
    int *told_points, *told_curves; /* how many points each task and each curve had before the last poll */
    int told_marks;                 /* how many marks there were before the last poll */
    int64_t told_points_room, told_curves_room;
} tri__live_run;

/* Open the run in folder, and read what there is. folder is borrowed; has_ended as above. */
TRI_MUST_CHECK tri_status tri__live_run_init(tri__live_run *run, const char *folder,
                                             bool (*has_ended)(const char *folder, const tri__run_view *view));
void tri__live_run_fini(tri__live_run *run); /* accepts a zeroed struct */
TRI_MUST_CHECK tri_status tri__live_run_poll(tri__live_run *run);

#endif
