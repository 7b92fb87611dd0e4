/* keyed.c: lists of rows and their values, to bytes and back. */
#include "store/ps/protocol/keyed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/vector.h"
#include "base/bytes/wire.h"
#include "base/memory/memory.h"

void tri__row_list_fini(tri__row_list *list)
{
    free(list->rows);
    *list = (tri__row_list){0};
}

tri_status tri__row_list_reserve(tri__row_list *list, int64_t count)
{
    list->count = 0;
    return tri__reserve(&list->rows, &list->room, count, sizeof *list->rows, "a list of rows");
}

/* One multiplication and one fold for each row. Two lists that differ have the same signature with a chance of about 1 in 2^64. */
static uint64_t signature_of(const int32_t *rows, int64_t count)
{
    uint64_t sign = UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)count;
    for (int64_t i = 0; i < count; i++) {
        sign = (sign ^ (uint32_t)rows[i]) * UINT64_C(0xff51afd7ed558ccd);
        sign ^= sign >> 32;
    }
    return sign;
}

void tri__row_list_sign(tri__row_list *list)
{
    list->signature = signature_of(list->rows, list->count);
}

void tri__keyed_head_write(const tri__keyed_head *head, uint8_t *to)
{
    memcpy(to, &head->count, sizeof head->count);
    memcpy(to + 4, &head->flags, sizeof head->flags);
    memcpy(to + 8, &head->signature, sizeof head->signature);
}

tri_status tri__keyed_head_read(const uint8_t *body, size_t size, int64_t limit, tri__keyed_head *out)
{
    if (size < TRI_KEYED_HEAD)
        return tri_fail(TRI_BAD_DATA, "rows of a table in %zu bytes, which their head alone takes", size);
    memcpy(&out->count, body, sizeof out->count);
    memcpy(&out->flags, body + 4, sizeof out->flags);
    memcpy(&out->signature, body + 8, sizeof out->signature);
    if (out->count > limit || (out->flags & ~(uint32_t)(TRI_KEYED_LIST | TRI_KEYED_HALF | TRI_KEYED_DENSE)))
        return tri_fail(TRI_BAD_DATA, "%u rows of a table that has %" PRId64 ", with flags %u", out->count, limit, out->flags);
    return NULL;
}

size_t tri__keyed_list_write(const tri__row_list *list, uint8_t *to)
{
    const tri__keyed_head head = {.count = (uint32_t)list->count, .flags = TRI_KEYED_LIST, .signature = list->signature};
    tri__keyed_head_write(&head, to);
    return TRI_KEYED_HEAD + tri__row_list_write(list->rows, list->count, to + TRI_KEYED_HEAD);
}

size_t tri__row_list_write(const int32_t *rows, int64_t count, uint8_t *to)
{
    uint8_t *at = to;
    int64_t before = -1;
    for (int64_t i = 0; i < count; i++) {
        uint32_t gap = (uint32_t)(rows[i] - before - 1);
        before = rows[i];
        at += tri__wire_store_varint(at, gap);
    }
    return (size_t)(at - to);
}

/* The next gap; −1 where there is none: the bytes end, or the varint is too long. */
static int64_t next_gap(tri__wire_reader *reader)
{
    const uint8_t *before = reader->at;
    uint64_t gap;
    return tri__wire_varint(reader, &gap) && reader->at - before <= TRI_KEYED_ROW_MOST ? (int64_t)gap : -1;
}

tri_status tri__row_list_read(const uint8_t *from, size_t size, const tri__keyed_head *head, int64_t limit, tri__row_list *list,
                              size_t *used)
{
    tri__wire_reader reader = {.at = from, .end = from + size};
    if (head->count > size)
        return tri_fail(TRI_BAD_DATA, "a list of %u rows in %zu bytes", head->count, size);
    TRI_TRY(tri__row_list_reserve(list, head->count));
    int64_t row = -1;
    for (uint32_t i = 0; i < head->count; i++) {
        const int64_t gap = next_gap(&reader);
        if (gap < 0 || gap >= limit - row - 1)
            return tri_fail(TRI_BAD_DATA, "a list of %u rows whose number %u is none of the %" PRId64 " of its table", head->count, i,
                            limit);
        row += gap + 1;
        list->rows[i] = (int32_t)row;
    }
    list->count = head->count;
    tri__row_list_sign(list);
    if (list->signature != head->signature)
        return tri_fail(TRI_BAD_DATA, "a list of %u rows with the signature of another one", head->count);
    *used = (size_t)(reader.at - from);
    return NULL;
}

size_t tri__sightings_write(const int32_t *sightings, int64_t count, uint8_t *to)
{
    uint8_t *at = to;
    for (int64_t i = 0; i < count; i++)
        at += tri__wire_store_varint(at, (uint32_t)(sightings[i] < TRI_SIGHTINGS_MOST ? sightings[i] : TRI_SIGHTINGS_MOST));
    return (size_t)(at - to);
}

