/* trained.h: a trained model, loaded from its checkpoint alone. */
#ifndef TRI_TRAIN_EVALUATE_TRAINED_H
#define TRI_TRAIN_EVALUATE_TRAINED_H

#include "train/checkpoint/checkpoint_read.h"
#include "trireme/dataset.h"

typedef struct {
    tri__checkpoint *checkpoint;
    tri_model *model;
    tri_graph *graph;
    tri_store *store; /* its parameters */
} tri__trained;

/* path: a run folder or a checkpoint file. batch: examples computed at once; 0: chosen automatically. */
TRI_MUST_CHECK tri_status tri__trained_open(const char *path, int64_t batch, tri__log *log, tri__trained *out);
void tri__trained_fini(tri__trained *trained);

/* How to open examples for the model: photos get its size, and columns, categories, features and classes have the numbers that they had in
 * training. It points into trained. */
tri_source_options tri__trained_source_options(const tri__trained *trained);

/* Check that the features of an open source are those that the model was trained on, and make them dense where the model wants that. After
 * a failure the source is destroyed, and *source is NULL. */
TRI_MUST_CHECK tri_status tri__trained_fit_source(const tri__trained *trained, tri_source **source);

#endif
