/* limits.h: control groups: what a virtual host may use of the machine's CPUs and memory, and where that is counted. Versions 1 and 2. */
#ifndef TRI_LAB_CLUSTER_LIMITS_H
#define TRI_LAB_CLUSTER_LIMITS_H

#include "lab/cluster/virtual_cluster.h"

/* Make a host's group, with its limits. A host without limits gets a group, too, where the kernel has control groups, because the group
 * counts what the host uses. TRI_UNSUPPORTED where a limit was asked for and cannot be kept. */
TRI_MUST_CHECK tri_status tri__limits_up(const char *cluster, const tri__virtual_host *host);
TRI_MUST_CHECK tri_status tri__limits_enter(const char *cluster, const char *host); /* this process, and what it starts */
void tri__limits_down(const char *cluster);                                         /* all groups of the cluster, which are empty */

#endif
