/* loop.h: the event loop. Connections, timers and child processes live on a loop; the thread that runs the loop calls all their handlers.
 *
 * There are two ways to run it. A server calls run, which returns after stop. A worker, whose thread computes, calls turn where it has to
 * wait: so the thread that needs an answer reads it itself, and no other thread has to be woken. One thread at a time owns a loop. */
#ifndef TRI_NET_LOOP_LOOP_H
#define TRI_NET_LOOP_LOOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trireme/status.h"

typedef struct tri__loop tri__loop;
typedef struct tri__timer tri__timer;

enum { TRI_TRAFFIC_PEERS = 256, TRI_TRAFFIC_NAME = 24 };

/* Bytes of frames from and to one peer. */
typedef struct {
    char name[TRI_TRAFFIC_NAME]; /* "worker:1" */
    _Atomic int64_t sent, received;
} tri__peer_traffic;

/* Bytes of frames. {0} is a traffic without any. Any thread may read it. */
typedef struct {
    _Atomic int64_t sent, received;            /* of all connections */
    tri__peer_traffic peer[TRI_TRAFFIC_PEERS]; /* of those that said who their peer is (tri__connection_name_peer) */
    _Atomic int peers;                         /* how many entries of peer may be read */
    atomic_flag adding;                        /* guards that a peer is added */
} tri__traffic;

/* The entry of the peer of this name, which is added where there is none yet. NULL if there is no room for it. */
tri__peer_traffic *tri__traffic_peer(tri__traffic *traffic, const char *name);
void tri__traffic_moved(tri__peer_traffic *peer, size_t sent, size_t received); /* bytes; any thread; accepts NULL */

TRI_MUST_CHECK tri_status tri__loop_create(tri__loop **out);
void tri__loop_destroy(tri__loop *loop); /* after everything on it was destroyed or closed: `closed` still comes; accepts NULL */

/* patience, in nanoseconds: for this long after something happened, and after a turn began, the loop polls before it sleeps. So an answer
 * that comes soon is seen without a wake-up, which takes far longer than most answers. Polling uses a CPU, so set it only where no other
 * program wants that CPU. 0, the default: the loop sleeps at once. */
void tri__loop_set_patience(tri__loop *loop, int64_t patience);

/* From now on, what the connections of this loop send and receive is added to traffic, which is borrowed as long as the loop lives. Several
 * loops may add to one, and any thread may read it. NULL, the default: nothing is added up. */
void tri__loop_count_traffic(tri__loop *loop, tri__traffic *traffic);

void tri__loop_run(tri__loop *loop);
void tri__loop_stop(tri__loop *loop); /* from a handler: run returns after it */

/* Wait until something happened and its handlers were called, or until tri__clock_now is deadline (0 does not wait). False where the
 * deadline came first. Waits end by whole milliseconds, never before the deadline; so do timers. */
bool tri__loop_turn(tri__loop *loop, int64_t deadline);

/* Any thread may call tri__loop_wake: a turn ends, and the loop's thread calls `woken`, once for one or more wakes. */
void tri__loop_on_wake(tri__loop *loop, void (*woken)(void *context), void *context);
void tri__loop_wake(tri__loop *loop);

/* A timer does nothing until it is started. after and every are in nanoseconds; every 0: once. */
TRI_MUST_CHECK tri_status tri__timer_create(tri__loop *loop, void (*due)(void *context), void *context, tri__timer **out);
void tri__timer_start(tri__timer *timer, int64_t after, int64_t every);
void tri__timer_destroy(tri__timer *timer); /* accepts NULL */

#endif
