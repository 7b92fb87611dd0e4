/* disk.h: which block devices are disks, whose bytes are counted. */
#ifndef TRI_WATCH_HOST_DISK_H
#define TRI_WATCH_HOST_DISK_H

#include <stdbool.h>

/* Whether the device of this name is a disk: not a partition, and not a device on top of others, whose bytes would count twice. */
bool tri__is_disk(const char *name);
bool tri__is_disk_number(int major, int minor); /* the same for a device's numbers, as in "254:0" */

#endif
