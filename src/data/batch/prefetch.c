/* prefetch.c: the queue of batches that threads fill ahead. example_reader.c fills one row.
 *
 * Planned batches wait as slices of the epoch's order. Batches that are being made are in a queue, `line`, in the order in which they will
 * be given out. Threads claim a few rows at a time, always of the first batch that has unclaimed rows, and write the examples straight
 * into its buffer. When the first batch has all its rows, it can be given out. A thread that finds no row to claim opens the next planned
 * batch if the queue may be longer; otherwise it sleeps. The rows of one claim take a fraction of a millisecond, so the lock costs next to
 * nothing.
 *
 * A read may hang for ever (a network file system, a dying disk). A thread cannot be made to leave a read, so nothing waits for it. All
 * that a thread touches belongs to the tri__prefetch, which lives until its last user, the caller or a thread, has left. */
#define _GNU_SOURCE /* sched_getaffinity, RUSAGE_THREAD */
#include "data/batch/prefetch.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "base/thread/condition.h"
#include "data/batch/example_reader.h"
#include "data/batch/tuning.h"

#define DEFAULT_TIMEOUT 300 /* seconds for one batch: only a disk that hangs takes so long */
#define DEFAULT_BUDGET  ((size_t)256 << 20)
#define STRETCH         (TRI_SECOND / 5000) /* time that one claim should take */
#define NOTICED         (TRI_SECOND / 2000) /* a shorter wait is only the time of a wake-up: a longer queue would not avoid it */
#define GRACE           TRI_SECOND          /* time that threads have to return from their reads */

_Static_assert(TRI_BATCH_PIECES > TRI_MOST_DECODERS, "every thread has a piece of its own, and so has the caller");
_Static_assert(TRI_MOST_QUEUED <= TRI_MOST_ASSIGNED, "a plan has room for as many batches");

/* A batch that is being made. */
typedef struct {
    tri__batch_buffer buffer;
    tri__slice slice;
    int64_t claimed, finished; /* rows */
    bool joined;               /* sparse rows are joined; only the caller's thread uses this */
} pending_batch;

typedef struct {
    tri__prefetch *prefetch;
    pthread_t thread;
    tri__example_reader reader;
    int piece;               /* the piece of a sparse batch that this thread writes to */
    const pending_batch *at; /* the batch that this thread works on; NULL: none. Under the lock */
    bool left;               /* the thread has ended and can be joined; under the lock */
} decoder;

struct tri__prefetch {
    tri_source *source; /* held */
    int64_t rows;
    int64_t timeout;                /* nanoseconds */
    tri__example_pipeline pipeline; /* of all decoders; the prefetch owns its cache */

    pthread_mutex_t lock;
    pthread_cond_t work;     /* there may be rows to claim, or `stopped` is set */
    pthread_cond_t ready;    /* the first batch of the line may be complete, or cannot be made */
    pthread_cond_t returned; /* a thread has returned from its work, or has left */

    /* The lock guards all fields below. Threads ask which record is at a position, and back, without it: that does not change. */
    tri__record_order record_order;
    bool halted;  /* nothing may be claimed */
    bool stopped; /* threads are to leave */
    tri_status failure;
    tri__slice planned[TRI_MOST_QUEUED]; /* [waiting] batches to be opened; they follow those of the line */
    int waiting;
    pending_batch *line[TRI_MOST_QUEUED]; /* [open], in the order of the batches */
    int open;
    pending_batch *spare[TRI_MOST_QUEUED]; /* [spares] */
    int spares;
    pending_batch *given; /* the batch that the caller has; NULL: none */
    tri__tuning tuning;
    double row_nanoseconds; /* time of one row, smoothed; 0: not known yet */
    int64_t cpu;            /* nanoseconds of CPU time that reading and decoding have taken */
    decoder caller;         /* the caller's own thread, when it copies cached rows */
    decoder decoders[TRI_MOST_DECODERS];
    int started; /* how many decoders have a thread */
    int busy;    /* threads that are at work */
    int users;   /* threads that have not left, and the caller */
};

