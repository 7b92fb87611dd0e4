/* snapshot.h: ps:0's copy of the whole model, to evaluate, to save, and to restore servers from. There is one at a time.
 *
 *            take                    all chunks are here,                     it is evaluated,
 *    NONE ─────────► COMING ─┬─ to be evaluated ────────► EVALUATING ────────────────────────────► WRITING
 *     ▲ ▲              │     │                               or there is no evaluator any more       ▲  │
 *     │ └──────────────┘     └─ only to be saved ────────────────────────────────────────────────────┘  │
 *     │  give up: a server is gone                                                                      │
 *     └──────────────────────────── the writer is idle ─────────────────────────────────────────────────┘
 *
 * The writer is a thread, which may work in both of the last two states:
 *
 *           save                    written
 *    IDLE ─────────► CHECKPOINT ───────────────► IDLE
 *     ▲ │                │ the evaluation finds the best model so far
 *     │ │                ▼                   written
 *     │ │       CHECKPOINT_THEN_BEST ───────────────────► BEST ───┐
 *     │ └─── the evaluation finds the best model so far ──► ▲     │ written
 *     └───────────────────────────────────────────────────────────┘
 *
 * Other files may read standing, kept and overdue; everything else they reach through functions. */
#ifndef TRI_STORE_PS_COORDINATOR_SNAPSHOT_SNAPSHOT_H
#define TRI_STORE_PS_COORDINATOR_SNAPSHOT_SNAPSHOT_H

#include <pthread.h>

#include "store/ps/protocol/keyed.h"
#include "store/ps/server/server_inside.h"
#include "store/ps/stretch/key_cells.h"

typedef enum {
    TRI_SNAPSHOT_NONE,
    TRI_SNAPSHOT_COMING,     /* servers copy their stretches, and send them */
    TRI_SNAPSHOT_EVALUATING, /* all of it is here; the evaluator pulls it, and the writer may be at work */
    TRI_SNAPSHOT_WRITING,    /* only the writer may still be at work */
} tri__snapshot_state;

typedef enum {
    TRI_WRITER_IDLE,
    TRI_WRITER_CHECKPOINT,
    TRI_WRITER_CHECKPOINT_THEN_BEST,
    TRI_WRITER_BEST, /* the best model is kept beside the checkpoints; the job never goes back to it */
} tri__writer_state;

/* What a snapshot is for: one or several of these flags. */
enum {
    TRI_FOR_CHECKPOINT = 1,
    TRI_FOR_EVALUATION = 2,
    TRI_FOR_END = 4, /* the job ends with it */
};

/* The rows of tables that the evaluator has pulled from an earlier snapshot. The test examples name these rows, and always the same ones.
 * So a snapshot that is only evaluated needs no others. */
typedef struct {
    tri__row_list list;             /* keys, rising; the same for all tables */
    bool known;                     /* the list is complete: an evaluation has ended */
    bool alone;                     /* the present snapshot has no other rows */
    tri__row_list *server;          /* [servers] where known: the rows that each server has, by its own numbers */
    int servers;                    /* length of `server` */
    int64_t told[TRI_MOST_SERVERS]; /* `greeted` of the connection on which the server was told its rows; 0: it was not told */
} tri__named_rows;

/* Where tables grow: one server's part of the whole (snapshot_keys.h). */
typedef struct {
    tri__row_list rows; /* rows of the whole, in the order of the server's own rows */
    tri__left_out left; /* what this server has left out */
} tri__grown_part;

typedef struct {
    tri__snapshot_state state;
    unsigned purpose; /* of the last snapshot that was taken */
    tri_store *whole;
    float *piece;                 /* [TRI_CHUNK_FLOATS] rows of a table, while they are copied or sent */
    tri__standing standing;       /* where the job stood when the snapshot was taken */
    uint32_t number;              /* of this snapshot; parts of a snapshot that was given up have another */
    uint32_t slots;               /* 1: parameters only */
    uint32_t left;                /* chunks × slots that are still to come */
    bool taken[TRI_MOST_SERVERS]; /* by server: it has copied its stretch */
    json_t *pushed;               /* async, by server: a list of the pushes in its copy (known_pushes.h); NULL: no snapshot was taken */
    tri__named_rows named;        /* rows of tables that the evaluator pulls */
    tri__grown_part *grown;       /* [servers] where tables grow; NULL elsewhere */
    int servers;                  /* length of `grown` */
    tri__key_cells cells;         /* keys, while they are copied or sent */

    bool checkpoint_due;
    int64_t next_checkpoint; /* time */
    int64_t next_evaluation; /* step; async */
    int64_t copied;          /* the step of the last snapshot; −1: none */
    int64_t kept;            /* the step of the last checkpoint whose writing has ended, well or not */
    int64_t written;         /* the step of the last checkpoint that was written; −1: none */

    tri__writer_state writer;
    pthread_t thread;
    tri_status failure; /* why the writer could not write; read after writer_done */
    bool writer_done;   /* atomic; the writer sets it before it wakes the loop */
    int64_t writer_began, writer_checked;
    bool overdue;   /* the writer has been at work for longer than the timeout (snapshot_writer.h) */
    bool told_slow; /* the log has said that steps wait for the writer */
} tri__snapshot;

