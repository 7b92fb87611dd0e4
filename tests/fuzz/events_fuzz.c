/* events_fuzz.c: event files, and the graph in them. The bytes are one Event message, since few damaged frames have right checksums. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes/crc32c.h"
#include "watch/web/graph_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes in a frame, and a part of a second one behind it. */
static uint8_t *frame(const uint8_t *data, size_t size, size_t *whole)
{
    const uint64_t length = size;
    const uint32_t head = tri__crc32c_masked(&length, sizeof length), tail = tri__crc32c_masked(data, size);
    uint8_t *bytes = malloc(size + 24);
    if (!bytes)
        return NULL;
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, &head, 4);
    memcpy(bytes + 12, data, size);
    memcpy(bytes + 12 + size, &tail, 4);
    memcpy(bytes + 16 + size, &length, 8);
    *whole = size + 24;
    return bytes;
}

static void read_all(const uint8_t *bytes, size_t size)
{
    tri__event_reader reader;
    tri__event event;
    bool more = true;
    tri__event_reader_init(&reader, "events", bytes, size);
    while (more) {
        tri_status status = tri__event_next(&reader, &event, &more);
        if (status)
            more = false;
        else if (more && event.kind == TRI_EVENT_GRAPH)
            json_decref(tri__graph_json(event.body));
        tri_status_free(status);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t whole;
    read_all(data, size);
    json_decref(tri__graph_json((tri__span){data, size}));
    uint8_t *bytes = frame(data, size, &whole);
    if (bytes)
        read_all(bytes, whole);
    free(bytes);
    return 0;
}
