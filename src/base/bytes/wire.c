/* wire.c: the protobuf wire format: a message is a list of fields, each a tag (field number and type) and a value. */
#include "base/bytes/wire.h"

#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/bytes/little_endian.h"
#include "base/bytes/vector.h"
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

/* ---- packed lists ---- */

enum { BLOCK = 64, WORD = 8 }; /* bytes */

/* One bit for each byte of a block: set where a varint ends with that byte. */
static uint64_t find_ends(const uint8_t *block)
{
    uint64_t tops = 0;
#if defined(__SSE2__)
    for (int i = 0; i < BLOCK / 16; i++)
        tops |= (uint64_t)(uint16_t)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(const void *)(block + 16 * i))) << 16 * i;
#else
    for (int i = 0; i < BLOCK / WORD; i++) /* the multiplication moves the top bits of eight bytes side by side */
        tops |= ((tri__wire_word(block + i * WORD) >> 7 & 0x0101010101010101) * 0x0102040810204080 >> 56) << 8 * i;
#endif
    return ~tops;
}

static bool read_long(const uint8_t *at, int bytes, tri__wire_reader whole, uint64_t *value)
{
    if (bytes > WORD)
        return tri__wire_varint_slow(&whole, value);
    *value = tri__wire_join_bits(tri__wire_word(at) & UINT64_MAX >> (64 - 8 * bytes));
    return true;
}

/* Reads the varints of a block, of any length, that end at these bytes. run begins at the block. False: one is damaged. */
static bool read_any(const uint8_t *block, uint64_t ends, tri__wire_reader run, int64_t *out)
{
    int start = 0;
    for (; ends; ends &= ends - 1) {
        const int end = __builtin_ctzll(ends) + 1;
        uint64_t value;
        if (!read_long(block + start, end - start, (tri__wire_reader){run.at + start, run.end}, &value))
            return false;
        *out++ = (int64_t)value;
        start = end;
    }
    return true;
}

/* The value of a varint of up to four bytes, which the word begins with; tri__wire_join_bits says how. */
static inline uint32_t join_short(uint32_t bytes)
{
    const uint32_t end = ~bytes & 0x80808080, word = bytes & (end ^ (end - 1)) & 0x7f7f7f7f;
    const uint32_t pairs = (word & 0x007f007f) | (word & 0x7f007f00) >> 1;
    return (pairs & 0x00003fff) | (pairs & 0x3fff0000) >> 2;
}

/* The same for varints of up to four bytes each. First every varint's bytes are copied into a word of its own. So the second loop, in which
 * a varint's end is found in its word and its bits are joined as tri__wire_join_bits does it, works on whole vectors. */
__attribute__((always_inline)) static inline void read_few_bytes(const uint8_t *block, uint64_t ends, int count, int64_t *restrict out)
{
    uint32_t words[BLOCK];
    for (int i = 0, start = 0; i < count; i++, ends &= ends - 1) {
        words[i] = (uint32_t)tri__wire_word(block + start);
        start = __builtin_ctzll(ends) + 1;
    }
    for (int i = 0; i < count; i++)
        out[i] = join_short(words[i]);
}

/* Whether none of the varints that end at these bytes of a block has more than four bytes. */
static inline bool are_short(uint64_t ends)
{
    const uint64_t others = ~ends & UINT64_MAX >> __builtin_clzll(ends); /* bytes of these varints that are not their last */
    return !(others & others >> 1 & others >> 2 & others >> 3);
}

/* Reads the varints that end in a block; a whole word can be read behind the block. run begins at the block, and moves behind the last
 * varint. The ends of all varints are found first, so that no varint has to wait for the length of the one before. Returns how many there
 * are; −1: one is damaged, or none ends. */
__attribute__((always_inline)) static inline int64_t read_block(const uint8_t *block, tri__wire_reader *run, int64_t *restrict out,
                                                                int64_t room)
{
    const uint64_t ends = find_ends(block);
    if (!ends)
        return -1;
    const int count = __builtin_popcountll(ends);
    int64_t last[BLOCK], *to = count <= room ? out : last;
    if (are_short(ends))
        read_few_bytes(block, ends, count, to);
    else if (!read_any(block, ends, *run, to))
        return -1;
    if (to != out && room > 0)
        memcpy(out, last, (size_t)room * sizeof *out);
    run->at += 64 - __builtin_clzll(ends);
    return count;
}

TRI_FOR_EVERY_CPU static int64_t read_varints(tri__wire_reader run, int64_t *out, int64_t room)
{
    int64_t count = 0;
    while (run.at < run.end) {
        const size_t left = (size_t)(run.end - run.at);
        const int64_t stored = count < room ? count : room;
        uint8_t last[BLOCK + WORD];
        const uint8_t *block = run.at;
        if (left < sizeof last) {
            memset(last, 0x80, sizeof last); /* no varint ends in the bytes behind the list */
            block = memcpy(last, run.at, left < BLOCK ? left : BLOCK);
        }
        const int64_t more = read_block(block, &run, out + stored, room - stored);
        if (more < 0)
            return -1;
        count += more;
    }
    return count;
}

int64_t tri__wire_varints(tri__wire_reader run, int64_t *out, int64_t room)
{
    return read_varints(run, out, room);
}

/* Copies the bytes of the varints that end in the block at run->at into words[]: each varint begins a word. Bytes of the block that are
 * behind the run do not count. Returns how many there are; −1: one is longer than four bytes, none ends, or there are more than room. */
__attribute__((always_inline)) static inline int64_t split_block(tri__wire_reader *run, const uint8_t *limit, int32_t *words, int64_t room)
{
    const size_t left = (size_t)(run->end - run->at);
    uint8_t last[BLOCK + WORD];
    const uint8_t *block = run->at;
    if ((size_t)(limit - run->at) < sizeof last) {
        memset(last, 0, sizeof last);
        block = memcpy(last, run->at, left < BLOCK ? left : BLOCK);
    }
    uint64_t ends = find_ends(block) & (left < BLOCK ? ~(UINT64_MAX << left) : UINT64_MAX);
    const int count = __builtin_popcountll(ends);
    if (!ends || count > room || !are_short(ends))
        return -1;
    run->at += 64 - __builtin_clzll(ends);
    for (int i = 0, start = 0; i < count; i++, ends &= ends - 1) {
        words[i] = (int32_t)tri__wire_word(block + start);
        start = __builtin_ctzll(ends) + 1;
    }
    return count;
}

/* All runs are split before any bits are joined, so that the second loop works on whole vectors from the first varint to the last. */
TRI_FOR_EVERY_CPU static int64_t read_short_varints(tri__wire_reader run, const uint8_t *limit, int32_t *out, int64_t room, int32_t *most)
{
    int64_t count = 0;
    while (run.at < run.end) {
        const int64_t more = split_block(&run, limit, out + count, room - count);
        if (more < 0)
            return -1;
        count += more;
    }
    int32_t largest = 0;
    for (int64_t i = 0; i < count; i++) {
        out[i] = (int32_t)join_short((uint32_t)out[i]);
        largest = out[i] > largest ? out[i] : largest;
    }
    *most = largest;
    return count;
}

int64_t tri__wire_short_varints(tri__wire_reader run, const uint8_t *limit, int32_t *out, int64_t room, int32_t *most)
{
    return read_short_varints(run, limit, out, room, most);
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
