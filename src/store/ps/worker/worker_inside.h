/* worker_inside.h: a worker's store as its own files see it: worker.c is the store, waiting.c how its calls wait, worker_tokens.c which
 * steps it makes, links.c its connections to the servers, sending.c and hearing.c the messages on them, table_client.c and row_messages.c
 * its tables.
 *
 * One lock guards everything that the loop's handlers touch. If the loop has a thread of its own, that thread turns it, and the thread that
 * computes waits on a condition. If not, the thread that computes turns the loop, and nobody contends for the lock; while it computes, it
 * lends the loop to a heartbeat thread, so that servers hear that the worker lives (heartbeat.h). */
#ifndef TRI_STORE_PS_WORKER_WORKER_INSIDE_H
#define TRI_STORE_PS_WORKER_WORKER_INSIDE_H

#include <pthread.h>

#include "graph/store/store.h"
#include "store/ps/protocol/contact.h"
#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/message.h"
#include "store/ps/worker/heartbeat.h"
#include "store/ps/worker/worker.h"

typedef struct tri__worker tri__worker;
typedef struct tri__worker_shard tri__worker_shard; /* worker_shard.h */
typedef struct tri__table_sort tri__table_sort;     /* table_client.c */

typedef enum {
    TRI_CHUNK_HERE,   /* its parameters are current */
    TRI_CHUNK_READY,  /* its gradient waits to be sent */
    TRI_CHUNK_PUSHED, /* sent, not answered */
    TRI_CHUNK_PULLED, /* asked for, not answered */
} tri__chunk_stage;

typedef struct {
    tri_range range;
    int server;
    tri__chunk_stage stage;
    size_t covered; /* floats whose gradient was offered in this step */
    double weight;
    int64_t serial, step; /* of the push */
    float rate;
    uint32_t next;            /* READY: the chunk behind it in the queue of its link */
    tri__worker_shard *shard; /* if the chunk is rows of a table (worker_shard.h); NULL: it is a range */
} tri__worker_chunk;

typedef struct {
    tri__worker *worker;
    int index;
    tri__contact contact;
    char host[256];         /* if the server has moved: its host */
    tri__address moved;     /* if the server has moved: its address, which borrows `host` */
    int64_t sent, received; /* bytes of connections that have ended */
    uint32_t first, *last;  /* the queue of chunks that are ready; last points to its end */
    tri__message message;   /* the message that is being read */
    bool awaited;           /* the chunk that is being read goes to its place, not to scratch */
    char *text;             /* the body of another message is read into this */
} tri__link;

/* How far the worker is on its way to take part in the job.
 *
 *          ps:0's welcome            all chunks are here        tri__ps_store_ready          READY is sent
 *    NEW ─────────────────► PULLING ─────────────────────► PULLED ─────────────────► TO_SAY ───────────────► SAID
 *                            │   ▲                            │                         │                    │ ▲
 *        tri__ps_store_ready │   └──────── all go back ───────┘                         │ all go back        │ │
 *                            ▼                                                          ▼                    │ │
 *                       PULLING_ANEW ◄──────────────────────────────────────────────────┴────────────────────┘ │
 *                            └────────────── all chunks are here; READY is sent ───────────────────────────────┘ */
typedef enum {
    TRI_READINESS_NEW,
    TRI_READINESS_PULLING,      /* it fetches all parameters */
    TRI_READINESS_PULLED,       /* it has them */
    TRI_READINESS_TO_SAY,       /* it wants to take part: READY waits for the loop's owner */
    TRI_READINESS_SAID,         /* READY was sent */
    TRI_READINESS_PULLING_ANEW, /* as PULLING; it says READY when it has all */
} tri__readiness;

static inline bool tri__readiness_pulls(tri__readiness readiness)
{
    return readiness == TRI_READINESS_PULLING || readiness == TRI_READINESS_PULLING_ANEW;
}

/* The token of the step at work.
 *
 *            tri__ps_store_expect                   the expected token comes
 *    TAKEN ────────────────────────► EXPECTED ──────────────────────────────► TAKEN
 *      │                                │
 *      └────────── all go back ─────────┴─ another token comes, or all go back ──► VOID
 *
 * From VOID the next tri__ps_store_token leads to TAKEN, and the next tri__ps_store_expect to EXPECTED. */
typedef enum {
    TRI_TOKEN_TAKEN,
    TRI_TOKEN_EXPECTED, /* the step began before its token came */
    TRI_TOKEN_VOID,     /* nothing more of the step is sent: it is not the one that is wanted */
} tri__token_state;

/* The end of the job, as this worker sees it. Each state includes those before it.
 *
 *               STOP                    BYE of a server               BYE of ps:0, or its connection has ended
 *    GOING ───────────────► STOPPED ─────────────────────► DISMISSED ──────────────────────────────────────────► OVER
 *      └─────────────────────── BYE ──────────────────────────▲ */
typedef enum {
    TRI_ENDS_GOING,
    TRI_ENDS_STOPPED,   /* no further tokens come */
    TRI_ENDS_DISMISSED, /* a server has said goodbye: connections that end are not made again */
    TRI_ENDS_OVER,      /* the coordinator has said goodbye, or cannot any more */
} tri__worker_ending;

struct tri__worker {
    tri_store store;
    tri__ps_store_options options;
    tri__layout layout;
    tri__loop *loop;
    tri__timer *tick;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool threaded;            /* the loop has a thread of its own */
    bool leaving;             /* that thread is to end, or the store is being destroyed */
    tri__heartbeat heartbeat; /* without a thread: turns the loop while a step is computed */
    int64_t here;             /* when the last awaited chunk came */
    tri__trace_lane *network; /* for messages sent and received; NULL: they are not traced */
    tri__link *link;
    tri__worker_chunk *chunk;
    uint32_t chunks;
    uint32_t waiting; /* how many chunks are not HERE */
    int64_t incarnation, serial;
    uint32_t generation;
    tri__readiness readiness;
    json_t *report;         /* to be sent; NULL: none */
    json_t *final;          /* the final report, which a restarted ps:0 asks for again; NULL: the worker has not ended */
    int64_t sent, received; /* bytes of all links, as of the last count */
    int64_t beaten;         /* when the last heartbeat was sent */
    int ahead;
    tri__worker_ending ending;
    bool refused; /* a server has turned this worker away: connections that end are not made again */
    tri_status failure;
    tri__token token[TRI_MOST_HELD];
    int first_token, tokens;
    int64_t last_step; /* the step of the token that was taken last; −1: none */
    tri__token_state at_work;
    tri__token expected; /* in EXPECTED: the token that should come */
    int64_t done;        /* async: how many updates of this task ps:0 had when it welcomed this worker */
    int64_t answered;    /* how many pushed chunks ps:0 has answered since its welcome */
    float *scratch;      /* [TRI_CHUNK_FLOATS] for answers that nobody waits for */
    size_t covered;      /* with clipping: how many floats were offered in this step */
    int tables_offered;  /* with clipping: how many tables were offered in this step */
    tri__table_sort *sort;
    uint8_t *rows_body; /* the body of a message with rows, while it is written */
    int64_t rows_body_room;
    int now; /* which of the two in tri__worker_shard.batch is the present step's */
    tri_step step;
    tri__store_times times;
    int64_t waited; /* the longest time that a chunk or fresh token which came since the last wait began waited for other workers */
};

#endif
