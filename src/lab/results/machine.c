/* machine.c: describes the machine, from what the kernel says. */
#include "lab/results/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The CPU from the line "model name : AMD EPYC 7763" of /proc/cpuinfo; "unknown" where there is no such line. */
static void read_cpu(char *name, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char *line = NULL;
    size_t room = 0;
    snprintf(name, size, "unknown");
    while (file && getline(&line, &room, file) > 0) {
        const char *colon = strncmp(line, "model name", 10) ? NULL : strchr(line, ':');
        if (!colon)
            continue;
        snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    free(line);
    if (file)
        fclose(file);
}

json_t *tri__machine_json(void)
{
    struct utsname system = {0};
    char cpu[128];
    read_cpu(cpu, sizeof cpu);
    uname(&system);
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e6;
    return json_pack("{s:s, s:s, s:s, s:i, s:f}", "host", system.nodename, "kernel", system.release, "cpu", cpu, "cpus",
                     (int)sysconf(_SC_NPROCESSORS_ONLN), "memory_mb", memory);
}

const char *tri__machine_text(const json_t *machine, char *text, size_t size)
{
    const char *cpu = json_string_value(json_object_get(machine, "cpu")), *kernel = json_string_value(json_object_get(machine, "kernel"));
    snprintf(text, size, "%lld CPUs (%s), %.0f GB, Linux %s", (long long)tri__json_integer_of(machine, "cpus", 0), cpu ? cpu : "unknown",
             tri__json_number_of(machine, "memory_mb") / 1000, kernel ? kernel : "unknown");
    return text;
}
