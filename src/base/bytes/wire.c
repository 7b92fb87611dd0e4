/* wire.c: the protobuf wire format: a message is a list of fields, each a tag (field number and type) and a value. */
#include "base/bytes/wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes/little_endian.h"
#include "base/memory/memory.h"

enum { VARINT_BYTES = TRI_WIRE_VARINT_BYTES };
static const uint64_t largest_number = (1u << 29) - 1; /* of a field, as protobuf allows */

bool tri__wire_varint_slow(tri__wire_reader *reader, uint64_t *value)
{
    uint64_t result = 0;
    const uint8_t *at = reader->at;
    for (int i = 0; i < VARINT_BYTES && at < reader->end; i++) {
        uint8_t byte = *at++;
        if (i == VARINT_BYTES - 1 && byte > 1)
            return false; /* more than 64 bits */
        result |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (!(byte & 0x80)) {
            reader->at = at;
            *value = result;
            return true;
        }
    }
    return false;
}

static bool read_fixed(tri__wire_reader *reader, int count, uint64_t *value)
{
    if (reader->end - reader->at < count)
        return false;
    *value = tri__little_endian_load(reader->at, count);
    reader->at += count;
    return true;
}

static bool read_bytes(tri__wire_reader *reader, tri__wire_field *field)
{
    uint64_t size;
    if (!tri__wire_varint_slow(reader, &size) || size > (uint64_t)(reader->end - reader->at))
        return false;
    field->bytes = reader->at;
    field->size = (size_t)size;
    reader->at += size;
    return true;
}

static bool read_field(tri__wire_reader *reader, tri__wire_field *field)
{
    uint64_t tag;
    if (!tri__wire_varint_slow(reader, &tag) || tag >> 3 == 0 || tag >> 3 > largest_number)
        return false;
    *field = (tri__wire_field){.number = (uint32_t)(tag >> 3), .type = (tri__wire_type)(tag & 7)};
    switch (field->type) {
    case TRI_WIRE_VARINT:
        return tri__wire_varint_slow(reader, &field->value);
    case TRI_WIRE_FIXED64:
        return read_fixed(reader, 8, &field->value);
    case TRI_WIRE_BYTES:
        return read_bytes(reader, field);
    case TRI_WIRE_FIXED32:
        return read_fixed(reader, 4, &field->value);
    }
    return false; /* groups, which are obsolete, and types that do not exist */
}

bool tri__wire_next_slow(tri__wire_reader *reader, tri__wire_field *field, bool *damaged)
{
    if (reader->at == reader->end)
        return false;
    bool whole = read_field(reader, field);
    if (!whole)
        *damaged = true;
    return whole;
}

float tri__wire_float(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

void tri__wire_fini(tri__wire_buffer *buffer)
{
    free(buffer->data);
    *buffer = (tri__wire_buffer){0};
}

/* Room for size more bytes at the end, counted as written; NULL when memory ran out, now or before. */
static uint8_t *extend(tri__wire_buffer *buffer, size_t size)
{
    if (buffer->failed || size > SIZE_MAX / 2 - buffer->size) {
        buffer->failed = true;
        return NULL;
    }
    size_t need = buffer->size + size;
    tri_status status = need <= (size_t)buffer->room ? NULL : tri__grow(&buffer->data, &buffer->room, (int64_t)need, 1, "a message");
    if (status) {
        tri_status_free(status);
        buffer->failed = true;
        return NULL;
    }
    uint8_t *room = buffer->data + buffer->size;
    buffer->size = need;
    return room;
}

void tri__wire_put_raw_varint(tri__wire_buffer *buffer, uint64_t value)
{
    uint8_t bytes[VARINT_BYTES];
    size_t count = tri__wire_store_varint(bytes, value);
    uint8_t *room = extend(buffer, count);
    if (room)
        memcpy(room, bytes, count);
}

static void append_tag(tri__wire_buffer *buffer, uint32_t number, tri__wire_type type)
{
    tri__wire_put_raw_varint(buffer, (uint64_t)number << 3 | type);
}

static void append_fixed(tri__wire_buffer *buffer, uint64_t bits, int count)
{
    uint8_t *room = extend(buffer, (size_t)count);
    if (room)
        tri__little_endian_store(room, bits, count);
}

void tri__wire_put_varint(tri__wire_buffer *buffer, uint32_t number, uint64_t value)
{
    append_tag(buffer, number, TRI_WIRE_VARINT);
    tri__wire_put_raw_varint(buffer, value);
}

void tri__wire_put_fixed32(tri__wire_buffer *buffer, uint32_t number, uint32_t bits)
{
    append_tag(buffer, number, TRI_WIRE_FIXED32);
    append_fixed(buffer, bits, 4);
}

void tri__wire_put_fixed64(tri__wire_buffer *buffer, uint32_t number, uint64_t bits)
{
    append_tag(buffer, number, TRI_WIRE_FIXED64);
    append_fixed(buffer, bits, 8);
}

void tri__wire_put_float(tri__wire_buffer *buffer, uint32_t number, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    tri__wire_put_fixed32(buffer, number, bits);
}

void tri__wire_put_double(tri__wire_buffer *buffer, uint32_t number, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    tri__wire_put_fixed64(buffer, number, bits);
}

void tri__wire_put_head(tri__wire_buffer *buffer, uint32_t number, size_t size)
{
    append_tag(buffer, number, TRI_WIRE_BYTES);
    tri__wire_put_raw_varint(buffer, size);
}

void tri__wire_put_raw(tri__wire_buffer *buffer, const void *data, size_t size)
{
    uint8_t *room = extend(buffer, size);
    if (room && size)
        memcpy(room, data, size);
}

size_t tri__wire_varint_size(uint64_t value)
{
    size_t size = 1;
    while (value >>= 7)
        size++;
    return size;
}

void tri__wire_put_bytes(tri__wire_buffer *buffer, uint32_t number, const void *data, size_t size)
{
    tri__wire_put_head(buffer, number, size);
    tri__wire_put_raw(buffer, data, size);
}

void tri__wire_put_string(tri__wire_buffer *buffer, uint32_t number, const char *text)
{
    tri__wire_put_bytes(buffer, number, text, strlen(text));
}

void tri__wire_put_message(tri__wire_buffer *buffer, uint32_t number, const tri__wire_buffer *message)
{
    buffer->failed |= message->failed;
    tri__wire_put_bytes(buffer, number, message->data, message->size);
}
