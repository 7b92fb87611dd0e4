/* trace_part.h: reads a part of a trace (base/trace/trace_file.h), event by event, also if its process was killed. */
#ifndef TRI_WATCH_REPORT_TRACE_PART_H
#define TRI_WATCH_REPORT_TRACE_PART_H

#include <stdbool.h>

#include "base/trace/trace_file.h"
#include "trireme/status.h"

typedef struct tri__trace_part tri__trace_part;

TRI_MUST_CHECK tri_status tri__trace_part_open(const char *path, tri__trace_part **out);
void tri__trace_part_close(tri__trace_part *part); /* accepts NULL */
void tri__trace_part_rewind(tri__trace_part *part);

/* The next event; NULL at the end, or if the rest is incomplete. The functions below describe this event until the next call. Every event
 * has a process, a name and a lane. */
const tri__trace_event *tri__trace_part_next(tri__trace_part *part);
const tri__trace_task *tri__trace_part_task(const tri__trace_part *part);
const char *tri__trace_part_name(const tri__trace_part *part);
const tri__trace_event *tri__trace_part_event(const tri__trace_part *part); /* the same event again */
const char *tri__trace_part_lane(const tri__trace_part *part, int lane);    /* lane: at most the event's */
int tri__trace_part_process(const tri__trace_part *part);      /* the number of its process in the file, as a task may be restarted */
int64_t tri__trace_part_left_out(const tri__trace_part *part); /* events that had no room, of all processes so far */

#endif
