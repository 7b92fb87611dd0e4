/* run_history.h: the tasks of a run over time (run_view.h has the last sample of each). It reads the files of samples as they grow, and
 * keeps a bounded number of points: when a task has more than TRI_HISTORY_POINTS, every two neighbours become one point, and from then on
 * a point is made of twice as many samples. */
#ifndef TRI_WATCH_SAMPLE_RUN_HISTORY_H
#define TRI_WATCH_SAMPLE_RUN_HISTORY_H

#include "watch/sample/run_view.h"

enum { TRI_HISTORY_POINTS = 720 };

typedef struct {
    char task[TRI_SAMPLE_TASK], host[TRI_SAMPLE_TASK];
    tri__run_row *point; /* [TRI_HISTORY_POINTS] */
    int count;
    int stride;                        /* how many samples make a point */
    bool tells_host;                   /* the samples of this task are used for its host, not those of other tasks there */
    struct tri__series_reader *reader; /* private */
} tri__run_series;

typedef struct tri__run_history tri__run_history;

TRI_MUST_CHECK tri_status tri__run_history_open(const char *folder, tri__run_history **out); /* reads what there is */
void tri__run_history_close(tri__run_history *history);                                      /* accepts NULL */

/* Read what was written since the last call. Returns the same statuses as tri__run_view_read. */
TRI_MUST_CHECK tri_status tri__run_history_poll(tri__run_history *history);

/* A number that changes when points were merged, a task is new, or tells_host has changed: then the caller must read all points again. If
 * it is unchanged, points were only added. */
int64_t tri__run_history_version(const tri__run_history *history);

tri__run_view *tri__run_history_view(tri__run_history *history); /* the last samples; the caller may end it (tri__run_view_end) */
int tri__run_history_count(const tri__run_history *history);
const tri__run_series *tri__run_history_series(const tri__run_history *history, int index); /* in the order of the view */

#endif
