/* disk.c: asks /sys which devices there are; the names of some kinds say that they are no disks. */
#include "watch/host/disk.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool tri__is_disk(const char *name)
{
    static const char *const others[] = {"loop", "ram", "zram", "dm-", "md", "sr", "fd"};
    char path[64];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strncmp(name, others[i], strlen(others[i])))
            return false;
    snprintf(path, sizeof path, "/sys/block/%.31s", name);
    return access(path, F_OK) == 0;
}

/* /sys/dev/block/254:0 is a link to the folder of the device, which has its name. */
bool tri__is_disk_number(int major, int minor)
{
    char path[64], folder[PATH_MAX];
    snprintf(path, sizeof path, "/sys/dev/block/%d:%d", major, minor);
    const ssize_t size = readlink(path, folder, sizeof folder - 1);
    if (size <= 0)
        return false;
    folder[size] = 0;
    const char *name = strrchr(folder, '/');
    return tri__is_disk(name ? name + 1 : folder);
}
