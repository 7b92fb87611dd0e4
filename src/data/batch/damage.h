/* damage.h: which records were found damaged, each told once however often it is met. */
#ifndef TRI_DATA_BATCH_DAMAGE_H
#define TRI_DATA_BATCH_DAMAGE_H

#include "data/batch/batch.h"

typedef struct {
    int64_t allowed;  /* so many may be damaged */
    int64_t *records; /* [count] their numbers, rising */
    int count;
    int64_t room;
    char *told; /* the message of the last new one, until somebody takes it; or NULL */
} tri__damage;

void tri__damage_init(tri__damage *damage, int64_t allowed);
void tri__damage_fini(tri__damage *damage);

/* Count record as damaged. *is_new: it was not known before. */
TRI_MUST_CHECK tri_status tri__damage_add(tri__damage *damage, int64_t record, bool *is_new);

/* Count the damaged rows of a batch. The first failure that is no damage, or that is more damage than allowed, is given back. */
TRI_MUST_CHECK tri_status tri__damage_check(tri__damage *damage, tri__batch_buffer *buffer);

#endif
