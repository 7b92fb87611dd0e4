/* events.h: TensorBoard event files: scalars, histograms, texts and the graph of one task.
 *
 * A writer makes one new file in a folder and never touches another. A write that fails (disk full, folder gone) is remembered and returned
 * once, by the next flush or by close; after that the writer writes nothing more, and the run goes on without its curves. One thread uses a
 * writer. */
#ifndef TRI_WATCH_REPORT_EVENTS_H
#define TRI_WATCH_REPORT_EVENTS_H

#include <stdint.h>

#include "trireme/graph.h"
#include "watch/report/histogram.h"

typedef struct tri__events tri__events;

/* Create the file events.out.tfevents.<seconds>.<host>.<pid>.<n> in folder, which is made if it is missing. */
TRI_MUST_CHECK tri_status tri__events_create(const char *folder, tri__events **out);

void tri__events_scalar(tri__events *events, const char *tag, int64_t step, float value);
void tri__events_histogram(tri__events *events, const char *tag, int64_t step, const tri__histogram *histogram); /* ignored if empty */
void tri__events_text(tri__events *events, const char *tag, int64_t step, const char *markdown);
void tri__events_graph(tri__events *events, const tri_graph *graph); /* names, operators, inputs, places, types and shapes */

/* This file continues a run at step: readers ignore what earlier files say about that step and later ones. */
void tri__events_restart(tri__events *events, int64_t step);

TRI_MUST_CHECK tri_status tri__events_flush(tri__events *events); /* write all added values to the file */
TRI_MUST_CHECK tri_status tri__events_close(tri__events *events); /* flushes; frees events in any case; accepts NULL */

#endif
