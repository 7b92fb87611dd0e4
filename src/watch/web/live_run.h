/* live_run.h: all that the live page shows of a run, read from its folder: samples, curves, graph, marks,
 * summary. live_json.h writes it. */
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

    /* Whether the run of these tasks has ended, however new their samples are. */
    bool (*has_ended)(const char *folder, const tri__run_view *view);

    tri__run_history *history;
    tri__run_curves *curves;
    json_t *summary;                /* NULL until there is one that is as new as the run */
    char *command;                  /* what to type to repeat it; NULL where the folder does not tell */
    int64_t version;                /* changes when an addition does not tell all: whoever has another version needs the whole */
    int64_t structure;              /* of samples and curves, when they were looked at last */
    int *told_points, *told_curves; /* how many points each task and each curve had before the last poll */
    int told_marks;                 /* and how many marks there were */
    int64_t told_points_room, told_curves_room;
} tri__live_run;

/* folder and has_ended as above. Reads what there is. */
TRI_MUST_CHECK tri_status tri__live_run_init(tri__live_run *run, const char *folder,
                                             bool (*has_ended)(const char *folder, const tri__run_view *view));
void tri__live_run_fini(tri__live_run *run); /* a zeroed one is empty */
TRI_MUST_CHECK tri_status tri__live_run_poll(tri__live_run *run);

#endif
