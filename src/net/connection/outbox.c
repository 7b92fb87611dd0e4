/* outbox.c: a ring of frames, of which the first may have been sent in part. */
#include "net/connection/outbox.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"

enum { FIRST_CAPACITY = 8 };

static tri__waiting_frame *waiting_at(const tri__outbox *outbox, size_t index)
{
    return &outbox->ring[(outbox->first + index) & (outbox->capacity - 1)];
}

/* Twice the room; the frames move to the front. */
static tri_status grow(tri__outbox *outbox)
{
    size_t capacity = outbox->capacity ? 2 * outbox->capacity : FIRST_CAPACITY;
    tri__waiting_frame *ring = NULL;
    TRI_TRY(tri__allocate(capacity, sizeof *ring, "frames that wait to be sent", &ring));
    for (size_t i = 0; i < outbox->count; i++)
        ring[i] = *waiting_at(outbox, i);
    free(outbox->ring);
    outbox->ring = ring;
    outbox->capacity = capacity;
    outbox->first = 0;
    return NULL;
}

tri_status tri__outbox_add(tri__outbox *outbox, const tri__frame *frame, const void *body)
{
    if (outbox->count == outbox->capacity)
        TRI_TRY(grow(outbox));
    tri__waiting_frame *waiting = waiting_at(outbox, outbox->count++);
    tri__head_write(frame, waiting->head);
    waiting->body = body;
    waiting->size = frame->size;
    waiting->copy = NULL;
    outbox->bytes += TRI_HEAD_SIZE + waiting->size;
    return NULL;
}

tri_status tri__outbox_keep_last(tri__outbox *outbox)
{
    assert(outbox->count > 0);
    tri__waiting_frame *waiting = waiting_at(outbox, outbox->count - 1);
    if (waiting->copy || waiting->size == 0)
        return NULL;
    TRI_TRY(tri__allocate(waiting->size, 1, "a frame that waits to be sent", &waiting->copy));
    memcpy(waiting->copy, waiting->body, waiting->size);
    waiting->body = waiting->copy;
    return NULL;
}

void tri__outbox_fini(tri__outbox *outbox)
{
    for (size_t i = 0; i < outbox->count; i++)
        free(waiting_at(outbox, i)->copy);
    free(outbox->ring);
    *outbox = (tri__outbox){0};
}

int tri__outbox_pieces(const tri__outbox *outbox, struct iovec *pieces, int most)
{
    int count = 0;
    size_t skip = outbox->sent;
    for (size_t i = 0; i < outbox->count && count + 2 <= most; i++) {
        const tri__waiting_frame *waiting = waiting_at(outbox, i);
        size_t of_head = skip < TRI_HEAD_SIZE ? skip : TRI_HEAD_SIZE, of_body = skip - of_head;
        if (of_head < TRI_HEAD_SIZE)
            pieces[count++] = (struct iovec){(void *)(uintptr_t)(waiting->head + of_head), TRI_HEAD_SIZE - of_head};
        if (of_body < waiting->size)
            pieces[count++] = (struct iovec){(void *)(uintptr_t)(waiting->body + of_body), waiting->size - of_body};
        skip = 0;
    }
    return count;
}

void tri__outbox_taken(tri__outbox *outbox, size_t size)
{
    assert(size <= outbox->bytes);
    outbox->bytes -= size;
    outbox->sent += size;
    while (outbox->count > 0 && outbox->sent >= TRI_HEAD_SIZE + waiting_at(outbox, 0)->size) {
        tri__waiting_frame *waiting = waiting_at(outbox, 0);
        outbox->sent -= TRI_HEAD_SIZE + waiting->size;
        free(waiting->copy);
        outbox->first = (outbox->first + 1) & (outbox->capacity - 1);
        outbox->count--;
    }
}