/* ---- what threads do ---- */

static void free_pending(pending_batch *p)
{
    if (p)
        tri__batch_buffer_fini(&p->buffer);
    free(p);
}

static tri_status add_pending(tri__prefetch *prefetch, pending_batch **out)
{
    pending_batch *p;
    TRI_TRY(tri__allocate(1, sizeof *p, "a batch", &p));
    tri_status status = tri__batch_buffer_init(&p->buffer, prefetch->source, prefetch->rows, false);
    if (!status && prefetch->pipeline.mixed_classes)
        status = tri__batch_buffer_add_shares(&p->buffer, prefetch->pipeline.mixed_classes);
    if (status)
        free_pending(p);
    else
        *out = p;
    return status;
}

/* A batch to fill, spare or new. NULL if the line is as long as it may be, or if memory is short. */
static pending_batch *find_pending(tri__prefetch *prefetch)
{
    if (prefetch->open + (prefetch->given != NULL) >= prefetch->tuning.depth)
        return NULL;
    if (prefetch->spares > 0)
        return prefetch->spare[--prefetch->spares];
    pending_batch *p = NULL;
    tri_status status = add_pending(prefetch, &p);
    if (status && prefetch->open > 0) { /* continue with the batches that there are */
        prefetch->tuning.most_depth = prefetch->tuning.depth = prefetch->open + (prefetch->given != NULL);
        tri_status_free(status);
    } else if (status) {
        prefetch->failure = status;
        pthread_cond_signal(&prefetch->ready);
    }
    return p;
}

/* Open the next planned batch. False if there is none, or no room for it. */
static bool open_next(tri__prefetch *prefetch)
{
    if (prefetch->waiting == 0 || prefetch->failure)
        return false;
    pending_batch *p = find_pending(prefetch);
    if (!p)
        return false;
    p->slice = prefetch->planned[0];
    prefetch->waiting--;
    memmove(prefetch->planned, prefetch->planned + 1, (size_t)prefetch->waiting * sizeof *prefetch->planned);
    tri__record_order_take(&prefetch->record_order, &p->slice, p->buffer.ids);
    tri__batch_buffer_pad(&p->buffer, prefetch->source, p->slice.count);
    p->buffer.batch.count = p->slice.count;
    p->buffer.batch.epoch = p->slice.epoch;
    p->buffer.batch.damaged = 0;
    p->claimed = p->finished = 0;
    p->joined = false;
    prefetch->line[prefetch->open++] = p;
    if (p->slice.count == 0)
        pthread_cond_signal(&prefetch->ready);
    return true;
}

/* The first batch with unclaimed rows; NULL if there is none and none can be opened. */
static pending_batch *find_work(tri__prefetch *prefetch)
{
    if (prefetch->halted)
        return NULL;
    for (int i = 0; i < prefetch->open || open_next(prefetch); i++)
        if (prefetch->line[i]->claimed < prefetch->line[i]->slice.count)
            return prefetch->line[i];
    return NULL;
}

/* How many rows to claim at once: enough to be worth the lock, and few enough that all threads find some in a batch. */
static int64_t stretch_of(const tri__prefetch *prefetch, const pending_batch *p)
{
    int64_t left = p->slice.count - p->claimed;
    int64_t fair = p->slice.count / (2 * prefetch->tuning.threads) + 1;
    double wanted = prefetch->row_nanoseconds > 0 ? (double)STRETCH / prefetch->row_nanoseconds : 1;
    int64_t rows = wanted < (double)fair ? (int64_t)wanted : fair;
    return rows < 1 ? 1 : rows < left ? rows : left;
}

static void decode_rows(decoder *self, pending_batch *p, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count; i++) {
        tri_status status = tri__example_reader_fill(&self->reader, &p->buffer, i, self->piece);
        if (status)
            tri__batch_buffer_mark_damaged(&p->buffer, self->prefetch->source, i, status);
        else
            p->buffer.weights[i] = 1;
    }
}

