/* metrics.h: a run's state in the text format that Prometheus reads. */
#ifndef TRI_WATCH_WEB_METRICS_H
#define TRI_WATCH_WEB_METRICS_H

#include "watch/web/live_run.h"

/* free() *text. Numbers that are not known have no line. */
TRI_MUST_CHECK tri_status tri__metrics_text(const tri__live_run *run, char **text, size_t *size);

#endif
