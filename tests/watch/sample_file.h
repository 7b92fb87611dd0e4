/* sample_file.h: a run folder with files of samples that a test writes itself. */
#ifndef TESTS_WATCH_SAMPLE_FILE_H
#define TESTS_WATCH_SAMPLE_FILE_H

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"

/* Begin RUN/samples/NAME, with a pace of one second. */
static inline FILE *sample_file_begin(const char *run, const char *name, const char *host)
{
    char *samples = test_path(run, "samples"), *path = test_path(samples, name);
    assert_ok(tri__folder_create(samples));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "\"Trireme CSV output\"\n\"Layout:\",\"dstat\",,,,\"Every:\",\"1.000\"\n\"Host:\",\"%s\"\n\"Cmdline:\",\"x\"\n\"groups\"\n",
            host);
    fputs("\"epoch\",\"usr\",\"sys\",\"used\",\"recv\",\"send\",\"process:cpu\",\"process:used\",\"training:step\",\"training:examples\","
          "\"training:examples/s\",\"training:loss\",\"phase:compute\",\"phase:server\"\n",
          file);
    fflush(file);
    free(path);
    free(samples);
    return file;
}

/* A sample at this wall time; other numbers follow from the step. */
static inline void sample_file_add(FILE *file, double wall, int step, double speed)
{
    fprintf(file, "%.3f,40,10,1000000,300,200,150,%d,%d,%d,%g,%g,75,25\n", wall, 5000 + step, step, 100 * step, speed, 1.0 / (step + 1));
    fflush(file);
}

#endif
