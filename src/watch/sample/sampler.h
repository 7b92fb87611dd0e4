/* sampler.h: a thread that samples this process and its host at an even pace, and writes the samples to a file (sample.h). */
#ifndef TRI_WATCH_SAMPLE_SAMPLER_H
#define TRI_WATCH_SAMPLE_SAMPLER_H

#include "watch/sample/sample.h"

typedef struct {
    const char *path;                   /* if the file exists, samples are added to it (sample_file.h). NULL: samples are kept in memory
                                         * until tri__sampler_kept takes them */
    const char *peers;                  /* where traffic by peer is written (peers.h); NULL: nowhere */
    const char *command;                /* for the header; borrowed for the call */
    int64_t every;                      /* nanoseconds */
    const tri__task_counters *counters; /* borrowed until the sampler has stopped */
} tri__sampler_options;

typedef struct tri__sampler tri__sampler;

TRI_MUST_CHECK tri_status tri__sampler_start(const tri__sampler_options *options, tri__sampler **out);
void tri__sampler_take(tri__sampler *sampler);  /* take one more sample now; any thread; accepts NULL */
char *tri__sampler_kept(tri__sampler *sampler); /* what was sampled since the last call, as a file; the caller frees it. NULL: nothing */
double tri__sampler_cost(const tri__sampler *sampler); /* CPU seconds of its thread up to its last sample; 0 for NULL */
void tri__sampler_stop(tri__sampler *sampler);         /* takes a last sample first; accepts NULL */

#endif
