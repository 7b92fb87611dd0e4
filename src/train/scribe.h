/* scribe.h: checkpoints written beside the training: the parameters are copied, and a thread brings the copy to disk. */
#ifndef TRI_TRAIN_SCRIBE_H
#define TRI_TRAIN_SCRIBE_H

#include "train/checkpoint.h"

typedef struct tri__scribe tri__scribe;

/* For stores like store, of which it keeps a copy. */
TRI_MUST_CHECK tri_status tri__scribe_create(const tri_store *store, tri__scribe **out);
void tri__scribe_destroy(tri__scribe *scribe); /* what was begun is finished first; accepts NULL */

/* As tri__checkpoint_save, but returns when all that changes has been copied: parameters, the rule's state, the state of the run, the list
 * of damaged records. The rest of content, and folder, must stay until the end. The one begun before must have been ended. */
TRI_MUST_CHECK tri_status tri__scribe_begin(tri__scribe *scribe, const char *folder, const tri__checkpoint_content *content, int64_t keep);

/* Wait for what was begun. path receives its name (free() it) and step when it was; NULL where nothing was begun. */
TRI_MUST_CHECK tri_status tri__scribe_end(tri__scribe *scribe, char **path, int64_t *step);

#endif
