/* mirrored.h: replicas in threads of one process that share one set of parameters.
 *
 * The group has the parameters, the rule's state and a list of ranges. Each replica has a store of its own, which one thread calls: it
 * shares the group's parameters, and has a gradient of its own. When all replicas have offered a range, its gradients are summed in the
 * order of the replicas and the rule is applied once. So no result depends on the order in which replicas come. */
#ifndef TRI_STORE_MIRRORED_H
#define TRI_STORE_MIRRORED_H

#include "base/thread/rendezvous.h"
#include "graph/store/store.h"

typedef struct tri__mirrored_group tri__mirrored_group;

typedef struct {
    size_t floats;
    tri_rule rule;
    int replicas;
    tri__rendezvous *rendezvous; /* where replicas wait for each other; borrowed */
    int64_t timeout;             /* of every wait, in nanoseconds */
} tri__mirrored_group_options;

TRI_MUST_CHECK tri_status tri__mirrored_group_create(const tri__mirrored_group_options *options, tri__mirrored_group **out);
void tri__mirrored_group_destroy(tri__mirrored_group *group); /* after its stores were destroyed; accepts NULL */

/* The store of a replica; replicas are counted from 0. The plans of all replicas must be made before any of them runs. */
TRI_MUST_CHECK tri_status tri__mirrored_store_create(tri__mirrored_group *group, int replica, tri_store **out);

/* A replica gives up: from now on every call that would wait returns TRI_STOPPED. Any thread. */
void tri__mirrored_group_stop(tri__mirrored_group *group);

#endif
