/* keyed.h: rows of tables on the wire: which rows, and their values.
 *
 * A list names rows of one server's part of a table (layout.h), each once, in rising order. On the wire the gap between a row and the one
 * before it, less one, is a varint (base/bytes/wire.h): a batch names a small part of a table, and most gaps take one byte or two. A list
 * has a signature. The server keeps the last lists that a connection has pulled, so the push of a batch names its list by the signature
 * alone.
 *
 * The body of a PULL_ROWS and of a PUSH_ROWS begins with a head of 16 bytes: how many rows, flags, the list's signature. If a flag says so,
 * the list follows. A PUSH_ROWS then has the values: [count][width]. The body of a ROWS is values alone. Values are floats of 32 bits, or
 * of 16 bits if the user asked for that.
 *
 * Where tables grow, a PUSH_ROWS ends with the sightings: how often the worker's batch names each row, a varint each. So does an
 * UPDATE_ROWS.
 *
 * With --gather dense, the values are those of all rows of the server's part, each in its place, as in a model without tables. The answer
 * to a pull has all rows, and a push has zeros for rows that are not listed. The server does the same with the listed rows as it does
 * otherwise. */
#ifndef TRI_STORE_PS_PROTOCOL_KEYED_H
#define TRI_STORE_PS_PROTOCOL_KEYED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

enum {
    TRI_KEYED_MOST = 64 << 20,        /* the most bytes of a body */
    TRI_KEYED_DENSE_MOST = INT32_MAX, /* the most bytes of a body with dense values; the size of the table limits it, too */
    TRI_KEYED_KNOWN = 2,              /* how many lists a server keeps for each connection and table */
    TRI_KEYED_HEAD = 16,              /* bytes of the head */
    TRI_KEYED_ROW_MOST = 5,           /* the most bytes that a row takes in a list */
    TRI_KEYED_LIST = 1,               /* flag: the list is in the body; otherwise the server knows it */
    TRI_KEYED_HALF = 2,               /* flag: values have 16 bits, or the answer's values shall */
    TRI_KEYED_DENSE = 4,              /* flag: there are values for all rows, or the answer shall have them */
};

/* Rows of one server's part of a table, distinct and rising. Memory grows and is kept. {0} is empty. */
typedef struct {
    int32_t *rows;
    int64_t count, room;
    uint64_t signature;
} tri__row_list;

void tri__row_list_fini(tri__row_list *list);
TRI_MUST_CHECK tri_status tri__row_list_reserve(tri__row_list *list, int64_t count); /* empties the list */
void tri__row_list_sign(tri__row_list *list);                                        /* compute its signature */

typedef struct {
    uint32_t count, flags;
    uint64_t signature;
} tri__keyed_head;

void tri__keyed_head_write(const tri__keyed_head *head, uint8_t *to);
/* TRI_BAD_DATA where the body is too short for a head, a flag is unknown, or there are more rows than limit. */
TRI_MUST_CHECK tri_status tri__keyed_head_read(const uint8_t *body, size_t size, int64_t limit, tri__keyed_head *out);

size_t tri__row_list_write(const int32_t *rows, int64_t count, uint8_t *to); /* returns the bytes written; to has room for the most */

/* Writes a body that is a head and a signed list, and returns its bytes. to has room for the most. */
size_t tri__keyed_list_write(const tri__row_list *list, uint8_t *to);

/* Reads head->count rows below limit into list, and signs it. *used receives the bytes read. TRI_BAD_DATA where they are not such a list,
 * or the signature is not that of the head. */
TRI_MUST_CHECK tri_status tri__row_list_read(const uint8_t *from, size_t size, const tri__keyed_head *head, int64_t limit,
                                             tri__row_list *list, size_t *used);

/* The most bytes of a body with a list of `rows` rows and their values. */
int64_t tri__keyed_most_bytes(int64_t rows, int64_t width);

/* Writes a body with these rows, rising, and their values: [count][width], as 32-bit floats. Returns its bytes. */
size_t tri__keyed_write(const int32_t *rows, int64_t count, const float *values, int64_t width, uint8_t *to);

/* The same where tables grow: [count][width + 1], each row's sightings behind its values. It takes TRI_KEYED_ROW_MOST bytes a row more. */
size_t tri__keyed_write_seen(const int32_t *rows, int64_t count, const float *values, int64_t width, uint8_t *to);

enum { TRI_SIGHTINGS_MOST = 1 << 24 }; /* of a row in one push; floats are exact up to this number */

/* Sightings take at most TRI_KEYED_ROW_MOST bytes each. sightings_read puts each behind its row's values: [count][width + 1]. TRI_BAD_DATA
 * where the bytes are not exactly count numbers from 1 to TRI_SIGHTINGS_MOST. */
size_t tri__sightings_write(const int32_t *sightings, int64_t count, uint8_t *to);
TRI_MUST_CHECK tri_status tri__sightings_read(const uint8_t *from, size_t size, int64_t count, int64_t width, float *values);

size_t tri__values_bytes(int64_t floats, bool half);
void tri__values_write(const float *values, int64_t floats, bool half, uint8_t *to); /* a value beyond the largest half becomes that */
void tri__values_read(const uint8_t *from, int64_t floats, bool half, float *values);

#endif
