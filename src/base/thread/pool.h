/* pool.h: threads as an object. They decode and move data; compute has its own OpenMP team. */
#ifndef TRI_BASE_THREAD_POOL_H
#define TRI_BASE_THREAD_POOL_H

#include <stdint.h>

#include "trireme/status.h"

typedef struct tri__pool tri__pool;
typedef tri_status (*tri__pool_work)(void *context, int64_t index);

TRI_MUST_CHECK tri_status tri__pool_create(int threads, tri__pool **out);
void tri__pool_destroy(tri__pool *pool); /* finishes what was submitted, then joins */
int tri__pool_threads(const tri__pool *pool);

/* Call work(context, i) for i in [0, count), on the pool's threads; return when all have ended, with the failure of the lowest
 * index if any failed (no further ones are started after a failure). One caller at a time. */
TRI_MUST_CHECK tri_status tri__pool_for(tri__pool *pool, int64_t count, tri__pool_work work, void *context);

#endif
