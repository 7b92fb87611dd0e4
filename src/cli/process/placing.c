/* placing.c: the tasks of a job dealt out over the hosts of a virtual cluster. */
#include "cli/process/placing.h"

#include <omp.h>
#include <string.h>

#include "lab/cluster/cluster.h"

static tri_status listen_on_host(void *context, tri__address *address, int *fd)
{
    const tri__placing *placing = context;
    return tri__cluster_listen(placing->on, address, fd, &address->port);
}

static int workers_on(const tri__cluster *cluster, const char *address)
{
    int count = 0;
    for (int i = 0; i < cluster->workers; i++)
        count += !strcmp(cluster->worker_host[i], address);
    return count;
}

/* All hosts share this machine's CPUs, and some may use only a part. One number serves all workers, so it is that of the busiest host. */
static int threads_of_worker(const tri__placing *placing, int workers)
{
    const tri__virtual_cluster *hosts = &placing->cluster;
    int least = omp_get_num_procs() / workers;
    for (int i = 0; i < hosts->hosts; i++) {
        int here = workers_on(&placing->placement.cluster, hosts->host[i].address);
        if (hosts->host[i].cpus > 0 && here && (int)(hosts->host[i].cpus / here) < least)
            least = (int)(hosts->host[i].cpus / here);
    }
    return least > 1 ? least : 1;
}

static tri_status place(tri__placing *placing, int hosts, int servers, int workers)
{
    const char *addresses[TRI_MOST_HOSTS];
    for (int i = 0; i < hosts; i++)
        addresses[i] = placing->cluster.host[i].address;
    return tri__cluster_spread(addresses, hosts, servers, workers, &placing->placement.cluster);
}

static bool is_secured(const tri__arguments *arguments)
{
    return tri__argument_given(arguments, "key") || tri__argument_given(arguments, "cert") || tri__argument_given(arguments, "cert-key") ||
           tri__argument_given(arguments, "ca") || tri__argument_flag(arguments, "insecure");
}

tri_status tri__placing_open(const tri__arguments *arguments, const tri__strategy *strategy, int servers, int workers, tri__placing *out)
{
    *out = (tri__placing){.on = tri__argument_text(arguments, "on")};
    if (!out->on)
        return NULL;
    TRI_TRY(tri__program_find(out->program));
    TRI_TRY(tri__cluster_load(out->on, &out->cluster));
    TRI_TRY(place(out, strategy->launch ? out->cluster.hosts : 1, servers, workers));
    const char *const reach[] = {out->program, "cluster", "exec", out->on, NULL};
    memcpy(out->reach, reach, sizeof reach);
    out->placement.reach = out->reach;
    out->placement.threads = threads_of_worker(out, workers);
    out->placement.secured = is_secured(arguments);
    out->placement.listen = listen_on_host;
    out->placement.context = out;
    return NULL;
}

void tri__placing_fini(tri__placing *placing)
{
    tri__cluster_fini(&placing->placement.cluster);
}

const tri__placement *tri__placing_placement(const tri__placing *placing)
{
    return placing->on ? &placing->placement : NULL;
}

tri_status tri__placing_enter(const tri__placing *placing)
{
    return placing->on ? tri__cluster_enter(placing->on, placing->cluster.host[0].name) : NULL;
}
