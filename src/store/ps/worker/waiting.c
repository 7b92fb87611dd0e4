/* waiting.c: the thread that computes turns the loop, or waits for the thread that does. */
#include "store/ps/worker/waiting.h"

#include "base/thread/clock.h"
#include "base/thread/condition.h"

void tri__worker_enter(tri__worker *worker)
{
    tri__heartbeat_hold(&worker->heartbeat);
    pthread_mutex_lock(&worker->lock);
}

void tri__worker_leave(tri__worker *worker)
{
    pthread_mutex_unlock(&worker->lock);
    tri__heartbeat_lend(&worker->heartbeat);
}

/* Takes messages of servers, at the latest until that time. The caller holds the lock; it is released meanwhile. */
static void hear_servers(tri__worker *worker, int64_t until)
{
    if (worker->threaded) {
        tri__condition_wait(&worker->changed, &worker->lock, until);
        return;
    }
    pthread_mutex_unlock(&worker->lock);
    tri__loop_turn(worker->loop, until);
    pthread_mutex_lock(&worker->lock);
}

static void excuse_servers(tri__worker *worker, int64_t pause, int64_t now)
{
    for (int i = 0; i < worker->options.settings.servers; i++)
        tri__contact_excuse(&worker->link[i].contact, pause, now);
}

tri_status tri__worker_wait(tri__worker *worker, bool (*done)(const tri__worker *, const void *), const void *what)
{
    int64_t now = tri__clock_now(), began = now, heartbeat = worker->options.settings.heartbeat;
    while (!done(worker, what)) {
        if (worker->failure) {
            tri_status failure = worker->failure;
            worker->failure = NULL;
            return failure;
        }
        for (int i = 0; i < worker->options.settings.servers; i++)
            if (worker->link[i].contact.welcome) /* links.c checks servers that are away */
                TRI_TRY(tri__contact_check(&worker->link[i].contact, began, now));
        int64_t next = now + heartbeat;
        hear_servers(worker, next);
        now = tri__clock_now();
        if (now - next > heartbeat) {
            excuse_servers(worker, now - next, now);
            began += now - next;
        }
    }
    return NULL;
}

tri_status tri__worker_wait_and_count(tri__worker *worker, bool (*done)(const tri__worker *, const void *), const void *what)
{
    int64_t began = tri__clock_now();
    worker->waited = 0;
    tri_status status = tri__worker_wait(worker, done, what);
    int64_t spent = tri__clock_now() - began, peers = worker->waited < spent ? worker->waited : spent;
    worker->times.peers += peers;
    worker->times.server += spent - peers;
    tri__trace_end(worker->store.lane, peers > spent / 2 ? TRI_SPAN_PEERS : TRI_SPAN_SERVER, began, worker->step.step);
    return status;
}
