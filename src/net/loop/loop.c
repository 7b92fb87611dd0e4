/* loop.c: libuv's loop, one poll at a time.
 *
 * Both ways to run it do the same: make the deferred calls, then let libuv poll once. libuv runs timers before it polls, so every timer's
 * callback calls uv_stop: the callback may have deferred a call, and then the poll must not wait. */
#include "net/loop/loop.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "net/loop/loop_uv.h"

enum { SWEEPS_PER_TIMEOUT = 4, SHORTEST_SWEEP = 5 * TRI_MILLISECOND };

struct tri__timer {
    uv_timer_t uv;
    tri__loop *loop;
    void (*due)(void *context);
    void *context;
};

/* libuv counts in milliseconds: round up, so that a timer is never early. */
static uint64_t milliseconds(int64_t nanoseconds)
{
    return nanoseconds <= 0 ? 0 : ((uint64_t)nanoseconds + TRI_MILLISECOND - 1) / TRI_MILLISECOND;
}

/* libuv takes the time of its last poll for now; that may be long ago where the thread has computed since. So update its time first. */
static void start_timer(uv_timer_t *timer, uv_timer_cb due, int64_t after, int64_t every)
{
    uv_update_time(timer->loop);
    uv_timer_start(timer, due, milliseconds(after), milliseconds(every));
}

void tri__loop_defer(tri__loop *loop, tri__deferred *deferred)
{
    if (deferred->waits)
        return;
    deferred->waits = true;
    deferred->next = NULL;
    *loop->last = deferred;
    loop->last = &deferred->next;
}

/* Make the calls that are deferred now; calls that these defer wait for the next time. */
static void call_deferred(tri__loop *loop)
{
    tri__deferred *next = loop->first;
    loop->first = NULL;
    loop->last = &loop->first;
    while (next) {
        tri__deferred *deferred = next;
        next = deferred->next; /* the call may free it */
        deferred->waits = false;
        deferred->call(deferred->owner);
    }
}

/* A thread that was away for long has had no chance to see what came in that time: so the time since the last sweep counts as two sweeps at
 * most. */
static void on_sweep(uv_timer_t *timer)
{
    tri__loop *loop = timer->data;
    uv_stop(&loop->uv);
    int64_t now = tri__clock_now(), elapsed = now - loop->swept;
    if (elapsed > 2 * loop->sweep_every)
        elapsed = 2 * loop->sweep_every;
    loop->swept = now;
    for (tri__swept *swept = loop->sweeps; swept; swept = swept->next)
        swept->visit(swept->owner, elapsed);
}

void tri__loop_sweep(tri__loop *loop, tri__swept *swept, int64_t timeout)
{
    int64_t every = timeout / SWEEPS_PER_TIMEOUT;
    if (every < SHORTEST_SWEEP)
        every = SHORTEST_SWEEP;
    if (!loop->sweeps || every < loop->sweep_every) {
        loop->sweep_every = every;
        loop->swept = tri__clock_now();
        start_timer(&loop->sweep, on_sweep, every, every);
    }
    swept->next = loop->sweeps;
    swept->link = &loop->sweeps;
    if (swept->next)
        swept->next->link = &swept->next;
    loop->sweeps = swept;
}

void tri__loop_sweep_end(tri__loop *loop, tri__swept *swept)
{
    *swept->link = swept->next;
    if (swept->next)
        swept->next->link = swept->link;
    if (!loop->sweeps)
        uv_timer_stop(&loop->sweep);
}

static void on_wake(uv_async_t *wake)
{
    tri__loop *loop = wake->data;
    tri__loop_happened(loop);
    if (loop->woken)
        loop->woken(loop->woken_context);
}

static void on_deadline(uv_timer_t *timer)
{
    uv_stop(timer->loop);
}

tri_status tri__loop_create(tri__loop **out)
{
    *out = NULL;
    tri__loop *loop = NULL;
    TRI_TRY(tri__allocate(1, sizeof *loop, "an event loop", &loop));
    int error = uv_loop_init(&loop->uv);
    if (error) {
        free(loop);
        return tri_fail(error == UV_ENOMEM ? TRI_NO_MEMORY : TRI_IO, "cannot make an event loop: %s (too many open files? see ulimit -n)",
                        uv_strerror(error));
    }
    loop->last = &loop->first;
    loop->wake.data = loop->sweep.data = loop;
    uv_timer_init(&loop->uv, &loop->deadline);
    uv_timer_init(&loop->uv, &loop->sweep);
    error = uv_async_init(&loop->uv, &loop->wake, on_wake);
    if (error) {
        tri_status status = tri_fail(TRI_IO, "cannot make an event loop that can be woken: %s", uv_strerror(error));
        uv_close((uv_handle_t *)&loop->deadline, NULL);
        uv_close((uv_handle_t *)&loop->sweep, NULL);
        uv_run(&loop->uv, UV_RUN_DEFAULT);
        uv_loop_close(&loop->uv);
        free(loop);
        return status;
    }
    *out = loop;
    return NULL;
}

void tri__loop_destroy(tri__loop *loop)
{
    if (!loop)
        return;
    while (loop->first)
        call_deferred(loop);
    uv_close((uv_handle_t *)&loop->wake, NULL);
    uv_close((uv_handle_t *)&loop->deadline, NULL);
    uv_close((uv_handle_t *)&loop->sweep, NULL);
    uv_run(&loop->uv, UV_RUN_DEFAULT); /* until all that was closed has freed itself */
    uv_loop_close(&loop->uv);
    free(loop);
}

