/* live_json.h: what the live page shows of a run, as JSON: either the whole state, or what the last poll added. */
#ifndef TRI_WATCH_WEB_LIVE_JSON_H
#define TRI_WATCH_WEB_LIVE_JSON_H

#include "watch/web/live_run.h"

enum { TRI_LIVE_MARKS = 500 }; /* only the newest marks are sent; "marks_before" says how many are not */

typedef enum { TRI_LIVE_WHOLE, TRI_LIVE_ADDED } tri__live_part;

/* One line of JSON; free() it. Use TRI_LIVE_ADDED only if the last poll has not changed run->version: otherwise the additions are not all
 * that has changed. */
TRI_MUST_CHECK tri_status tri__live_json(const tri__live_run *run, tri__live_part part, char **text, size_t *size);

#endif
