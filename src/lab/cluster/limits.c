/* limits.c: files under /sys/fs/cgroup. Version 2 has one tree; version 1 has a tree for each controller, and a host has a group in
 * each. */
#include "lab/cluster/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/thread/clock.h"
#include "watch/host/disk.h"

#define ROOT "/sys/fs/cgroup"

/* The kernel divides CPU time between groups and single tasks alike, so all hosts together would get as much as one task of a machine that
 * has other work: a host would wait longer for a CPU than for its network. But a host stands for a machine of its own. So all hosts
 * together have ten times the usual weight. More would starve the user's shell. */
#define WEIGHT_1 "10240" /* the usual weight is 1024 */
#define WEIGHT_2 "1000"  /* the usual weight is 100 */

#define UNREACHED "1000000000000000" /* bytes a second */
#define DISKS_1   "blkio"            /* only counts, so a host comes up without it, too */

enum { PERIOD = 100000, PATH_SIZE = 512 }; /* PERIOD: microseconds; a CPU quota is for each such period */

static const char *const trees_of_1[] = {"cpu", "cpuacct", "memory", DISKS_1};
static const char *const trees_of_2[] = {"."};

typedef struct {
    const char *const *tree;
    int count;
} trees;

static bool is_version_2(void)
{
    return access(ROOT "/cgroup.controllers", F_OK) == 0;
}

static trees all_trees(void)
{
    return is_version_2() ? (trees){trees_of_2, 1} : (trees){trees_of_1, sizeof trees_of_1 / sizeof *trees_of_1};
}

static tri_status write_value(const char *group, const char *file, const char *value)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", group, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t written = fd < 0 ? -1 : write(fd, value, strlen(value));
    int error = errno;
    if (fd >= 0)
        close(fd);
    return written >= 0 ? NULL : tri_fail(TRI_UNSUPPORTED, "%s: cannot be set to %s: %s", path, value, strerror(error));
}

static tri_status make_group(const char *path)
{
    if (mkdir(path, 0755) == 0 || errno == EEXIST)
        return NULL;
    return tri_fail(TRI_UNSUPPORTED, "%s: cannot be made: %s", path, strerror(errno));
}

/* In version 2, a group's children have only the controllers that the group names for them. */
static void share_controllers(const char *group)
{
    if (!is_version_2())
        return;
    tri_status_free(
        write_value(group, "cgroup.subtree_control", "+cpu +memory"));    /* if this fails, setting a limit fails later and reports it */
    tri_status_free(write_value(group, "cgroup.subtree_control", "+io")); /* which only counts */
}

/* Version 1 counts a group's bytes of a disk only if the group has a limit for the disk. So set one that no disk reaches. */
static void count_disk(const char *group, const char *disk)
{
    char path[PATH_SIZE], limit[64];
    unsigned major, minor;
    snprintf(path, sizeof path, "/sys/block/%.63s/dev", disk);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%u:%u", &major, &minor) == 2) {
        snprintf(limit, sizeof limit, "%u:%u " UNREACHED, major, minor);
        tri_status_free(write_value(group, "blkio.throttle.read_bps_device", limit)); /* if this fails, samples have the machine's disks */
    }
    if (file)
        fclose(file);
}

static void count_disks(const char *group)
{
    char **names = NULL;
    size_t count = 0;
    tri_status_free(tri__folder_list("/sys/block", &names, &count));
    for (size_t i = 0; i < count; i++)
        if (tri__is_disk(names[i]))
            count_disk(group, names[i]);
    tri__folder_free(names, count);
}

/* Set the weight of all hosts. Where that fails, because this tree has no CPU controller, all hosts together weigh as one task. */
static void prefer_hosts(const char *group)
{
    tri_status_free(is_version_2() ? write_value(group, "cpu.weight", WEIGHT_2) : write_value(group, "cpu.shares", WEIGHT_1));
}

