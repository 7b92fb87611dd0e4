/* wire.h: the protobuf wire format, read and written. Formats are built on it; it knows no schema.
 *
 * Reading is zero-copy and trusts nothing: every length is checked against what is left. Writing appends to a growing buffer;
 * memory that ran out is remembered and told once at the end. */
#ifndef TRI_BASE_WIRE_H
#define TRI_BASE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

typedef enum { TRI_WIRE_VARINT = 0, TRI_WIRE_FIXED64 = 1, TRI_WIRE_BYTES = 2, TRI_WIRE_FIXED32 = 5 } tri__wire_type;

typedef struct {
    uint32_t number;
    tri__wire_type type;
    uint64_t value;       /* varint, fixed64 and fixed32 (as bits) */
    const uint8_t *bytes; /* bytes: borrowed from what is being read */
    size_t size;
} tri__wire_field;

typedef struct {
    const uint8_t *at, *end;
} tri__wire_reader;

/* The next field; false at the end or where the bytes are damaged: then *damaged is set. */
bool tri__wire_next(tri__wire_reader *reader, tri__wire_field *field, bool *damaged);
bool tri__wire_varint(tri__wire_reader *reader, uint64_t *value); /* one bare varint, of a packed list */
float tri__wire_float(uint64_t bits);
double tri__wire_double(uint64_t bits);

typedef struct {
    uint8_t *data;
    size_t size, capacity;
    bool failed; /* memory ran out: what was written is not whole */
} tri__wire_buffer;

void tri__wire_fini(tri__wire_buffer *buffer); /* a zeroed buffer is an empty one */
void tri__wire_put_varint(tri__wire_buffer *buffer, uint32_t number, uint64_t value);
void tri__wire_put_fixed32(tri__wire_buffer *buffer, uint32_t number, uint32_t bits);
void tri__wire_put_fixed64(tri__wire_buffer *buffer, uint32_t number, uint64_t bits);
void tri__wire_put_float(tri__wire_buffer *buffer, uint32_t number, float value);
void tri__wire_put_double(tri__wire_buffer *buffer, uint32_t number, double value);
void tri__wire_put_bytes(tri__wire_buffer *buffer, uint32_t number, const void *data, size_t size);
void tri__wire_put_string(tri__wire_buffer *buffer, uint32_t number, const char *text);

/* A field of bytes in pieces: its head says how many are to follow, and raw ones follow it. */
void tri__wire_put_head(tri__wire_buffer *buffer, uint32_t number, size_t size);
void tri__wire_put_raw(tri__wire_buffer *buffer, const void *data, size_t size);
void tri__wire_put_raw_varint(tri__wire_buffer *buffer, uint64_t value);
size_t tri__wire_varint_size(uint64_t value); /* bytes that it takes */

void tri__wire_put_message(tri__wire_buffer *buffer, uint32_t number, const tri__wire_buffer *message);

#endif
