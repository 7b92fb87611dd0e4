/* initial_weights.h: --init: a run starts from the weights of a file instead of random ones, as far as they fit. */
#ifndef TRI_TRAIN_CHECKPOINT_INITIAL_WEIGHTS_H
#define TRI_TRAIN_CHECKPOINT_INITIAL_WEIGHTS_H

#include "base/report/log.h"
#include "trireme/dataset.h"
#include "trireme/graph.h"
#include "trireme/store.h"

/* Copy parameters from path (a run, a checkpoint, or any .safetensors file) into store, where name and shape are the same. store already
 * has its initial values: a parameter that does not fit keeps its value, and the log names it. Fails where no weight fits.
 *
 * names: NULL, or "dense1=fc1,dense2=fc2": what the file calls layers of the model. source: the examples to train on; they are compared
 * with those that a checkpoint was trained on. A model with tables takes all parameters or none. */
TRI_MUST_CHECK tri_status tri__initial_weights_load(const char *path, const char *names, tri__log *log, const tri_source_info *source,
                                                    const tri_graph *graph, tri_store *store);

#endif
