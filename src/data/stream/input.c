/* input.c: a buffer for bytes that come from a pipe or the like. A wait checks `stop` ten times a second, as a signal may arrive just
 * before the wait begins and would not interrupt it. */
#include "data/stream/input.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"

enum { FIRST_ROOM = 1 << 20, GLANCE = 100 /* milliseconds */ };

tri_status tri__input_init(tri__input *input, int fd, const char *name, const volatile sig_atomic_t *stop)
{
    *input = (tri__input){.fd = fd, .name = name, .stop = stop, .room = FIRST_ROOM};
    return tri__allocate(FIRST_ROOM, 1, "what is read from a stream", &input->data);
}

void tri__input_fini(tri__input *input)
{
    free(input->data);
    *input = (tri__input){0};
}

void tri__input_use(tri__input *input, size_t bytes)
{
    input->first += bytes;
    input->offset += (int64_t)bytes;
}

/* Make room after the last byte: move unused bytes to the front, and grow the buffer only if that is not enough. */
static tri_status make_room(tri__input *input)
{
    const size_t kept = input->end - input->first;
    if (input->end < input->room)
        return NULL;
    if (input->first > 0)
        memmove(input->data, input->data + input->first, kept);
    input->first = 0;
    input->end = kept;
    if (kept <= input->room / 2 || input->room == TRI_INPUT_MOST)
        return NULL;
    uint8_t *larger = realloc(input->data, 2 * input->room);
    if (!larger)
        return tri_fail(TRI_NO_MEMORY, "%s: no memory for a record of more than %zu bytes", input->name, kept);
    input->data = larger;
    input->room *= 2;
    return NULL;
}

/* *out: there is something to read, or the input has ended. Waits at most `milliseconds`. */
static tri_status glance(const tri__input *input, int milliseconds, bool *out)
{
    struct pollfd look = {.fd = input->fd, .events = POLLIN};
    const int count = poll(&look, 1, milliseconds);
    if (count < 0 && errno != EINTR)
        return tri_fail(TRI_IO, "cannot wait for %s: %s", input->name, strerror(errno));
    *out = count > 0;
    return NULL;
}

static tri_status read_some(tri__input *input, bool *came)
{
    const ssize_t count = read(input->fd, input->data + input->end, input->room - input->end);
    if (count < 0 && errno != EINTR && errno != EAGAIN)
        return tri_fail(TRI_IO, "cannot read %s: %s", input->name, strerror(errno));
    *came = count > 0;
    input->end += count > 0 ? (size_t)count : 0;
    input->ended = count == 0;
    return NULL;
}

tri_status tri__input_more(tri__input *input, int64_t nanoseconds, bool *came)
{
    const int64_t deadline = tri__clock_now() + nanoseconds;
    *came = false;
    TRI_TRY(make_room(input));
    while (!*came && !input->ended) {
        if (input->stop && __atomic_load_n(input->stop, __ATOMIC_RELAXED)) {
            input->ended = input->stopped = true;
            break;
        }
        const int64_t left = (deadline - tri__clock_now()) / TRI_MILLISECOND;
        bool ready;
        TRI_TRY(glance(input, left <= 0 ? 0 : left < GLANCE ? (int)left + 1 : GLANCE, &ready));
        if (ready && input->end < input->room)
            TRI_TRY(read_some(input, came));
        else if (left <= 0 || ready)
            break;
    }
    return NULL;
}
