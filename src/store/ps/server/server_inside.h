/* server_inside.h: a server as its own files see it: server.c has the connections and what all servers do with gradients, follower.c what
 * ps:1 … do with ps:0, coordinator.c who takes part and which step is whose, snapshot.c copies of the whole model. */
#ifndef TRI_STORE_PS_SERVER_SERVER_INSIDE_H
#define TRI_STORE_PS_SERVER_SERVER_INSIDE_H

#include "base/log_limit.h"
#include "net/listener.h"
#include "store/ps/protocol/contact.h"
#include "store/ps/protocol/message.h"
#include "store/ps/protocol/tokens.h"
#include "store/ps/server/replica.h"
#include "store/ps/server/server.h"
#include "store/ps/server/stretch.h"

typedef struct tri__server tri__server;
typedef struct tri__coordinator tri__coordinator;
typedef struct tri__peer_rows tri__peer_rows; /* row_server.h */

typedef enum {
    TRI_PEER_STRANGER,
    TRI_PEER_WORKER,
    TRI_PEER_SERVER,
    TRI_PEER_EVALUATOR,
    TRI_PEER_COORDINATOR,
    TRI_PEER_TWIN,   /* of ps:0: a server that another one's range lives on, too (pairs.h) */
    TRI_PEER_STREAM, /* of the two servers of a range: the other one (replica.h) */
} tri__peer_role;

/* What a server has of its stretch. ps:0 fills its own at once. The others:
 *
 *               RESTORE             RESTORED, when all has come
 *    NOTHING ◄──────────► PART ───────────────────────────────► ALL
 *        ps:0 is lost meanwhile ▲                                │
 *                               └──── RESTORE: all go back ──────┘
 *
 * Gradients, pulls, views, snapshots and norms are taken only by one that has all. A generation begins with its first RESTORE. A twin has
 * nothing until it leads (replica.h). */
typedef enum { TRI_HOLDS_NOTHING, TRI_HOLDS_PART, TRI_HOLDS_ALL } tri__holding;

/* Whether a connection is read from, and what its messages count for.
 *
 *                its gradients that wait for others are too many           it says bye
 *        AHEAD ◄──────────────────────────────────────────────► TALKS ─────────────────► LEAVING
 *                         they have caught up                   ▲   │
 *                                          the step has begun   │   │  backup workers: it pushes for a step that has not begun here
 *                                                               │   ▼
 *                                                               EARLY
 *
 * From every state it is CLOSING when it is refused, or its process has made another connection. */
typedef enum {
    TRI_PEER_TALKS,   /* it is read from */
    TRI_PEER_AHEAD,   /* it is not: others have to catch up */
    TRI_PEER_EARLY,   /* it is not: its last message is kept until its step has begun */
    TRI_PEER_LEAVING, /* that its connection ends is no news */
    TRI_PEER_CLOSING, /* what it says is dropped; the connection closes when what we told it has gone out */
} tri__peer_state;

typedef struct tri__peer {
    struct tri__peer *next;
    tri__server *server;
    tri__connection *connection;
    tri__peer_role role;
    tri__peer_state state;
    int task;
    uint64_t incarnation;
    tri__message message; /* whose body is being read */
    float *gradient;      /* [TRI_CHUNK_FLOATS] where pushes are read to */
    bool *due;            /* [chunks of the stretch] answers that wait until the connection takes more … */
    uint32_t due_count;   /* … so many */
    char *text;           /* where JSON is read to */
    tri__peer_rows *rows; /* rows of tables that it pulls and pushes; NULL until it does */
    json_t *hello;        /* of a worker that has to wait for its welcome; NULL */
    int64_t heard;        /* when it last said anything */
    int64_t greeted;      /* when it said hello */
} tri__peer;

