/* local.h: a local store that has one of several parts of the gradient. */
#ifndef TRI_STORE_LOCAL_H
#define TRI_STORE_LOCAL_H

#include "trireme/store.h"

/* If several tasks have a part of the gradient each, every task must know the norm of the whole to clip its part. */
typedef struct {
    tri_status (*add)(void *context, double *squares); /* in: Σ of the squares of this part; out: of all parts, the same on every task */
    void *context;
} tri__norm_sharing;

/* From the next step on, the flush after a step, or the next begin, shares the norm and applies what was offered. All tasks must make that
 * call together, even those that have nothing to offer. store is of kind local, and its rule clips. */
void tri__store_local_share_norm(tri_store *store, tri__norm_sharing sharing);

#endif
