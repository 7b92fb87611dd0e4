/* control_group.h: what the control group of a virtual host (trireme cluster) counts, in both versions of the kernel's interface. */
#ifndef TRI_WATCH_HOST_CONTROL_GROUP_H
#define TRI_WATCH_HOST_CONTROL_GROUP_H

#include <stdbool.h>
#include <stdint.h>

enum { TRI_GROUP_PATH = 512 };

typedef struct {
    bool version_2;
    char cpu[TRI_GROUP_PATH], quota[TRI_GROUP_PATH], memory[TRI_GROUP_PATH]; /* folders; empty where the group has no such controller */
    int64_t time;                                                            /* of the last reading … */
    double user, system;                                                     /* … and the seconds of CPU until then, to a tick … */
    double total;                                                            /* … and of both, to the nanosecond */
    double periods, throttled; /* of the quota: all until then, and those in which processes wanted more than it */
    double denied;             /* the share of such periods, in the latest reading that had any */
} tri__control_group;

typedef struct {
    double user, system; /* percent of the CPUs that the group may use … */
    double denied;       /* … and of the rest: what processes wanted and the quota did not give */
    double used, cached; /* bytes of memory */
    double limit;        /* of memory; 0 where there is none */
} tri__group_sample;

/* The group that this process is in, and its first reading. False: this process is on no virtual host. */
bool tri__control_group_find(tri__control_group *group);
double tri__control_group_cpus(const tri__control_group *group);      /* that it may use: a part of one, where its quota says so */
tri__group_sample tri__control_group_take(tri__control_group *group); /* since the call before */

#endif
