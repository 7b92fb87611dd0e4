/* http_fuzz.c: heads of HTTP requests, in pieces, and who is admitted by them. */
#include <stdlib.h>
#include <string.h>

#include "net/http/guard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte says how large the pieces are, and whether a token is asked for. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tri__http_reader *reader;
    if (size < 2)
        return 0;
    tri_status status = tri__http_reader_create(&reader);
    if (status) {
        tri_status_free(status);
        return 0;
    }
    const size_t piece = 1 + (data[0] & 0x7f);
    const tri__http_guard guard = {.token = data[0] & 0x80 ? "0123456789abcdef" : NULL, .port = 8080};
    tri__http_progress progress = TRI_HTTP_WANTS_MORE;
    for (size_t at = 1; at < size && progress == TRI_HTTP_WANTS_MORE; at += piece) {
        const size_t length = size - at < piece ? size - at : piece;
        char *part = malloc(length); /* of its own, so that a read beyond it is seen */
        if (!part)
            break;
        memcpy(part, data + at, length);
        progress = tri__http_reader_take(reader, part, length);
        free(part);
    }
    if (progress == TRI_HTTP_WHOLE)
        (void)tri__http_guard_check(&guard, tri__http_reader_request(reader));
    tri__http_reader_destroy(reader);
    return 0;
}
