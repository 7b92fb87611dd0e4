/* inbox.h: bytes in, frames out. It has no socket: the caller asks where the next bytes go, puts some there, and takes the frames that are
 * complete. A body is read straight to its destination; what was read beyond it (often the next head, or several small frames) waits in a
 * small buffer. */
#ifndef TRI_NET_CONNECTION_INBOX_H
#define TRI_NET_CONNECTION_INBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "net/connection/connection.h"

enum { TRI_HEAD_SIZE = 8 + 8 * TRI_FRAME_WORDS, TRI_INBOX_SPILL = 4096, TRI_INBOX_PLACES = 2 };

void tri__head_write(const tri__frame *frame, uint8_t head[TRI_HEAD_SIZE]);
void tri__head_read(const uint8_t head[TRI_HEAD_SIZE], tri__frame *frame);

typedef enum {
    TRI_INBOX_WANTS, /* nothing more is whole: read some */
    TRI_INBOX_HEAD,  /* frame has come, and its body, which is not empty, needs a destination */
    TRI_INBOX_WHOLE, /* frame is whole, and its body (NULL where it is empty) at its destination */
} tri__inbox_event;

typedef struct {
    tri__frame frame; /* the one at work */
    uint8_t *body;    /* its place */
    size_t got;       /* bytes of the body that are there */
    enum { INBOX_IDLE, INBOX_UNPLACED, INBOX_BODY } state;
    size_t first, end; /* what waits in spill */
    uint8_t spill[TRI_INBOX_SPILL];
} tri__inbox; /* {0} is an empty one */

/* Where the next bytes go, at least one; the number of places. After next said WANTS. */
int tri__inbox_places(tri__inbox *inbox, struct iovec places[TRI_INBOX_PLACES]);
void tri__inbox_filled(tri__inbox *inbox, size_t size); /* so many bytes were put there */

tri__inbox_event tri__inbox_next(tri__inbox *inbox);
void tri__inbox_set_body(tri__inbox *inbox, void *body); /* after HEAD */

bool tri__inbox_is_between(const tri__inbox *inbox); /* no frame has begun */

#endif
