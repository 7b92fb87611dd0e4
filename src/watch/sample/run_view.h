/* run_view.h: a run as its samples and marks show it (sample.h, marks.h), with one row for each task. Another program may have started the
 * run, and it may have ended. */
#ifndef TRI_WATCH_SAMPLE_RUN_VIEW_H
#define TRI_WATCH_SAMPLE_RUN_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/json.h"
#include "trireme/status.h"
#include "watch/sample/marks.h"
#include "watch/sample/run_flows.h"
#include "watch/sample/run_row.h"

typedef struct {
    tri__run_row *row;
    int count;
    bool running;    /* a task is active */
    tri__mark *mark; /* what happened, oldest first (marks.h) */
    int marks;
    tri__run_flows flows; /* between tasks that count by peer: bytes a second in the last sample, or in all */
} tri__run_view;

/* Read the run in this folder. Rows are sorted by kind of task and number. TRI_NOT_FOUND if it has no samples. */
TRI_MUST_CHECK tri_status tri__run_view_read(const char *folder, tri__run_view *out);

/* The names of the files in the run's folder of samples; tri__folder_free them. The message of TRI_NOT_FOUND says why there are none. */
TRI_MUST_CHECK tri_status tri__run_view_list(const char *folder, char ***names, size_t *count);

/* Read the marks of the run in this folder into a view that has none yet. */
TRI_MUST_CHECK tri_status tri__run_view_read_marks(const char *folder, tri__run_view *out);

/* Sort the rows, and find from their last samples which of them are active, slow or silent. */
void tri__run_view_compare(tri__run_view *view);
void tri__run_view_fini(tri__run_view *view);
void tri__run_view_end(tri__run_view *view); /* the caller knows that the run has ended, even if its samples are new */

/* Of a run that has ended: show what summary.json says of the whole run in place of last samples: means, the most memory, and all bytes of
 * flows. Tasks that it does not have stay as they are. */
TRI_MUST_CHECK tri_status tri__run_view_sum_up(tri__run_view *view, const json_t *summary);

/* Lines of text: header has the names of columns; line has a row, with its phases as a bar if `columns` has room for it; legend says what
 * the letters of the bar mean ("" without a bar); flows has those with the most bytes ("" without any). All return buffer. */
const char *tri__run_view_header(int columns, char *buffer, size_t size);
const char *tri__run_view_line(const tri__run_row *row, int columns, char *buffer, size_t size);
const char *tri__run_view_legend(int columns, char *buffer, size_t size);
const char *tri__run_view_flows(const tri__run_view *view, int columns, char *buffer, size_t size);

#endif
