/* event_reader.h: reads event files back, ours and TensorFlow's, one value at a time. */
#ifndef TRI_WATCH_EVENT_READER_H
#define TRI_WATCH_EVENT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/wire.h"
#include "trireme/status.h"

typedef enum { TRI_EVENT_VERSION, TRI_EVENT_SCALAR, TRI_EVENT_TEXT, TRI_EVENT_GRAPH, TRI_EVENT_OTHER } tri__event_kind;

/* Bytes of what is being read; not a string. */
typedef struct {
    const uint8_t *data;
    size_t size;
} tri__span;

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

/* The next value; *more is false at the end. A file that ends within a record ends there, and cut_short is set. */
TRI_MUST_CHECK tri_status tri__event_next(tri__event_reader *reader, tri__event *event, bool *more);

typedef struct {
    int64_t step;
    double wall;
    float value;
} tri__scalar;

/* All scalars of tag in the file at path, in its order; free() them. None is not an error. */
TRI_MUST_CHECK tri_status tri__event_scalars(const char *path, const char *tag, tri__scalar **out, size_t *count);

bool tri__span_equal(tri__span span, const char *text);

#endif
