/* trained.h: a trained model, loaded from its checkpoint alone. */
#ifndef TRI_TRAIN_EVALUATE_TRAINED_H
#define TRI_TRAIN_EVALUATE_TRAINED_H

#include "train/checkpoint/checkpoint_read.h"

typedef struct {
    tri__checkpoint *checkpoint;
    tri_model *model;
    tri_graph *graph;
    tri_store *store; /* its parameters */
} tri__trained;

/* path: a run folder or a checkpoint file. batch: examples computed at once; 0: chosen automatically. */
TRI_MUST_CHECK tri_status tri__trained_open(const char *path, int64_t batch, tri__log *log, tri__trained *out);
void tri__trained_fini(tri__trained *trained);

#endif
