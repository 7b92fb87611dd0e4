/* worker_shard.h: one server's part of a table, as a worker uses it: table_client.c decides which rows are wanted, row_messages.c sends and
 * receives them.
 *
 *            expect               sent                  ROWS has come          await_rows
 *    NONE ───────────► TO_ASK ───────────► ASKED ─────────────────────► HERE ──────────────► (given to the plan)
 *     ▲                                                                                          │
 *     └───────────────────────────────── the next expect ───────────────────────────────────────┘
 *
 * If a connection breaks, or all go back, ASKED becomes TO_ASK. The present batch and the next one have rows of their own: the keys of the
 * next batch travel while the present one is computed. */
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
    int64_t step;      /* sync: the server answers when all steps before this one are applied */
    int64_t after;     /* other modes: the server answers after this worker's push with this serial */
    uint32_t number;   /* of the pull; its answer repeats it */
    uint32_t asked_at; /* the pull was the asked_at-th on this connection; 0: it was not sent */
} tri__batch_rows;

/* One server's part of a table, as this worker uses it. */
struct tri__worker_shard {
    int64_t width;
    int64_t all;              /* how many rows the worker can name to the server */
    tri__batch_rows batch[2]; /* of the present step and of the next one; worker->now says which is which */
    uint32_t numbers;         /* the number of the last pull */
    uint32_t asked;           /* how many pulls were sent on this connection */

    tri__row_list pushed; /* the rows of the last push, until it is answered */
    float *gradient;      /* [rows of the push][width] */
    int32_t *sightings;   /* [rows of the push] where tables grow: how often the batch names each row */
    int64_t gradient_room, sightings_room;
    uint32_t pushed_at; /* asked_at of the pull that had the list of the push */
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
