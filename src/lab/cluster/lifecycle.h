/* lifecycle.h: brings a virtual cluster up, enters it and takes it down (virtual_cluster.h says what it is). */
#ifndef TRI_LAB_CLUSTER_LIFECYCLE_H
#define TRI_LAB_CLUSTER_LIFECYCLE_H

#include <stdbool.h>

#include "lab/cluster/virtual_cluster.h"
#include "net/address/address.h"

/* TRI_BAD_CALL where a cluster of this name is up already; TRI_UNSUPPORTED where this machine or user cannot do it. After a failure,
 * nothing is left behind. */
TRI_MUST_CHECK tri_status tri__virtual_cluster_up(const tri__virtual_cluster *cluster);
TRI_MUST_CHECK tri_status tri__virtual_cluster_load(const char *name,
                                                    tri__virtual_cluster *out); /* one that is up; TRI_NOT_FOUND lists those that are */
TRI_MUST_CHECK tri_status tri__virtual_cluster_down(const char *name);          /* TRI_NOT_FOUND where nothing of that name is left */

/* Cut a host's link, or mend it. With `from`, only the traffic between these two hosts is cut or mended. */
TRI_MUST_CHECK tri_status tri__virtual_cluster_cut(const char *name, const char *host, const char *from, bool cut);

/* From now on this process is on that host: it has the host's network, name and limits. For a process that then executes another
 * program. */
TRI_MUST_CHECK tri_status tri__virtual_cluster_enter(const char *name, const char *host);

/* From now on the calling thread is in that host's network. Other threads are not. */
TRI_MUST_CHECK tri_status tri__virtual_cluster_enter_network(const char *name, const char *host);

/* Make a listening socket on that host, as tri__address_listen does on this machine. This process does not enter the host. */
TRI_MUST_CHECK tri_status tri__virtual_cluster_listen(const char *name, const tri__address *address, int *fd, uint16_t *port);

/* The same at the switch, at TRI_SWITCH_ADDRESS: a host reaches it over its own link alone. */
TRI_MUST_CHECK tri_status tri__virtual_cluster_listen_at_switch(const char *name, int *fd, uint16_t *port);

#endif
