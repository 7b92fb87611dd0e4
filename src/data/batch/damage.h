/* damage.h: which records were found damaged. Each is reported once, however often it is read. */
#ifndef TRI_DATA_BATCH_DAMAGE_H
#define TRI_DATA_BATCH_DAMAGE_H

#include "data/batch/batch.h"

typedef struct {
    int64_t allowed;  /* how many records may be damaged */
    int64_t *records; /* [count] numbers of the damaged records, rising */
    int count;
    int64_t room;
    char *told; /* the message about the newest damaged record, until tri__dataset_note takes it; or NULL */
} tri__damage;

void tri__damage_init(tri__damage *damage, int64_t allowed);
void tri__damage_fini(tri__damage *damage);

/* Count record as damaged. *is_new: it was not known before. */
TRI_MUST_CHECK tri_status tri__damage_add(tri__damage *damage, int64_t record, bool *is_new);

/* Count the damaged rows of a batch. Returns the first failure that is not damage, or that exceeds the damage allowed. */
TRI_MUST_CHECK tri_status tri__damage_check(tri__damage *damage, tri__batch_buffer *buffer);

#endif
