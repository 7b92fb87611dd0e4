/* network.h: makes the namespaces, the links and the switch of a virtual cluster, with iproute2's tools. */
#ifndef TRI_LAB_CLUSTER_NETWORK_H
#define TRI_LAB_CLUSTER_NETWORK_H

#include <stdbool.h>

#include "lab/cluster/virtual_cluster.h"

enum { TRI_NAMESPACE_NAME = 80 };

#define TRI_SWITCH         "_switch"     /* the switch's namespace in the place of a host's; no host can have this name */
#define TRI_SWITCH_ADDRESS "10.77.0.254" /* the switch answers there, so that a host's link can be measured by itself; above all hosts' */

/* "trireme:NAME:HOST": the namespace of a host, as `ip netns` lists it. No name has a colon in it. */
void tri__namespace_name(const char *cluster, const char *host, char out[TRI_NAMESPACE_NAME]);

TRI_MUST_CHECK tri_status tri__network_check(void); /* TRI_UNSUPPORTED says what is missing: root, iproute2, namespaces */
TRI_MUST_CHECK tri_status tri__network_is_up(const char *cluster, bool *up);

/* Make all of it. Where that fails, call tri__network_down. */
TRI_MUST_CHECK tri_status tri__network_up(const tri__virtual_cluster *cluster);

/* Kill what runs on the hosts, and remove all namespaces of this name, with their links; fine where there are none. */
TRI_MUST_CHECK tri_status tri__network_down(const char *cluster);

/* Cut a link, or mend it. A link that is cut drops everything in both directions, and reports no error to either side. */
TRI_MUST_CHECK tri_status tri__network_cut(const tri__virtual_cluster *cluster, const tri__virtual_host *host, bool cut);

/* The same for the traffic between two hosts only: all other hosts still reach both. To mend what was not cut changes nothing. */
TRI_MUST_CHECK tri_status tri__network_part(const tri__virtual_cluster *cluster, const tri__virtual_host *one,
                                            const tri__virtual_host *other, bool cut);

/* Mend the host's link, and all that was cut between it and single other hosts. */
TRI_MUST_CHECK tri_status tri__network_mend(const tri__virtual_cluster *cluster, const tri__virtual_host *host);

#endif
