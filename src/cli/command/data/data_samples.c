/* data_samples.c: samples of a data command. */
#include "cli/command/data/data_samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "train/options/options.h"

static tri_status start(const char *folder, int64_t every, tri__data_samples *out)
{
    char host[256] = "localhost", name[sizeof host + 8];
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, "%s.csv", host);
    TRI_TRY(tri_wrap(tri__folder_create(folder), "--samples"));
    char *path = tri__path_join(folder, name);
    if (!path)
        return tri_fail(TRI_NO_MEMORY, "no memory for a path");
    const tri__sampler_options options = {.path = path, .command = "", .every = every, .counters = &out->work};
    tri_status status = tri_wrap(tri__sampler_start(&options, &out->sampler), "--samples");
    free(path);
    return status;
}

tri_status tri__data_samples_start(const tri__arguments *arguments, tri__data_samples *out)
{
    const char *folder = tri__argument_text(arguments, "samples");
    int64_t every;
    *out = (tri__data_samples){0};
    atomic_store(&out->work.loss, NAN);
    TRI_TRY(tri__train_sample_every(&(tri__train_options){.sample_every = (char *)(uintptr_t)tri__argument_text(arguments, "sample-every")},
                                    &every));
    return folder && every ? start(folder, every, out) : NULL;
}

void tri__data_samples_stop(tri__data_samples *samples)
{
    tri__sampler_stop(samples->sampler);
    samples->sampler = NULL;
}

void tri__data_samples_add(const tri__arguments *arguments, tri__command_line *line)
{
    if (!tri__argument_given(arguments, "samples"))
        return;
    tri__command_line_add_format(line, "--samples=%s", tri__argument_text(arguments, "samples"));
    tri__command_line_add_format(line, "--sample-every=%s", tri__argument_text(arguments, "sample-every"));
}
