/* worker_shard.h: what one server has of a table, as a worker uses it: table_client.c says which rows are wanted, row_messages.c moves
 * them.
 *
 *            expect               sent                  ROWS has come          await_rows
 *    NONE ───────────► TO_ASK ───────────► ASKED ─────────────────────► HERE ──────────────► (given to the plan)
 *     ▲                                                                                          │
 *     └───────────────────────────────── the next expect ───────────────────────────────────────┘
 *
 * A connection that breaks, and all going back, turn ASKED into TO_ASK. The batch at hand and the next one each have their rows: the next
 * one's keys travel while this one is computed. */
#ifndef TRI_STORE_PS_WORKER_WORKER_SHARD_H
#define TRI_STORE_PS_WORKER_WORKER_SHARD_H

#include "store/ps/protocol/keyed.h"
#include "store/ps/worker/worker_inside.h"

typedef enum { TRI_ROWS_NONE, TRI_ROWS_TO_ASK, TRI_ROWS_ASKED, TRI_ROWS_HERE } tri__rows_stage;

/* The rows of one batch. */
typedef struct {
    tri__rows_stage stage;
    tri__row_list list;
    int32_t *position; /* where each row stands among the batch's keys */
    float *values;     /* [rows][width] the rows, where they are here */
    int64_t position_room, values_room;
    int64_t step;      /* before which they are wanted */
    int64_t after;     /* … and after which push of ours, by its serial */
    uint32_t number;   /* of the pull; its answer repeats it */
    uint32_t asked_at; /* which of the connection's pulls it was; 0: none */
} tri__batch_rows;

/* What one server has of a table, as this worker uses it. */
struct tri__worker_shard {
    int64_t width;
    int64_t all;              /* rows that it can name to the server */
    tri__batch_rows batch[2]; /* of the step at hand, and of the next one: worker->now says which is which */
    uint32_t numbers;         /* of pulls so far, … */
    uint32_t asked;           /* … and of those on this connection */

    tri__row_list pushed; /* of the last push, until it is answered */
    float *gradient;      /* [rows of the push][width] */
    int32_t *sightings;   /* … and where tables grow, how often the batch names each row */
    int64_t gradient_room, sightings_room;
    uint32_t pushed_at; /* as asked_at, of its list */
};

static inline tri__batch_rows *tri__shard_now(const tri__worker *worker, tri__worker_shard *shard)
{
    return &shard->batch[worker->now];
}

static inline tri__worker_shard *tri__shard_at(const tri__worker *worker, int server, int table)
{
    return worker->chunk[tri__layout_table_chunk(&worker->layout, server, table)].shard;
}

#endif
