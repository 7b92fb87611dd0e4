/* placing.c: virtual hosts are reached by this program's own `cluster exec`, real ones by ssh. */
#include "cli/process/placing.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "lab/cluster/cluster.h"

static tri_status listen_on_host(void *context, tri__address *address, int *fd)
{
    const tri__placing *placing = context;
    return tri__cluster_listen(placing->on, address, fd, &address->port);
}

/* ---- virtual hosts ---- */

static int workers_on(const tri__placing *placing, const tri__virtual_host *host)
{
    const tri__cluster *cluster = &placing->placement.cluster;
    int count = 0;
    for (int i = 0; i < cluster->workers; i++)
        count += tri__virtual_cluster_find(&placing->hosts, cluster->worker_host[i]) == host;
    return count;
}

/* All hosts share this machine's CPUs, and some may use only a part. One number serves all workers, so it is that of the busiest host. */
static int threads_of_worker(const tri__placing *placing)
{
    int least = omp_get_num_procs() / placing->placement.cluster.workers;
    for (int i = 0; i < placing->hosts.hosts; i++) {
        const tri__virtual_host *host = &placing->hosts.host[i];
        int here = workers_on(placing, host);
        if (host->cpus > 0 && here && (int)(host->cpus / here) < least)
            least = (int)(host->cpus / here);
    }
    return least > 1 ? least : 1;
}

static tri_status deal_out(tri__placing *placing, int hosts, int servers, int workers)
{
    const char *addresses[TRI_MOST_HOSTS];
    for (int i = 0; i < hosts; i++)
        addresses[i] = placing->hosts.host[i].address;
    return tri__cluster_spread(addresses, hosts, servers, workers, &placing->placement.cluster);
}

static tri_status check_host(const tri__placing *placing, const char *host)
{
    if (!host || tri__virtual_cluster_find(&placing->hosts, host))
        return NULL;
    return tri_fail(TRI_BAD_CALL, "--cluster: %s is no host of the virtual cluster %s: `trireme cluster status %s` lists them", host,
                    placing->on, placing->on);
}

static tri_status check_hosts(const tri__placing *placing)
{
    const tri__cluster *cluster = &placing->placement.cluster;
    for (int i = 0; i < cluster->servers; i++)
        TRI_TRY(check_host(placing, cluster->server[i].host));
    for (int i = 0; i < cluster->workers; i++)
        TRI_TRY(check_host(placing, cluster->worker_host[i]));
    return check_host(placing, cluster->evaluator_host);
}

static tri_status place_on_virtual_hosts(tri__placing *placing)
{
    const char *const reach[] = {placing->program, "cluster", "exec", placing->on, NULL};
    TRI_TRY(check_hosts(placing));
    memcpy(placing->reach, reach, sizeof reach);
    placing->placement.threads = threads_of_worker(placing);
    placing->placement.listen = listen_on_host;
    placing->placement.context = placing;
    return NULL;
}

/* ---- real hosts ---- */

static tri_status place_by_ssh(tri__placing *placing, const char *command)
{
    char *save = NULL;
    int count = 0;
    placing->placement.remote = true;
    if (snprintf(placing->ssh, sizeof placing->ssh, "%s", command) >= (int)sizeof placing->ssh)
        return tri_fail(TRI_BAD_CALL, "--ssh: a command of at most %zu characters", sizeof placing->ssh - 1);
    for (char *word = strtok_r(placing->ssh, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        if (count + 1 == TRI_REACH_WORDS)
            return tri_fail(TRI_BAD_CALL, "--ssh: a command of at most %d words; put the rest into ssh's own configuration",
                            TRI_REACH_WORDS - 1);
        placing->reach[count++] = word;
    }
    return count ? NULL : tri_fail(TRI_BAD_CALL, "--ssh: which command? Give one such as 'ssh -p 2222'");
}

/* ---- either ---- */

static bool is_secured(const tri__arguments *arguments)
{
    return tri__argument_given(arguments, "key") || tri__argument_given(arguments, "cert") || tri__argument_given(arguments, "cert-key") ||
           tri__argument_given(arguments, "ca") || tri__argument_flag(arguments, "insecure");
}

/* Without a host of its own, the evaluator is beside ps:0. */
static tri_status take_listed(const tri__cluster *listed, tri__cluster *out)
{
    TRI_TRY(tri__cluster_copy(listed, out));
    if (out->evaluator || !out->servers)
        return NULL;
    out->evaluator = true;
    out->evaluator_host = strdup(out->server[0].host);
    return out->evaluator_host ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for the name of a host");
}

tri_status tri__placing_open(const tri__arguments *arguments, const tri__strategy *strategy, const tri__cluster *listed, int servers,
                             int workers, tri__placing *out)
{
    *out = (tri__placing){.on = tri__argument_text(arguments, "on"), .placed = tri__argument_given(arguments, "on") || listed->workers};
    const char *ssh = tri__argument_text(arguments, "ssh");
    if (ssh && (out->on || !out->placed))
        return tri_fail(TRI_BAD_CALL, "--ssh reaches the hosts that --cluster FILE lists, without --on and --task");
    if (!out->placed)
        return NULL;
    out->placement.reach = out->reach;
    out->placement.secured = is_secured(arguments);
    TRI_TRY(tri__program_find(out->program));
    if (out->on)
        TRI_TRY(tri__cluster_load(out->on, &out->hosts));
    TRI_TRY(listed->workers ? take_listed(listed, &out->placement.cluster)
                            : deal_out(out, strategy->launch ? out->hosts.hosts : 1, servers, workers));
    return out->on ? place_on_virtual_hosts(out) : place_by_ssh(out, ssh ? ssh : "ssh -T -o BatchMode=yes");
}

void tri__placing_fini(tri__placing *placing)
{
    tri__cluster_fini(&placing->placement.cluster);
}

const tri__placement *tri__placing_placement(const tri__placing *placing)
{
    return placing->placed ? &placing->placement : NULL;
}

tri_status tri__placing_enter(const tri__placing *placing)
{
    return placing->on ? tri__cluster_enter(placing->on, placing->hosts.host[0].name) : NULL;
}
