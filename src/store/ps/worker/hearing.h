/* hearing.h: what servers say to a worker. The worker's lock is held. */
#ifndef TRI_STORE_PS_WORKER_HEARING_H
#define TRI_STORE_PS_WORKER_HEARING_H

#include "store/ps/worker/worker_inside.h"

/* What was said twice is answered twice: is this the answer to what was said last? */
bool tri__hearing_awaits(const tri__worker *worker, const tri__worker_chunk *chunk, const tri__message *message);

/* A message that is whole. body: its JSON; NULL where it has none. A chunk's parameters stand where they belong already. */
TRI_MUST_CHECK tri_status tri__hearing_take(tri__link *link, const tri__message *message, const json_t *body);

#endif
