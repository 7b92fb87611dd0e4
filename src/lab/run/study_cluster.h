/* study_cluster.h: the virtual hosts that a study runs on, made for it and removed with it. */
#ifndef TRI_LAB_RUN_STUDY_CLUSTER_H
#define TRI_LAB_RUN_STUDY_CLUSTER_H

#include "lab/results/results.h"

typedef struct tri__study_cluster tri__study_cluster;

/* Where the study has a `cluster`: bring up hosts of that description (the keys of `cluster up --file`, or `hosts` as a number), under a
 * name of their own, which is kept in the journal: what a run that was killed has left up is taken down first. A plain word is the name of
 * a cluster that is up already and stays. Otherwise *out is NULL. Needs root. */
TRI_MUST_CHECK tri_status tri__study_cluster_up(tri__results *results, tri__study_cluster **out);
const char *tri__study_cluster_name(const tri__study_cluster *cluster); /* NULL for NULL */

/* Take it down and free it; accepts NULL. Returns status where that is a failure, otherwise what went wrong here. */
TRI_MUST_CHECK tri_status tri__study_cluster_down(tri__study_cluster *cluster, tri_status status);

#endif
