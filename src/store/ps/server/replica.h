/* replica.h: a range that lives on two servers (--replicas 2). One of them leads, the other is its twin.
 *
 * The leader is to workers and to ps:0 what a server without a twin is. Each update that it has applied it sends to its twin, in order, as
 * it applied it: one gradient, its scale and its rate. The twin applies the very same, so it has the same bits, state of the rule included,
 * and says how many updates it has. A worker is answered when both servers have its update; what was not answered it pushes again, wherever
 * the range is led by then, and an update carries whose push it is, so that none is applied twice.
 *
 * Sending updates costs as many bytes as one push, whatever the rule; in sync it is the sum of all pushes. Results would cost two or three
 * times that where the rule has state.
 *
 * Who leads is decided by ps:0 alone (pairs.h), and no clock is part of the decision. A leader that has a twin answers nobody without it,
 * until ps:0 says that it leads alone; ps:0 says so only after it has struck the twin off. A twin that is told to lead hears its old leader
 * no more, so that one, cut off or stopped, answers nobody from then on. So there are never two that answer.
 *
 * The leader:
 *
 *            TWIN: fill it           all is sent          the twin has it all           the stream breaks
 *    ALONE ─────────────► FILLING ───────────► JOINING ─────────────────────► PAIRED ────────────────────► ASKING
 *      ▲                   │   ▲                  │          ps:0 is told                    ps:0 is asked    │
 *      │                   │   └──────────────────┘ the stream breaks: anew                                   │
 *      └───────────────────┴─────────────────────── LONE, or a welcome to who leads ──────────────────────────┘
 *
 * In ALONE and FILLING answers wait for nobody; from JOINING on they wait for the twin, so that by the time ps:0 hears of PAIRED all that
 * was ever answered is on both. A twin is filled chunk by chunk while training goes on: updates of a chunk follow it once it is sent.
 *
 * The twin:
 *
 *                 the leader's hello          all has come              PROMOTE
 *    TWIN (empty) ──────────────────► (filling) ───────────► (whole) ─────────────► ALONE, as the leader
 *         ▲                               │                     │
 *         └───────────────────────────────┴─────────────────────┘ ps:0 names another pair, or welcomes it anew
 *
 * What ps:0 tells all servers of members and steps it tells twins, too; older news comes from the leader. Numbers tell pairs apart: a word
 * about an earlier one means nothing. When all go back, a pair parts, and begins anew once the leader has its range. */
#ifndef TRI_STORE_PS_SERVER_REPLICA_H
#define TRI_STORE_PS_SERVER_REPLICA_H

#include "base/json.h"
#include "net/address.h"
#include "store/ps/protocol/message.h"

typedef struct tri__server tri__server;
typedef struct tri__peer tri__peer;

typedef enum {
    TRI_REPLICA_ALONE,
    TRI_REPLICA_FILLING,
    TRI_REPLICA_JOINING,
    TRI_REPLICA_PAIRED,
    TRI_REPLICA_ASKING,
    TRI_REPLICA_TWIN,
} tri__replica_state;

/* An answer that waits until the twin has so many updates. */
typedef struct {
    int64_t after;
    tri__peer *peer; /* NULL: it has gone */
    uint32_t chunk;
} tri__owed_answer;

typedef struct {
    tri__replica_state state;
    uint32_t pair;          /* its number */
    char host[256];         /* leader: where the twin is … */
    tri__address twin;      /* … whose host is that */
    int64_t attempt;        /* leader: when the stream is tried again */
    tri__peer *stream;      /* leader: to the twin; twin: from the leader; NULL: none */
    bool open;              /* leader: the twin takes updates; twin: it is whole */
    uint32_t filled;        /* leader: chunks that were sent */
    int64_t sent;           /* leader: updates … */
    int64_t had;            /* … and how many of them the twin has; twin: that came */
    tri__owed_answer *owed; /* [capacity], the oldest at first */
    size_t first, count, capacity;
} tri__replica;

bool tri__replica_is_twin(const tri__server *server);
void tri__replica_fini(tri__server *server);
void tri__replica_tick(tri__server *server);

/* What other files tell it. */
void tri__replica_watch(tri__server *server);              /* there is a stretch now */
void tri__replica_answer(tri__peer *peer, uint32_t chunk); /* its push is in: answer it, now or when both servers have it */
void tri__replica_met(tri__server *server, int task);      /* a worker was welcomed */
void tri__replica_part(tri__server *server);               /* all go back: nothing of before is owed or sent */
void tri__replica_welcomed(tri__server *server, bool leads, uint32_t pair); /* by ps:0 */
void tri__replica_forget(const tri__peer *peer);                            /* its connection is gone: nothing is owed to it */

/* The stream between the two, a peer of role TRI_PEER_STREAM. */
TRI_MUST_CHECK tri_status tri__replica_hello(tri__peer *peer, const json_t *body); /* to the twin */
void tri__replica_greet(tri__peer *peer);
TRI_MUST_CHECK tri_status tri__replica_place(tri__peer *peer, const tri__message *message, void **body);
TRI_MUST_CHECK tri_status tri__replica_message(tri__peer *peer, const tri__message *message, const json_t *body);
void tri__replica_drained(tri__server *server);
void tri__replica_closed(tri__peer *peer);

/* What ps:0 says of it: TWIN, LONE, PROMOTE. */
TRI_MUST_CHECK tri_status tri__replica_told(tri__server *server, const tri__message *message, const json_t *body);

#endif
