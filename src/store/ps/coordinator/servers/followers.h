/* followers.h: the other servers, as ps:0 knows them: when they are welcomed, and whether they hold their stretch of the model.
 *
 *             hello                  restore                 RESTORED, of this generation
 *    GONE ───────────► GREETED ────────────────► RESTORING ──────────────────────────────► HOLDING
 *                         │                          ▲                                     ▲  │
 *                         │                          └────────── restore: all go back ─────┼──┘
 *                         └──── async: it came back with the stretch of this generation ───┘
 *
 * From every state a server becomes GONE when its connection ends; if it has a whole standby, the standby takes its place at once, as
 * HOLDING (pairs.h). ps:0 listens only to a server that is HOLDING: what a server in another state says of steps, views and copies is from
 * before it was lost, or before all went back. Other files may read state and peer; only followers.c writes them. */
#ifndef TRI_STORE_PS_COORDINATOR_SERVERS_FOLLOWERS_H
#define TRI_STORE_PS_COORDINATOR_SERVERS_FOLLOWERS_H

#include "store/ps/server/server_inside.h"

typedef enum { TRI_FOLLOWER_GONE, TRI_FOLLOWER_GREETED, TRI_FOLLOWER_RESTORING, TRI_FOLLOWER_HOLDING } tri__follower_state;

/* A server that a signal asks to end says BYE, and stays until a checkpoint has its part:
 *
 *             BYE of the server              a checkpoint of that step or a later one, then BYE of ps:0
 *    STAYS ───────────────────────► ASKS ───────────────────────────────────────────────────────────────► LEAVES
 *      ▲                              │                                                                      │
 *      └──────────────────────────────┴───────────────── hello of a new process ────────────────────────────┘
 *
 * If the job ends meanwhile, the last snapshot has its part. */
typedef enum { TRI_FOLLOWER_STAYS, TRI_FOLLOWER_ASKS, TRI_FOLLOWER_LEAVES } tri__follower_leave;

typedef struct {
    tri__follower_state state;
    tri__peer *peer; /* NULL while the server is gone */
    int64_t gone;    /* when ps:0 began to wait for it to come back; 0: it is there, or ps:0 does not wait yet */
    int64_t incarnation;
    bool keeps;      /* it came with a stretch that it kept from an earlier ps:0 */
    int64_t updates; /* keeps: the least number of updates that a chunk of that stretch has */
    uint32_t generation;
    bool named;    /* the log says that it is silent */
    bool welcomed; /* on this connection */
    tri__follower_leave leave;
    int64_t asked; /* ASKS, LEAVES: the step of the job when the server asked */
} tri__follower;

bool tri__followers_hold(const tri__coordinator *coordinator); /* there is a job, and all servers hold their stretch */
void tri__followers_tell(tri__coordinator *coordinator, const tri__message *message);
void tri__followers_tell_json(tri__coordinator *coordinator, tri__message_type type, json_t *value); /* lets go of value */
TRI_MUST_CHECK tri_status tri__followers_hello(tri__peer *peer, const json_t *hello);
void tri__followers_welcome(tri__coordinator *coordinator, int server, tri__peer *peer); /* peer: the primary or the standby */
void tri__followers_settled(tri__coordinator *coordinator); /* there is a job now: welcomes the servers that wait, and restores them */
void tri__followers_restored(tri__coordinator *coordinator, int server, const tri__message *message);
void tri__followers_gone(tri__coordinator *coordinator, int server);                          /* its connection has ended */
void tri__followers_take_over(tri__coordinator *coordinator, int server, tri__peer *standby); /* the standby is the primary now */
void tri__followers_restore(tri__coordinator *coordinator, bool all); /* the servers that are there: all, or those without a stretch */
void tri__followers_check(tri__coordinator *coordinator, int64_t now);
void tri__followers_bye(tri__coordinator *coordinator, tri__peer *peer); /* that server, or standby, was asked to end */
bool tri__followers_ask_to_leave(const tri__coordinator *coordinator);   /* no checkpoint has the part of a server that ASKS */
void tri__followers_let_go(tri__coordinator *coordinator);               /* those whose part a checkpoint has */

#endif
