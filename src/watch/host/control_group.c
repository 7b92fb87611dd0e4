/* control_group.c: reads files under /sys/fs/cgroup. Version 1 has a tree for each controller; version 2 has one tree. The group of a
 * virtual host is trireme/CLUSTER/HOST. */
#include "watch/host/control_group.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/thread/clock.h"
#include "watch/host/disk.h"

#define TREES  "/sys/fs/cgroup"
#define GROUPS "/trireme/"

/* ---- which group ---- */

static bool names(const char *controllers, const char *one)
{
    const size_t length = strlen(one);
    for (const char *at = controllers; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, one, length) && (at[length] == ',' || !at[length]))
            return true;
    }
    return false;
}

/* A line of /proc/self/cgroup: 4:cpu,cpuacct:/path in version 1, 0::/path in version 2. */
static void read_membership(tri__control_group *group, const char *line)
{
    char controllers[128] = "", path[256];
    if (sscanf(line, "%*d:%127[^:]:%255s", controllers, path) < 2) {
        *controllers = 0;
        if (sscanf(line, "0::%255s", path) < 1)
            return;
    }
    if (strncmp(path, GROUPS, strlen(GROUPS)))
        return;
    if (!*controllers) {
        group->version_2 = true;
        snprintf(group->cpu, sizeof group->cpu, TREES "%s", path);
        snprintf(group->quota, sizeof group->quota, TREES "%s", path);
        snprintf(group->memory, sizeof group->memory, TREES "%s", path);
        snprintf(group->disks, sizeof group->disks, TREES "%s", path);
        return;
    }
    if (names(controllers, "cpuacct"))
        snprintf(group->cpu, sizeof group->cpu, TREES "/cpuacct%s", path);
    if (names(controllers, "cpu"))
        snprintf(group->quota, sizeof group->quota, TREES "/cpu%s", path);
    if (names(controllers, "memory"))
        snprintf(group->memory, sizeof group->memory, TREES "/memory%s", path);
    if (names(controllers, "blkio"))
        snprintf(group->disks, sizeof group->disks, TREES "/blkio%s", path);
}

/* ---- its files ---- */

/* The number after a name in a file of lines "name number"; `otherwise` if there is none. */
static double number_of(const char *folder, const char *file, const char *name, double otherwise)
{
    char path[TRI_GROUP_PATH + 64], line[128], key[64];
    double value;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *stream = *folder ? fopen(path, "re") : NULL;
    while (stream && fgets(line, sizeof line, stream))
        if (sscanf(line, "%63s %lf", key, &value) == 2 && !strcmp(key, name)) {
            otherwise = value;
            break;
        }
    if (stream)
        fclose(stream);
    return otherwise;
}

