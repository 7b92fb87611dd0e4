/* idle_owner.h: what an owner of a job does that keeps nothing and never ends it, for tests of ps:0 whose own owner does more. */
#ifndef TESTS_STORE_PS_IDLE_OWNER_H
#define TESTS_STORE_PS_IDLE_OWNER_H

#include "store/ps/server/server.h"

static inline tri_status idle_save(void *context, tri_store *whole, const tri__standing *standing, bool best)
{
    (void)context, (void)whole, (void)standing, (void)best;
    return NULL;
}

static inline unsigned idle_evaluated(void *context, int64_t step, const json_t *evaluation)
{
    (void)context, (void)step, (void)evaluation;
    return 0;
}

static inline bool idle_watch(void *context, const tri__ps_status *status)
{
    (void)context, (void)status;
    return false;
}

#endif
