/* wire.h: the protobuf wire format, read and written. Formats are built on it; it has no schema.
 *
 * Reading is zero-copy and trusts nothing: every length is checked against what is left. Writing appends to a growing buffer;
 * a lack of memory is remembered and reported once, at the end. */
#ifndef TRI_BASE_BYTES_WIRE_H
#define TRI_BASE_BYTES_WIRE_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trireme/status.h"

typedef enum { TRI_WIRE_VARINT = 0, TRI_WIRE_FIXED64 = 1, TRI_WIRE_BYTES = 2, TRI_WIRE_FIXED32 = 5 } tri__wire_type;

enum { TRI_WIRE_VARINT_BYTES = 10 }; /* at most: of 7 bits each, they hold 64 bits */

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

/* A reader for the message that the field's bytes hold. */
static inline tri__wire_reader tri__wire_inside(const tri__wire_field *field)
{
    return (tri__wire_reader){.at = field->bytes, .end = field->bytes + field->size};
}

/* The cases that tri__wire_next and tri__wire_varint do not handle inline. */
bool tri__wire_next_slow(tri__wire_reader *reader, tri__wire_field *field, bool *damaged);
bool tri__wire_varint_slow(tri__wire_reader *reader, uint64_t *value);

/* The next field; false at the end or where the bytes are damaged: then *damaged is set. Handled inline is what most fields of a message
 * are: bytes whose tag takes one byte and whose length takes one or two. */
static inline bool tri__wire_next(tri__wire_reader *reader, tri__wire_field *field, bool *damaged)
{
    const uint8_t *at = reader->at;
    if (at == reader->end)
        return false;
    if (reader->end - at < 3 || (at[0] & 0x87) != TRI_WIRE_BYTES || at[0] < 8 || (at[1] & at[2] & 0x80))
        return tri__wire_next_slow(reader, field, damaged);
    bool two = at[1] & 0x80;
    size_t size = two ? (size_t)(at[1] & 0x7f) | (size_t)at[2] << 7 : at[1];
    const uint8_t *bytes = at + (two ? 3 : 2);
    if (size > (size_t)(reader->end - bytes))
        return tri__wire_next_slow(reader, field, damaged);
    *field = (tri__wire_field){.number = at[0] >> 3, .type = TRI_WIRE_BYTES, .bytes = bytes, .size = size};
    reader->at = bytes + size;
    return true;
}

/* Eight bytes, the first of which is the lowest. */
static inline uint64_t tri__wire_word(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return le64toh(word);
}

/* The value of a varint of up to eight bytes, which is alone in the word: the 7 bits of each byte are moved together, first in pairs, then
 * in fours, then all eight. */
static inline uint64_t tri__wire_join_bits(uint64_t word)
{
    word &= 0x7f7f7f7f7f7f7f7f;
    word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
    word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
    return (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
}

/* One bare varint; false where it is damaged. A word of eight bytes holds most varints whole: the first byte below 128 ends it, and what is
 * above that byte is masked away. So there is no loop, and no branch on its length. */
static inline bool tri__wire_varint(tri__wire_reader *reader, uint64_t *value)
{
    if (reader->end - reader->at < 8)
        return tri__wire_varint_slow(reader, value);
    const uint64_t word = tri__wire_word(reader->at), ends = ~word & 0x8080808080808080;
    if (!ends)
        return tri__wire_varint_slow(reader, value);
    reader->at += __builtin_ctzll(ends) / 8 + 1;
    *value = tri__wire_join_bits(word & (ends ^ (ends - 1)));
    return true;
}

/* Bare varints one after another, as a packed list has them: at most room are stored at out. Returns how many there are, stored or not; −1:
 * they are damaged. */
int64_t tri__wire_varints(tri__wire_reader run, int64_t *out, int64_t room);

/* The same for varints of up to four bytes, which hold up to 2^28 − 1: *most receives the largest. Bytes up to `limit`, at or behind
 * the run's end, can be read. −1: one is longer or damaged, or there are more than room; out may have been written to. */
int64_t tri__wire_short_varints(tri__wire_reader run, const uint8_t *limit, int32_t *out, int64_t room, int32_t *most);

/* Stores a varint at bytes, which has room for it, and returns how many bytes it took: at most TRI_WIRE_VARINT_BYTES, or 5 for a value of
 * 32 bits. */
static inline size_t tri__wire_store_varint(uint8_t *bytes, uint64_t value)
{
    size_t count = 0;
    for (; value > 0x7f; value >>= 7)
        bytes[count++] = (uint8_t)(value | 0x80);
    bytes[count++] = (uint8_t)value;
    return count;
}

static inline float tri__wire_float(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

typedef struct {
    uint8_t *data;
    size_t size;
    int64_t room;
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

/* A field of bytes, written in pieces: first its head, with the size of all of them, then the bytes themselves by the raw calls. */
void tri__wire_put_head(tri__wire_buffer *buffer, uint32_t number, size_t size);
void tri__wire_put_raw(tri__wire_buffer *buffer, const void *data, size_t size);
void tri__wire_put_raw_varint(tri__wire_buffer *buffer, uint64_t value);
size_t tri__wire_varint_size(uint64_t value); /* bytes that it takes */

void tri__wire_put_message(tri__wire_buffer *buffer, uint32_t number, const tri__wire_buffer *message);

#endif
