/* progress_json.h: progress as JSON, which a task sends to its supervisor. */
#ifndef TRI_WATCH_PROGRESS_PROGRESS_JSON_H
#define TRI_WATCH_PROGRESS_PROGRESS_JSON_H

#include "base/file/json.h"
#include "watch/progress/progress.h"

json_t *tri__progress_json(const tri__progress *progress); /* NULL when memory is short */

/* Read progress from value; what it does not have becomes "not known yet". The label is borrowed from value. */
void tri__progress_read(const json_t *value, tri__progress *out);

#endif
