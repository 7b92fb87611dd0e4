/* checkpoint_writer.h: writes checkpoints while training continues: it copies the parameters, and a thread writes the copy to disk. A table
 * is not copied as a whole: only the rows that training changes before they are written are copied (graph/store/row_keeper.h). */
#ifndef TRI_TRAIN_CHECKPOINT_CHECKPOINT_WRITER_H
#define TRI_TRAIN_CHECKPOINT_CHECKPOINT_WRITER_H

#include "train/checkpoint/checkpoint.h"

typedef struct tri__checkpoint_writer tri__checkpoint_writer;

/* Whether store's tables can be written while it is trained. They cannot where a row is longer than the writer's buffer. */
bool tri__checkpoint_writer_takes(tri_store *store);

/* Make a writer for stores that are as large as store. The writer allocates its own copy. */
TRI_MUST_CHECK tri_status tri__checkpoint_writer_create(const tri_store *store, tri__checkpoint_writer **out);
void tri__checkpoint_writer_destroy(
    tri__checkpoint_writer *writer); /* call it before the stores are destroyed; waits for a checkpoint that was begun; accepts NULL */

/* Like tri__checkpoint_save, but returns as soon as it has copied everything that training changes: parameters, the rule's state, the state
 * of the run, the list of damaged records. The rest of content, and folder, must stay valid until tri__checkpoint_writer_end. Call that for
 * the previous checkpoint first. */
TRI_MUST_CHECK tri_status tri__checkpoint_writer_begin(tri__checkpoint_writer *writer, const char *folder,
                                                       const tri__checkpoint_content *content, int64_t keep);

/* Wait for the checkpoint that was begun. path receives its name (free() it) and step its step; path is NULL where none was begun. */
TRI_MUST_CHECK tri_status tri__checkpoint_writer_end(tri__checkpoint_writer *writer, char **path, int64_t *step);

#endif
