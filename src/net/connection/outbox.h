/* outbox.h: frames that wait to be sent: a ring that grows and is kept, so that sending allocates nothing once it is large enough.
 * It has no socket: the caller asks for the bytes that come next, sends some, and says how many were sent. */
#ifndef TRI_NET_CONNECTION_OUTBOX_H
#define TRI_NET_CONNECTION_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "net/connection/inbox.h"

typedef struct {
    uint8_t head[TRI_HEAD_SIZE];
    const uint8_t *body;
    size_t size;
    void *copy; /* of the body, to be freed; NULL: borrowed */
} tri__waiting_frame;

typedef struct {
    tri__waiting_frame *ring; /* of capacity frames, a power of two */
    size_t capacity, first, count;
    size_t sent;  /* bytes of the first frame that were sent */
    size_t bytes; /* bytes of all frames that wait */
} tri__outbox;    /* {0} is an empty one */

TRI_MUST_CHECK tri_status tri__outbox_add(tri__outbox *outbox, const tri__frame *frame, const void *body);
void tri__outbox_fini(tri__outbox *outbox);

/* Copy the body of the last frame, because its owner does not keep it. */
TRI_MUST_CHECK tri_status tri__outbox_keep_last(tri__outbox *outbox);

/* The bytes that come next, in up to `most` pieces (most: at least two). Returns the number of pieces. */
int tri__outbox_pieces(const tri__outbox *outbox, struct iovec *pieces, int most);
void tri__outbox_taken(tri__outbox *outbox, size_t size);

#endif
