/* pairs.h: the two servers of each range, as ps:0 knows them (--replicas 2), and its decision which of them leads. replica.h tells what the
 * two do with each other.
 *
 * A range's leader is the follower of followers.h; the pair adds the other one. Of the two one is ps:N itself, the other its twin's process
 * on another server; which of them leads is all the same.
 *
 *               offer: both are here            FILLED, of this pair
 *    ALONE ───────────────────────► FILLING ─────────────────────────► WHOLE
 *      ▲                               │                                 │
 *      ├───────────────────────────────┘ either is lost, or all go back  │
 *      ├──────── the twin is lost, or its leader cannot reach it: the twin is struck off, then the leader is told that it is alone
 *      └──────── the leader is lost: the twin leads ─────────────────────┘
 *
 * Lost is who has no connection to ps:0, or is silent for two heartbeats. Where that is too early, nothing breaks: who is lost and lives
 * answers nobody, and becomes a twin when it is back. Where the leader is lost and the pair is not whole, its range goes back to the last
 * checkpoint, as it does without a twin.
 *
 * ps:0 decides alone, so it has no twin: when it is lost, its range, and in sync the whole job, goes back to the last checkpoint. */
#ifndef TRI_STORE_PS_SERVER_PAIRS_H
#define TRI_STORE_PS_SERVER_PAIRS_H

#include "store/ps/server/server_inside.h"

typedef enum { TRI_PAIR_ALONE, TRI_PAIR_FILLING, TRI_PAIR_WHOLE } tri__pair_state;

typedef struct {
    tri__pair_state state;
    uint32_t number;    /* of the last one that was offered */
    bool away;          /* the twin's process leads, not ps:N itself */
    bool decided;       /* who leads first */
    bool twin_away;     /* the twin is not ps:N itself */
    tri__peer *twin;    /* who does not lead; NULL: it is not here */
    bool welcome;       /* … and is welcome: it knows the model */
    char host[256];     /* where the twin's process is … */
    tri__address other; /* … with its port; no host: it never came */
    bool told;          /* people were told that there is no twin */
} tri__pair;

TRI_MUST_CHECK tri_status tri__pairs_init(tri__coordinator *coordinator);
void tri__pairs_fini(tri__coordinator *coordinator);
TRI_MUST_CHECK tri_status tri__pairs_check(const tri__coordinator *coordinator); /* the job is one that can be replicated */

/* A server has said hello: does it lead? Where it does not, it is taken care of. */
TRI_MUST_CHECK tri_status tri__pairs_hello(tri__peer *peer, const json_t *hello, bool *leads);
const tri__peer *tri__pairs_holder(const tri__coordinator *coordinator, int server, const json_t *hello); /* who has its place; NULL */
void tri__pairs_greet(const tri__coordinator *coordinator, int server, bool leads, json_t *welcome);      /* what a welcome says of it */
void tri__pairs_settled(tri__coordinator *coordinator);             /* there is a job now: welcome the twins */
void tri__pairs_offer(tri__coordinator *coordinator, int server);   /* where both are there: let the leader fill its twin */
void tri__pairs_part(tri__coordinator *coordinator, int server);    /* the range is restored: the twin begins anew */
bool tri__pairs_promote(tri__coordinator *coordinator, int server); /* the leader is lost; false: there is no whole twin */
void tri__pairs_twin_gone(tri__coordinator *coordinator, tri__peer *peer);
void tri__pairs_message(tri__coordinator *coordinator, int server, const tri__message *message); /* FILLED, LONE of a leader */
void tri__pairs_check_silent(tri__coordinator *coordinator, int64_t now);

tri__peer *tri__pairs_twin(const tri__coordinator *coordinator, int server); /* who is to hear what the leader hears; NULL: nobody */
json_t *tri__pairs_leaders(const tri__coordinator *coordinator);             /* for workers: where ranges are led, if not by ps:N; NULL */
const tri__address *tri__pairs_address(const tri__coordinator *coordinator, int server); /* of who leads the range */

#endif
