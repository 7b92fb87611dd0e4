/* keyed.h: rows of tables on the wire: which rows, and their values.
 *
 * A list names rows of what one server has of a table (layout.h), each once, rising. On the wire the gap between a row and the one before
 * it, less one, is a varint (base/bytes/wire.h): a batch's rows are a small part of a table, and most gaps take one byte or two. A list has
 * a signature. The server keeps the last lists that a connection has pulled, so that the push of a batch names its list by the signature
 * alone.
 *
 * The body of a PULL_ROWS and of a PUSH_ROWS begins with a head of 16 bytes: how many rows, flags, the list's signature. The list follows,
 * where a flag says so, and in a PUSH_ROWS the values: [count][width]. The body of a ROWS is values alone. Values are floats of 32 bits, or
 * of 16 where that was asked for.
 *
 * Where tables grow, a PUSH_ROWS ends with how often the worker's batch names each row, a varint each.
 *
 * With --gather dense values are those of all rows that the server has of the table, each in its place, as of a model without tables: the
 * answer to a pull has them all, and a push has zeros for rows that are not listed. What is done with the listed ones is the same. */
#ifndef TRI_STORE_PS_PROTOCOL_KEYED_H
#define TRI_STORE_PS_PROTOCOL_KEYED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

enum {
    TRI_KEYED_MOST = 64 << 20,        /* bytes of a body … */
    TRI_KEYED_DENSE_MOST = INT32_MAX, /* … and where values are dense, as far as the table is so large */
    TRI_KEYED_KNOWN = 2,              /* lists that a server keeps of a connection and a table */
    TRI_KEYED_HEAD = 16,              /* bytes */
    TRI_KEYED_ROW_MOST = 5,           /* bytes that a row takes in a list, at the most */
    TRI_KEYED_LIST = 1,               /* flag: the list is in the body; else it is a known one */
    TRI_KEYED_HALF = 2,               /* flag: values are, or are to be, of 16 bits */
    TRI_KEYED_DENSE = 4,              /* flag: … and of all rows */
};

/* Rows of one server's part of a table, distinct and rising. Memory grows and is kept. {0} is empty. */
typedef struct {
    int32_t *rows;
    int64_t count, room;
    uint64_t signature;
} tri__row_list;

void tri__row_list_fini(tri__row_list *list);
TRI_MUST_CHECK tri_status tri__row_list_reserve(tri__row_list *list, int64_t count); /* what was in it is lost */
void tri__row_list_sign(tri__row_list *list);                                        /* compute its signature */

typedef struct {
    uint32_t count, flags;
    uint64_t signature;
} tri__keyed_head;

void tri__keyed_head_write(const tri__keyed_head *head, uint8_t *to);
/* TRI_BAD_DATA where the body is too short for one, a flag is unknown or there are more rows than limit. */
TRI_MUST_CHECK tri_status tri__keyed_head_read(const uint8_t *body, size_t size, int64_t limit, tri__keyed_head *out);

size_t tri__row_list_write(const int32_t *rows, int64_t count, uint8_t *to); /* bytes that it took; to has room for the most */

/* A body that is a head and a signed list. to has room for the most. Its bytes. */
size_t tri__keyed_list_write(const tri__row_list *list, uint8_t *to);

/* Read count rows below limit into list, and sign it. used receives the bytes that they took. TRI_BAD_DATA where they are no such list, or
 * their signature is another one. */
TRI_MUST_CHECK tri_status tri__row_list_read(const uint8_t *from, size_t size, const tri__keyed_head *head, int64_t limit,
                                             tri__row_list *list, size_t *used);

/* Bytes of a body that names so many rows and has their values, at the most. */
int64_t tri__keyed_most_bytes(int64_t rows, int64_t width);

/* A body with these rows, rising, and their values: [count][width], as floats. Its bytes. */
size_t tri__keyed_write(const int32_t *rows, int64_t count, const float *values, int64_t width, uint8_t *to);

enum { TRI_SIGHTINGS_MOST = 1 << 24 }; /* of a row in one push: so many are exact as floats */

/* Sightings take at most TRI_KEYED_ROW_MOST bytes each. Read, they stand behind each row's values, in [count][width + 1].
 * TRI_BAD_DATA where they are not count numbers from 1 to the most in just so many bytes. */
size_t tri__sightings_write(const int32_t *sightings, int64_t count, uint8_t *to);
TRI_MUST_CHECK tri_status tri__sightings_read(const uint8_t *from, size_t size, int64_t count, int64_t width, float *values);

size_t tri__values_bytes(int64_t floats, bool half);
void tri__values_write(const float *values, int64_t floats, bool half, uint8_t *to); /* what 16 bits do not hold is the largest they do */
void tri__values_read(const uint8_t *from, int64_t floats, bool half, float *values);

#endif
