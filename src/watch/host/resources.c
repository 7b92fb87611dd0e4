/* resources.c: what the kernel counted for this process. */
#include "watch/host/resources.h"

#include <stdio.h>
#include <sys/resource.h>

#include "base/thread/clock.h"

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

tri__usage tri__usage_now(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage); /* fails only for a wrong argument */
    return (tri__usage){.wall = tri__clock_now(), .cpu = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)};
}

double tri__usage_cpu_percent(const tri__usage *from, const tri__usage *to)
{
    double seconds = tri__clock_seconds(to->wall - from->wall);
    return seconds > 0 ? 100 * (to->cpu - from->cpu) / seconds : 0;
}

/* exec resets VmHWM, but not ru_maxrss, which may be that of the parent. ru_maxrss is used only if there is no /proc. */
double tri__peak_rss_mb(void)
{
    char line[256];
    double kilobytes = -1;
    FILE *file = fopen("/proc/self/status", "re");
    while (file && kilobytes < 0 && fgets(line, sizeof line, file))
        sscanf(line, "VmHWM: %lf kB", &kilobytes);
    if (file)
        fclose(file);
    if (kilobytes < 0) {
        struct rusage usage = {0};
        getrusage(RUSAGE_SELF, &usage);
        kilobytes = (double)usage.ru_maxrss;
    }
    return kilobytes * 1024 / 1e6;
}
