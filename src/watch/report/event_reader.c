/* event_reader.c: TFRecord frames, the Event message in each, and the values of its summary. */
#include "watch/report/event_reader.h"

#include <math.h>
#include <string.h>

#include "base/bytes/crc32c.h"
#include "watch/report/event_fields.h"

enum { LENGTH = 8, CHECKSUM = 4, HEAD = LENGTH + CHECKSUM };

bool tri__span_equal(tri__span bytes, const char *text)
{
    return bytes.size == strlen(text) && memcmp(bytes.data, text, bytes.size) == 0;
}

void tri__event_reader_init(tri__event_reader *reader, const char *name, const void *data, size_t size)
{
    const uint8_t *start = size ? data : (const uint8_t *)"";
    *reader = (tri__event_reader){.name = name, .start = start, .at = start, .end = start + size};
}

static tri_status damaged(const tri__event_reader *reader, const char *why)
{
    return tri_fail(TRI_BAD_DATA, "%s: record at byte %td: %s (file damaged, or not an event file)", reader->name,
                    reader->at - reader->start, why);
}

static bool checksum_matches(const uint8_t *data, size_t size)
{
    uint32_t there;
    memcpy(&there, data + size, sizeof there);
    return there == tri__crc32c_masked(data, size);
}

/* The data of the next frame. At the end of the file *more is false, and *data is empty. */
static tri_status next_frame(tri__event_reader *reader, tri__span *data, bool *more)
{
    size_t left = (size_t)(reader->end - reader->at);
    uint64_t length;
    *more = false;
    *data = (tri__span){0};
    reader->cut_short = left > 0;
    if (left < HEAD)
        return NULL;
    memcpy(&length, reader->at, LENGTH);
    if (!checksum_matches(reader->at, LENGTH))
        return damaged(reader, "the checksum of its length does not match");
    if (left - HEAD < CHECKSUM || length > left - HEAD - CHECKSUM)
        return NULL;
    *data = (tri__span){reader->at + HEAD, (size_t)length};
    if (!checksum_matches(data->data, data->size))
        return damaged(reader, "its checksum does not match");
    reader->cut_short = false;
    *more = true;
    return NULL;
}

static tri__wire_reader wire_of(const uint8_t *data, size_t size)
{
    return (tri__wire_reader){.at = data, .end = data + size};
}

/* Parse an Event message into *event. If it holds a summary, event->kind is TRI_EVENT_OTHER, and reader->values is the summary. */
static tri_status open_event(tri__event_reader *reader, tri__span data, tri__event *event)
{
    tri__wire_reader wire = wire_of(data.data, data.size);
    tri__wire_field field;
    bool broken = false;
    *event = (tri__event){.kind = TRI_EVENT_OTHER};
    reader->wall = 0;
    reader->step = 0;
    while (tri__wire_next(&wire, &field, &broken)) {
        if (field.number == EVENT_WALL_TIME && field.type == TRI_WIRE_FIXED64)
            memcpy(&reader->wall, &field.value, sizeof reader->wall);
        else if (field.number == EVENT_STEP && field.type == TRI_WIRE_VARINT)
            reader->step = (int64_t)field.value;
        else if (field.type != TRI_WIRE_BYTES)
            continue;
        else if (field.number == EVENT_SUMMARY)
            reader->values = wire_of(field.bytes, field.size);
        else if (field.number == EVENT_SESSION_LOG)
            event->kind = TRI_EVENT_RESTART;
        else if (field.number == EVENT_FILE_VERSION || field.number == EVENT_GRAPH_DEF) {
            event->kind = field.number == EVENT_GRAPH_DEF ? TRI_EVENT_GRAPH : TRI_EVENT_VERSION;
            event->body = (tri__span){field.bytes, field.size};
        }
    }
    return broken || !isfinite(reader->wall) ? damaged(reader, "its Event message is broken") : NULL;
}

/* Read a float scalar or a string, as TensorFlow 2 writes them. */
static bool read_tensor(tri__wire_reader wire, tri__event *event)
{
    tri__wire_field field;
    bool broken = false, has_float = false, has_string = false;
    uint64_t dtype = 0;
    while (tri__wire_next(&wire, &field, &broken)) {
        bool is_packed = field.type == TRI_WIRE_BYTES && field.size == sizeof event->value;
        if (field.number == EVENT_TENSOR_DTYPE) {
            dtype = field.value;
        } else if (field.number == EVENT_TENSOR_FLOAT_VAL && field.type == TRI_WIRE_FIXED32) {
            event->value = tri__wire_float(field.value);
            has_float = true;
        } else if ((field.number == EVENT_TENSOR_FLOAT_VAL || field.number == EVENT_TENSOR_CONTENT) && is_packed) {
            memcpy(&event->value, field.bytes, sizeof event->value);
            has_float = true;
        } else if (field.number == EVENT_TENSOR_STRING_VAL && field.type == TRI_WIRE_BYTES && !has_string) {
            event->body = (tri__span){field.bytes, field.size};
            has_string = true;
        }
    }
    if (dtype == EVENT_DT_FLOAT && has_float)
        event->kind = TRI_EVENT_SCALAR;
    else if (dtype == EVENT_DT_STRING && has_string)
        event->kind = TRI_EVENT_TEXT;
    return !broken;
}

static tri_status read_value(const tri__event_reader *reader, tri__span data, tri__event *event)
{
    tri__wire_reader wire = wire_of(data.data, data.size);
    tri__wire_field field;
    bool broken = false;
    while (tri__wire_next(&wire, &field, &broken)) {
        if (field.number == EVENT_VALUE_SIMPLE_VALUE && field.type == TRI_WIRE_FIXED32) {
            event->kind = TRI_EVENT_SCALAR;
            event->value = tri__wire_float(field.value);
        } else if (field.number == EVENT_VALUE_TAG && field.type == TRI_WIRE_BYTES) {
            event->tag = (tri__span){field.bytes, field.size};
        } else if (field.number == EVENT_VALUE_TENSOR && field.type == TRI_WIRE_BYTES) {
            if (!read_tensor(wire_of(field.bytes, field.size), event))
                return damaged(reader, "a tensor in it is broken");
        }
    }
    return broken ? damaged(reader, "a value of its summary is broken") : NULL;
}

/* The next value of the present summary; *more is false at its end. */
static tri_status next_value(tri__event_reader *reader, tri__event *event, bool *more)
{
    tri__wire_field field;
    bool broken = false;
    *more = false;
    while (tri__wire_next(&reader->values, &field, &broken)) {
        if (field.number != EVENT_SUMMARY_VALUE || field.type != TRI_WIRE_BYTES)
            continue;
        *event = (tri__event){.kind = TRI_EVENT_OTHER, .wall = reader->wall, .step = reader->step};
        *more = true;
        return read_value(reader, (tri__span){field.bytes, field.size}, event);
    }
    return broken ? damaged(reader, "its summary is broken") : NULL;
}

tri_status tri__event_next(tri__event_reader *reader, tri__event *event, bool *more)
{
    for (;;) {
        TRI_TRY(next_value(reader, event, more));
        if (*more)
            return NULL;
        tri__span data;
        TRI_TRY(next_frame(reader, &data, more));
        if (!*more)
            return NULL;
        TRI_TRY(open_event(reader, data, event));
        reader->at = data.data + data.size + CHECKSUM;
        if (event->kind != TRI_EVENT_OTHER) {
            event->wall = reader->wall;
            event->step = reader->step;
            return NULL;
        }
    }
}
