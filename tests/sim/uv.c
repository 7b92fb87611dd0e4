/* uv.c: the part of libuv that src/net needs, on the simulated clock and sockets. It does things in the order of libuv 1.44: timers, then
 * one poll, then handles that were closed, then, with UV_RUN_ONCE, timers again. */
#include <uv.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/network.h"
#include "sim/world.h"

enum { MOST_HANDLES = 256, ACTIVE = 1, CLOSING = 2 };

typedef struct {
    uv_handle_t *handle[MOST_HANDLES];
    int count;
    sim_coroutine *sleeper;
    uint64_t time, starts;
    int closing;
} loop_state;

static loop_state *of_loop(const uv_loop_t *loop)
{
    return loop->internal_fields;
}

int uv_loop_init(uv_loop_t *loop)
{
    memset(loop, 0, sizeof *loop);
    loop->internal_fields = calloc(1, sizeof(loop_state));
    return 0;
}

int uv_loop_close(uv_loop_t *loop)
{
    assert(of_loop(loop)->count == 0);
    free(loop->internal_fields);
    return 0;
}

static void add(uv_loop_t *loop, uv_handle_t *handle, uv_handle_type type)
{
    loop_state *state = of_loop(loop);
    assert(state->count < MOST_HANDLES);
    handle->loop = loop;
    handle->type = type;
    handle->flags = 0;
    state->handle[state->count++] = handle;
}

static void wake(void *context)
{
    const loop_state *state = context;
    if (state->sleeper)
        sim_wake(state->sleeper);
}

void uv_update_time(uv_loop_t *loop)
{
    of_loop(loop)->time = (uint64_t)(sim_now() / SIM_MS);
}

int uv_timer_init(uv_loop_t *loop, uv_timer_t *timer)
{
    add(loop, (uv_handle_t *)timer, UV_TIMER);
    return 0;
}

int uv_timer_start(uv_timer_t *timer, uv_timer_cb due, uint64_t timeout, uint64_t repeat)
{
    timer->timer_cb = due;
    timer->timeout = of_loop(timer->loop)->time + timeout;
    timer->repeat = repeat;
    timer->start_id = ++of_loop(timer->loop)->starts;
    timer->flags |= ACTIVE;
    return 0;
}

int uv_timer_stop(uv_timer_t *timer)
{
    timer->flags &= ~(unsigned)ACTIVE;
    return 0;
}

int uv_is_active(const uv_handle_t *handle)
{
    return (handle->flags & ACTIVE) != 0;
}

int uv_async_init(uv_loop_t *loop, uv_async_t *async, uv_async_cb call)
{
    add(loop, (uv_handle_t *)async, UV_ASYNC);
    async->async_cb = call;
    async->pending = 0;
    return 0;
}

int uv_async_send(uv_async_t *async)
{
    async->pending = 1;
    wake(of_loop(async->loop));
    return 0;
}

int uv_poll_init(uv_loop_t *loop, uv_poll_t *poll, int fd)
{
    add(loop, (uv_handle_t *)poll, UV_POLL);
    poll->io_watcher.fd = fd;
    return 0;
}

int uv_poll_start(uv_poll_t *poll, int events, uv_poll_cb call)
{
    poll->poll_cb = call;
    poll->io_watcher.pevents = (unsigned)events;
    poll->flags |= ACTIVE;
    sim_socket_watch(poll->io_watcher.fd, wake, of_loop(poll->loop));
    return 0;
}

int uv_poll_stop(uv_poll_t *poll)
{
    poll->flags &= ~(unsigned)ACTIVE;
    sim_socket_watch(poll->io_watcher.fd, NULL, NULL);
    return 0;
}

void uv_close(uv_handle_t *handle, uv_close_cb call)
{
    if (handle->type == UV_POLL)
        uv_poll_stop((uv_poll_t *)handle);
    handle->flags = CLOSING;
    handle->close_cb = call;
    of_loop(handle->loop)->closing++;
}

void uv_stop(uv_loop_t *loop)
{
    loop->stop_flag = 1;
}

const char *uv_strerror(int error)
{
    (void)error;
    return "it is simulated";
}

static uv_timer_t *next_timer(const loop_state *state)
{
    uv_timer_t *next = NULL;
    for (int i = 0; i < state->count; i++) {
        uv_timer_t *timer = (uv_timer_t *)state->handle[i];
        if (timer->type != UV_TIMER || !(timer->flags & ACTIVE))
            continue;
        if (!next || timer->timeout < next->timeout || (timer->timeout == next->timeout && timer->start_id < next->start_id))
            next = timer;
    }
    return next;
}

