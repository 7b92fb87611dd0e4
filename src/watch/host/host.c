/* host.c: reads the kernel's counters, and subtracts those of the last reading. Files: /proc/stat, /proc/meminfo, /proc/diskstats,
 * /proc/net/dev and, on a virtual host, those of the control group. */
#include "watch/host/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "watch/host/control_group.h"
#include "watch/host/disk.h"
#include "watch/host/link_speed.h"

enum { LINE = 512, SECTOR = 512 };

typedef struct {
    double user, system, idle, wait, steal; /* seconds of CPU since the host started */
} cpu_times;

typedef struct {
    char name[16];
    double received, sent;
} link_count;

typedef struct {
    int64_t time;
    double wall;
    cpu_times cpu;
    double *core_busy, *core_rest;
    link_count *link;
    double used, free, buffers, cached;
    double read, written, reads, writes;
    double received, sent;
    double interrupts, switches;
} reading;

struct tri__host {
    int cores, links;
    int room; /* of the arrays of links */
    bool has_group;
    tri__control_group group;
    reading before, now;
    cpu_times share; /* percent of all CPUs, as of the last sample */
    double *core;    /* [cores] percent, too */
    tri__link_rate *link;
};

/* ---- lines of /proc ---- */

typedef void read_line(tri__host *host, reading *into, const char *line);

static tri_status each_line(tri__host *host, const char *path, read_line *take, reading *into)
{
    char line[LINE];
    FILE *file = fopen(path, "re");
    if (!file)
        return tri_fail(TRI_UNSUPPORTED, "%s cannot be read: samples need Linux's /proc", path);
    while (fgets(line, sizeof line, file)) /* a longer line comes in pieces, of which only the first matters */
        take(host, into, line);
    fclose(file);
    return NULL;
}

static double ticks_to_seconds(double ticks)
{
    return ticks / (double)sysconf(_SC_CLK_TCK);
}