/* Read the one or two numbers of a file. Returns how many there are; "max" is not a number. */
static int numbers_of(const char *folder, const char *file, double *first, double *second)
{
    char path[TRI_GROUP_PATH + 64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *stream = *folder ? fopen(path, "re") : NULL;
    int count = stream ? fscanf(stream, "%lf %lf", first, second) : 0;
    if (stream)
        fclose(stream);
    return count > 0 ? count : 0;
}

double tri__control_group_cpus(const tri__control_group *group)
{
    const double all = (double)sysconf(_SC_NPROCESSORS_ONLN);
    double quota = -1, period = 100000, unused;
    if (group->version_2) {
        if (numbers_of(group->quota, "cpu.max", &quota, &period) < 2)
            return all;
    } else {
        numbers_of(group->quota, "cpu.cfs_quota_us", &quota, &unused);
        numbers_of(group->quota, "cpu.cfs_period_us", &period, &unused);
    }
    return quota > 0 && quota / period < all ? quota / period : all;
}

static double limit_of(const tri__control_group *group)
{
    double limit = 0, unused;
    numbers_of(group->memory, group->version_2 ? "memory.max" : "memory.limit_in_bytes", &limit, &unused);
    return limit < 1e18 ? limit : 0; /* without a limit, version 1 writes a huge number */
}

/* ---- its disks ---- */

typedef bool add_disk(const char *line, tri__disk_traffic *sum); /* false if the line is not about a disk */

/* Version 2: 254:0 rbytes=4096 wbytes=0 rios=1 wios=0 dbytes=0 dios=0 */
static bool add_all(const char *line, tri__disk_traffic *sum)
{
    int major, minor;
    tri__disk_traffic disk;
    if (sscanf(line, "%d:%d rbytes=%lf wbytes=%lf rios=%lf wios=%lf", &major, &minor, &disk.read, &disk.written, &disk.reads,
               &disk.writes) < 6 ||
        !tri__is_disk_number(major, minor))
        return false;
    sum->read += disk.read;
    sum->written += disk.written;
    sum->reads += disk.reads;
    sum->writes += disk.writes;
    return true;
}

/* Version 1: 254:0 Read 4096 */
static bool add_number(const char *line, double *reads, double *writes)
{
    int major, minor;
    char what[16];
    double value;
    if (sscanf(line, "%d:%d %15s %lf", &major, &minor, what, &value) < 4 || !tri__is_disk_number(major, minor))
        return false;
    *reads += strcmp(what, "Read") ? 0 : value;
    *writes += strcmp(what, "Write") ? 0 : value;
    return true;
}

static bool add_bytes(const char *line, tri__disk_traffic *sum)
{
    return add_number(line, &sum->read, &sum->written);
}

static bool add_operations(const char *line, tri__disk_traffic *sum)
{
    return add_number(line, &sum->reads, &sum->writes);
}

/* Add up the lines of a file. Returns how many are about disks; −1 if there is no such file. */
static int add_lines(const char *folder, const char *file, add_disk *add, tri__disk_traffic *sum)
{
    char path[TRI_GROUP_PATH + 64], line[256];
    int count = 0;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *stream = *folder ? fopen(path, "re") : NULL;
    if (!stream)
        return -1;
    while (fgets(line, sizeof line, stream))
        count += add(line, sum);
    fclose(stream);
    return count;
}

/* A group of version 1 lists a disk, idle or not, if the kernel counts for it (lab/cluster/limits.c sees to that). Version 2 counts always,
 * and lists a disk from its first use on. */
static void read_disks(tri__control_group *group)
{
    tri__disk_traffic *sum = &group->disk;
    *sum = (tri__disk_traffic){0};
    if (group->version_2)
        group->counts_disks = add_lines(group->disks, "io.stat", add_all, sum) >= 0;
    else
        group->counts_disks = add_lines(group->disks, "blkio.throttle.io_service_bytes", add_bytes, sum) > 0 &&
                              add_lines(group->disks, "blkio.throttle.io_serviced", add_operations, sum) > 0;
}

static tri__disk_traffic disk_rates(const tri__disk_traffic *from, const tri__disk_traffic *to, double seconds)
{
    return (tri__disk_traffic){
        .read = fmax(0, to->read - from->read) / seconds,
        .written = fmax(0, to->written - from->written) / seconds,
        .reads = fmax(0, to->reads - from->reads) / seconds,
        .writes = fmax(0, to->writes - from->writes) / seconds,
    };
}

/* ---- its CPU time ---- */

static void read_times(tri__control_group *group)
{
    const double ticks = (double)sysconf(_SC_CLK_TCK);
    group->time = tri__clock_now();
    group->user = group->version_2 ? number_of(group->cpu, "cpu.stat", "user_usec", 0) * 1e-6
                                   : number_of(group->cpu, "cpuacct.stat", "user", 0) / ticks;
    group->system = group->version_2 ? number_of(group->cpu, "cpu.stat", "system_usec", 0) * 1e-6
                                     : number_of(group->cpu, "cpuacct.stat", "system", 0) / ticks;
    double nanoseconds, unused;
    const bool exact = !group->version_2 && numbers_of(group->cpu, "cpuacct.usage", &nanoseconds, &unused) > 0;
    group->total = exact ? nanoseconds * 1e-9 : group->user + group->system;
    group->periods = number_of(group->quota, "cpu.stat", "nr_periods", 0);
    group->throttled = number_of(group->quota, "cpu.stat", "nr_throttled", 0);
}

/* A sample may be shorter than a period: then the value of the sample before is kept. */
static double denied_since(const tri__control_group *now, const tri__control_group *before)
{
    const double periods = now->periods - before->periods;
    return periods > 0 ? (now->throttled - before->throttled) / periods : before->denied;
}

/* ---- readings ---- */

bool tri__control_group_find(tri__control_group *group)
{
    char line[512];
    *group = (tri__control_group){0};
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof line, file))
        read_membership(group, line);
    if (file)
        fclose(file);
    if (!*group->cpu)
        return false;
    read_times(group);
    read_disks(group);
    return true;
}

tri__group_sample tri__control_group_take(tri__control_group *group)
{
    const tri__control_group before = *group;
    read_times(group);
    read_disks(group);
    group->denied = denied_since(group, &before);
    const double passed = tri__clock_seconds(group->time - before.time), seconds = passed * tri__control_group_cpus(group);
    /* Ticks often miss a group that runs for a few milliseconds at a time. So `total` gives its time; ticks only divide it. */
    const double user = group->user - before.user, system = group->system - before.system, total = group->total - before.total;
    const double share = user + system > 0 ? user / (user + system) : 1, used = seconds > 0 ? 100 * total / seconds : 0;
    return (tri__group_sample){
        .user = used * share,
        .system = used * (1 - share),
        .denied = used < 100 ? (100 - used) * group->denied : 0,
        .used = number_of(group->memory, "memory.stat", group->version_2 ? "anon" : "rss", 0),
        .cached = number_of(group->memory, "memory.stat", group->version_2 ? "file" : "cache", 0),
        .limit = limit_of(group),
        .counts_disks = group->counts_disks && before.counts_disks && passed > 0,
        .disk = passed > 0 ? disk_rates(&before.disk, &group->disk, passed) : (tri__disk_traffic){0},
    };
}
