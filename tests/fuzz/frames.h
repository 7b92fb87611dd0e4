/* frames.h: what the targets of parameter servers share: frames made of a fuzzer's bytes.
 *
 * A frame is eight bytes: its type, whether it states its true size, the numbers of its head, the size of the body; then up to 64 bytes
 * of body. So a fuzzer reaches the handlers soon; arbitrary bytes would hardly ever be a message. */
#ifndef TESTS_FUZZ_FRAMES_H
#define TESTS_FUZZ_FRAMES_H

#include <stdlib.h>

#include "net/connection/inbox.h"
#include "store/ps/protocol/message.h"

enum { FRAME_FRONT = 8, FRAME_BODY = 64 };

static inline void require(int condition)
{
    if (!condition)
        abort();
}

/* The frame at data, and how many bytes its body has; it stands at data + FRAME_FRONT. False at the end. The last word is the caller's,
 * of *last. */
static inline bool frame_next(const uint8_t *data, size_t size, tri__frame *frame, size_t *body, uint8_t *last)
{
    if (size < FRAME_FRONT)
        return false;
    size_t room = size - FRAME_FRONT, wanted = data[7] % (FRAME_BODY + 1);
    *body = wanted < room ? wanted : room;
    *last = data[6];
    *frame = (tri__frame){
        .type = data[0] % (TRI_MSG_TYPES + 1),
        .size = data[1] & 1 ? (uint32_t)*body : (uint32_t)data[1] << (data[1] % 24),
        .word = {data[2] | (uint64_t)data[3] << 32, data[1] & 2 ? (uint64_t)(int8_t)data[4] : data[4], data[5]},
    };
    return true;
}

#endif
