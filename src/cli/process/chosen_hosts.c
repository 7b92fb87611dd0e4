/* chosen_hosts.c: virtual hosts are reached by this program's own `cluster exec`, real ones by ssh. */
#include "cli/process/chosen_hosts.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "lab/cluster/lifecycle.h"
#include "lab/run/spread.h"

static tri_status listen_on_host(void *context, tri__address *address, int *fd)
{
    const tri__chosen_hosts *chosen = context;
    return tri__virtual_cluster_listen(chosen->on, address, fd, &address->port);
}

/* ---- virtual hosts ---- */

static int workers_on(const tri__chosen_hosts *chosen, const tri__virtual_host *host)
{
    const tri__cluster *cluster = &chosen->job_hosts.cluster;
    int count = 0;
    for (int i = 0; i < cluster->workers; i++)
        count += tri__virtual_cluster_find(&chosen->hosts, cluster->worker_host[i]) == host;
    return count;
}

/* All hosts share this machine's CPUs, and some may use only a part of them. All workers get the same number of threads: that of the
 * busiest host. */
static int threads_of_worker(const tri__chosen_hosts *chosen)
{
    int least = omp_get_num_procs() / chosen->job_hosts.cluster.workers;
    for (int i = 0; i < chosen->hosts.hosts; i++) {
        const tri__virtual_host *host = &chosen->hosts.host[i];
        int here = workers_on(chosen, host);
        if (host->cpus > 0 && here && (int)(host->cpus / here) < least)
            least = (int)(host->cpus / here);
    }
    return least > 1 ? least : 1;
}

static tri_status deal_out(tri__chosen_hosts *chosen, int hosts, int servers, int workers)
{
    const char *addresses[TRI_MOST_HOSTS];
    for (int i = 0; i < hosts; i++)
        addresses[i] = chosen->hosts.host[i].address;
    return tri__cluster_spread(addresses, hosts, servers, workers, &chosen->job_hosts.cluster);
}

static tri_status check_host(const tri__chosen_hosts *chosen, const char *host)
{
    if (!host || tri__virtual_cluster_find(&chosen->hosts, host))
        return NULL;
    return tri_fail(TRI_BAD_CALL, "--cluster: %s is no host of the virtual cluster %s: `trireme cluster status %s` lists them", host,
                    chosen->on, chosen->on);
}

static tri_status check_hosts(const tri__chosen_hosts *chosen)
{
    const tri__cluster *cluster = &chosen->job_hosts.cluster;
    for (int i = 0; i < cluster->servers; i++)
        TRI_TRY(check_host(chosen, cluster->server[i].host));
    for (int i = 0; i < cluster->workers; i++)
        TRI_TRY(check_host(chosen, cluster->worker_host[i]));
    return check_host(chosen, cluster->evaluator_host);
}

static tri_status reach_virtual_hosts(tri__chosen_hosts *chosen)
{
    const char *const reach[] = {chosen->program, "cluster", "exec", chosen->on, NULL};
    TRI_TRY(check_hosts(chosen));
    memcpy(chosen->reach, reach, sizeof reach);
    chosen->job_hosts.threads = threads_of_worker(chosen);
    chosen->job_hosts.listen = listen_on_host;
    chosen->job_hosts.context = chosen;
    return NULL;
}

/* ---- real hosts ---- */

static tri_status reach_by_ssh(tri__chosen_hosts *chosen, const char *command)
{
    char *save = NULL;
    int count = 0;
    chosen->job_hosts.remote = true;
    if (snprintf(chosen->ssh, sizeof chosen->ssh, "%s", command) >= (int)sizeof chosen->ssh)
        return tri_fail(TRI_BAD_CALL, "--ssh: a command of at most %zu characters", sizeof chosen->ssh - 1);
    for (char *word = strtok_r(chosen->ssh, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        if (count + 1 == TRI_REACH_WORDS)
            return tri_fail(TRI_BAD_CALL, "--ssh: a command of at most %d words; put the rest into ssh's own configuration",
                            TRI_REACH_WORDS - 1);
        chosen->reach[count++] = word;
    }
    return count ? NULL : tri_fail(TRI_BAD_CALL, "--ssh: which command? Give one such as 'ssh -p 2222'");
}

/* ---- either ---- */

static bool is_secured(const tri__arguments *arguments)
{
    return tri__argument_given(arguments, "key") || tri__argument_given(arguments, "cert") || tri__argument_given(arguments, "cert-key") ||
           tri__argument_given(arguments, "ca") || tri__argument_flag(arguments, "insecure");
}

/* Where the cluster lists no evaluator, it runs beside ps:0. */
static tri_status take_listed(const tri__cluster *listed, tri__cluster *out)
{
    TRI_TRY(tri__cluster_copy(listed, out));
    if (out->evaluator || !out->servers)
        return NULL;
    out->evaluator = true;
    out->evaluator_host = strdup(out->server[0].host);
    return out->evaluator_host ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for the name of a host");
}

tri_status tri__chosen_hosts_open(const tri__arguments *arguments, const tri__strategy *strategy, const tri__cluster *listed, int servers,
                                  int workers, tri__chosen_hosts *out)
{
    *out = (tri__chosen_hosts){.on = tri__argument_text(arguments, "on"),
                               .elsewhere = tri__argument_given(arguments, "on") || listed->workers};
    const char *ssh = tri__argument_text(arguments, "ssh"), *names = tri__argument_text(arguments, "hosts");
    if (names && (!out->on || listed->workers))
        return tri_fail(TRI_BAD_CALL,
                        "--hosts chooses hosts of a virtual cluster: give --on NAME, and no --cluster, whose file names the hosts");
    if (ssh && (out->on || !out->elsewhere))
        return tri_fail(TRI_BAD_CALL, "--ssh reaches the hosts that --cluster FILE lists, without --on and --task");
    if (!out->elsewhere)
        return NULL;
    out->job_hosts.reach = out->reach;
    out->job_hosts.secured = is_secured(arguments);
    TRI_TRY(tri__program_find(out->program));
    if (out->on)
        TRI_TRY(tri__spread_choose(out->on, names, &out->hosts));
    TRI_TRY(listed->workers ? take_listed(listed, &out->job_hosts.cluster)
                            : deal_out(out, strategy->launch ? out->hosts.hosts : 1, servers, workers));
    return out->on ? reach_virtual_hosts(out) : reach_by_ssh(out, ssh ? ssh : "ssh -T -o BatchMode=yes");
}

void tri__chosen_hosts_fini(tri__chosen_hosts *chosen)
{
    tri__cluster_fini(&chosen->job_hosts.cluster);
}

const tri__job_hosts *tri__chosen_hosts_of_job(const tri__chosen_hosts *chosen)
{
    return chosen->elsewhere ? &chosen->job_hosts : NULL;
}

tri_status tri__chosen_hosts_enter(const tri__chosen_hosts *chosen)
{
    return chosen->on ? tri__virtual_cluster_enter(chosen->on, chosen->hosts.host[0].name) : NULL;
}
