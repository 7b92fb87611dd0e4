/* loop_uv.h: what the other files of this room need of a loop: libuv's loop; deferred calls, made when the running handler has returned;
 * and the sweep, by which one timer keeps the deadlines of many connections. */
#ifndef TRI_NET_LOOP_LOOP_UV_H
#define TRI_NET_LOOP_LOOP_UV_H

#include <uv.h>

#include "net/loop/loop.h"

/* A deferred call. Embedded in its owner, which outlives it. */
typedef struct tri__deferred tri__deferred;
struct tri__deferred {
    void (*call)(void *owner);
    void *owner;
    tri__deferred *next;
    bool waits; /* in the loop's list */
};

/* The loop visits it at intervals, so that its owner can count how long nothing has moved. Embedded in its owner. */
typedef struct tri__swept tri__swept;
struct tri__swept {
    void (*visit)(void *owner, int64_t elapsed); /* elapsed: nanoseconds that the loop ran since the last visit; must end no sweep */
    void *owner;
    tri__swept *next, **link;
};

struct tri__loop {
    uv_loop_t uv;
    uv_async_t wake;
    uv_timer_t deadline;           /* of the present turn, or of an earlier one */
    int64_t deadline_at;           /* when `deadline` is due */
    uv_timer_t sweep;              /* runs while the list below is not empty */
    int64_t sweep_every, swept;    /* nanoseconds between two sweeps; when the last one was */
    tri__swept *sweeps;            /* all that are visited */
    tri__deferred *first, **last;  /* deferred calls, in order */
    uint64_t happened;             /* handlers called so far */
    int64_t patience, awake_until; /* the loop polls until awake_until, then it sleeps */
    bool stopped;
    tri__traffic *traffic; /* NULL: traffic is not added up */
    void (*woken)(void *context);
    void *woken_context;
};

/* Note that a handler was called, so that a turn ends. */
static inline void tri__loop_happened(tri__loop *loop)
{
    loop->happened++;
}

/* Note that a connection has moved bytes of frames. peer: those of its peer, too; NULL: it is not known. */
static inline void tri__loop_moved(const tri__loop *loop, tri__peer_traffic *peer, size_t sent, size_t received)
{
    if (!loop->traffic)
        return;
    if (sent > 0)
        atomic_fetch_add_explicit(&loop->traffic->sent, (int64_t)sent, memory_order_relaxed);
    if (received > 0)
        atomic_fetch_add_explicit(&loop->traffic->received, (int64_t)received, memory_order_relaxed);
    tri__traffic_moved(peer, sent, received);
}

/* Have deferred->call called before the loop waits again: once, however often this is called. */
void tri__loop_defer(tri__loop *loop, tri__deferred *deferred);

/* Have swept visited at least four times in `timeout` nanoseconds, though not more often than every 5 ms. */
void tri__loop_sweep(tri__loop *loop, tri__swept *swept, int64_t timeout);
void tri__loop_sweep_end(tri__loop *loop, tri__swept *swept);

#endif
