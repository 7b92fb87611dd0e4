/* store.h: what all kinds of store share, for the files of this room. */
#ifndef TRI_STORE_STORE_H
#define TRI_STORE_STORE_H

#include "graph/store/store.h"

/* Completes the rule and allocates parameters, gradient and slots, all 0. The caller has zeroed the store; on failure it needs no fini. */
TRI_MUST_CHECK tri_status tri__store_init(tri_store *store, const tri__store_kind *kind, size_t floats, const tri_rule *rule);
void tri__store_fini(tri_store *store);

/* The add_table call for a kind whose tables are in this process. */
TRI_MUST_CHECK tri_status tri__store_add_table(tri_store *store, int64_t rows, int64_t width);

#endif
