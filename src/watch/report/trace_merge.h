/* trace_merge.h: one timeline of all tasks of a run, in the Chrome trace format, which Perfetto opens. */
#ifndef TRI_WATCH_REPORT_TRACE_MERGE_H
#define TRI_WATCH_REPORT_TRACE_MERGE_H

#include <stdint.h>

#include "trireme/status.h"

/* Write RUN/trace.json from the parts in RUN/trace and the marks of the run. Processes that share a clock need no alignment. The clock of
 * another host is aligned by the messages that went both ways between it and the first task, and where there are none, by the wall clock;
 * which of it, and by how much, stands in the file. *left_out receives how many events had no room in their parts; may be NULL. Nothing is
 * written where there are no parts. */
TRI_MUST_CHECK tri_status tri__trace_merge(const char *run, int64_t *left_out);

#endif
