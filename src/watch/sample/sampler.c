/* sampler.c: the thread takes a sample at each whole multiple of its pace on the wall clock, so all tasks of a job sample at the same
 * moments. A sample that cannot be taken or written is left out: training must not fail because of its samples. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "watch/sample/sampler.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "base/thread/condition.h"
#include "watch/sample/peers.h"
#include "watch/sample/sample_read.h"

struct tri__sampler {
    tri__sampler_options options;
    FILE *file;
    tri__host *host;
    tri__peers_file *peers;    /* NULL: traffic by peer is not written */
    tri__own_counters process; /* the counters of this process at the last sample */
    tri__task_counters task;   /* the counters of the task at the last sample */
    pthread_mutex_t taking;    /* guards file, host, peers, process and task */
    pthread_t thread;
    pthread_mutex_t lock; /* guards ends */
    pthread_cond_t changed;
    bool ends;
    _Atomic double cost; /* CPU seconds of the thread */
};

/* ---- a sample ---- */

static void copy_counters(const tri__task_counters *from, tri__task_counters *to)
{
    atomic_store_explicit(&to->step, atomic_load_explicit(&from->step, memory_order_relaxed), memory_order_relaxed);
    atomic_store_explicit(&to->examples, atomic_load_explicit(&from->examples, memory_order_relaxed), memory_order_relaxed);
    atomic_store_explicit(&to->loss, atomic_load_explicit(&from->loss, memory_order_relaxed), memory_order_relaxed);
    atomic_store_explicit(&to->traffic.sent, atomic_load_explicit(&from->traffic.sent, memory_order_relaxed), memory_order_relaxed);
    atomic_store_explicit(&to->traffic.received, atomic_load_explicit(&from->traffic.received, memory_order_relaxed), memory_order_relaxed);
    for (int i = 0; i < TRI_PHASES; i++)
        atomic_store_explicit(&to->phase[i], atomic_load_explicit(&from->phase[i], memory_order_relaxed), memory_order_relaxed);
}

static double growth(int64_t from, int64_t to, double seconds)
{
    return seconds > 0 ? (double)(to - from) / seconds : 0;
}

static tri__task_sample work_between(const tri__task_counters *from, const tri__task_counters *to, double seconds)
{
    tri__task_sample sample = {
        .step = (double)to->step,
        .examples = (double)to->examples,
        .speed = growth(from->examples, to->examples, seconds),
        .loss = to->loss,
        .sent = growth(from->traffic.sent, to->traffic.sent, seconds),
        .received = growth(from->traffic.received, to->traffic.received, seconds),
    };
    int64_t total = 0;
    for (int i = 0; i < TRI_PHASES; i++)
        total += to->phase[i] - from->phase[i];
    for (int i = 0; i < TRI_PHASES; i++)
        sample.phase[i] = total > 0 ? 100 * (double)(to->phase[i] - from->phase[i]) / (double)total : NAN;
    return sample;
}

static void take(tri__sampler *sampler)
{
    tri__sample sample;
    tri_status status = tri__host_take(sampler->host, &sample.host);
    if (status) {
        tri_status_free(status);
        return;
    }
    const tri__own_counters process = tri__own_read();
    tri__task_counters task;
    copy_counters(sampler->options.counters, &task);
    sample.process = tri__own_between(&sampler->process, &process);
    sample.task = work_between(&sampler->task, &task, sample.host.seconds);
    sampler->process = process;
    copy_counters(&task, &sampler->task);
    tri__sample_line(sampler->file, &sample, true);
    fflush(sampler->file);
    tri__peers_take(sampler->peers, sample.host.wall, &sampler->options.counters->traffic);
}

void tri__sampler_take(tri__sampler *sampler)
{
    if (!sampler)
        return;
    pthread_mutex_lock(&sampler->taking);
    take(sampler);
    pthread_mutex_unlock(&sampler->taking);
}

/* ---- the thread ---- */

static int64_t next_moment(int64_t every)
{
    const double pace = (double)every * 1e-9, wall = tri__clock_wall();
    return tri__clock_now() + (int64_t)((pace - fmod(wall, pace)) * 1e9);
}

static double thread_seconds(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage))
        return 0;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

double tri__sampler_cost(const tri__sampler *sampler)
{
    return sampler ? atomic_load(&sampler->cost) : 0;
}

