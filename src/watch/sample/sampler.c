/* sampler.c: the thread takes a sample at each whole multiple of its pace on the wall clock, so all tasks of a job sample at the same
 * moments. A sample that cannot be taken or written is left out: training must not fail because of its samples. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "watch/sample/sampler.h"

#include <errno.h>
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
#include "watch/sample/sample_file.h"
#include "watch/sample/sample_read.h"

enum { KEPT_MOST = 1 << 16 }; /* bytes of samples that nobody takes; then they are left out */

struct tri__sampler {
    tri__sampler_options options;
    char *header;
    FILE *file;  /* NULL if samples are kept, and none is */
    char *kept;  /* what file writes to, if samples are kept */
    size_t size; /* of it */
    tri__host *host;
    tri__peers_file *peers;    /* NULL: traffic by peer is not written */
    tri__own_counters process; /* the counters of this process at the last sample */
    tri__task_counters task;   /* the counters of the task at the last sample */
    pthread_mutex_t taking;    /* guards file, kept, size, host, peers, process and task */
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

/* What is kept; the caller frees it. NULL: nothing. */
static char *take_kept(tri__sampler *sampler)
{
    if (!sampler->file)
        return NULL;
    fclose(sampler->file);
    char *text = sampler->kept;
    sampler->file = NULL;
    sampler->kept = NULL;
    sampler->size = 0;
    return text;
}

static void write_sample(tri__sampler *sampler, const tri__sample *sample)
{
    if (!sampler->options.path && sampler->size > KEPT_MOST)
        free(take_kept(sampler));
    if (!sampler->file) {
        sampler->file = open_memstream(&sampler->kept, &sampler->size);
        if (!sampler->file)
            return;
        fputs(sampler->header, sampler->file);
    }
    tri__sample_line(sampler->file, sample, true);
    fflush(sampler->file);
}

char *tri__sampler_kept(tri__sampler *sampler)
{
    if (!sampler || sampler->options.path)
        return NULL;
    pthread_mutex_lock(&sampler->taking);
    char *text = take_kept(sampler);
    pthread_mutex_unlock(&sampler->taking);
    return text;
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
    write_sample(sampler, &sample);
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

/* The header, or only its last line; the caller frees it. NULL: no memory. */
static char *header_of(const tri__sampler *sampler, bool names_only)
{
    const tri__sampler_options *options = &sampler->options;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    if (names_only)
        tri__sample_names(file, sampler->host, true);
    else
        tri__sample_header(file, sampler->host, true, options->every, options->command);
    fclose(file);
    return text;
}

static tri_status open_file(tri__sampler *sampler)
{
    const char *path = sampler->options.path;
    char host[TRI_SAMPLE_HOST] = "localhost";
    gethostname(host, sizeof host - 1);
    char *names = header_of(sampler, true);
    tri_status status = names ? tri__sample_file_prepare(path, host, names) : tri_fail(TRI_NO_MEMORY, "no memory for the names of samples");
    free(names);
    TRI_TRY(status);
    sampler->file = fopen(path, "ae");
    if (!sampler->file)
        return tri__path_failure(path, "write", errno);
    if (ftell(sampler->file) == 0)
        fputs(sampler->header, sampler->file);
    return fflush(sampler->file) ? tri__path_failure(path, "write", errno) : NULL;
}

static void release(tri__sampler *sampler)
{
    if (sampler->file)
        fclose(sampler->file);
    free(sampler->kept);
    free(sampler->header);
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
    sampler->header = header_of(sampler, false);
    if (!sampler->header)
        return tri_fail(TRI_NO_MEMORY, "no memory for the header of samples");
    TRI_TRY(sampler->options.path ? open_file(sampler) : NULL);
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
