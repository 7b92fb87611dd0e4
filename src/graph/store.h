/* store.h: what a store is made of: the calls of include/trireme/store.h as a table, and the state they share. Stores embed tri_store as
 * their first member. */
#ifndef TRI_GRAPH_STORE_H
#define TRI_GRAPH_STORE_H

#include "trireme/store.h"

typedef struct {
    const char *name; /* "local", as users type it */
    tri_status (*begin)(tri_store *store, const tri_step *step);
    tri_status (*await)(tri_store *store, tri_range range);
    tri_status (*offer)(tri_store *store, tri_range range, const float *gradient, double weight); /* gradient: of the range */
    tri_status (*flush)(tri_store *store);
    void (*destroy)(tri_store *store);
} tri__store_kind;

struct tri_store {
    const tri__store_kind *kind;
    tri_rule rule;
    int64_t step; /* of the last begin */
    size_t floats;
    float *parameters, *gradient; /* gradient: NULL where it was dropped */
    bool droppable;               /* the store needs no gradient after its offer */
    float *slot[2];
};

#endif
