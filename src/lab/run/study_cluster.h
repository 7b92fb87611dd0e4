/* study_cluster.h: the virtual hosts that a study runs on. They are made for the study, and removed after it. */
#ifndef TRI_LAB_RUN_STUDY_CLUSTER_H
#define TRI_LAB_RUN_STUDY_CLUSTER_H

#include "lab/results/results.h"

typedef struct tri__study_cluster tri__study_cluster;

/* Where the study has a `cluster`, bring up hosts of that description (the keys of `cluster up --file`, or `hosts` as a number). The
 * cluster gets a new name, which the journal keeps: so a cluster that a killed process has left up is taken down first. Where `cluster` is
 * a plain word, it is the name of a cluster that is up already, and stays up. Where the study has none, *out is NULL. Needs root. */
TRI_MUST_CHECK tri_status tri__study_cluster_up(tri__results *results, tri__study_cluster **out);
const char *tri__study_cluster_name(const tri__study_cluster *cluster); /* NULL for NULL */

/* Take the cluster down and free it; accepts NULL. Takes status. Returns status where it is a failure, otherwise the failure of taking
 * down. */
TRI_MUST_CHECK tri_status tri__study_cluster_down(tri__study_cluster *cluster, tri_status status);

#endif