static tri__decode_effort effort_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (tri__decode_effort){
        .wall = tri__clock_now(),
        .cpu = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * TRI_SECOND + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000,
        .blocked = usage.ru_nvcsw,
        .preempted = usage.ru_nivcsw,
    };
}

static tri__decode_effort effort_between(tri__decode_effort a, tri__decode_effort b)
{
    return (tri__decode_effort){b.wall - a.wall, b.cpu - a.cpu, b.blocked - a.blocked, b.preempted - a.preempted};
}

static void learn(tri__prefetch *prefetch, tri__decode_effort effort, int64_t rows)
{
    double each = (double)effort.wall / (double)rows;
    prefetch->row_nanoseconds = prefetch->row_nanoseconds > 0 ? 0.8 * prefetch->row_nanoseconds + 0.2 * each : each;
    prefetch->cpu += effort.cpu;
    tri__tuning_worked(&prefetch->tuning, effort);
}

/* Claim the next `count` rows of the batch and fill them. The caller holds the lock; it is released during the work. */
static void work_on(decoder *self, pending_batch *p, int64_t count)
{
    tri__prefetch *prefetch = self->prefetch;
    int64_t first = p->claimed;
    p->claimed += count;
    self->at = p;
    prefetch->busy++;
    pthread_cond_signal(&prefetch->work); /* there may be more for another thread */
    pthread_mutex_unlock(&prefetch->lock);
    tri__decode_effort before = effort_now();
    decode_rows(self, p, first, count);
    tri__decode_effort effort = effort_between(before, effort_now());
    pthread_mutex_lock(&prefetch->lock);
    prefetch->busy--;
    self->at = NULL;
    learn(prefetch, effort, count);
    p->finished += count;
    if (p->finished == p->slice.count && prefetch->open > 0 && p == prefetch->line[0])
        pthread_cond_signal(&prefetch->ready);
    pthread_cond_signal(&prefetch->returned);
}

static void free_all(tri__prefetch *prefetch);

/* The caller holds the lock; this releases it. The last user to leave frees all. */
static void leave(tri__prefetch *prefetch)
{
    bool last = --prefetch->users == 0;
    pthread_cond_signal(&prefetch->returned);
    pthread_mutex_unlock(&prefetch->lock);
    if (last)
        free_all(prefetch);
}

static void *serve(void *argument)
{
    decoder *self = argument;
    tri__prefetch *prefetch = self->prefetch;
    pthread_mutex_lock(&prefetch->lock);
    while (!prefetch->stopped) {
        pending_batch *p = find_work(prefetch);
        if (p) {
            work_on(self, p, stretch_of(prefetch, p));
            continue;
        }
        tri__tuning_idle(&prefetch->tuning);
        pthread_cond_wait(&prefetch->work, &prefetch->lock);
    }
    self->left = true;
    leave(prefetch);
    return NULL;
}

/* ---- what the caller does ---- */

static int count_cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

static tri_status prepare(tri__prefetch *prefetch, const tri_dataset_options *options)
{
    TRI_TRY(tri__record_order_init(&prefetch->record_order, prefetch->source, options));
    if (!options->cache || prefetch->source->resident_x) /* examples in memory need no cache */
        return NULL;
    return tri__cache_create(prefetch->source, prefetch->record_order.shard.examples, options->cache_bytes, options->cache_folder,
                             &prefetch->pipeline.cache);
}

