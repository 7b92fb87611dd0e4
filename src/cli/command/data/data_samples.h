/* data_samples.h: what this host did while a data command worked: --samples DIR, --sample-every T. */
#ifndef TRI_CLI_COMMAND_DATA_DATA_SAMPLES_H
#define TRI_CLI_COMMAND_DATA_DATA_SAMPLES_H

#include "cli/table/option.h"
#include "train/job/command_line.h"
#include "watch/sample/sampler.h"

typedef struct {
    tri__task_counters work; /* a data command has no steps: all are 0 */
    tri__sampler *sampler;   /* NULL: nobody asked for samples */
} tri__data_samples;

/* Begin to write DIR/HOST.csv, in the layout of a run's samples. Does nothing without --samples. *out must not move until it is stopped. */
TRI_MUST_CHECK tri_status tri__data_samples_start(const tri__arguments *arguments, tri__data_samples *out);
void tri__data_samples_stop(tri__data_samples *samples);

/* Hand the two options on to a command on another host. */
void tri__data_samples_add(const tri__arguments *arguments, tri__command_line *line);

#define SAMPLES_ROW                                                                                                                        \
    {                                                                                                                                      \
        .name = "samples", .argument = "DIR", .kind = TRI_OPTION_TEXT, .completion = "folder",                                             \
        .meaning = "write CPU, memory, disk and network of the host meanwhile to DIR/HOST.csv"                                             \
    }
#define SAMPLE_EVERY_ROW                                                                                                                   \
    {                                                                                                                                      \
        .name = "sample-every", .argument = "T", .kind = TRI_OPTION_TEXT, .standard = "1s", .meaning = "with --samples: how often"         \
    }

#endif
