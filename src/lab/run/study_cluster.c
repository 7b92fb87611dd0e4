/* study_cluster.c: a virtual cluster that exists as long as a study runs. */
#include "lab/run/study_cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/thread/clock.h"
#include "lab/cluster/lifecycle.h"

struct tri__study_cluster {
    char name[TRI_CLUSTER_NAME];
    bool own; /* we have brought the cluster up */
};

/* Take down clusters of earlier calls. Clusters of calls that ended well are gone already. */
static void remove_leftovers(const tri__results *results)
{
    const char *name;
    for (int i = 0; (name = tri__results_cluster(results, i)); i++)
        tri_status_free(tri__virtual_cluster_down(name));
}

static tri_status bring_up(const json_t *from, tri__results *results, tri__study_cluster *cluster)
{
    tri__virtual_cluster described;
    unsigned now = (unsigned)tri__clock_now();
    snprintf(cluster->name, sizeof cluster->name, "lab%x", now ^ ((unsigned)getpid() << 16));
    TRI_TRY(tri__virtual_cluster_describe(from, cluster->name, &described));
    remove_leftovers(results);
    TRI_TRY(tri__results_append(results, json_pack("{s:s}", "cluster", cluster->name)));
    cluster->own = true;
    return tri__virtual_cluster_up(&described);
}

tri_status tri__study_cluster_up(tri__results *results, tri__study_cluster **out)
{
    const tri__study *study = tri__results_study(results);
    const json_t *from = json_object_get(study->document, "cluster");
    *out = NULL;
    if (!from)
        return NULL;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return tri_fail(TRI_NO_MEMORY, "no memory for a cluster");
    if (json_is_string(from)) {
        snprintf((*out)->name, sizeof(*out)->name, "%s", json_string_value(from));
        return NULL;
    }
    return tri_wrap(bring_up(from, results, *out), "the study %s runs on virtual hosts", study->name);
}

const char *tri__study_cluster_name(const tri__study_cluster *cluster)
{
    return cluster ? cluster->name : NULL;
}

tri_status tri__study_cluster_down(tri__study_cluster *cluster, tri_status status)
{
    tri_status down = cluster && cluster->own ? tri__virtual_cluster_down(cluster->name) : NULL;
    free(cluster);
    if (!status)
        return down;
    tri_status_free(down);
    return status;
}