/* Make trireme, trireme/CLUSTER and trireme/CLUSTER/HOST in one tree. */
static tri_status make_path(const char *tree, const char *cluster, const char *host, char path[PATH_SIZE])
{
    char group[PATH_SIZE];
    snprintf(group, sizeof group, ROOT "/%s", tree);
    share_controllers(group);
    snprintf(group, sizeof group, ROOT "/%s/trireme", tree);
    TRI_TRY(make_group(group));
    share_controllers(group);
    prefer_hosts(group);
    snprintf(group, sizeof group, ROOT "/%s/trireme/%s", tree, cluster);
    TRI_TRY(make_group(group));
    share_controllers(group);
    snprintf(path, PATH_SIZE, ROOT "/%s/trireme/%s/%s", tree, cluster, host);
    return make_group(path);
}

static tri_status limit_cpus(const char *group, double cpus)
{
    char quota[32], both[64];
    if (cpus <= 0)
        return NULL;
    snprintf(quota, sizeof quota, "%.0f", cpus * PERIOD);
    snprintf(both, sizeof both, "%s %d", quota, PERIOD);
    return is_version_2() ? write_value(group, "cpu.max", both) : write_value(group, "cpu.cfs_quota_us", quota);
}

static tri_status limit_memory(const char *group, int64_t mb)
{
    char bytes[32];
    if (mb <= 0)
        return NULL;
    snprintf(bytes, sizeof bytes, "%" PRId64, mb << 20);
    return write_value(group, is_version_2() ? "memory.max" : "memory.limit_in_bytes", bytes);
}

tri_status tri__limits_up(const char *cluster, const tri__virtual_host *host)
{
    const trees all = all_trees();
    bool wanted = host->cpus > 0 || host->memory_mb > 0;
    for (int i = 0; i < all.count; i++) {
        char group[PATH_SIZE];
        tri_status status = make_path(all.tree[i], cluster, host->name, group);
        if (status && (!wanted || !strcmp(all.tree[i], DISKS_1))) {
            tri_status_free(status);
            continue;
        }
        TRI_TRY(status);
        if (is_version_2() || !strcmp(all.tree[i], "cpu"))
            TRI_TRY(limit_cpus(group, host->cpus));
        if (is_version_2() || !strcmp(all.tree[i], "memory"))
            TRI_TRY(limit_memory(group, host->memory_mb));
        if (!strcmp(all.tree[i], DISKS_1))
            count_disks(group);
    }
    return NULL;
}

tri_status tri__limits_enter(const char *cluster, const char *host)
{
    const trees all = all_trees();
    char own[32];
    snprintf(own, sizeof own, "%ld", (long)getpid());
    for (int i = 0; i < all.count; i++) {
        char group[PATH_SIZE];
        snprintf(group, sizeof group, ROOT "/%s/trireme/%s/%s", all.tree[i], cluster, host);
        if (tri__folder_exists(group))
            TRI_TRY(write_value(group, "cgroup.procs", own));
    }
    return NULL;
}

/* Only rmdir removes a group, and only when no process is left in it. Processes that were killed need a moment to end. */
static void remove_group(const char *path)
{
    const int64_t deadline = tri__clock_now() + 5 * TRI_SECOND;
    while (rmdir(path) && errno == EBUSY && tri__clock_now() < deadline)
        nanosleep(&(struct timespec){.tv_nsec = 5 * TRI_MILLISECOND}, NULL);
}

static void remove_below(const char *parent)
{
    char **names;
    size_t count;
    tri_status status = tri__folder_list(parent, &names, &count);
    if (status) {
        tri_status_free(status);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        char *path = tri__path_join(parent, names[i]);
        if (path && tri__folder_exists(path))
            remove_group(path);
        free(path);
    }
    tri__folder_free(names, count);
    rmdir(parent);
}

void tri__limits_down(const char *cluster)
{
    const trees all = all_trees();
    for (int i = 0; i < all.count; i++) {
        char parent[PATH_SIZE];
        snprintf(parent, sizeof parent, ROOT "/%s/trireme/%s", all.tree[i], cluster);
        remove_below(parent);
        snprintf(parent, sizeof parent, ROOT "/%s/trireme", all.tree[i]);
        rmdir(parent); /* succeeds only if no other cluster is up */
    }
}
