/* network.c: the calls of `ip`, `tc` and `bridge`. The rate is limited at both ends of a link: what a host sends at the host's end, what it
 * receives at the switch's port. */
#include "lab/cluster/network.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/thread/clock.h"
#include "lab/cluster/tool.h"

/* The bucket holds what the link carries in a millisecond: after a pause, that much passes at once, faster than the link. The kernel splits
 * packets that are larger than the bucket. The queue is as long as a switch's: 256 KB and 20 ms of traffic. */
#define SHAPE "root tbf rate %.6fmbit burst %.0f limit %.0f"

enum { LEAST_BURST = 16384, QUEUE = 256 << 10 };

void tri__namespace_name(const char *cluster, const char *host, char out[TRI_NAMESPACE_NAME])
{
    snprintf(out, TRI_NAMESPACE_NAME, "trireme:%s:%s", cluster, host);
}

static bool succeeds(tri_status status)
{
    tri_status_free(status);
    return !status;
}

tri_status tri__network_check(void)
{
    if (geteuid() != 0)
        return tri_fail(TRI_UNSUPPORTED, "virtual hosts are network namespaces, which only root can make: run this as root, or with sudo");
    if (!succeeds(tri__tool_run("unshare --mount --net true"))) /* in a chroot, namespaces can be made but not entered */
        return tri_fail(TRI_UNSUPPORTED,
                        "network namespaces cannot be entered here (in a chroot, or in a container without CAP_SYS_ADMIN)");
    if (!succeeds(tri__tool_run("tc -V")))
        return tri_fail(TRI_UNSUPPORTED, "virtual hosts need ip and tc, which are not installed: apt install iproute2");
    return NULL;
}

