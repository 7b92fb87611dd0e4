/* sampler.h: a thread that samples this process and its host at an even pace, into a file (sample.h). */
#ifndef TRI_WATCH_SAMPLE_SAMPLER_H
#define TRI_WATCH_SAMPLE_SAMPLER_H

#include "watch/sample/sample.h"

typedef struct {
    const char *path;                   /* a file that is there is continued: a task may be started again. One of another host or with other
                                         * columns is set aside as path.1, path.2 … */
    const char *command;                /* for the header; borrowed for the call */
    int64_t every;                      /* nanoseconds */
    const tri__task_counters *counters; /* borrowed until the sampler has stopped */
} tri__sampler_options;

typedef struct tri__sampler tri__sampler;

TRI_MUST_CHECK tri_status tri__sampler_start(const tri__sampler_options *options, tri__sampler **out);
void tri__sampler_take(tri__sampler *sampler);         /* one more sample, now, by any thread; accepts NULL */
double tri__sampler_cost(const tri__sampler *sampler); /* CPU seconds that its thread has used up to its last sample; 0 for NULL */
void tri__sampler_stop(tri__sampler *sampler);         /* after a last sample; accepts NULL */

#endif
