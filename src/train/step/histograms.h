/* histograms.h: histograms of a worker's weights and gradients every --histograms N steps, for TensorBoard.
 *
 * They are taken when the plan offers a range to its store: at that moment the weights are those of the step, and the gradient is complete.
 * That is so in every strategy, and costs nothing in other steps. The gradient is the mean over the worker's own examples, before clipping;
 * weights are those before the update. Rows of tables are left out. Only the store's thread uses histograms. */
#ifndef TRI_TRAIN_STEP_HISTOGRAMS_H
#define TRI_TRAIN_STEP_HISTOGRAMS_H

#include "trireme/graph.h"
#include "trireme/store.h"
#include "watch/report/events.h"

typedef struct tri__histograms tri__histograms;

/* store: is observed from now on, and must outlive the histograms. The graph may be destroyed. TRI_BAD_CALL where all parameters are in
 * tables. */
TRI_MUST_CHECK tri_status tri__histograms_create(const tri_graph *graph, int64_t every, tri_store *store, tri__histograms **out);
void tri__histograms_destroy(tri__histograms *histograms); /* accepts NULL */

/* A worker's step begins: decides whether to take histograms of it. made: steps that the worker has made before. */
void tri__histograms_begin(tri__histograms *histograms, int64_t made);

/* Write the histograms of the last step, if they were taken: "weights/conv1/weight", "gradients/conv1/weight". */
void tri__histograms_tell(tri__histograms *histograms, tri__events *events, int64_t step);

#endif
