/* Any bytes, torn anyhow, may come to a connection's reader: it stays within the places that it gave, and makes the same frames of them as
 * a reader to whom they came at once. The first byte seeds the sizes of the pieces. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/connection/inbox.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST_BODY = 1 << 16 }; /* what the handlers of this test take */

static void require(int condition)
{
    if (!condition)
        abort();
}

/* Put up to `piece` bytes where the inbox wants them; how many. */
static size_t feed(tri__inbox *inbox, const uint8_t *data, size_t piece)
{
    struct iovec places[TRI_INBOX_PLACES];
    int count = tri__inbox_places(inbox, places);
    size_t fed = 0;
    for (int i = 0; i < count; i++) {
        size_t part = places[i].iov_len < piece - fed ? places[i].iov_len : piece - fed;
        memcpy(places[i].iov_base, data + fed, part);
        fed += part;
    }
    require(fed > 0 || piece == 0);
    tri__inbox_filled(inbox, fed);
    return fed;
}

/* The next frame must be what stands at data + *at. */
static void check(const tri__inbox *inbox, const uint8_t *data, size_t size, size_t *at)
{
    tri__frame expected;
    require(size - *at >= TRI_HEAD_SIZE);
    tri__head_read(data + *at, &expected);
    *at += TRI_HEAD_SIZE;
    require(memcmp(&expected, &inbox->frame, sizeof expected) == 0);
    require(size - *at >= expected.size && (expected.size == 0) == (inbox->body == NULL));
    require(expected.size == 0 || memcmp(data + *at, inbox->body, expected.size) == 0);
    *at += expected.size;
}

/* Take all that is whole. False where a body is too large, which ends a connection. */
static int take(tri__inbox *inbox, uint8_t **body, const uint8_t *data, size_t size, size_t *at)
{
    for (tri__inbox_event event; (event = tri__inbox_next(inbox)) != TRI_INBOX_WANTS;) {
        if (event == TRI_INBOX_WHOLE) {
            check(inbox, data, size, at);
        } else {
            if (inbox->frame.size > LARGEST_BODY)
                return 0;
            free(*body);
            *body = malloc(inbox->frame.size); /* of that size exactly: a byte beyond it is found */
            tri__inbox_set_body(inbox, *body);
        }
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    uint32_t seed = data[0];
    data++, size--;
    static tri__inbox inbox;
    inbox = (tri__inbox){0};
    uint8_t *body = NULL;
    size_t fed = 0, at = 0;
    int goes_on = 1;
    while (goes_on && fed < size) {
        seed = seed * 1664525 + 1013904223;
        size_t piece = 1 + (seed >> 16) % (seed & 0x8000 ? 40 : 5000);
        fed += feed(&inbox, data + fed, piece < size - fed ? piece : size - fed);
        goes_on = take(&inbox, &body, data, size, &at);
    }
    require(at <= fed && (!goes_on || tri__inbox_is_between(&inbox) == (at == size)));
    free(body);
    return 0;
}
