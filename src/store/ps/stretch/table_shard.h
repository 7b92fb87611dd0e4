/* table_shard.h: one server's part of a table, and what workers push to it. */
#ifndef TRI_STORE_PS_STRETCH_TABLE_SHARD_H
#define TRI_STORE_PS_STRETCH_TABLE_SHARD_H

#include "graph/store/row_keeper.h"
#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/message.h"
#include "store/table_rows.h"
#include "trireme/store.h"

/* A worker's gradient of some rows, which are distinct and rising. Where tables grow, rows are keys of the whole table, and each has one
 * float more: how often the worker's batch names it (store/table_rows.h). All is one block of heap memory; free() it. */
typedef struct {
    int64_t count;
    int32_t *rows; /* [count] */
    float *values; /* [count][width] */
} tri__row_part;

TRI_MUST_CHECK tri_status tri__row_part_create(int64_t count, int64_t width, tri__row_part **out);
size_t tri__row_part_bytes(const tri__row_part *part, int64_t width);

/* Rows that several parts name, with the sum of their values. */
typedef struct {
    int32_t *rows;
    float *values;
    int64_t count, rows_room, values_room;
} tri__row_sum;

typedef struct {
    tri_table table;
    int64_t width;         /* how many floats a row of a part has */
    tri_store *grown;      /* where tables grow: all tables of the server, with their map; borrowed. NULL: they do not grow */
    int number;            /* where tables grow: the number of this table in `grown` */
    tri__table_rows taken; /* where tables grow: working memory */
    tri__row_sum sum;      /* of the parts that were added since begin */
    tri__row_sum other;    /* room for the next sum */
    int64_t reserved;      /* rows of all parts for which room was made since begin */
    tri__row_keeper *kept; /* while a copy of the table is sent: the rows as they were when it began; NULL: no copy is sent */
    tri_status unkept;     /* why a row could not be kept; NULL: all were */
} tri__table_shard;

TRI_MUST_CHECK tri_status tri__table_shard_init(tri__table_shard *shard, int64_t rows, int64_t width, int slots);
void tri__table_shard_fini(tri__table_shard *shard);

/* From now on the table grows: it is table `number` of that store, whose map gives its rows. */
void tri__table_shard_set_grown(tri__table_shard *shard, tri_store *grown, int number);

/* Copies the weights of rows to out: [count][width of the table]. Where tables grow, rows are keys, and a key without a row reads as in a
 * local store. */
TRI_MUST_CHECK tri_status tri__table_shard_gather(tri__table_shard *shard, const int32_t *rows, int64_t count, float *out);

/* The parts of a step. Call reserve for a part before any part is added after it, so that adding cannot fail. Sums are made in the order of
 * adding. */
void tri__table_shard_begin(tri__table_shard *shard);
TRI_MUST_CHECK tri_status tri__table_shard_reserve(tri__table_shard *shard, int64_t rows);       /* for one more part, with `rows` rows */
TRI_MUST_CHECK tri_status tri__table_shard_reserve_alone(tri__table_shard *shard, int64_t rows); /* for a part that is applied by itself */
void tri__table_shard_add(tri__table_shard *shard, const tri__row_part *part);
tri__row_part tri__table_shard_sum(const tri__table_shard *shard); /* the sum of what was added; borrowed */
double tri__table_shard_squares(const tri__table_shard *shard);    /* Σ of the squares of the sum */

/* A copy of the table as it is at begin_copy. Until end_copy, a row is kept before it changes. read_copy reads one slot of rows, as
 * tri__table_read does. end_copy may be called at any time. */
TRI_MUST_CHECK tri_status tri__table_shard_begin_copy(tri__table_shard *shard);
void tri__table_shard_read_copy(const tri__table_shard *shard, int64_t first, int64_t count, int slot, float *out);
void tri__table_shard_end_copy(tri__table_shard *shard);

/* Apply the sum of what was added, or one part by itself. There must be room for the rows (reserve). */
void tri__table_shard_apply(tri__table_shard *shard, const tri_rule *rule, double scale, const tri_step *step);
void tri__table_shard_apply_part(tri__table_shard *shard, const tri__row_part *part, const tri_rule *rule, double scale,
                                 const tri_step *step);

/* TRI_BAD_DATA where a RESTORE or COPY does not name a piece of a table (layout.h), or its body does not have the size of the piece. A
 * piece that is all zeros may have no body. */
TRI_MUST_CHECK tri_status tri__table_piece_check(const tri__layout *layout, const tri__message *message, uint32_t slots);

/* Copy one slot of count rows, from row first on, each stride-th, out of a table and back: [count][width]. Slot 0 is the weights; the other
 * slots are the rule's state. */
void tri__table_read(const tri_table *table, int64_t first, int64_t stride, int64_t count, int slot, float *out);
void tri__table_write(tri_table *table, int64_t first, int64_t stride, int64_t count, int slot, const float *from); /* NULL: zeros */

#endif