/* text: user nice system idle iowait irq softirq steal. Time of guests is already in user. */
static bool read_cpu(const char *text, cpu_times *out)
{
    double user, nice, system, idle, wait = 0, irq = 0, soft = 0, steal = 0;
    if (sscanf(text, "%lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &wait, &irq, &soft, &steal) < 4)
        return false;
    *out = (cpu_times){.user = ticks_to_seconds(user + nice),
                       .system = ticks_to_seconds(system + irq + soft),
                       .idle = ticks_to_seconds(idle),
                       .wait = ticks_to_seconds(wait),
                       .steal = ticks_to_seconds(steal)};
    return true;
}

static void read_core(const tri__host *host, reading *into, const char *line)
{
    int core, length;
    cpu_times times;
    if (sscanf(line, "cpu%d%n", &core, &length) < 1 || core < 0 || core >= host->cores || !read_cpu(line + length, &times))
        return;
    into->core_busy[core] = times.user + times.system + times.steal;
    into->core_rest[core] = times.idle + times.wait;
}

static void read_stat(tri__host *host, reading *into, const char *line)
{
    if (!strncmp(line, "cpu ", 4))
        read_cpu(line + 4, &into->cpu);
    else if (!strncmp(line, "cpu", 3))
        read_core(host, into, line);
    else if (sscanf(line, "intr %lf", &into->interrupts) < 1)
        sscanf(line, "ctxt %lf", &into->switches);
}

/* Used memory is neither free nor a cache that the kernel can give back. Memory that processes share counts as used. */
static void read_memory(tri__host *host, reading *into, const char *line)
{
    char name[32];
    double kilobytes;
    (void)host;
    if (sscanf(line, "%31[^:]: %lf kB", name, &kilobytes) < 2)
        return;
    const double bytes = kilobytes * 1024;
    if (!strcmp(name, "MemTotal") || !strcmp(name, "Shmem"))
        into->used += bytes;
    else if (!strcmp(name, "MemFree"))
        into->used -= into->free = bytes;
    else if (!strcmp(name, "Buffers"))
        into->used -= into->buffers = bytes;
    else if (!strcmp(name, "Cached"))
        into->used -= into->cached = bytes;
    else if (!strcmp(name, "SReclaimable"))
        into->used -= bytes;
}

static void read_disk(tri__host *host, reading *into, const char *line)
{
    char name[32];
    double reads, read, writes, written;
    (void)host;
    if (sscanf(line, "%*d %*d %31s %lf %*f %lf %*f %lf %*f %lf", name, &reads, &read, &writes, &written) < 5 || !tri__is_disk(name))
        return;
    into->reads += reads;
    into->writes += writes;
    into->read += read * SECTOR;
    into->written += written * SECTOR;
}

static bool read_interface(const char *line, link_count *out)
{
    return sscanf(line, " %15[^: ]: %lf %*f %*f %*f %*f %*f %*f %*f %lf", out->name, &out->received, &out->sent) == 3;
}

static void read_network(tri__host *host, reading *into, const char *line)
{
    link_count link;
    if (!read_interface(line, &link))
        return;
    for (int i = 0; i < host->links; i++)
        if (!strcmp(into->link[i].name, link.name))
            into->link[i] = link;
    if (!strcmp(link.name, "lo"))
        return;
    into->received += link.received;
    into->sent += link.sent;
}

/* ---- a reading ---- */

static tri_status take_reading(tri__host *host, reading *into)
{
    *into = (reading){.core_busy = into->core_busy, .core_rest = into->core_rest, .link = into->link};
    for (int i = 0; i < host->links; i++) /* an interface that is gone keeps its last counters */
        into->link[i] = host->before.link[i];
    into->time = tri__clock_now();
    into->wall = tri__clock_wall();
    TRI_TRY(each_line(host, "/proc/stat", read_stat, into));
    TRI_TRY(each_line(host, "/proc/meminfo", read_memory, into));
    TRI_TRY(each_line(host, "/proc/net/dev", read_network, into));
    tri_status_free(each_line(host, "/proc/diskstats", read_disk, into)); /* containers may not have this file */
    return NULL;
}

static double rate(double from, double to, double seconds)
{
    return seconds > 0 && to > from ? (to - from) / seconds : 0;
}

/* Never negative, as the kernel's counter of iowait may go back. */
static double growth(double from, double to)
{
    return to > from ? to - from : 0;
}

/* The kernel counts CPU time in ticks. If none has passed since the last sample, the shares are still those of that sample. */
static void take_shares(tri__host *host, tri__host_sample *out)
{
    const cpu_times *from = &host->before.cpu, *to = &host->now.cpu;
    const cpu_times spent = {.user = growth(from->user, to->user),
                             .system = growth(from->system, to->system),
                             .idle = growth(from->idle, to->idle),
                             .wait = growth(from->wait, to->wait),
                             .steal = growth(from->steal, to->steal)};
    const double total = spent.user + spent.system + spent.idle + spent.wait + spent.steal;
    if (total > 0)
        host->share = (cpu_times){.user = 100 * spent.user / total,
                                  .system = 100 * spent.system / total,
                                  .idle = 100 * spent.idle / total,
                                  .wait = 100 * spent.wait / total,
                                  .steal = 100 * spent.steal / total};
    out->user = host->share.user;
    out->system = host->share.system;
    out->idle = host->share.idle;
    out->wait = host->share.wait;
    out->steal = host->share.steal;
    for (int i = 0; i < host->cores; i++) {
        const double busy = growth(host->before.core_busy[i], host->now.core_busy[i]);
        const double rest = growth(host->before.core_rest[i], host->now.core_rest[i]);
        if (busy + rest > 0)
            host->core[i] = 100 * busy / (busy + rest);
    }
}

/* On a virtual host, CPU time is that of its own processes, and idle is the rest of its share. Time that its processes were denied counts
 * as stolen, as in a virtual machine. */
static void take_group(tri__host *host, tri__host_sample *out)
{
    const tri__group_sample sample = tri__control_group_take(&host->group);
    out->user = sample.user;
    out->system = sample.system;
    out->wait = 0;
    out->steal = sample.denied;
    out->idle = fmax(0, 100 - sample.user - sample.system - sample.denied);
    out->used = sample.used;
    out->cached = sample.cached;
    out->buffers = 0;
    if (sample.limit > 0)
        out->free = fmax(0, sample.limit - sample.used - sample.cached);
    if (sample.counts_disks) {
        out->read = sample.disk.read;
        out->written = sample.disk.written;
        out->reads = sample.disk.reads;
        out->writes = sample.disk.writes;
    }
}

static void take_rates(tri__host *host, tri__host_sample *out)
{
    const reading *from = &host->before, *to = &host->now;
    const double seconds = tri__clock_seconds(to->time - from->time);
    *out = (tri__host_sample){
        .wall = to->wall,
        .seconds = seconds,
        .used = to->used,
        .free = to->free,
        .buffers = to->buffers,
        .cached = to->cached,
        .read = rate(from->read, to->read, seconds),
        .written = rate(from->written, to->written, seconds),
        .reads = rate(from->reads, to->reads, seconds),
        .writes = rate(from->writes, to->writes, seconds),
        .received = rate(from->received, to->received, seconds),
        .sent = rate(from->sent, to->sent, seconds),
        .interrupts = rate(from->interrupts, to->interrupts, seconds),
        .switches = rate(from->switches, to->switches, seconds),
        .core = host->core,
        .cores = host->cores,
        .link = host->link,
        .links = host->links,
    };
    for (int i = 0; i < host->links; i++) {
        host->link[i].received = rate(from->link[i].received, to->link[i].received, seconds);
        host->link[i].sent = rate(from->link[i].sent, to->link[i].sent, seconds);
    }
}

tri_status tri__host_take(tri__host *host, tri__host_sample *out)
{
    TRI_TRY(take_reading(host, &host->now));
    take_rates(host, out);
    take_shares(host, out);
    if (host->has_group)
        take_group(host, out);
    const reading before = host->before;
    host->before = host->now;
    host->now = before;
    return NULL;
}

/* ---- from beginning to end ---- */

static void count_link(tri__host *host, reading *into, const char *line)
{
    link_count link;
    (void)into;
    host->room += read_interface(line, &link);
}

static void name_link(tri__host *host, reading *into, const char *line)
{
    if (host->links < host->room && read_interface(line, &into->link[host->links]))
        host->links++;
}

static tri_status allocate(tri__host *host)
{
    reading *const both[] = {&host->before, &host->now};
    for (int i = 0; i < 2; i++) {
        TRI_TRY(tri__allocate((size_t)host->cores, sizeof(double), "the CPUs of a sample", &both[i]->core_busy));
        TRI_TRY(tri__allocate((size_t)host->cores, sizeof(double), "the CPUs of a sample", &both[i]->core_rest));
        TRI_TRY(tri__allocate((size_t)host->room, sizeof(link_count), "the interfaces of a sample", &both[i]->link));
    }
    TRI_TRY(tri__allocate((size_t)host->cores, sizeof(double), "the CPUs of a sample", &host->core));
    return tri__allocate((size_t)host->room, sizeof *host->link, "the interfaces of a sample", &host->link);
}

static tri_status name_links(tri__host *host)
{
    TRI_TRY(each_line(host, "/proc/net/dev", name_link, &host->before));
    for (int i = 0; i < host->links; i++) {
        memcpy(host->link[i].name, host->before.link[i].name, sizeof host->link[i].name);
        host->link[i].most = tri__link_speed(host->link[i].name);
    }
    return NULL;
}

static tri_status open_host(tri__host *host)
{
    host->cores = (int)sysconf(_SC_NPROCESSORS_CONF);
    TRI_TRY(each_line(host, "/proc/net/dev", count_link, NULL));
    TRI_TRY(allocate(host));
    TRI_TRY(name_links(host));
    host->has_group = tri__control_group_find(&host->group);
    return take_reading(host, &host->before);
}

tri_status tri__host_open(tri__host **out)
{
    *out = NULL;
    tri__host *host;
    TRI_TRY(tri__allocate(1, sizeof *host, "a host's samples", &host));
    *host = (tri__host){0};
    tri_status status = open_host(host);
    if (status)
        tri__host_close(host);
    else
        *out = host;
    return status;
}

static void free_reading(reading *old)
{
    free(old->core_busy);
    free(old->core_rest);
    free(old->link);
}

void tri__host_close(tri__host *host)
{
    if (!host)
        return;
    free_reading(&host->before);
    free_reading(&host->now);
    free(host->core);
    free(host->link);
    free(host);
}

int tri__host_cores(const tri__host *host)
{
    return host->cores;
}

int tri__host_links(const tri__host *host)
{
    return host->links;
}

const char *tri__host_link_name(const tri__host *host, int index)
{
    return host->link[index].name;
}