struct tri__server {
    tri__server_options options;
    tri__log *log;
    tri__log_limit strangers; /* of what is said about those who have not said who they are */
    tri__loop *loop;
    tri__listener *listener;
    tri__timer *tick;
    tri__peer *peers;
    tri__peer *worker[TRI_MOST_TASKS]; /* by task; NULL where none is connected */
    uint64_t welcomed[TRI_MOST_TASKS]; /* by task: the incarnation that was last welcomed */
    tri__layout layout;
    tri__stretch *stretch;                        /* NULL until the model is known */
    uint32_t generation;                          /* changes when all go back: pushes from before it are void */
    tri__holding holds;                           /* all: workers are welcome */
    uint32_t restore_left;                        /* chunks × slots that are still to come */
    tri__coordinator *coordinator;                /* of ps:0; NULL elsewhere … */
    tri__contact contact;                         /* … and there with ps:0 … */
    tri__peer *upstream;                          /* … as one of the peers; NULL while there is no connection … */
    int64_t incarnation;                          /* … and how it is told from an earlier process */
    float *copy[3];                               /* … and a copy of the stretch, slot by slot … */
    float *table_copy[TRI_LAYOUT_TABLES];         /* … and of its tables, each slot by slot: … */
    uint32_t table_copy_slots[TRI_LAYOUT_TABLES]; /* … so many there is memory for */
    int64_t snapshot;                             /* … of the step after which it is wanted; −1: none … */
    int64_t snapshot_updates; /* … with so many updates of every chunk; in async those that have not come by then … */
    int64_t snapshot_until;   /* … are not awaited any longer */
    uint32_t snapshot_slots, snapshot_number;
    tri__replica replica; /* … and what it has to do with the range's other server */
    int ahead;            /* workers in that state */
    int64_t beaten;       /* when all were last told that we live */
    int64_t ticked;       /* when we last looked who is silent */
    tri_status failure;
    bool done;
    char farewell[512]; /* why the job has ended; "": in good order */
    int unheard;        /* tasks whose connection broke after the job was over: they may not know */
};

/* server.c */
tri__peer *tri__server_attach(tri__server *server);
TRI_MUST_CHECK tri_status tri__peer_equip(tri__peer *peer);              /* with what a worker's connection needs, once */
void tri__server_end(tri__server *server, tri_status why);               /* the loop stops; the first reason counts */
void tri__server_say_bye(tri__server *server, const char *reason);       /* to all that said hello; NULL: the job is done */
void tri__peer_refuse(tri__peer *peer, tri_status why);                  /* tell it, then close. Takes why */
bool tri__peer_in_doubt(const tri__peer *peer, const tri__peer *before); /* whether before, which has its place, has ended already */
void tri__peer_replaced(tri__peer *before);                              /* its process has made another connection: close this one */
void tri__server_answer(tri__peer *peer, uint32_t chunk, bool more);
void tri__server_answer_all(tri__server *server, uint32_t chunk);                 /* sync: everyone who waits for it */
void tri__server_admit(tri__server *server);                                      /* welcome the workers that had to wait */
void tri__server_go_back(tri__server *server, uint32_t generation, int64_t step); /* the stretch stands at step: begin anew from there */
void tri__server_forget(tri__server *server); /* answers that are due, and a copy that is: all go back */
void tri__server_settle(tri__server *server); /* sync: steps that became whole without a push */
extern const tri__connection_handlers tri__server_handlers;

/* coordinator.c */
TRI_MUST_CHECK tri_status tri__coordinator_create(tri__server *server, tri__coordinator **out);
void tri__coordinator_destroy(tri__coordinator *coordinator);                     /* accepts NULL */
TRI_MUST_CHECK tri_status tri__coordinator_hello(tri__peer *peer, json_t *hello); /* takes hello */
TRI_MUST_CHECK tri_status tri__coordinator_message(tri__peer *peer, const tri__message *message, const json_t *body);
void tri__coordinator_gone(tri__peer *peer);
bool tri__coordinator_pushed(tri__peer *peer, const tri__message *push); /* async: true where it ends a token; go on after the answer */
void tri__coordinator_go_on(tri__coordinator *coordinator);              /* whatever comes next, if it can come now */
void tri__coordinator_step_ends(tri__server *server);      /* sync: a chunk of ps:0 has moved on, and is about to be answered … */
void tri__coordinator_stepped(tri__server *server);        /* … and has been */
void tri__coordinator_clip(tri__coordinator *coordinator); /* sync with clipping: the norm may be known */
TRI_MUST_CHECK tri_status tri__snapshot_body(tri__peer *peer, const tri__message *message, void **body);
TRI_MUST_CHECK tri_status tri__snapshot_pulled_rows(tri__peer *peer, const tri__message *message); /* by the evaluator */
void tri__coordinator_tick(tri__server *server);
void tri__coordinator_status(tri__server *server, tri__ps_status *status);

#endif
