/* live_json.h: what the live page shows of a run, as JSON: either whole, or what was added by the last poll. */
#ifndef TRI_WATCH_WEB_LIVE_JSON_H
#define TRI_WATCH_WEB_LIVE_JSON_H

#include "watch/web/live_run.h"

enum { TRI_LIVE_MARKS = 500 }; /* the newest of them are told; "marks_before" says how many are not */

typedef enum { TRI_LIVE_WHOLE, TRI_LIVE_ADDED } tri__live_part;

/* One line of JSON; free() it. What was added tells all only where the last poll has not changed the version: ask for it only then. */
TRI_MUST_CHECK tri_status tri__live_json(const tri__live_run *run, tri__live_part part, char **text, size_t *size);

#endif
