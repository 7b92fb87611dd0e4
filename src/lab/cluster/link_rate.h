/* link_rate.h: measures the links of a virtual cluster, with the probe of `trireme watch --probe` (net/connection/probe.h). */
#ifndef TRI_LAB_CLUSTER_LINK_RATE_H
#define TRI_LAB_CLUSTER_LINK_RATE_H

#include "lab/cluster/virtual_cluster.h"

/* Measure the links one after another: each host sends bytes to the switch and gets bytes from it, for a second in each direction. No other
 * host's link takes part. mbit[i] receives the lower of the two rates of host i; NaN where the link is cut. */
TRI_MUST_CHECK tri_status tri__virtual_cluster_measure_links(const tri__virtual_cluster *cluster, double *mbit);

#endif
