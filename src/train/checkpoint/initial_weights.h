/* initial_weights.h: --init: weights to start from instead of random ones, as far as they fit. */
#ifndef TRI_TRAIN_CHECKPOINT_INITIAL_WEIGHTS_H
#define TRI_TRAIN_CHECKPOINT_INITIAL_WEIGHTS_H

#include "base/report/log.h"
#include "trireme/dataset.h"
#include "trireme/graph.h"
#include "trireme/store.h"

/* Copy the parameters that path (a run, a checkpoint, or any .safetensors file) has by the same name and shape into store, which has its
 * initial values. What does not fit keeps these and is named in the log; where no weight fits, it fails.
 *
 * names: NULL, or "dense1=fc1,dense2=fc2": what the file calls layers of the model. source: the examples that they are for, which are
 * compared with those of a checkpoint. A model with tables takes all or nothing. */
TRI_MUST_CHECK tri_status tri__initial_weights_load(const char *path, const char *names, tri__log *log, const tri_source_info *source,
                                                    const tri_graph *graph, tri_store *store);

#endif
