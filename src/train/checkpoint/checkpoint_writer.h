/* checkpoint_writer.h: checkpoints written beside the training: the parameters are copied, and a thread brings the copy to disk. */
#ifndef TRI_TRAIN_CHECKPOINT_CHECKPOINT_WRITER_H
#define TRI_TRAIN_CHECKPOINT_CHECKPOINT_WRITER_H

#include "train/checkpoint/checkpoint.h"

typedef struct tri__checkpoint_writer tri__checkpoint_writer;

/* For stores like store, of which it keeps a copy. */
TRI_MUST_CHECK tri_status tri__checkpoint_writer_create(const tri_store *store, tri__checkpoint_writer **out);
void tri__checkpoint_writer_destroy(tri__checkpoint_writer *writer); /* what was begun is finished first; accepts NULL */

/* As tri__checkpoint_save, but returns when all that changes has been copied: parameters, the rule's state, the state of the run, the list
 * of damaged records. The rest of content, and folder, must stay until the end. The one begun before must have been ended. */
TRI_MUST_CHECK tri_status tri__checkpoint_writer_begin(tri__checkpoint_writer *writer, const char *folder,
                                                       const tri__checkpoint_content *content, int64_t keep);

/* Wait for what was begun. path receives its name (free() it) and step when it was; NULL where nothing was begun. */
TRI_MUST_CHECK tri_status tri__checkpoint_writer_end(tri__checkpoint_writer *writer, char **path, int64_t *step);

#endif
