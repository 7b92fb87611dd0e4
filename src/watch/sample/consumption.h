/* consumption.h: what the tasks of a run and their hosts used, from the run's samples (sample.h). */
#ifndef TRI_WATCH_SAMPLE_CONSUMPTION_H
#define TRI_WATCH_SAMPLE_CONSUMPTION_H

#include "trireme/status.h"
#include "watch/sample/sample_read.h"

typedef struct {
    char name[TRI_SAMPLE_TASK];     /* "ps:0", "supervisor"; of a host its name */
    char host[TRI_SAMPLE_TASK];     /* that a task is on */
    double seconds;                 /* sampled */
    double cpu_percent;             /* of a task: 100 is one CPU; of a host: 100 is all of them */
    double stolen_percent;          /* of a host: wanted by its processes, and given to others or denied by a quota */
    double memory_mb, peak_mb;      /* mean and most; MB = 10⁶ bytes */
    double sent, received;          /* bytes: of a task by the store's own count, of a host over its links (not lo) */
    double disk_read, disk_written; /* bytes */
    struct {
        char name[TRI_SAMPLE_LINK];
        double most;  /* bytes a second that it can carry; 0: none of the host's links has a known speed */
        double fill;  /* the share of it that was used in half of the samples or more … */
        bool sends;   /* … in this direction */
        double other; /* the fill of the other direction */
    } link;           /* of a host: its fullest one */
} tri__consumer;

typedef struct {
    tri__consumer *task, *host;
    int tasks, hosts;
} tri__consumption;

/* From the samples in folder (RUN/samples) that were taken after `since`, in seconds since 1970. No samples: no tasks, no hosts. */
TRI_MUST_CHECK tri_status tri__consumption_read(const char *folder, double since, tri__consumption *out);
void tri__consumption_fini(tri__consumption *consumption);

#endif
