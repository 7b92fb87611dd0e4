/* histograms.h: histograms of a worker's weights and gradients every --histograms N steps, for TensorBoard.
 *
 * They look on as the plan offers a range to its store: at that moment its weights are those of the step, and its gradient is complete.
 * That is so in every strategy, and costs nothing in other steps. The gradient is the mean of the worker's own examples, before
 * clipping; weights are those before the update. Rows of tables are not among them. One thread uses them: the store's. */
#ifndef TRI_TRAIN_STEP_HISTOGRAMS_H
#define TRI_TRAIN_STEP_HISTOGRAMS_H

#include "trireme/graph.h"
#include "trireme/store.h"
#include "watch/report/events.h"

typedef struct tri__histograms tri__histograms;

/* store: is observed from now on, and must outlive them. The graph may go. TRI_BAD_CALL where no parameter lies outside of tables. */
TRI_MUST_CHECK tri_status tri__histograms_create(const tri_graph *graph, int64_t every, tri_store *store, tri__histograms **out);
void tri__histograms_destroy(tri__histograms *histograms); /* accepts NULL */

/* A worker's step begins, after so many that it has made: decides whether to look at it. */
void tri__histograms_begin(tri__histograms *histograms, int64_t made);

/* Write what the last step showed, if it was looked at: "weights/conv1/weight", "gradients/conv1/weight". */
void tri__histograms_tell(tri__histograms *histograms, tri__events *events, int64_t step);

#endif
