/* link_rate.h: what the links of a virtual cluster carry, by the probe of `trireme watch --probe` (net/connection/probe.h). */
#ifndef TRI_LAB_CLUSTER_LINK_RATE_H
#define TRI_LAB_CLUSTER_LINK_RATE_H

#include "lab/cluster/virtual_cluster.h"

/* Measure the links one after another, each by bytes to and from the fastest of the other hosts, for a second in each direction.
 * mbit[i] receives the lower of the two rates of host i: NaN where it could not be measured, since the link is cut or there is no other
 * host. The link of the fastest host shows what the next fastest one can take. */
TRI_MUST_CHECK tri_status tri__virtual_cluster_measure_links(const tri__virtual_cluster *cluster, double *mbit);

#endif
