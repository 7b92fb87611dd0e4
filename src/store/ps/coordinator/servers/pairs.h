/* pairs.h: the two servers of each range, as ps:0 knows them (--replicas 2). ps:0 decides which of them is the primary; replication.h says
 * how primary and standby work together.
 *
 * One of the two is ps:N itself. The other, its second server, runs in the process of another server. Either can be the primary. To ps:0
 * the primary is the follower of followers.h; the pair adds the standby:
 *
 *             hello             welcome: there is a job       offer: the primary holds its range      FILLED, of this pair
 *    ABSENT ─────────► GREETED ───────────────────────► IDLE ─────────────────────────────────► FILLING ──────────────────► WHOLE
 *      ▲                  │                               │                                        │                          │
 *      ├──────────────────┴───────────────────────────────┴────────────────────────────────────────┴──────────────────────────┤
 *      │   the standby is lost, the primary cannot reach it, or the range is restored: ps:0 dismisses the standby,            │
 *      │   and then tells the primary that it is alone                                                                        │
 *      └── the primary is lost: the standby becomes the primary ───────────────────────────────────────────────────────────────┘
 *
 * A server counts as lost when its connection to ps:0 has ended, or when it has been silent for two heartbeats. That may be too early, and
 * does no harm: a server that was given up and still lives answers nobody, and becomes the standby when it connects again. If the primary
 * is lost while the pair is not whole, its range goes back to the last checkpoint, as it does without a standby.
 *
 * The range of ps:0 has a standby, too, which never becomes the primary: only ps:0 can coordinate. Its supervisor starts ps:0 again, and
 * the new ps:0 takes its range over from that standby (handover.h). In sync that pair becomes WHOLE a little later than it is filled: other
 * servers may be a step behind, and the standby knows what a chunk was before its last step only when it has made that step itself.
 *
 * The primary is UNDECIDED until one of the two has come. In a new job it is ps:N. After ps:0 was restarted it is the server that was the
 * primary before; if that server does not come, it is the other one. A server that was cut off or stopped may not know that it is the
 * primary no more: as long as it is paired, ps:0 believes the other one rather than it. */
#ifndef TRI_STORE_PS_COORDINATOR_SERVERS_PAIRS_H
#define TRI_STORE_PS_COORDINATOR_SERVERS_PAIRS_H

#include "store/ps/server/server_inside.h"

/* What ps:0 knows of the standby. */
typedef enum {
    TRI_PAIR_ABSENT,  /* it has no connection */
    TRI_PAIR_GREETED, /* it is here, and waits until there is a job */
    TRI_PAIR_IDLE,    /* it knows the model; the primary does not fill it */
    TRI_PAIR_FILLING, /* the primary sends it the range */
    TRI_PAIR_WHOLE,   /* it has all that the primary has answered for */
} tri__pair_state;

typedef enum { TRI_PRIMARY_UNDECIDED, TRI_PRIMARY_FIRST, TRI_PRIMARY_SECOND } tri__primary_choice; /* ps:N itself, or its second server */

typedef struct {
    tri__pair_state state;
    tri__primary_choice primary;
    uint32_t number;        /* of the last pair that was offered; a message about another one is void */
    tri__peer *standby;     /* NULL: ABSENT */
    bool standby_is_second; /* the standby is not ps:N itself */
    bool standby_holds;     /* it held its range when it came */
    int64_t filled;         /* ps:0's range: the highest step of a chunk that the standby was filled with; −1: not filled */
    char host[256];         /* where the second server is */
    tri__address second;    /* its address, which borrows `host`; no host: it never came */
    bool told;              /* the log says that there is no standby */
} tri__pair;

TRI_MUST_CHECK tri_status tri__pairs_init(tri__coordinator *coordinator);
void tri__pairs_fini(tri__coordinator *coordinator);

/* A server has said hello. *leads: it is the primary, and the caller welcomes it; otherwise this call has taken it as the standby. */
TRI_MUST_CHECK tri_status tri__pairs_hello(tri__peer *peer, const json_t *hello, bool *leads);
/* The connection that ps:0 already has to the server that says this hello; NULL: none. */
const tri__peer *tri__pairs_holder(const tri__coordinator *coordinator, int server, const json_t *hello);
void tri__pairs_greet(const tri__coordinator *coordinator, int server, bool leads, json_t *welcome); /* adds its role to a welcome */
void tri__pairs_settled(tri__coordinator *coordinator);              /* there is a job now: welcomes the standbys */
void tri__pairs_offer(tri__coordinator *coordinator, int server);    /* tells the primary to fill its standby, if both are ready */
void tri__pairs_separate(tri__coordinator *coordinator, int server); /* the range is restored: dismisses its standby, which begins anew */
bool tri__pairs_promote(tri__coordinator *coordinator, int server);  /* the primary is lost; false: there is no whole standby */
void tri__pairs_standby_gone(tri__coordinator *coordinator, tri__peer *peer);
void tri__pairs_message(tri__coordinator *coordinator, int server, const tri__message *message); /* FILLED or LONE, of a primary */
void tri__pairs_stepped(tri__coordinator *coordinator); /* sync: a step has ended, or the standby of ps:0's range is filled */
void tri__pairs_check_silent(tri__coordinator *coordinator, int64_t now);

tri__peer *tri__pairs_standby(const tri__coordinator *coordinator, int server); /* ps:0 tells it what it tells the primary; NULL: none */
json_t *tri__pairs_primaries(const tri__coordinator *coordinator);              /* for workers: where the primary of each range is */
const tri__address *tri__pairs_address(const tri__coordinator *coordinator, int server); /* of the primary */

#endif
