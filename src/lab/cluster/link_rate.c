/* link_rate.c: a thread at the switch answers, and a thread on the host asks. A single thread can enter a network without the others. */
#include "lab/cluster/link_rate.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/thread/clock.h"
#include "lab/cluster/lifecycle.h"
#include "lab/cluster/network.h"
#include "net/connection/probe.h"

#define DURATION TRI_SECOND
#define TIMEOUT  (5 * TRI_SECOND)

typedef struct {
    const char *cluster, *host; /* of the thread that asks */
    tri__address address;       /* of the thread that answers; borrowed */
    int fd;
    volatile sig_atomic_t stop; /* 1: the thread that answers ends */
    tri__probe_result result;
    tri_status asked, answered;
} measurement;

static void *answer(void *context)
{
    measurement *self = context;
    self->answered = tri__probe_answer(self->fd, &(tri__probe_options){.timeout = TIMEOUT, .stop = &self->stop});
    return NULL;
}

static void *ask(void *context)
{
    measurement *self = context;
    self->asked = tri__virtual_cluster_enter_network(self->cluster, self->host);
    if (!self->asked)
        self->asked = tri__probe_ask(&self->address, &(tri__probe_options){.timeout = TIMEOUT, .duration = DURATION}, &self->result);
    return NULL;
}

static tri_status no_thread(int error)
{
    return tri_fail(TRI_NO_MEMORY, "no thread to measure a link: %s", strerror(error));
}

/* Both threads end: the one that asks has deadlines, and `stop` ends the other. */
static tri_status run(measurement *self)
{
    pthread_t answering, asking;
    int error = pthread_create(&answering, NULL, answer, self);
    if (error) {
        close(self->fd);
        return no_thread(error);
    }
    error = pthread_create(&asking, NULL, ask, self);
    if (!error)
        pthread_join(asking, NULL);
    __atomic_store_n(&self->stop, 1, __ATOMIC_RELAXED);
    pthread_join(answering, NULL);
    return error ? no_thread(error) : NULL;
}

static tri_status measure(const tri__virtual_cluster *cluster, const tri__virtual_host *host, double *mbit)
{
    char address[] = TRI_SWITCH_ADDRESS;
    measurement self = {.cluster = cluster->name, .host = host->name, .address = {.host = address}};
    TRI_TRY(tri__virtual_cluster_listen_at_switch(cluster->name, &self.fd, &self.address.port));
    TRI_TRY(run(&self));
    if (!self.asked && !self.answered)
        *mbit = 8 * fmin(self.result.sent, self.result.received) / 1e6;
    tri_status_free(self.asked); /* a link that is cut cannot be measured */
    tri_status_free(self.answered);
    return NULL;
}

tri_status tri__virtual_cluster_measure_links(const tri__virtual_cluster *cluster, double *mbit)
{
    TRI_TRY(tri_wrap(tri__network_check(), "links cannot be measured"));
    for (int i = 0; i < cluster->hosts; i++) {
        mbit[i] = NAN;
        TRI_TRY(measure(cluster, &cluster->host[i], &mbit[i]));
    }
    return NULL;
}