static void run_timers(uv_loop_t *loop)
{
    loop_state *state = of_loop(loop);
    for (uv_timer_t *timer = next_timer(state); timer && timer->timeout <= state->time; timer = next_timer(state)) {
        timer->flags &= ~(unsigned)ACTIVE;
        if (timer->repeat)
            uv_timer_start(timer, timer->timer_cb, timer->repeat, timer->repeat);
        timer->timer_cb(timer);
    }
}

static bool is_alive(const loop_state *state)
{
    for (int i = 0; i < state->count; i++)
        if (state->handle[i]->flags & ACTIVE || state->handle[i]->type == UV_ASYNC)
            return true;
    return state->closing > 0;
}

/* How many milliseconds to wait; −1: for ever. */
static int64_t timeout_of(uv_loop_t *loop)
{
    const loop_state *state = of_loop(loop);
    if (loop->stop_flag || state->closing)
        return 0;
    const uv_timer_t *timer = next_timer(state);
    if (!timer)
        return -1;
    return timer->timeout > state->time ? (int64_t)(timer->timeout - state->time) : 0;
}

static int events_of(const uv_poll_t *poll)
{
    int events = sim_socket_events(poll->io_watcher.fd), wanted = (int)poll->io_watcher.pevents;
    return (events & SIM_READABLE && wanted & UV_READABLE ? UV_READABLE : 0) |
           (events & SIM_WRITABLE && wanted & UV_WRITABLE ? UV_WRITABLE : 0) | (events & SIM_BROKEN ? UV_PRIORITIZED : 0);
}

static bool is_ready(const uv_handle_t *handle)
{
    if (handle->type == UV_ASYNC)
        return ((const uv_async_t *)handle)->pending && !(handle->flags & CLOSING);
    return handle->type == UV_POLL && handle->flags & ACTIVE && events_of((const uv_poll_t *)handle);
}

/* Collects the handles that are ready, in the order in which they became ready. */
static int collect(const loop_state *state, uv_handle_t **ready)
{
    int count = 0;
    for (int i = 0; i < state->count; i++) {
        if (!is_ready(state->handle[i]))
            continue;
        int at = count++;
        uint64_t since = state->handle[i]->type == UV_POLL ? sim_socket_since(((uv_poll_t *)state->handle[i])->io_watcher.fd) : 0;
        for (; at > 0 && ready[at - 1]->type == UV_POLL && sim_socket_since(((uv_poll_t *)ready[at - 1])->io_watcher.fd) > since; at--)
            ready[at] = ready[at - 1];
        ready[at] = state->handle[i];
    }
    return count;
}

static void call(uv_handle_t *handle)
{
    if (!is_ready(handle))
        return;
    if (handle->type == UV_ASYNC) {
        ((uv_async_t *)handle)->pending = 0;
        ((uv_async_t *)handle)->async_cb((uv_async_t *)handle);
        return;
    }
    uv_poll_t *poll = (uv_poll_t *)handle;
    int events = events_of(poll);
    if (events & UV_PRIORITIZED) {
        uv_poll_stop(poll);
        poll->poll_cb(poll, UV_EBADF, 0);
    } else
        poll->poll_cb(poll, 0, events);
}

static void poll_once(uv_loop_t *loop, int64_t timeout)
{
    loop_state *state = of_loop(loop);
    uv_handle_t *ready[MOST_HANDLES];
    int64_t deadline = timeout < 0 ? SIM_FOREVER : sim_now() + timeout * SIM_MS;
    int count;
    while ((count = collect(state, ready)) == 0 && sim_now() < deadline) {
        state->sleeper = sim_current();
        sim_wait(deadline, "messages");
        state->sleeper = NULL;
    }
    uv_update_time(loop);
    for (int i = 0; i < count; i++)
        call(ready[i]);
}

static void free_closed(loop_state *state)
{
    int kept = 0, count = state->count;
    uv_handle_t *closed[MOST_HANDLES];
    int closings = 0;
    for (int i = 0; i < count; i++)
        if (state->handle[i]->flags & CLOSING)
            closed[closings++] = state->handle[i];
        else
            state->handle[kept++] = state->handle[i];
    state->count = kept;
    state->closing = 0;
    for (int i = 0; i < closings; i++)
        if (closed[i]->close_cb)
            closed[i]->close_cb(closed[i]);
}

int uv_run(uv_loop_t *loop, uv_run_mode mode)
{
    loop_state *state = of_loop(loop);
    bool alive = is_alive(state);
    while (alive && !loop->stop_flag) {
        uv_update_time(loop);
        run_timers(loop);
        poll_once(loop, mode == UV_RUN_NOWAIT ? 0 : timeout_of(loop));
        if (state->closing)
            free_closed(state);
        if (mode == UV_RUN_ONCE) {
            uv_update_time(loop);
            run_timers(loop);
        }
        alive = is_alive(state);
        if (mode != UV_RUN_DEFAULT)
            break;
    }
    loop->stop_flag = 0;
    return alive;
}
