/* inbox.h: turns bytes that arrive into frames. It has no socket: the caller asks where the next bytes go, puts some there, and takes the
 * frames that are complete. A body is read straight to its destination; bytes behind it (often the next head, or several small frames) wait
 * in a small buffer. */
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
    TRI_INBOX_WANTS, /* no further frame is whole: read more bytes */
    TRI_INBOX_HEAD,  /* the head of `frame` has come, and its body, which is not empty, needs a destination */
    TRI_INBOX_WHOLE, /* `frame` is whole, and its body (NULL where it is empty) is at its destination */
} tri__inbox_event;

typedef struct {
    tri__frame frame; /* the frame that is being read */
    uint8_t *body;    /* where its body goes */
    size_t got;       /* bytes of the body that have come */
    enum { INBOX_IDLE, INBOX_UNPLACED, INBOX_BODY } state;
    size_t first, end; /* the bytes of spill that wait */
    uint8_t spill[TRI_INBOX_SPILL];
} tri__inbox; /* {0} is an empty one */

/* Where the next bytes go. Returns the number of places, at least one. Call it after tri__inbox_next returned WANTS. */
int tri__inbox_places(tri__inbox *inbox, struct iovec places[TRI_INBOX_PLACES]);
void tri__inbox_filled(tri__inbox *inbox, size_t size); /* `size` bytes were put there */

tri__inbox_event tri__inbox_next(tri__inbox *inbox);
void tri__inbox_set_body(tri__inbox *inbox, void *body); /* after HEAD */

bool tri__inbox_is_between(const tri__inbox *inbox); /* no frame has begun */

#endif
