/* server_inside.h: a server as its own files see it.
 *
 *   server.c       starts, runs and ends the server
 *   peer.c         one connection
 *   reception.c    takes the messages of all connections
 *   pushes.c       takes gradients
 *   row_server.c   serves rows of tables
 *   follower.c     the role of ps:1 …, which follow ps:0 (coordinator/ has the role of ps:0)
 *   stretch_copy.c a follower's copy of its stretch, for snapshots
 *   replication/   a range that lives on two servers */
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
 * In STILL the server applies no gradients, so that the steps which it reported to ps:0 stay true: a new ps:0 may want a copy of a step
 * that all servers have made (handover.h).
 *
 * Only a server that has ALL takes gradients, pulls, views, snapshots and norms; in STILL it takes snapshots. A generation begins with its
 * first RESTORE. A standby has NOTHING until it becomes the primary (replication.h). */
typedef enum { TRI_HOLDS_NOTHING, TRI_HOLDS_PART, TRI_HOLDS_STILL, TRI_HOLDS_ALL } tri__holding;

/* Whether the server reads from a peer's connection, and what it does with its messages.
 *
 *              too many of its gradients wait for others                   it says bye
 *        AHEAD ◄──────────────────────────────────────────────► READ ──────────────────► LEAVING
 *                       the others have caught up               ▲   │
 *                                          the step has begun   │   │  backup workers: it pushes for a step that has not begun here
 *                                                               │   ▼
 *                                                               EARLY
 *
 * From every state it becomes CLOSING when the peer is refused, or when its process has made another connection. */
typedef enum {
    TRI_TALK_READ,    /* the server reads from it */
    TRI_TALK_AHEAD,   /* the server does not read from it: other workers have to catch up */
    TRI_TALK_EARLY,   /* the server does not read from it: its last message is kept until its step has begun */
    TRI_TALK_LEAVING, /* the end of its connection is expected */
    TRI_TALK_CLOSING, /* its messages are dropped; the connection closes when all that was sent to it has gone out */
} tri__talk_state;

/* Async: a follower keeps its stretch after ps:0 was restarted. Its old generation ends when every chunk has `step` updates, or at
 * until. */
typedef struct {
    uint32_t generation; /* the next one */
    int64_t step;
    int64_t until; /* time; 0: nothing is awaited */
} tri__keeping;

typedef struct tri__peer {
    struct tri__peer *next;
    tri__server *server;
    tri__connection *connection;
    tri__peer_role role;
    tri__talk_state state;
    int task;
    uint64_t incarnation;
    tri__message message;     /* the message whose body is being read */
    float *gradient;          /* [TRI_CHUNK_FLOATS] the body of a push is read into this */
    bool *due;                /* [chunks of the stretch] answers that wait until the connection takes more */
    uint32_t due_count;       /* how many answers are due */
    int64_t *traced;          /* [chunks of the stretch] for the timeline: the last push that was answered; NULL: there is no timeline */
    char *text;               /* a body that is JSON is read into this */
    tri__peer_tables *tables; /* for the rows that it pulls and pushes; NULL until it does */
    json_t *hello;            /* the hello of a peer that has to wait for its welcome; NULL: it does not wait */
    int64_t heard;            /* when its last message came */
    int64_t greeted;          /* when it said hello */
} tri__peer;

struct tri__server {
    tri__server_options options;
    tri__trace_lane *lane;    /* for its messages; NULL: they are not traced */
    tri__log_limit strangers; /* limits log lines about peers that have not said who they are */
    tri__loop *loop;
    tri__listener *listener;
    tri__timer *tick;
    tri__peer *peers;
    tri__peer *worker[TRI_MOST_TASKS]; /* by task; NULL: not connected */
    uint64_t welcomed[TRI_MOST_TASKS]; /* by task: the incarnation that was last welcomed */
    tri__layout layout;
    tri__stretch *stretch; /* NULL until the model is known */
    uint32_t generation;   /* changes when all go back: pushes of an earlier generation are void */
    tri__holding holds;    /* ALL: workers are welcome */
    uint32_t restore_left; /* chunks × slots that are still to come */
    const tri__server_role *role;
    tri__coordinator *coordinator; /* ps:0; NULL: a follower */
    tri__contact contact;          /* follower: its connection to ps:0 */
    tri__peer *upstream;           /* follower: ps:0 as one of the peers; NULL while there is no connection */
    int64_t incarnation;           /* follower: tells this process from an earlier one of the same task */
    tri__keeping keeping;          /* follower: it keeps its stretch for a restarted ps:0 */
    int64_t leaving;               /* follower: since when it is asked to end; 0: it is not */
    bool leaving_told;             /* follower: this ps:0 knows that */
    tri__stretch_copy copy;        /* follower: the copy of its stretch that ps:0 wants */
    tri__replication replication;  /* the other server of the range */
    int ahead;                     /* how many workers are AHEAD */
    int64_t late[TRI_MOST_TASKS];  /* sync, by task: nanoseconds for which other parts of a step waited for this worker's, the last one */
    int64_t beaten;                /* when the last heartbeat was sent */
    int64_t ticked;                /* when the server last checked which peers are silent */
    tri_status failure;
    bool done;
    char farewell[512]; /* why the job has ended; "": in good order */
    int unheard;        /* tasks whose connection broke after the job was over: they may not know that it is */
};

/* server.c */
void tri__server_end(tri__server *server, tri_status why);         /* stops the loop; the first reason counts. Takes why */
void tri__server_say_bye(tri__server *server, const char *reason); /* to all that said hello; reason NULL: the job is done */
void tri__server_say_bye_to(tri__peer *peer);                      /* the same, to one peer */

#endif
