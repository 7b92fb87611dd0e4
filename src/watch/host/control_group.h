/* control_group.h: reads the counters of a virtual host's control group (trireme cluster), in both versions of the kernel's interface. */
#ifndef TRI_WATCH_HOST_CONTROL_GROUP_H
#define TRI_WATCH_HOST_CONTROL_GROUP_H

#include <stdbool.h>
#include <stdint.h>

enum { TRI_GROUP_PATH = 512 };

/* Bytes and operations of all disks: so far, or a second. */
typedef struct {
    double read, written, reads, writes;
} tri__disk_traffic;

typedef struct {
    bool version_2;
    /* folders; empty if the group has no such controller */
    char cpu[TRI_GROUP_PATH], quota[TRI_GROUP_PATH], memory[TRI_GROUP_PATH], disks[TRI_GROUP_PATH];
    int64_t time;              /* when the counters below were read */
    double user, system;       /* seconds of CPU so far, to a tick */
    double total;              /* seconds of CPU so far, user and system together, to the nanosecond */
    double periods, throttled; /* periods of the quota so far: all, and those in which processes wanted more than it gave */
    double denied;             /* throttled / periods, between the last two readings that differ in periods */
    bool counts_disks;         /* the kernel counts the group's traffic with disks */
    tri__disk_traffic disk;
} tri__control_group;

typedef struct {
    double user, system; /* percent of the CPUs that the group may use */
    double denied;       /* percent of these CPUs that processes wanted and the quota did not give */
    double used, cached; /* bytes of memory */
    double limit;        /* bytes of memory; 0 if there is no limit */
    bool counts_disks;   /* false: disk is not known */
    tri__disk_traffic disk;
} tri__group_sample;

/* Find the group of this process, and read its counters. False if this process is not on a virtual host. */
bool tri__control_group_find(tri__control_group *group);
double tri__control_group_cpus(const tri__control_group *group);      /* how many CPUs the group may use; a quota may be less than one */
tri__group_sample tri__control_group_take(tri__control_group *group); /* since the last call */

#endif