tri_status tri__prefetch_create(tri_source *source, const tri_dataset_options *options, const tri__augment *augment, tri__prefetch **out)
{
    tri__prefetch *prefetch;
    TRI_TRY(tri__allocate(1, sizeof *prefetch, "batches ahead", &prefetch));
    tri__source_hold(source);
    prefetch->source = source;
    prefetch->rows = options->batch;
    prefetch->pipeline = (tri__example_pipeline){
        .source = source,
        .order = &prefetch->record_order.order,
        .augment = *augment,
        .seed = options->seed,
        .mixed_classes = options->mixed_classes,
    };
    prefetch->timeout = (int64_t)((options->timeout > 0 ? options->timeout : DEFAULT_TIMEOUT) * TRI_SECOND);
    prefetch->users = 1;
    prefetch->caller = (decoder){.prefetch = prefetch, .piece = TRI_MOST_DECODERS};
    tri__example_reader_init_cached(&prefetch->caller.reader, &prefetch->pipeline);
    pthread_mutex_init(&prefetch->lock, NULL);
    tri__condition_init(&prefetch->work);
    tri__condition_init(&prefetch->ready);
    tri__condition_init(&prefetch->returned);
    tri_status status = prepare(prefetch, options);
    const size_t budget = options->bytes > 0 ? (size_t)options->bytes : DEFAULT_BUDGET;
    const size_t bytes = tri__batch_buffer_bytes(source, options->batch, options->mixed_classes);
    tri__tuning_init(&prefetch->tuning, count_cpus(), options->readers, bytes, budget, options->assigned);
    if (status)
        free_all(prefetch);
    else
        *out = prefetch;
    return status;
}

static void free_all(tri__prefetch *prefetch)
{
    for (int i = 0; i < prefetch->open; i++)
        free_pending(prefetch->line[i]);
    for (int i = 0; i < prefetch->spares; i++)
        free_pending(prefetch->spare[i]);
    free_pending(prefetch->given);
    for (int i = 0; i < prefetch->started; i++)
        tri__example_reader_fini(&prefetch->decoders[i].reader);
    tri__record_order_fini(&prefetch->record_order);
    tri__cache_destroy(prefetch->pipeline.cache);
    tri_status_free(prefetch->failure);
    tri_source_destroy(prefetch->source);
    pthread_cond_destroy(&prefetch->work);
    pthread_cond_destroy(&prefetch->ready);
    pthread_cond_destroy(&prefetch->returned);
    pthread_mutex_destroy(&prefetch->lock);
    free(prefetch);
}

/* Wait until no thread is at work, at most GRACE. Returns whether none is. Under the lock. */
static bool await_rest(tri__prefetch *prefetch)
{
    int64_t deadline = tri__clock_now() + GRACE;
    while (prefetch->busy > 0 && tri__clock_now() < deadline)
        tri__condition_wait(&prefetch->returned, &prefetch->lock, deadline);
    return prefetch->busy == 0;
}

/* Threads that are not at work leave at once; a thread that hangs is detached. */
void tri__prefetch_destroy(tri__prefetch *prefetch)
{
    if (!prefetch)
        return;
    pthread_mutex_lock(&prefetch->lock);
    prefetch->stopped = prefetch->halted = true;
    pthread_cond_broadcast(&prefetch->work);
    if (await_rest(prefetch))
        while (prefetch->users > 1)
            pthread_cond_wait(&prefetch->returned, &prefetch->lock);
    for (int i = 0; i < prefetch->started; i++)
        if (prefetch->decoders[i].left)
            pthread_join(prefetch->decoders[i].thread, NULL);
        else
            pthread_detach(prefetch->decoders[i].thread);
    leave(prefetch);
}

/* Start threads until there are as many as the tuning wants. */
static tri_status add_threads(tri__prefetch *prefetch)
{
    while (prefetch->started < prefetch->tuning.threads) {
        decoder *self = &prefetch->decoders[prefetch->started];
        *self = (decoder){.prefetch = prefetch, .piece = prefetch->started};
        TRI_TRY(tri__example_reader_init(&self->reader, &prefetch->pipeline));
        int error = pthread_create(&self->thread, NULL, serve, self);
        if (error) {
            tri__example_reader_fini(&self->reader);
            prefetch->tuning.fixed = true; /* continue with the threads that there are */
            prefetch->tuning.threads = prefetch->started;
            if (prefetch->started > 0)
                return NULL;
            prefetch->tuning.threads = 1;
            return tri_fail(TRI_IO, "cannot start a thread that reads %s: %s", prefetch->source->info.spec, strerror(error));
        }
        prefetch->started++;
        prefetch->users++;
    }
    return NULL;
}