static void *sample_until_stopped(void *context)
{
    tri__sampler *sampler = context;
    bool ends;
    do {
        const int64_t moment = next_moment(sampler->options.every);
        pthread_mutex_lock(&sampler->lock);
        while (!sampler->ends && tri__clock_now() < moment)
            tri__condition_wait(&sampler->changed, &sampler->lock, moment);
        ends = sampler->ends;
        pthread_mutex_unlock(&sampler->lock);
        tri__sampler_take(sampler);
        atomic_store(&sampler->cost, thread_seconds());
    } while (!ends);
    return NULL;
}

/* ---- from beginning to end ---- */

/* Whether the file at path is of this host and has the columns that we would write. */
static bool continues(const tri__sampler *sampler, const char *path)
{
    tri__sample_reader *reader = tri__sample_reader_open(path);
    char *names = NULL, host[256] = "localhost";
    size_t size = 0;
    FILE *text = reader ? open_memstream(&names, &size) : NULL;
    if (text) {
        tri__sample_names(text, sampler->host, true);
        fclose(text);
        gethostname(host, sizeof host - 1);
    }
    const bool same = names && !strcmp(names, tri__sample_reader_names(reader)) && !strcmp(host, tri__sample_reader_host(reader));
    tri__sample_reader_close(reader);
    free(names);
    return same;
}

/* Rename the file to the first free name: path.1, path.2 … */
static tri_status set_aside(const char *path)
{
    char other[PATH_MAX];
    for (int number = 1;; number++) {
        snprintf(other, sizeof other, "%s.%d", path, number);
        if (access(other, F_OK) != 0)
            break;
    }
    return rename(path, other) ? tri_fail(TRI_IO, "%s: cannot be renamed to %s: %s", path, other, strerror(errno)) : NULL;
}

static tri_status open_file(tri__sampler *sampler)
{
    const tri__sampler_options *options = &sampler->options;
    if (access(options->path, F_OK) == 0 && !continues(sampler, options->path))
        TRI_TRY(set_aside(options->path));
    sampler->file = fopen(options->path, "ae");
    if (!sampler->file)
        return tri__path_failure(options->path, "write", errno);
    if (ftell(sampler->file) == 0)
        tri__sample_header(sampler->file, sampler->host, true, options->every, options->command);
    return fflush(sampler->file) ? tri__path_failure(options->path, "write", errno) : NULL;
}

static void release(tri__sampler *sampler)
{
    if (sampler->file)
        fclose(sampler->file);
    tri__host_close(sampler->host);
    tri__peers_destroy(sampler->peers);
    pthread_cond_destroy(&sampler->changed);
    pthread_mutex_destroy(&sampler->lock);
    pthread_mutex_destroy(&sampler->taking);
    free(sampler);
}

static tri_status start(tri__sampler *sampler)
{
    TRI_TRY(tri__host_open(&sampler->host));
    TRI_TRY(open_file(sampler));
    if (sampler->options.peers)
        TRI_TRY(tri__peers_create(sampler->options.peers, &sampler->peers));
    sampler->process = tri__own_read();
    copy_counters(sampler->options.counters, &sampler->task);
    int error = pthread_create(&sampler->thread, NULL, sample_until_stopped, sampler);
    return error ? tri_fail(TRI_NO_MEMORY, "no thread for samples: %s", strerror(error)) : NULL;
}

tri_status tri__sampler_start(const tri__sampler_options *options, tri__sampler **out)
{
    *out = NULL;
    tri__sampler *sampler;
    TRI_TRY(tri__allocate(1, sizeof *sampler, "a sampler", &sampler));
    sampler->options = *options;
    pthread_mutex_init(&sampler->lock, NULL);
    pthread_mutex_init(&sampler->taking, NULL);
    tri__condition_init(&sampler->changed);
    tri_status status = start(sampler);
    if (status)
        release(sampler);
    else
        *out = sampler;
    return status;
}

void tri__sampler_stop(tri__sampler *sampler)
{
    if (!sampler)
        return;
    pthread_mutex_lock(&sampler->lock);
    sampler->ends = true;
    pthread_cond_signal(&sampler->changed);
    pthread_mutex_unlock(&sampler->lock);
    pthread_join(sampler->thread, NULL);
    release(sampler);
}
