/* input.h: bytes that come one after another, such as those of a pipe, and are kept until they are used.
 *
 * There is memory for the longest record that was met, and never for more than TRI_INPUT_MOST bytes. One thread uses an input. */
#ifndef TRI_DATA_STREAM_INPUT_H
#define TRI_DATA_STREAM_INPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

#define TRI_INPUT_MOST ((size_t)64 << 20)

typedef struct {
    int fd;
    const char *name;                  /* for messages */
    const volatile sig_atomic_t *stop; /* nothing is read any more when it is not 0; NULL: there is no such sign */
    uint8_t *data;                     /* [room]; those that have come and are not used stand from first to end */
    size_t first, end, room;
    int64_t offset; /* of data[first] in all that has come */
    bool ended;     /* there is nothing more to come */
    bool stopped;   /* … because of stop */
} tri__input;

/* The descriptor is borrowed. */
TRI_MUST_CHECK tri_status tri__input_init(tri__input *input, int fd, const char *name, const volatile sig_atomic_t *stop);
void tri__input_fini(tri__input *input);

/* Wait for more bytes, for so long at most. *came: there are some. What stood in data may stand elsewhere afterwards. No more come while
 * TRI_INPUT_MOST of them are not used. */
TRI_MUST_CHECK tri_status tri__input_more(tri__input *input, int64_t nanoseconds, bool *came);

void tri__input_use(tri__input *input, size_t bytes); /* the first ones; there are as many */

#endif
