/* server_inside.h: a server as its own files see it: server.c is its life, peer.c a connection, reception.c what connections say, pushes.c
 * what becomes of gradients. follower.c is what ps:1 … do with ps:0, coordinator.c what ps:0 does, replication.h a range on two servers. */
#ifndef TRI_STORE_PS_SERVER_SERVER_INSIDE_H
#define TRI_STORE_PS_SERVER_SERVER_INSIDE_H

#include "base/report/log_limit.h"
#include "net/connection/listener.h"
#include "store/ps/protocol/contact.h"
#include "store/ps/protocol/message.h"
#include "store/ps/protocol/tokens.h"
#include "store/ps/server/replication/replication.h"
#include "store/ps/server/server.h"
#include "store/ps/server/stretch_copy.h"
#include "store/ps/stretch/stretch.h"

typedef struct tri__server tri__server;
typedef struct tri__coordinator tri__coordinator;
typedef struct tri__peer_tables tri__peer_tables; /* row_server.h */

typedef enum {
    TRI_PEER_STRANGER,
    TRI_PEER_WORKER,
    TRI_PEER_SERVER,
    TRI_PEER_EVALUATOR,
    TRI_PEER_COORDINATOR,
    TRI_PEER_STANDBY, /* on ps:0: the standby of a range (pairs.h) */
    TRI_PEER_STREAM,  /* on a primary: its standby; on a standby: its primary (replication.h) */
} tri__peer_role;

/* What a server has of its stretch. ps:0 fills its own at once. The others:
 *
 *               RESTORE             RESTORED, when all has come       sync: it greets ps:0 anew
 *    NOTHING ◄──────────► PART ───────────────────────────────► ALL ────────────────────────────► STILL
 *        ps:0 is lost meanwhile ▲                                │                                  │
 *                               └──── RESTORE: all go back ──────┴──────────────────────────────────┘
 *
 * In STILL what it has said of its steps stays true: a new ps:0 may want a copy as of a step that all servers have made (handover.h).
 *
 * Gradients, pulls, views, snapshots and norms are taken only by one that has ALL; snapshots also in STILL. A generation begins with its
 * first RESTORE. A standby has nothing until it leads (replication.h). */
typedef enum { TRI_HOLDS_NOTHING, TRI_HOLDS_PART, TRI_HOLDS_STILL, TRI_HOLDS_ALL } tri__holding;

/* Whether a connection is read from, and what its messages count for.
 *
 *                its gradients that wait for others are too many           it says bye
 *        AHEAD ◄──────────────────────────────────────────────► READ ──────────────────► LEAVING
 *                         they have caught up                   ▲   │
 *                                          the step has begun   │   │  backup workers: it pushes for a step that has not begun here
 *                                                               │   ▼
 *                                                               EARLY
 *
 * From every state it becomes CLOSING when it is refused, or when its process has made another connection. */
typedef enum {
    TRI_TALK_READ,    /* it is read from */
    TRI_TALK_AHEAD,   /* it is not: others have to catch up */
    TRI_TALK_EARLY,   /* it is not: its last message is kept until its step has begun */
    TRI_TALK_LEAVING, /* the end of its connection is expected */
    TRI_TALK_CLOSING, /* its messages are dropped; the connection closes when what was sent to it has gone out */
} tri__talk_state;

/* Async: a follower that keeps its stretch when ps:0 was restarted ends its generation when it has so many updates of every chunk. */
typedef struct {
    uint32_t generation; /* the next one */
    int64_t step;
    int64_t until; /* they are not awaited any longer; 0: none is awaited */
} tri__keeping;

typedef struct tri__peer {
    struct tri__peer *next;
    tri__server *server;
    tri__connection *connection;
    tri__peer_role role;
    tri__talk_state state;
    int task;
    uint64_t incarnation;
    tri__message message;     /* whose body is being read */
    float *gradient;          /* [TRI_CHUNK_FLOATS] where pushes are read to */
    bool *due;                /* [chunks of the stretch] answers that wait until the connection takes more … */
    uint32_t due_count;       /* … so many */
    char *text;               /* where JSON is read to */
    tri__peer_tables *tables; /* whose rows it pulls and pushes; NULL until it does */
    json_t *hello;            /* of a worker that has to wait for its welcome; NULL */
    int64_t heard;            /* when it last said anything */
    int64_t greeted;          /* when it said hello */
} tri__peer;

struct tri__server {
    tri__server_options options;
    tri__trace_lane *lane;    /* of its messages; NULL: they are not traced */
    tri__log_limit strangers; /* of log lines about peers that have not said who they are */
    tri__loop *loop;
    tri__listener *listener;
    tri__timer *tick;
    tri__peer *peers;
    tri__peer *worker[TRI_MOST_TASKS]; /* by task; NULL where none is connected */
    uint64_t welcomed[TRI_MOST_TASKS]; /* by task: the incarnation that was last welcomed */
    tri__layout layout;
    tri__stretch *stretch; /* NULL until the model is known */
    uint32_t generation;   /* changes when all go back: pushes from before it are void */
    tri__holding holds;    /* all: workers are welcome */
    uint32_t restore_left; /* chunks × slots that are still to come */
    const tri__server_role *role;
    tri__coordinator *coordinator; /* of ps:0; NULL elsewhere … */
    tri__contact contact;          /* … and there with ps:0 … */
    tri__peer *upstream;           /* … as one of the peers; NULL while there is no connection … */
    int64_t incarnation;           /* … and how it is told from an earlier process */
    tri__keeping keeping;          /* … and how it goes on with another one … */
    tri__stretch_copy copy;        /* … and the copy of its stretch that ps:0 wants … */
    tri__replication replication;  /* … and what it has to do with the range's other server */
    int ahead;                     /* workers in that state */
    int64_t late[TRI_MOST_TASKS];  /* sync: nanoseconds for which the first parts of steps waited for the last one, this worker's */
    int64_t beaten;                /* when the last heartbeat was sent */
    int64_t ticked;                /* when it was last checked who is silent */
    tri_status failure;
    bool done;
    char farewell[512]; /* why the job has ended; "": in good order */
    int unheard;        /* tasks whose connection broke after the job was over: they may not know */
};

/* server.c */
void tri__server_end(tri__server *server, tri_status why);         /* the loop stops; the first reason counts */
void tri__server_say_bye(tri__server *server, const char *reason); /* to all that said hello; NULL: the job is done */
void tri__server_say_bye_to(tri__peer *peer);                      /* once more, to one that comes late */

#endif
