/* trace_fuzz.c: a part of a trace out of any bytes: whatever is read of it has a process, a name and a lane. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "fuzz/memory_file.h"
#include "watch/report/trace_part.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[MEMORY_FILE];
    const int fd = memory_file(data, size, path);
    tri__trace_part *part;
    tri_status status = tri__trace_part_open(path, &part);
    if (status)
        abort();
    for (const tri__trace_event *event; (event = tri__trace_part_next(part));)
        if (strlen(tri__trace_part_name(part)) + strlen(tri__trace_part_lane(part, event->lane)) >= 2 * TRI_TRACE_TEXT ||
            tri__trace_part_process(part) < 1)
            abort();
    tri__trace_part_rewind(part);
    tri__trace_part_close(part);
    close(fd);
    return 0;
}