void tri__snapshot_init(tri__snapshot *snapshot);
void tri__snapshot_fini(tri__snapshot *snapshot); /* the writer has ended */
bool tri__snapshot_idle(const tri__snapshot *snapshot);
bool tri__snapshot_is_evaluated(const tri__snapshot *snapshot); /* it is EVALUATING now */
bool tri__snapshot_is_last(const tri__snapshot *snapshot);

unsigned tri__snapshot_due(const tri__coordinator *coordinator);     /* what a snapshot is due for now; 0: none is due */
bool tri__snapshot_due_in_sync(const tri__coordinator *coordinator); /* sync: a snapshot comes before the next step */
void tri__snapshot_begin(tri__coordinator *coordinator, unsigned purpose);
void tri__snapshot_take_last(tri__coordinator *coordinator);      /* the model that the job ends with */
bool tri__snapshot_holds_up(const tri__coordinator *coordinator); /* sync: followers have not copied yet */
void tri__snapshot_give_up(tri__coordinator *coordinator);        /* a server is gone, and its part will not come */

TRI_MUST_CHECK tri_status tri__snapshot_load(tri__coordinator *coordinator);    /* the owner's checkpoint, which the job begins from */
TRI_MUST_CHECK tri_status tri__snapshot_go_back(tri__coordinator *coordinator); /* the last checkpoint, which the job goes on from */
void tri__snapshot_fill_own(tri__coordinator *coordinator);                     /* fills ps:0's stretch from `whole` */
void tri__snapshot_send_stretch(tri__coordinator *coordinator, int server, tri__connection *to); /* sends it from `whole` */

uint32_t tri__snapshot_all_slots(const tri__coordinator *coordinator); /* the number of slots: parameters, and all state of the rule */
/* `whole` is the model at that standing now, though no checkpoint was written. Takes standing. */
void tri__snapshot_take_standing(tri__coordinator *coordinator, tri__standing *standing);
TRI_MUST_CHECK tri_status tri__snapshot_copied(tri__coordinator *coordinator, int server, const tri__message *message);
/* A server's copy has these pushes. */
TRI_MUST_CHECK tri_status tri__snapshot_pushed(tri__coordinator *coordinator, int server, const json_t *pushes);
TRI_MUST_CHECK tri_status tri__snapshot_body(tri__peer *peer, const tri__message *message, void **body); /* where a COPY goes */
/* A chunk was read to the place that snapshot_body gave; where tables grow, keys before it. receive puts a chunk into `whole`; a handover
 * calls it, too. */
TRI_MUST_CHECK tri_status tri__snapshot_received(tri__peer *peer, const tri__message *message);
TRI_MUST_CHECK tri_status tri__snapshot_received_keys(tri__peer *peer, const tri__message *message);
TRI_MUST_CHECK tri_status tri__snapshot_receive(tri__peer *peer, const tri__message *message);
TRI_MUST_CHECK tri_status tri__snapshot_pulled(tri__peer *peer, const tri__message *message); /* the evaluator asks for a chunk */
TRI_MUST_CHECK tri_status tri__snapshot_evaluated(tri__coordinator *coordinator, const json_t *body);
void tri__snapshot_not_evaluated(tri__coordinator *coordinator); /* there is no evaluator any more */

void tri__snapshot_start(tri__coordinator *coordinator);                   /* the job runs from now on */
void tri__snapshot_check_time(tri__coordinator *coordinator, int64_t now); /* a checkpoint may be due */
void tri__snapshot_want_checkpoint(tri__coordinator *coordinator);         /* a checkpoint is due, if the job writes any while it runs */
void tri__snapshot_tick(tri__coordinator *coordinator);                    /* the writer may be done, or not get on */
void tri__snapshot_release(tri__coordinator *coordinator);                 /* if nobody uses the snapshot any more, go on */

#endif