void tri__loop_set_patience(tri__loop *loop, int64_t patience)
{
    loop->patience = patience;
    loop->awake_until = 0;
}

static tri__peer_traffic *find_peer(tri__traffic *traffic, const char *name)
{
    const int count = atomic_load_explicit(&traffic->peers, memory_order_acquire);
    for (int i = 0; i < count; i++)
        if (!strcmp(traffic->peer[i].name, name))
            return &traffic->peer[i];
    return NULL;
}

/* A peer is added rarely, and that takes no time, so other threads poll. */
tri__peer_traffic *tri__traffic_peer(tri__traffic *traffic, const char *name)
{
    tri__peer_traffic *peer = find_peer(traffic, name);
    if (peer)
        return peer;
    while (atomic_flag_test_and_set_explicit(&traffic->adding, memory_order_acquire))
        ;
    peer = find_peer(traffic, name);
    const int count = atomic_load_explicit(&traffic->peers, memory_order_relaxed);
    if (!peer && count < TRI_TRAFFIC_PEERS) {
        peer = &traffic->peer[count];
        snprintf(peer->name, sizeof peer->name, "%s", name);
        atomic_store_explicit(&traffic->peers, count + 1, memory_order_release);
    }
    atomic_flag_clear_explicit(&traffic->adding, memory_order_release);
    return peer;
}

void tri__traffic_moved(tri__peer_traffic *peer, size_t sent, size_t received)
{
    if (peer && sent > 0)
        atomic_fetch_add_explicit(&peer->sent, (int64_t)sent, memory_order_relaxed);
    if (peer && received > 0)
        atomic_fetch_add_explicit(&peer->received, (int64_t)received, memory_order_relaxed);
}

void tri__loop_count_traffic(tri__loop *loop, tri__traffic *traffic)
{
    loop->traffic = traffic;
}

static void stay_awake(tri__loop *loop)
{
    if (loop->patience > 0)
        loop->awake_until = tri__clock_now() + loop->patience;
}

/* Whether to poll again at once. Between two polls, other programs may have this CPU. */
static bool is_awake(const tri__loop *loop)
{
    if (loop->patience == 0 || tri__clock_now() >= loop->awake_until)
        return false;
    sched_yield();
    return true;
}

void tri__loop_run(tri__loop *loop)
{
    loop->stopped = false;
    for (uint64_t seen = loop->happened; !loop->stopped; seen = loop->happened) {
        call_deferred(loop);
        if (!loop->stopped)
            uv_run(&loop->uv, loop->first || is_awake(loop) ? UV_RUN_NOWAIT : UV_RUN_ONCE);
        if (loop->happened != seen)
            stay_awake(loop);
    }
}

void tri__loop_stop(tri__loop *loop)
{
    loop->stopped = true;
}

/* Poll until the deadline at the latest. A timer of an earlier turn that is due sooner will do, because a turn looks at the clock again. So
 * thousands of turns a second, each with its own deadline far ahead, set the timer only once. */
static void poll_until(tri__loop *loop, int64_t deadline, int64_t now)
{
    if (!uv_is_active((uv_handle_t *)&loop->deadline) || loop->deadline_at > deadline) {
        loop->deadline_at = deadline;
        start_timer(&loop->deadline, on_deadline, deadline - now, 0);
    }
    uv_run(&loop->uv, UV_RUN_ONCE);
}

bool tri__loop_turn(tri__loop *loop, int64_t deadline)
{
    uint64_t before = loop->happened;
    int64_t now = 0;
    stay_awake(loop);
    do {
        call_deferred(loop);
        now = deadline ? tri__clock_now() : 0;
        if (loop->happened != before || loop->first || now >= deadline || is_awake(loop))
            uv_run(&loop->uv, UV_RUN_NOWAIT);
        else
            poll_until(loop, deadline, now);
    } while (loop->happened == before && now < deadline);
    return loop->happened != before;
}

void tri__loop_on_wake(tri__loop *loop, void (*woken)(void *context), void *context)
{
    loop->woken = woken;
    loop->woken_context = context;
}

void tri__loop_wake(tri__loop *loop)
{
    uv_async_send(&loop->wake);
}

static void on_due(uv_timer_t *uv)
{
    tri__timer *timer = uv->data;
    uv_stop(&timer->loop->uv);
    tri__loop_happened(timer->loop);
    timer->due(timer->context);
}

tri_status tri__timer_create(tri__loop *loop, void (*due)(void *context), void *context, tri__timer **out)
{
    *out = NULL;
    tri__timer *timer = NULL;
    TRI_TRY(tri__allocate(1, sizeof *timer, "a timer", &timer));
    timer->loop = loop;
    timer->due = due;
    timer->context = context;
    timer->uv.data = timer;
    uv_timer_init(&loop->uv, &timer->uv);
    *out = timer;
    return NULL;
}

void tri__timer_start(tri__timer *timer, int64_t after, int64_t every)
{
    start_timer(&timer->uv, on_due, after, every);
}

static void free_timer(uv_handle_t *handle)
{
    free(handle->data);
}

void tri__timer_destroy(tri__timer *timer)
{
    if (timer)
        uv_close((uv_handle_t *)&timer->uv, free_timer);
}