tri_status tri__sightings_read(const uint8_t *from, size_t size, int64_t count, int64_t width, float *values)
{
    tri__wire_reader reader = {.at = from, .end = from + size};
    for (int64_t i = 0; i < count; i++) {
        const int64_t seen = next_gap(&reader);
        if (seen < 1 || seen > TRI_SIGHTINGS_MOST)
            return tri_fail(TRI_BAD_DATA, "a push of %" PRId64 " rows of which number %" PRId64 " was seen %" PRId64 " times", count, i,
                            seen);
        values[i * (width + 1) + width] = (float)seen;
    }
    if (reader.at != reader.end)
        return tri_fail(TRI_BAD_DATA, "a push of %" PRId64 " rows with something behind them", count);
    return NULL;
}

int64_t tri__keyed_most_bytes(int64_t rows, int64_t width)
{
    return TRI_KEYED_HEAD + rows * (TRI_KEYED_ROW_MOST + width * (int64_t)sizeof(float));
}

size_t tri__values_bytes(int64_t floats, bool half)
{
    return (size_t)floats * (half ? 2 : sizeof(float));
}

#define HALF_MOST 65504.0F

/* The nearest half, ties to even; value is at most HALF_MOST. Below 2⁻¹⁴ halves are multiples of 2⁻²⁴. Floats from ½ to 1 are 2⁻²⁴ apart,
 * too, so adding ½ rounds. */
static inline uint16_t half_of(float value)
{
    uint32_t bits, tiny;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF;
    const float shifted = (value < 0 ? -value : value) + 0.5F;
    memcpy(&tiny, &shifted, sizeof tiny);
    const uint32_t normal = (magnitude + 0xFFF + (magnitude >> 13 & 1) - 0x38000000) >> 13;
    const uint32_t half = magnitude > 0x7F800000 ? 0x7E00 : magnitude < 0x38800000 ? tiny - 0x3F000000 : normal;
    return (uint16_t)(sign | half);
}

static inline float float_of(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7FFF;
    const float tiny = (float)magnitude * 0x1p-24F;
    uint32_t bits;
    memcpy(&bits, &tiny, sizeof bits);
    bits = magnitude < 0x400 ? bits : (magnitude << 13) + (magnitude < 0x7C00 ? 0x38000000 : 0x70000000); /* otherwise infinite, or NaN */
    bits |= sign;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

TRI_FOR_EVERY_CPU static void write_halves(const float *values, int64_t floats, uint16_t *to)
{
    for (int64_t i = 0; i < floats; i++) {
        float value = values[i] > HALF_MOST ? HALF_MOST : values[i]; /* NaN stays NaN */
        to[i] = half_of(value < -HALF_MOST ? -HALF_MOST : value);
    }
}

TRI_FOR_EVERY_CPU static void read_halves(const uint16_t *from, int64_t floats, float *values)
{
    for (int64_t i = 0; i < floats; i++)
        values[i] = float_of(from[i]);
}

enum { BLOCK = 512 }; /* halves are converted in an aligned block, since bodies need not be aligned */

void tri__values_write(const float *values, int64_t floats, bool half, uint8_t *to)
{
    if (!half && floats > 0)
        memcpy(to, values, (size_t)floats * sizeof *values);
    for (int64_t first = 0; half && first < floats; first += BLOCK) {
        uint16_t block[BLOCK];
        const int64_t count = floats - first < BLOCK ? floats - first : BLOCK;
        write_halves(values + first, count, block);
        memcpy(to + 2 * first, block, 2 * (size_t)count);
    }
}

void tri__values_read(const uint8_t *from, int64_t floats, bool half, float *values)
{
    if (!half && floats > 0)
        memcpy(values, from, (size_t)floats * sizeof *values);
    for (int64_t first = 0; half && first < floats; first += BLOCK) {
        uint16_t block[BLOCK];
        const int64_t count = floats - first < BLOCK ? floats - first : BLOCK;
        memcpy(block, from + 2 * first, 2 * (size_t)count);
        read_halves(block, count, values + first);
    }
}

/* The head and the list. */
static size_t write_list(const int32_t *rows, int64_t count, uint8_t *to)
{
    const tri__keyed_head head = {.count = (uint32_t)count, .flags = TRI_KEYED_LIST, .signature = signature_of(rows, count)};
    tri__keyed_head_write(&head, to);
    return TRI_KEYED_HEAD + tri__row_list_write(rows, count, to + TRI_KEYED_HEAD);
}

size_t tri__keyed_write(const int32_t *rows, int64_t count, const float *values, int64_t width, uint8_t *to)
{
    const size_t used = write_list(rows, count, to);
    tri__values_write(values, count * width, false, to + used);
    return used + tri__values_bytes(count * width, false);
}

size_t tri__keyed_write_seen(const int32_t *rows, int64_t count, const float *values, int64_t width, uint8_t *to)
{
    uint8_t *at = to + write_list(rows, count, to);
    for (int64_t i = 0; i < count; i++, at += tri__values_bytes(width, false))
        tri__values_write(values + i * (width + 1), width, false, at);
    for (int64_t i = 0; i < count; i++) {
        const float seen = values[i * (width + 1) + width];
        at += tri__wire_store_varint(at, seen < TRI_SIGHTINGS_MOST ? (uint32_t)seen : TRI_SIGHTINGS_MOST);
    }
    return (size_t)(at - to);
}
