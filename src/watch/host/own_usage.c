/* own_usage.c: reads getrusage and /proc/self. If the kernel has no /proc/self/io, bytes of disks are 0. */
#include "watch/host/own_usage.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "watch/host/resources.h"

static void read_io(tri__own_counters *out)
{
    char line[128];
    FILE *file = fopen("/proc/self/io", "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "read_bytes: %lf", &out->read) < 1)
            sscanf(line, "write_bytes: %lf", &out->written);
    if (file)
        fclose(file);
}

static double resident_bytes(void)
{
    double pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%*f %lf", &pages) < 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (double)sysconf(_SC_PAGESIZE);
}

tri__own_counters tri__own_read(void)
{
    struct rusage usage = {0};
    const tri__usage now = tri__usage_now();
    getrusage(RUSAGE_SELF, &usage);
    tri__own_counters counters = {.time = now.wall, .cpu = now.cpu, .switches = (double)(usage.ru_nvcsw + usage.ru_nivcsw)};
    read_io(&counters);
    return counters;
}

tri__own_sample tri__own_between(const tri__own_counters *from, const tri__own_counters *to)
{
    const double seconds = (double)(to->time - from->time) * 1e-9;
    if (seconds <= 0)
        return (tri__own_sample){.resident = resident_bytes()};
    return (tri__own_sample){
        .cpu = 100 * (to->cpu - from->cpu) / seconds,
        .resident = resident_bytes(),
        .read = (to->read - from->read) / seconds,
        .written = (to->written - from->written) / seconds,
        .switches = (to->switches - from->switches) / seconds,
    };
}
