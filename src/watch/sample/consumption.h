/* consumption.h: what the tasks of a run and their hosts used, from the run's samples (sample.h). */
#ifndef TRI_WATCH_SAMPLE_CONSUMPTION_H
#define TRI_WATCH_SAMPLE_CONSUMPTION_H

#include "trireme/status.h"
#include "watch/sample/peers.h"
#include "watch/sample/sample_read.h"

typedef struct {
    char name[TRI_SAMPLE_TASK];     /* of a task: "ps:0", "supervisor"; of a host */
    char host[TRI_SAMPLE_TASK];     /* of a task: its host */
    double seconds;                 /* time that the samples cover */
    double cpu_percent;             /* of a task: 100 is one CPU; of a host: 100 is all its CPUs */
    double stolen_percent;          /* of a host: CPU time that its processes wanted, but others got or a quota denied */
    double memory_mb, peak_mb;      /* mean and peak; MB = 10⁶ bytes */
    double sent, received;          /* bytes: of a task, as it counts itself; of a host, over its links (not lo) */
    double disk_read, disk_written; /* bytes */
    double best_read;               /* bytes a second: the most that disks read in a whole sample */
    struct {
        char name[TRI_SAMPLE_LINK];
        double most;     /* bytes a second that it can carry; 0: none of the host's links has a known speed */
        double fill;     /* the share of most that was used in the fuller direction, the median over samples */
        bool sends;      /* the fuller direction is sending */
        double other;    /* the fill of the other direction */
    } link;              /* of a host: its fullest link */
    tri__peer_sum *peer; /* of a task: what it exchanged with each of its peers */
    int peers;
} tri__consumer;

typedef struct {
    tri__consumer *task, *host; /* tasks by role and number, the supervisor or launcher last; hosts in the order of their tasks */
    int tasks, hosts;
} tri__consumption;

/* Sum up the samples in folder (RUN/samples) that were taken after `since`, in seconds since 1970. Without samples there are no tasks and
 * no hosts. */
TRI_MUST_CHECK tri_status tri__consumption_read(const char *folder, double since, tri__consumption *out);
void tri__consumption_fini(tri__consumption *consumption);

#endif
