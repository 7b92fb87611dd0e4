/* stream_fuzz.c: anything as standard input. Whatever is read is within the bounds of the source. */
#define _GNU_SOURCE /* memfd_create */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/stream/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FEATURES = 100 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void read_all(tri_source *source)
{
    tri__reader *reader;
    tri__awaited awaited;
    require(!tri__reader_create(source, &reader));
    while (!source->kind->await(source, 0, &awaited) && awaited == TRI_AWAITED_EXAMPLE) {
        const size_t width = (size_t)source->info.width;
        int32_t *keys = malloc(width * sizeof *keys), label;
        float *values = malloc(width * sizeof *values);
        int64_t count;
        tri_status status =
            source->kind->read(reader, 0, &(tri__example_target){.keys = keys, .values = values, .count = &count, .label = &label});
        for (int64_t i = 0; !status && i < count; i++)
            require(keys[i] >= 0 && keys[i] < FEATURES);
        require(status || label == 0 || label == 1);
        tri_status_free(status);
        free(keys);
        free(values);
    }
    tri__reader_destroy(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", 0);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
    tri_source *source;
    tri_status status = tri__stream_open(fd, "input", &(tri_source_options){.features = FEATURES, .classes = 2, .fields = 60}, &source);
    if (!status) {
        read_all(source);
        tri_source_destroy(source);
    }
    tri_status_free(status);
    close(fd);
    return 0;
}