/* Call visit with each namespace of the cluster. */
static tri_status for_each(const char *cluster, tri_status (*visit)(const char *space, void *context), void *context)
{
    char *list, *save = NULL, prefix[TRI_NAMESPACE_NAME];
    tri__namespace_name(cluster, "", prefix);
    TRI_TRY(tri__tool_read(&list, "ip netns list"));
    tri_status first = NULL;
    for (char *line = strtok_r(list, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        line[strcspn(line, " ")] = '\0';
        if (strncmp(line, prefix, strlen(prefix)))
            continue;
        tri_status status = visit(line, context);
        if (first)
            tri_status_free(status);
        else
            first = status;
    }
    free(list);
    return first;
}

static tri_status note_one(const char *space, void *up)
{
    (void)space;
    *(bool *)up = true;
    return NULL;
}

tri_status tri__network_is_up(const char *cluster, bool *up)
{
    *up = false;
    return for_each(cluster, note_one, up);
}

static tri_status shape(const char *space, const char *device, double mbit)
{
    double millisecond = mbit * 1e6 / 8 / 1000; /* in bytes */
    double burst = millisecond > LEAST_BURST ? millisecond : LEAST_BURST;
    return mbit > 0 ? tri__tool_run("tc -n %s qdisc add dev %s " SHAPE, space, device, mbit, burst, QUEUE + 20 * millisecond) : NULL;
}

static tri_status add_host(const tri__virtual_cluster *cluster, int number, const char *middle)
{
    const tri__virtual_host *host = &cluster->host[number - 1];
    char space[TRI_NAMESPACE_NAME], port[16];
    tri__namespace_name(cluster->name, host->name, space);
    snprintf(port, sizeof port, "port%d", number);
    TRI_TRY(tri__tool_run("ip netns add %s", space));
    TRI_TRY(tri__tool_run("ip link add eth0 netns %s type veth peer name %s netns %s", space, port, middle));
    TRI_TRY(tri__tool_run("ip -n %s address add %s/24 dev eth0", space, host->address));
    TRI_TRY(tri__tool_run("ip -n %s link set lo up", space));
    TRI_TRY(tri__tool_run("ip -n %s link set eth0 up", space));
    TRI_TRY(tri__tool_run("ip -n %s link set %s master bridge up", middle, port));
    TRI_TRY(shape(space, "eth0", host->rate_mbit));
    return shape(middle, port, host->rate_mbit);
}

static int count_text(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

/* Wait until the switch knows all carriers. The kernel reports a new carrier with a delay, and then opens the port, even if the port was
 * cut in the meantime. */
static tri_status wait_for_carriers(int hosts, const char *middle)
{
    const int64_t deadline = tri__clock_now() + 10 * TRI_SECOND;
    for (;;) {
        char *ports;
        TRI_TRY(tri__tool_read(&ports, "ip -n %s -brief link show up type veth", middle));
        int up = count_text(ports, " UP ");
        free(ports);
        if (up == hosts)
            return NULL;
        if (tri__clock_now() > deadline)
            return tri_fail(TRI_TIMEOUT, "%d of %d links are up after 10 s", up, hosts);
        nanosleep(&(struct timespec){.tv_nsec = 20 * TRI_MILLISECOND}, NULL);
    }
}

tri_status tri__network_up(const tri__virtual_cluster *cluster)
{
    char middle[TRI_NAMESPACE_NAME];
    tri__namespace_name(cluster->name, TRI_SWITCH, middle);
    TRI_TRY(tri__tool_run("ip netns add %s", middle));
    TRI_TRY(tri__tool_run("ip -n %s link add bridge type bridge", middle));
    TRI_TRY(tri__tool_run("ip -n %s address add " TRI_SWITCH_ADDRESS "/24 dev bridge", middle));
    TRI_TRY(tri__tool_run("ip -n %s link set bridge up", middle));
    for (int number = 1; number <= cluster->hosts; number++)
        TRI_TRY(add_host(cluster, number, middle));
    return wait_for_carriers(cluster->hosts, middle);
}

static tri_status remove_space(const char *space, void *context)
{
    (void)context;
    char *pids, *save = NULL;
    TRI_TRY(tri__tool_read(&pids, "ip netns pids %s", space));
    for (char *pid = strtok_r(pids, "\n", &save); pid; pid = strtok_r(NULL, "\n", &save))
        kill((pid_t)strtol(pid, NULL, 10), SIGKILL);
    free(pids);
    return tri__tool_run("ip netns delete %s", space);
}

tri_status tri__network_down(const char *cluster)
{
    return for_each(cluster, remove_space, NULL);
}

/* The state of the switch's port: 0 is disabled, 3 forwarding. The carrier stays. */
tri_status tri__network_cut(const tri__virtual_cluster *cluster, const tri__virtual_host *host, bool cut)
{
    char middle[TRI_NAMESPACE_NAME];
    tri__namespace_name(cluster->name, TRI_SWITCH, middle);
    return tri__tool_run("bridge -n %s link set dev port%d state %d", middle, (int)(host - cluster->host) + 1, cut ? 0 : 3);
}

/* Give host a wrong hardware address for other, so that its packets to other reach no host; or remove it again. */
static tri_status mislead(const char *cluster, const tri__virtual_host *host, const tri__virtual_host *other, bool cut)
{
    char space[TRI_NAMESPACE_NAME];
    tri__namespace_name(cluster, host->name, space);
    return cut ? tri__tool_run("ip -n %s neighbour replace %s lladdr 02:00:00:00:00:01 nud permanent dev eth0", space, other->address)
               : tri__tool_run("ip -n %s neighbour flush to %s nud permanent dev eth0", space, other->address);
}

tri_status tri__network_part(const tri__virtual_cluster *cluster, const tri__virtual_host *one, const tri__virtual_host *other, bool cut)
{
    TRI_TRY(mislead(cluster->name, one, other, cut));
    return mislead(cluster->name, other, one, cut);
}

tri_status tri__network_mend(const tri__virtual_cluster *cluster, const tri__virtual_host *host)
{
    TRI_TRY(tri__network_cut(cluster, host, false));
    for (int i = 0; i < cluster->hosts; i++)
        if (&cluster->host[i] != host)
            TRI_TRY(tri__network_part(cluster, host, &cluster->host[i], false));
    return NULL;
}
