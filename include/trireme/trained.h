/* trained.h: models on disk: parameters saved and loaded, and a trained model opened to predict with it.
 *
 * The files are those of `trireme train`: a checkpoint that is saved here can be given to `trireme eval`, `predict` and `--init`, and the
 * other way round. */
#ifndef TRIREME_TRAINED_H
#define TRIREME_TRAINED_H

#include "trireme/dataset.h"
#include "trireme/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Save model and parameters (their averages, where the rule keeps them) to path, whole or not at all. graph: the model's; store: has its
 * parameters, and was flushed; source: describes the training examples (tri_source_describe). TRI_DIVERGED where a parameter is not a
 * number: nothing is written then. */
TRI_MUST_CHECK tri_status tri_checkpoint_save(const char *path, const tri_model *model, const tri_graph *graph, tri_store *store,
                                              const tri_source_info *source);

/* Load the graph's parameters into the store, by their names: from a checkpoint, the newest one of a run folder, or any .safetensors
 * file. */
TRI_MUST_CHECK tri_status tri_checkpoint_load(const char *path, const tri_graph *graph, tri_store *store);

typedef struct tri_trained tri_trained;

/* Open the checkpoint at path, or the newest one of a run folder. One thread uses it. batch: examples computed at once; 0: we choose. */
TRI_MUST_CHECK tri_status tri_trained_open(const char *path, int64_t batch, tri_trained **out);
void tri_trained_destroy(tri_trained *trained); /* accepts NULL */

/* What one example is: type, and shape (height × width × channels, or features). Lives as long as trained, as do the results below. */
const tri_model_input *tri_trained_input(const tri_trained *trained);
int64_t tri_trained_classes(const tri_trained *trained);                     /* columns of tri_trained_predict */
const char *tri_trained_class(const tri_trained *trained, int64_t class_id); /* the name of a class; NULL where classes have only numbers */
const char *tri_trained_columns(const tri_trained *trained);                 /* info.columns of the training examples; NULL: no table */
const tri_graph *tri_trained_graph(const tri_trained *trained);
tri_store *tri_trained_store(tri_trained *trained);

/* Open examples for the model, to be evaluated on: as tri_source_open, but photos get the model's size, and columns, categories, features
 * and classes have the numbers that they had in training, whatever this source has of them. A source that does not fit is refused. */
TRI_MUST_CHECK tri_status tri_trained_source(const tri_trained *trained, const char *spec, tri_part part, tri_source **out);

/* The probability of each class for count examples. x: [count][…shape] of the input's type → probabilities: [count][classes].
 * TRI_UNSUPPORTED for sparse models: make a plan of the graph and the store, and run it on batches of a dataset. */
TRI_MUST_CHECK tri_status tri_trained_predict(tri_trained *trained, const void *x, int64_t count, float *probabilities);

#ifdef __cplusplus
}
#endif
#endif
