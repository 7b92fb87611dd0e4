/* hearing.h: takes the messages of servers to a worker. The caller holds the worker's lock. */
#ifndef TRI_STORE_PS_WORKER_HEARING_H
#define TRI_STORE_PS_WORKER_HEARING_H

#include "store/ps/worker/worker_inside.h"

/* A message that was sent twice is answered twice. Is this the answer to the last one that was sent? */
bool tri__hearing_awaits(const tri__worker *worker, const tri__worker_chunk *chunk, const tri__message *message);

/* Takes a message that was read whole. body: its JSON; NULL: it has none. A chunk's parameters have been read into their place already. */
TRI_MUST_CHECK tri_status tri__hearing_take(tri__link *link, const tri__message *message, const json_t *body);

#endif
