/* inbox.c: reads frames: a head, then as many bytes as the head says. */
#include "net/connection/inbox.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

void tri__head_write(const tri__frame *frame, uint8_t head[TRI_HEAD_SIZE])
{
    uint32_t front[2] = {htole32(frame->type), htole32(frame->size)};
    uint64_t word[TRI_FRAME_WORDS];
    for (int i = 0; i < TRI_FRAME_WORDS; i++)
        word[i] = htole64(frame->word[i]);
    memcpy(head, front, sizeof front);
    memcpy(head + sizeof front, word, sizeof word);
}

void tri__head_read(const uint8_t head[TRI_HEAD_SIZE], tri__frame *frame)
{
    uint32_t front[2];
    uint64_t word[TRI_FRAME_WORDS];
    memcpy(front, head, sizeof front);
    memcpy(word, head + sizeof front, sizeof word);
    frame->type = le32toh(front[0]);
    frame->size = le32toh(front[1]);
    for (int i = 0; i < TRI_FRAME_WORDS; i++)
        frame->word[i] = le64toh(word[i]);
}

int tri__inbox_places(tri__inbox *inbox, struct iovec places[TRI_INBOX_PLACES])
{
    int count = 0;
    if (inbox->state == INBOX_BODY)
        places[count++] = (struct iovec){inbox->body + inbox->got, inbox->frame.size - inbox->got};
    memmove(inbox->spill, inbox->spill + inbox->first, inbox->end - inbox->first); /* less than a head */
    inbox->end -= inbox->first;
    inbox->first = 0;
    places[count++] = (struct iovec){inbox->spill + inbox->end, sizeof inbox->spill - inbox->end};
    return count;
}

void tri__inbox_filled(tri__inbox *inbox, size_t size)
{
    size_t missing = inbox->state == INBOX_BODY ? inbox->frame.size - inbox->got : 0;
    size_t straight = size < missing ? size : missing;
    inbox->got += straight;
    inbox->end += size - straight;
    assert(inbox->end <= sizeof inbox->spill);
}

void tri__inbox_set_body(tri__inbox *inbox, void *body)
{
    assert(inbox->state == INBOX_UNPLACED && body);
    size_t spilt = inbox->end - inbox->first;
    inbox->got = spilt < inbox->frame.size ? spilt : inbox->frame.size;
    inbox->body = body;
    memcpy(body, inbox->spill + inbox->first, inbox->got);
    inbox->first += inbox->got;
    inbox->state = INBOX_BODY;
}

/* Take a head from the bytes that wait in spill. */
static tri__inbox_event begin(tri__inbox *inbox)
{
    if (inbox->end - inbox->first < TRI_HEAD_SIZE)
        return TRI_INBOX_WANTS;
    tri__head_read(inbox->spill + inbox->first, &inbox->frame);
    inbox->first += TRI_HEAD_SIZE;
    inbox->body = NULL;
    if (inbox->frame.size == 0)
        return TRI_INBOX_WHOLE;
    inbox->state = INBOX_UNPLACED;
    return TRI_INBOX_HEAD;
}

tri__inbox_event tri__inbox_next(tri__inbox *inbox)
{
    switch (inbox->state) {
    case INBOX_IDLE:
        return begin(inbox);
    case INBOX_UNPLACED:
        return TRI_INBOX_HEAD;
    case INBOX_BODY:
        break;
    }
    if (inbox->got < inbox->frame.size)
        return TRI_INBOX_WANTS;
    inbox->state = INBOX_IDLE;
    return TRI_INBOX_WHOLE;
}

bool tri__inbox_is_between(const tri__inbox *inbox)
{
    return inbox->state == INBOX_IDLE && inbox->first == inbox->end;
}
