/* event_reader.h: reads event files back, ours and TensorFlow's, one value at a time, also while they are written. Every length and
 * checksum is checked before what it covers is looked at. */
#ifndef TRI_WATCH_REPORT_EVENT_READER_H
#define TRI_WATCH_REPORT_EVENT_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/wire.h"
#include "trireme/status.h"

typedef enum {
    TRI_EVENT_VERSION,
    TRI_EVENT_SCALAR,
    TRI_EVENT_TEXT,
    TRI_EVENT_GRAPH,
    TRI_EVENT_RESTART, /* what was said before of its step and later ones does not hold */
    TRI_EVENT_OTHER,
} tri__event_kind;

/* Bytes of what is being read; not a string. */
typedef struct {
    const uint8_t *data;
    size_t size;
} tri__span;

bool tri__span_equal(tri__span bytes, const char *text);

typedef struct {
    tri__event_kind kind;
    double wall; /* seconds since 1970 */
    int64_t step;
    tri__span tag;  /* of scalars, texts and others */
    float value;    /* of a scalar */
    tri__span body; /* a text, a version or a GraphDef */
} tri__event;

/* A reader borrows the bytes of the file and allocates nothing. */
typedef struct {
    const char *name; /* for messages */
    const uint8_t *start, *at, *end;
    double wall; /* of the event whose values are being given */
    int64_t step;
    tri__wire_reader values; /* what is left of its summary */
    bool cut_short;          /* the last record is not whole: a run that goes on, or ended in a crash */
} tri__event_reader;

void tri__event_reader_init(tri__event_reader *reader, const char *name, const void *data, size_t size);

/* The next value; *more is false at the end. A file that ends within a record ends there, and cut_short is set; `at` is then where that
 * record begins. TRI_BAD_DATA where the file is damaged. */
TRI_MUST_CHECK tri_status tri__event_next(tri__event_reader *reader, tri__event *event, bool *more);

#endif
