/* limits.h: control groups, of versions 1 and 2: they limit what a virtual host may use of the machine's CPUs and memory, and count what it
 * uses, also of the disks. */
#ifndef TRI_LAB_CLUSTER_LIMITS_H
#define TRI_LAB_CLUSTER_LIMITS_H

#include "lab/cluster/virtual_cluster.h"

/* Make a host's group, with its limits. A host without limits gets a group, too, where the kernel has control groups, because the group
 * counts what the host uses. TRI_UNSUPPORTED where the host has a limit that cannot be set. */
TRI_MUST_CHECK tri_status tri__limits_up(const char *cluster, const tri__virtual_host *host);
TRI_MUST_CHECK tri_status tri__limits_enter(const char *cluster, const char *host); /* moves this process, and what it will start */
void tri__limits_down(const char *cluster);                                         /* removes the cluster's groups, which must be empty */

#endif
