/* events_fuzz.c: the event reader on any bytes. Checksums would stop nearly every input at the first frame, so the bytes are also
 * read as the data of one well-formed frame. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "watch/event_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const uint8_t *data, size_t size)
{
    tri__event_reader reader;
    tri__event event;
    bool more = true;
    volatile uint8_t last = 0;
    tri__event_reader_init(&reader, "fuzz", data, size);
    while (more) {
        tri_status status = tri__event_next(&reader, &event, &more);
        if (status) {
            tri_status_free(status);
            return;
        }
        if (more && event.tag.size)
            last = event.tag.data[event.tag.size - 1];
        if (more && event.body.size)
            last = event.body.data[event.body.size - 1];
    }
    (void)last;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_all(data, size);
    uint8_t *framed = malloc(size + 16);
    if (!framed)
        return 0;
    uint64_t length = size;
    memcpy(framed, &length, 8);
    memcpy(framed + 8, &(uint32_t){tri__crc32c_masked(&length, 8)}, 4);
    if (size)
        memcpy(framed + 12, data, size);
    memcpy(framed + 12 + size, &(uint32_t){tri__crc32c_masked(framed + 12, size)}, 4);
    read_all(framed, size + 16);
    free(framed);
    return 0;
}
