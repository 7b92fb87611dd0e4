/* trace_merge.h: one timeline of all tasks of a run, in the Chrome trace format, which Perfetto opens. */
#ifndef TRI_WATCH_REPORT_TRACE_MERGE_H
#define TRI_WATCH_REPORT_TRACE_MERGE_H

#include <stdint.h>

#include "trireme/status.h"

/* Write RUN/trace.json from the parts in RUN/trace and the marks of the run. Processes that share a clock need no alignment. The clock of
 * another host is aligned by the messages that went both ways between it and the first task or, if there are none, by the wall clock. The
 * file says which was used, and the offset. *left_out receives how many events had no room in their parts; left_out may be NULL. If there
 * are no parts, nothing is written. */
TRI_MUST_CHECK tri_status tri__trace_merge(const char *run, int64_t *left_out);

#endif
