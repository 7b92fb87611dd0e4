/* timed.h: a store that measures how long another store takes to apply updates. */
#ifndef TRI_TRAIN_STEP_TIMED_H
#define TRI_TRAIN_STEP_TIMED_H

#include "trireme/store.h"

/* Takes ownership of inner and uses its buffers; on failure, inner is destroyed. The time of offer and flush is `update` in
 * tri__store_take_times. */
TRI_MUST_CHECK tri_status tri__timed_store_create(tri_store *inner, tri_store **out);

#endif
