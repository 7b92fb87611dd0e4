/* samples_fuzz.c: the files from which a run is watched, out of any bytes: samples and marks. What is read is finite where it must be. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>

#include "fuzz/memory_file.h"
#include "watch/sample/marks.h"
#include "watch/sample/sample_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_marks(const char *path)
{
    tri__mark *mark;
    int count;
    char line[256];
    tri_status_free(tri__marks_read(path, &mark, &count));
    for (int i = 0; i < count; i++)
        if (!isfinite(mark[i].wall) || !*tri__mark_line(&mark[i], line, sizeof line))
            abort();
    free(mark);
}

static void read_samples(const char *path)
{
    tri__sample_reader *reader = tri__sample_reader_open(path);
    char name[TRI_SAMPLE_LINK];
    if (!reader)
        return;
    (void)tri__sample_reader_column(reader, "epoch");
    (void)tri__sample_reader_link(reader, 0, name);
    tri__sample_reader_skip(reader);
    while (tri__sample_reader_next(reader))
        ;
    tri__sample_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[MEMORY_FILE];
    const int fd = memory_file(data, size, path);
    read_marks(path);
    read_samples(path);
    close(fd);
    return 0;
}