static const char *file_of(const tri_source *source, int64_t record)
{
    const char *file = source->kind->file_of && record >= 0 ? source->kind->file_of(source, record) : NULL;
    return file ? file : source->info.spec;
}

/* The first batch has not come in time. The message names the record that a thread still reads for it. */
static tri_status too_late(const tri__prefetch *prefetch)
{
    double seconds = tri__clock_seconds(prefetch->timeout);
    for (int i = 0; i < prefetch->started; i++) {
        const decoder *one = &prefetch->decoders[i];
        int64_t record = atomic_load(&one->reader.record);
        if (one->at && one->at == prefetch->line[0])
            return tri_fail(TRI_TIMEOUT,
                            "%s: record %lld has not come within %g s: the disk or the network that it is read from hangs (see dmesg, and "
                            "whether other programs can read it)",
                            file_of(prefetch->source, record), (long long)record, seconds);
    }
    return tri_fail(TRI_TIMEOUT, "%s: no batch has come within %g s", prefetch->source->info.spec, seconds);
}

/* Before the caller sleeps, it copies rows from the cache's memory itself, as a wake-up costs as much as some rows. It never reads, as a
 * read may hang. Returns false if there are no such rows. */
static bool lend_a_hand(tri__prefetch *prefetch)
{
    pending_batch *p = prefetch->pipeline.cache && !tri__augment_is_on(&prefetch->pipeline.augment) ? find_work(prefetch) : NULL;
    if (!p)
        return false;
    int64_t most = stretch_of(prefetch, p), count = 0;
    const tri__epoch_order *order = &prefetch->record_order.order;
    while (count < most && tri__cache_holds(prefetch->pipeline.cache, tri__epoch_order_position(order, p->buffer.ids[p->claimed + count])))
        count++;
    if (count == 0)
        return false;
    work_on(&prefetch->caller, p, count);
    return true;
}

static bool is_ready(const tri__prefetch *prefetch)
{
    return prefetch->open > 0 ? prefetch->line[0]->finished == prefetch->line[0]->slice.count : prefetch->failure != NULL;
}

/* Wait until the first batch is complete, or cannot be made. If the wait is long, threads are added. */
static tri_status await_first(tri__prefetch *prefetch, bool *waited)
{
    int64_t begun = tri__clock_now(), now = begun, deadline = now + prefetch->timeout;
    TRI_TRY(add_threads(prefetch));
    while (!is_ready(prefetch)) {
        if (lend_a_hand(prefetch))
            continue;
        const bool all_at_work = prefetch->busy == prefetch->started;
        const int64_t asleep = now;
        tri__condition_wait(&prefetch->ready, &prefetch->lock, now + TRI_TUNING_PATIENCE < deadline ? now + TRI_TUNING_PATIENCE : deadline);
        now = tri__clock_now();
        *waited = now - begun > NOTICED;
        if (!is_ready(prefetch) && now >= deadline)
            return too_late(prefetch);
        if (all_at_work && (is_ready(prefetch) || prefetch->busy == prefetch->started)) {
            tri__tuning_waiting(&prefetch->tuning, now - asleep);
            TRI_TRY(add_threads(prefetch));
        }
    }
    tri_status failure = prefetch->failure;
    prefetch->failure = NULL;
    return failure;
}

/* The batch that the caller had becomes a spare one. It is freed if there are more batches than wanted. */
static void take_back(tri__prefetch *prefetch)
{
    pending_batch *p = prefetch->given;
    if (!p)
        return;
    prefetch->given = NULL;
    tri__batch_buffer_clear_failures(&p->buffer);
    if (prefetch->open + prefetch->spares < prefetch->tuning.depth)
        prefetch->spare[prefetch->spares++] = p;
    else
        free_pending(p);
    if (tri__tuning_is_worth_waking(&prefetch->tuning, prefetch->open))
        pthread_cond_signal(&prefetch->work);
}

