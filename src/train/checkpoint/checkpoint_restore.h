/* checkpoint_restore.h: what a checkpoint holds, copied into a store. */
#ifndef TRI_TRAIN_CHECKPOINT_CHECKPOINT_RESTORE_H
#define TRI_TRAIN_CHECKPOINT_CHECKPOINT_RESTORE_H

#include "train/checkpoint/checkpoint_read.h"

/* How many rows of its tables it has, where it has only some of them; −1 elsewhere. */
int64_t tri__checkpoint_rows(const tri__checkpoint *checkpoint);

/* Copy the parameters into store, and the rule's state where asked. graph says which tensors there are, and where they go. */
TRI_MUST_CHECK tri_status tri__checkpoint_restore(const tri__checkpoint *checkpoint, const tri_graph *graph, tri_store *store,
                                                  bool with_rule);

/* Only the graph's parameters, by name: of a checkpoint, of the newest one of a folder, or of any .safetensors file. source: the examples
 * that they are for, which are compared with those that a checkpoint was trained on; NULL: they are not. */
TRI_MUST_CHECK tri_status tri__checkpoint_load_parameters(const char *path, tri__log *log, const tri_source_info *source,
                                                          const tri_graph *graph, tri_store *store);

#endif
