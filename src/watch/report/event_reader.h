/* event_reader.h: reads event files, ours and TensorFlow's, one value at a time, also while they are being written. Every length and
 * checksum is verified before the bytes that it covers are used. */
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
    TRI_EVENT_RESTART, /* earlier values of its step and of later steps are void */
    TRI_EVENT_OTHER,
} tri__event_kind;

/* Bytes of the file; not a string. */
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
    double wall;             /* of the event whose values are being read */
    int64_t step;            /* of that event */
    tri__wire_reader values; /* the rest of its summary */
    bool cut_short;          /* the last record is incomplete: the run still writes, or has crashed */
} tri__event_reader;

void tri__event_reader_init(tri__event_reader *reader, const char *name, const void *data, size_t size);

/* The next value; *more is false at the end. If the file ends within a record, the call ends before that record: it sets cut_short, and
 * `at` is where the record begins. TRI_BAD_DATA if the file is damaged. */
TRI_MUST_CHECK tri_status tri__event_next(tri__event_reader *reader, tri__event *event, bool *more);

#endif
