/* stretch_copy.h: a follower's copy of its stretch, for a snapshot of the whole model that ps:0 takes (snapshot.h).
 *
 * Ranges, and rows that are evaluated, are copied at once. Tables are not: their rows are sent piece by piece, as fast as the connection
 * takes them, and a row that a step changes before it was sent is kept first (table_shard.h). */
#ifndef TRI_STORE_PS_SERVER_STRETCH_COPY_H
#define TRI_STORE_PS_SERVER_STRETCH_COPY_H

#include "store/ps/protocol/keyed.h"
#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/message.h"
#include "store/ps/stretch/key_cells.h"
#include "store/ps/stretch/stretch.h"

typedef struct tri__server tri__server;
struct tri__peer;

/* Async: nanoseconds for which a server waits for updates that ps:0 has. If they have not come by then, their workers are gone. */
#define TRI_LATE INT64_C(500000000)

typedef struct {
    int64_t step;                   /* the step after which ps:0 wants the copy; −1: it wants none */
    int64_t updates;                /* how many updates every chunk must have in the copy */
    int64_t until;                  /* async: when the server stops waiting for these updates */
    uint32_t slots, number;         /* how many slots to copy, 1: parameters only; the number of the snapshot */
    float *slot[TRI_STRETCH_SLOTS]; /* the stretch: parameters, state of the rule; NULL: no memory yet */
    struct {
        int64_t step; /* the step of the copy whose tables are being sent; −1: none is */
        int table;    /* the table whose rows are sent next */
        int64_t row;  /* the first of these rows */
        float *piece; /* [TRI_CHUNK_FLOATS] rows, while they are sent; NULL: no memory yet */
    } sending;
    int64_t table_rows;             /* where tables grow: rows in use of every table; the others are 0 */
    tri__key_cells cells;           /* where tables grow: which key has which row */
    tri__row_list named;            /* rows that evaluations read, of every table */
    bool only_named;                /* the copy that ps:0 wants has no other rows of tables */
    float *rows[TRI_LAYOUT_TABLES]; /* [named.count][width] the copy of these rows */
    int64_t rows_room[TRI_LAYOUT_TABLES];
    uint8_t *body; /* the body of a NAMED, while it is read */
} tri__stretch_copy;

TRI_MUST_CHECK tri_status tri__copy_begin(tri__server *server, const tri__message *message); /* SNAPSHOT has come: copies now or later */

/* NAMED: ps:0 says which rows evaluations read. copy_named_body gives the memory for its body; copy_named takes it, read whole. */
TRI_MUST_CHECK tri_status tri__copy_named_body(struct tri__peer *peer, const tri__message *message, void **body);
TRI_MUST_CHECK tri_status tri__copy_named(tri__server *server, const tri__message *message);

void tri__copy_take(tri__server *server);  /* copies and begins to send, if it is time to */
void tri__copy_go_on(tri__server *server); /* sends rows of tables, as many as the connection to ps:0 takes */
bool tri__copy_is_wanted(const tri__server *server);
void tri__copy_cancel(tri__server *server); /* ps:0 is lost, or all go back */
void tri__copy_fini(tri__stretch_copy *copy);

#endif