static void give_first(tri__prefetch *prefetch)
{
    prefetch->given = prefetch->line[0];
    prefetch->open--;
    memmove(prefetch->line, prefetch->line + 1, (size_t)prefetch->open * sizeof *prefetch->line);
}

void tri__prefetch_plan(tri__prefetch *prefetch, tri__batch_plan *plan)
{
    pthread_mutex_lock(&prefetch->lock);
    bool idle = prefetch->waiting == 0; /* otherwise a thread opens the waiting batches when it is worth waking one */
    const tri__slice *slice;
    while (prefetch->open + prefetch->waiting < TRI_MOST_QUEUED && (slice = tri__batch_plan_find(plan, prefetch->open + prefetch->waiting)))
        prefetch->planned[prefetch->waiting++] = *slice;
    if (idle && prefetch->waiting > 0)
        pthread_cond_signal(&prefetch->work);
    pthread_mutex_unlock(&prefetch->lock);
}

/* Join the rows of a complete batch, which no thread touches any more. */
static tri_status join(pending_batch *p)
{
    if (p->joined)
        return NULL;
    TRI_TRY(tri__batch_buffer_join(&p->buffer));
    p->joined = true;
    return NULL;
}

tri_status tri__prefetch_next(tri__prefetch *prefetch, tri__batch_buffer **out)
{
    *out = NULL;
    bool waited = false;
    pthread_mutex_lock(&prefetch->lock);
    take_back(prefetch);
    tri_status status = await_first(prefetch, &waited);
    if (!status) {
        give_first(prefetch);
        tri__tuning_given(&prefetch->tuning, waited);
        *out = &prefetch->given->buffer;
    }
    pthread_mutex_unlock(&prefetch->lock);
    return status ? status : join(prefetch->given);
}

const tri_batch *tri__prefetch_peek(tri__prefetch *prefetch)
{
    pthread_mutex_lock(&prefetch->lock);
    pending_batch *p = prefetch->open > 0 && is_ready(prefetch) ? prefetch->line[0] : NULL;
    pthread_mutex_unlock(&prefetch->lock);
    if (!p)
        return NULL;
    tri_status status = join(p);
    bool failed = status != NULL; /* tri__prefetch_next will try again and return the failure */
    tri_status_free(status);
    return failed ? NULL : &p->buffer.batch;
}

bool tri__prefetch_clear(tri__prefetch *prefetch)
{
    pthread_mutex_lock(&prefetch->lock);
    prefetch->halted = true;
    bool resting = await_rest(prefetch);
    if (resting) {
        prefetch->waiting = 0;
        while (prefetch->open > 0) {
            pending_batch *p = prefetch->line[--prefetch->open];
            tri__batch_buffer_clear_failures(&p->buffer);
            prefetch->spare[prefetch->spares++] = p;
        }
        prefetch->halted = false;
    }
    pthread_mutex_unlock(&prefetch->lock);
    return resting;
}

const tri__shard *tri__prefetch_shard(const tri__prefetch *prefetch)
{
    return &prefetch->record_order.shard;
}

int tri__prefetch_depth(tri__prefetch *prefetch)
{
    pthread_mutex_lock(&prefetch->lock);
    int depth = prefetch->tuning.depth;
    pthread_mutex_unlock(&prefetch->lock);
    return depth;
}

double tri__prefetch_cpu_seconds(tri__prefetch *prefetch)
{
    pthread_mutex_lock(&prefetch->lock);
    int64_t cpu = prefetch->cpu;
    pthread_mutex_unlock(&prefetch->lock);
    return tri__clock_seconds(cpu);
}

const tri__cache *tri__prefetch_cache(const tri__prefetch *prefetch)
{
    return prefetch->pipeline.cache;
}
