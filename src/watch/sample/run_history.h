/* run_history.h: the tasks of a run over time (run_view.h has the last sample of each). It reads on in the files of samples, and keeps
 * what it read in a bounded number of points: when a task has more than TRI_HISTORY_POINTS, two neighbours become one, and from then on
 * that many samples make a point. */
#ifndef TRI_WATCH_SAMPLE_RUN_HISTORY_H
#define TRI_WATCH_SAMPLE_RUN_HISTORY_H

#include "watch/sample/run_view.h"

enum { TRI_HISTORY_POINTS = 720 };

typedef struct {
    char task[TRI_SAMPLE_TASK], host[TRI_SAMPLE_TASK];
    tri__run_row *point; /* [TRI_HISTORY_POINTS] */
    int count;
    int stride;                        /* samples that make a point */
    bool tells_host;                   /* of the tasks of its host, it is the one whose samples of the host are used */
    struct tri__series_reader *reader; /* private */
} tri__run_series;

typedef struct tri__run_history tri__run_history;

TRI_MUST_CHECK tri_status tri__run_history_open(const char *folder, tri__run_history **out); /* reads what there is */
void tri__run_history_close(tri__run_history *history);                                      /* accepts NULL */

/* Read what was written since. The statuses are those of tri__run_view_read. */
TRI_MUST_CHECK tri_status tri__run_history_poll(tri__run_history *history);

/* A number that changes when points were merged, a task came, or another one tells of a host: what was read before is then to be read
 * again. Otherwise points were added only. */
int64_t tri__run_history_version(const tri__run_history *history);

tri__run_view *tri__run_history_view(tri__run_history *history); /* the last samples; the caller may end it (tri__run_view_end) */
int tri__run_history_count(const tri__run_history *history);
const tri__run_series *tri__run_history_series(const tri__run_history *history, int index); /* in the order of the view */

#endif
