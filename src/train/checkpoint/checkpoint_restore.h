/* checkpoint_restore.h: copies the tensors of a checkpoint into a store. */
#ifndef TRI_TRAIN_CHECKPOINT_CHECKPOINT_RESTORE_H
#define TRI_TRAIN_CHECKPOINT_CHECKPOINT_RESTORE_H

#include "train/checkpoint/checkpoint_read.h"

/* How many rows of its tables a checkpoint has, where it has only some of them; −1 where it has all. */
int64_t tri__checkpoint_rows(const tri__checkpoint *checkpoint);

/* Copy the parameters into store and, with_rule, the rule's state. graph says which tensors there are, and where they go. */
TRI_MUST_CHECK tri_status tri__checkpoint_restore(const tri__checkpoint *checkpoint, const tri_graph *graph, tri_store *store,
                                                  bool with_rule);

/* Copy only the graph's parameters, by name. path: a checkpoint, a folder, whose newest checkpoint is taken, or any .safetensors file.
 * source: the examples to use the parameters on; they are compared with the examples that a checkpoint was trained on; NULL: no
 * comparison. */
TRI_MUST_CHECK tri_status tri__checkpoint_load_parameters(const char *path, tri__log *log, const tri_source_info *source,
                                                          const tri_graph *graph, tri_store *store);

#endif
