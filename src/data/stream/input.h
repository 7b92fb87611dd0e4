/* input.h: a buffer for bytes that come from a pipe or the like; it keeps them until they are used.
 *
 * The buffer grows with the longest record, and never beyond TRI_INPUT_MOST bytes. One thread uses an input. */
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
    const volatile sig_atomic_t *stop; /* when *stop is not 0, reading ends; may be NULL */
    uint8_t *data;                     /* [room] */
    size_t first, end, room;           /* data[first] … data[end − 1] have come and are not used yet */
    int64_t offset;                    /* how many bytes came before data[first] */
    bool ended;                        /* no more bytes will come */
    bool stopped;                      /* ended because of stop */
} tri__input;

/* The descriptor is borrowed. */
TRI_MUST_CHECK tri_status tri__input_init(tri__input *input, int fd, const char *name, const volatile sig_atomic_t *stop);
void tri__input_fini(tri__input *input);

/* Wait for more bytes, at most `nanoseconds`. *came: some have come. The call may move the bytes in data. While TRI_INPUT_MOST bytes are
 * not used, nothing is read. */
TRI_MUST_CHECK tri_status tri__input_more(tri__input *input, int64_t nanoseconds, bool *came);

void tri__input_use(tri__input *input, size_t bytes); /* the first ones; at least `bytes` must be there */

#endif
