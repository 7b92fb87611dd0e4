/* prefetch.c: batches read and decoded ahead by threads.
 *
 * Batches that are planned wait as slices of the epoch's order. Those that are being made stand in a line, in the order in which they will
 * be given out. Threads claim stretches of rows, always from
 * the first batch that has unclaimed ones, and write the examples straight into its buffers; when the last row of the first batch is
 * there, it can be given out. A thread that finds no row to claim opens the next planned batch, as long as the line may be longer,
 * and otherwise sleeps. A stretch is as long as takes a fraction of a millisecond, so that the lock costs nothing beside it.
 *
 * A read may hang for ever (a network file system, a dying disk). Nobody can be made to leave a read, so nobody waits for it: all that a
 * thread touches belongs to the tri__prefetch, which lives until the last of its users, caller or thread, has left. */
#define _GNU_SOURCE /* sched_getaffinity, RUSAGE_THREAD */
#include "data/batch/prefetch.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/condition.h"
#include "base/memory.h"
#include "data/batch/tuning.h"
#include "data/photo/augment.h"

#define SECOND          INT64_C(1000000000)
#define DEFAULT_TIMEOUT 300 /* seconds for one batch: only a disk that hangs takes so long */
#define DEFAULT_BUDGET  ((size_t)256 << 20)
#define STRETCH         (SECOND / 5000) /* that one claim should take */
#define PATIENCE        (SECOND / 500)  /* that the caller waits before there is one thread more */
#define NOTICED         (SECOND / 2000) /* a shorter wait is a wake-up, and no longer queue would mend it */
#define GRACE           SECOND          /* for threads to come back from their reads */

_Static_assert(TRI_MOST_AHEAD <= TRI_MOST_ASSIGNED, "as many batches are planned as an plan has");

/* A batch that is being made. */
typedef struct {
    tri__slot slot;
    tri__slice slice;
    int64_t claimed, finished; /* rows */
} portion;

typedef struct {
    tri__prefetch *ahead;
    pthread_t thread;
    tri__reader *reader;
    uint8_t *scratch;       /* one example, before it is augmented; NULL where none is */
    const portion *at;      /* that it works on; NULL: none. Under the lock */
    _Atomic int64_t record; /* that it reads */
    bool left;              /* it has ended, but for being joined; under the lock */
} decoder;

struct tri__prefetch {
    tri_source *source; /* held */
    int64_t rows;
    int64_t timeout;   /* nanoseconds */
    tri__cache *cache; /* or NULL */
    tri__augment augment;
    uint64_t seed; /* of augmentation */

    pthread_mutex_t lock;
    pthread_cond_t work;     /* there may be rows to claim, or an end */
    pthread_cond_t ready;    /* the first batch of the line may be whole, or cannot be made */
    pthread_cond_t returned; /* a thread has come back from its work */

    /* All below: under the lock. */
    tri__record_order record_order;
    bool halted;  /* nothing may be claimed */
    bool stopped; /* threads are to leave */
    tri_status failure;
    tri__slice planned[TRI_MOST_AHEAD]; /* [waiting] batches to be opened, behind those of the line */
    int waiting;
    portion *line[TRI_MOST_AHEAD]; /* [open], in the order of the batches */
    int open;
    portion *spare[TRI_MOST_AHEAD]; /* [spares] */
    int spares;
    portion *given; /* the caller has it; NULL: none */
    tri__tuning tuning;
    double row_nanoseconds; /* that one row takes, smoothed; 0: not known yet */
    int64_t cpu;            /* nanoseconds that reading and decoding took of all CPUs */
    decoder caller;         /* the caller's own thread, where it lends a hand; it has no reader */
    decoder decoders[TRI_MOST_DECODERS];
    int started; /* of decoders */
    int busy;    /* threads that are at work */
    int users;   /* threads that have not left, and the caller */
};

/* ---- what threads do ---- */

static void free_portion(portion *p)
{
    if (p)
        tri__slot_fini(&p->slot);
    free(p);
}

static tri_status add_portion(tri__prefetch *ahead, portion **out)
{
    portion *p;
    TRI_TRY(tri__allocate(1, sizeof *p, "a batch", &p));
    tri_status status = tri__slot_init(&p->slot, ahead->source, ahead->rows, false);
    if (status)
        free_portion(p);
    else
        *out = p;
    return status;
}

/* A batch to fill, spare or new. NULL where the line is as long as it may be. */
static portion *find_portion(tri__prefetch *ahead)
{
    if (ahead->open + (ahead->given != NULL) >= ahead->tuning.depth)
        return NULL;
    if (ahead->spares > 0)
        return ahead->spare[--ahead->spares];
    portion *p = NULL;
    tri_status status = add_portion(ahead, &p);
    if (status && ahead->open > 0) { /* what there is will do */
        ahead->tuning.most_depth = ahead->tuning.depth = ahead->open + (ahead->given != NULL);
        tri_status_free(status);
    } else if (status) {
        ahead->failure = status;
        pthread_cond_signal(&ahead->ready);
    }
    return p;
}

/* Open the next planned batch. False where there is none, or no room for it. */
static bool open_next(tri__prefetch *ahead)
{
    if (ahead->waiting == 0 || ahead->failure)
        return false;
    portion *p = find_portion(ahead);
    if (!p)
        return false;
    p->slice = ahead->planned[0];
    ahead->waiting--;
    memmove(ahead->planned, ahead->planned + 1, (size_t)ahead->waiting * sizeof *ahead->planned);
    tri__record_order_take(&ahead->record_order, &p->slice, p->slot.ids);
    tri__slot_pad(&p->slot, ahead->source, p->slice.count);
    p->slot.batch.count = p->slice.count;
    p->slot.batch.epoch = p->slice.epoch;
    p->slot.batch.damaged = 0;
    p->claimed = p->finished = 0;
    ahead->line[ahead->open++] = p;
    if (p->slice.count == 0)
        pthread_cond_signal(&ahead->ready);
    return true;
}

/* The first batch with rows that nobody has claimed; NULL where there is none and none can be opened. */
static portion *find_work(tri__prefetch *ahead)
{
    if (ahead->halted)
        return NULL;
    for (int i = 0; i < ahead->open || open_next(ahead); i++)
        if (ahead->line[i]->claimed < ahead->line[i]->slice.count)
            return ahead->line[i];
    return NULL;
}

/* Rows to claim at once: worth the lock, and few enough that all threads find some in a batch. */
static int64_t stretch_of(const tri__prefetch *ahead, const portion *p)
{
    int64_t left = p->slice.count - p->claimed;
    int64_t fair = p->slice.count / (2 * ahead->tuning.threads) + 1;
    double wanted = ahead->row_nanoseconds > 0 ? (double)STRETCH / ahead->row_nanoseconds : 1;
    int64_t rows = wanted < (double)fair ? (int64_t)wanted : fair;
    return rows < 1 ? 1 : rows < left ? rows : left;
}

/* One example, from the cache or by the source. */
static tri_status fetch(decoder *self, int64_t record, const tri__place *to)
{
    tri__prefetch *ahead = self->ahead;
    atomic_store_explicit(&self->record, record, memory_order_relaxed);
    if (ahead->cache && tri__cache_get(ahead->cache, record, to))
        return NULL;
    TRI_TRY(ahead->source->kind->read(self->reader, record, to));
    if (ahead->cache)
        tri__cache_put(ahead->cache, record, to);
    return NULL;
}

/* One example into row i of the batch, changed at random where that is asked for. */
static tri_status decode(decoder *self, const portion *p, int64_t i)
{
    const tri__prefetch *ahead = self->ahead;
    const tri_source_info *info = &ahead->source->info;
    tri__place place = tri__slot_place(&p->slot, ahead->source, i);
    int64_t record = p->slot.ids[i];
    if (!self->scratch)
        return fetch(self, record, &place);
    uint8_t *row = place.x;
    place.x = self->scratch;
    TRI_TRY(fetch(self, record, &place));
    tri__augment_apply(&ahead->augment, info->type, info->shape, ahead->seed, p->slice.epoch, record, self->scratch, row);
    return NULL;
}

static void decode_rows(decoder *self, portion *p, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count; i++) {
        tri_status status = decode(self, p, i);
        if (status)
            tri__slot_spoil(&p->slot, self->ahead->source, i, status);
        else
            p->slot.weights[i] = 1;
    }
}

static tri__effort effort_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (tri__effort){
        .wall = tri__clock_now(),
        .cpu = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * SECOND + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000,
        .blocked = usage.ru_nvcsw,
        .preempted = usage.ru_nivcsw,
    };
}

static tri__effort effort_between(tri__effort a, tri__effort b)
{
    return (tri__effort){b.wall - a.wall, b.cpu - a.cpu, b.blocked - a.blocked, b.preempted - a.preempted};
}

static void learn(tri__prefetch *ahead, tri__effort effort, int64_t rows)
{
    double each = (double)effort.wall / (double)rows;
    ahead->row_nanoseconds = ahead->row_nanoseconds > 0 ? 0.8 * ahead->row_nanoseconds + 0.2 * each : each;
    ahead->cpu += effort.cpu;
    tri__tuning_worked(&ahead->tuning, effort);
}

/* Claim the next rows of the batch and fill them. Holds the lock before and after, not while it works. */
static void work_on(decoder *self, portion *p, int64_t count)
{
    tri__prefetch *ahead = self->ahead;
    int64_t first = p->claimed;
    p->claimed += count;
    self->at = p;
    ahead->busy++;
    pthread_cond_signal(&ahead->work); /* there may be more for another thread */
    pthread_mutex_unlock(&ahead->lock);
    tri__effort before = effort_now();
    decode_rows(self, p, first, count);
    tri__effort effort = effort_between(before, effort_now());
    pthread_mutex_lock(&ahead->lock);
    ahead->busy--;
    self->at = NULL;
    learn(ahead, effort, count);
    p->finished += count;
    if (p->finished == p->slice.count && ahead->open > 0 && p == ahead->line[0])
        pthread_cond_signal(&ahead->ready);
    pthread_cond_signal(&ahead->returned);
}

static void free_all(tri__prefetch *ahead);

/* Under the lock, which is gone afterwards. */
static void leave(tri__prefetch *ahead)
{
    bool last = --ahead->users == 0;
    pthread_cond_signal(&ahead->returned);
    pthread_mutex_unlock(&ahead->lock);
    if (last)
        free_all(ahead);
}

static void *serve(void *argument)
{
    decoder *self = argument;
    tri__prefetch *ahead = self->ahead;
    pthread_mutex_lock(&ahead->lock);
    while (!ahead->stopped) {
        portion *p = find_work(ahead);
        if (p) {
            work_on(self, p, stretch_of(ahead, p));
            continue;
        }
        tri__tuning_idle(&ahead->tuning);
        pthread_cond_wait(&ahead->work, &ahead->lock);
    }
    self->left = true;
    leave(ahead);
    return NULL;
}

/* ---- what the caller does ---- */

static int count_cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

static tri_status prepare(tri__prefetch *ahead, const tri_dataset_options *options)
{
    if (options->augment) {
        TRI_TRY(tri_wrap(tri__augment_parse(options->augment, &ahead->augment), "--augment"));
        if (tri__augment_is_on(&ahead->augment))
            TRI_TRY(tri_wrap(tri__augment_check(&ahead->augment, ahead->source->info.shape), "%s", ahead->source->info.spec));
    }
    TRI_TRY(tri__record_order_init(&ahead->record_order, ahead->source, options));
    if (!options->cache || ahead->source->rows) /* examples that stand in memory are as good as cached */
        return NULL;
    return tri__cache_create(ahead->source, ahead->record_order.shard.examples, options->cache_bytes, options->cache_folder, &ahead->cache);
}

tri_status tri__prefetch_create(tri_source *source, const tri_dataset_options *options, tri__prefetch **out)
{
    tri__prefetch *ahead;
    TRI_TRY(tri__allocate(1, sizeof *ahead, "batches ahead", &ahead));
    tri__source_hold(source);
    ahead->source = source;
    ahead->rows = options->batch;
    ahead->seed = options->seed;
    ahead->timeout = (int64_t)((options->timeout > 0 ? options->timeout : DEFAULT_TIMEOUT) * SECOND);
    ahead->users = 1;
    ahead->caller = (decoder){.ahead = ahead, .record = -1};
    pthread_mutex_init(&ahead->lock, NULL);
    tri__condition_init(&ahead->work);
    tri__condition_init(&ahead->ready);
    tri__condition_init(&ahead->returned);
    size_t budget = options->bytes > 0 ? (size_t)options->bytes : DEFAULT_BUDGET;
    tri__tuning_init(&ahead->tuning, count_cpus(), options->readers, tri__slot_bytes(source, options->batch), budget);
    tri_status status = prepare(ahead, options);
    if (status)
        free_all(ahead);
    else
        *out = ahead;
    return status;
}

static void decoder_fini(decoder *self)
{
    tri__reader_destroy(self->reader);
    tri__buffer_free(self->scratch);
}

static tri_status decoder_init(decoder *self, tri__prefetch *ahead)
{
    *self = (decoder){.ahead = ahead, .record = -1};
    TRI_TRY(tri__reader_create(ahead->source, &self->reader));
    if (!tri__augment_is_on(&ahead->augment))
        return NULL;
    tri_status status = tri__buffer_allocate(ahead->source->example_bytes, "an example", &self->scratch);
    if (status)
        decoder_fini(self);
    return status;
}

static void free_all(tri__prefetch *ahead)
{
    for (int i = 0; i < ahead->open; i++)
        free_portion(ahead->line[i]);
    for (int i = 0; i < ahead->spares; i++)
        free_portion(ahead->spare[i]);
    free_portion(ahead->given);
    for (int i = 0; i < ahead->started; i++)
        decoder_fini(&ahead->decoders[i]);
    tri__record_order_fini(&ahead->record_order);
    tri__cache_destroy(ahead->cache);
    tri_status_free(ahead->failure);
    tri_source_destroy(ahead->source);
    pthread_cond_destroy(&ahead->work);
    pthread_cond_destroy(&ahead->ready);
    pthread_cond_destroy(&ahead->returned);
    pthread_mutex_destroy(&ahead->lock);
    free(ahead);
}

/* Wait until no thread is at work, or for the time of grace. Under the lock. */
static bool await_rest(tri__prefetch *ahead)
{
    int64_t deadline = tri__clock_now() + GRACE;
    while (ahead->busy > 0 && tri__clock_now() < deadline)
        tri__condition_wait(&ahead->returned, &ahead->lock, deadline);
    return ahead->busy == 0;
}

/* Threads that are not at work leave at once; a thread that hangs is let go. */
void tri__prefetch_destroy(tri__prefetch *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->stopped = ahead->halted = true;
    pthread_cond_broadcast(&ahead->work);
    if (await_rest(ahead))
        while (ahead->users > 1)
            pthread_cond_wait(&ahead->returned, &ahead->lock);
    for (int i = 0; i < ahead->started; i++)
        if (ahead->decoders[i].left)
            pthread_join(ahead->decoders[i].thread, NULL);
        else
            pthread_detach(ahead->decoders[i].thread);
    leave(ahead);
}

/* As many threads as the tuning wants. */
static tri_status add_threads(tri__prefetch *ahead)
{
    while (ahead->started < ahead->tuning.threads) {
        decoder *self = &ahead->decoders[ahead->started];
        TRI_TRY(decoder_init(self, ahead));
        int error = pthread_create(&self->thread, NULL, serve, self);
        if (error) {
            decoder_fini(self);
            ahead->tuning.fixed = true; /* what there is will do */
            ahead->tuning.threads = ahead->started;
            if (ahead->started > 0)
                return NULL;
            ahead->tuning.threads = 1;
            return tri_fail(TRI_IO, "cannot start a thread that reads %s: %s", ahead->source->info.spec, strerror(error));
        }
        ahead->started++;
        ahead->users++;
    }
    return NULL;
}

static const char *file_of(const tri_source *source, int64_t record)
{
    const char *file = source->kind->file_of && record >= 0 ? source->kind->file_of(source, record) : NULL;
    return file ? file : source->info.spec;
}

/* The first batch has not come: whose rows are missing? */
static tri_status too_late(const tri__prefetch *ahead)
{
    double seconds = tri__clock_seconds(ahead->timeout);
    for (int i = 0; i < ahead->started; i++) {
        const decoder *one = &ahead->decoders[i];
        int64_t record = atomic_load(&one->record);
        if (one->at && one->at == ahead->line[0])
            return tri_fail(TRI_TIMEOUT,
                            "%s: record %lld has not come within %g s: the disk or the network that it is read from hangs (see dmesg, and "
                            "whether other programs can read it)",
                            file_of(ahead->source, record), (long long)record, seconds);
    }
    return tri_fail(TRI_TIMEOUT, "%s: no batch has come within %g s", ahead->source->info.spec, seconds);
}

/* Before the caller sleeps, it copies what stands in the cache's memory itself: a wake-up costs as much as some rows. It never reads, as a
 * read may hang. False where there is nothing of the kind. */
static bool lend_a_hand(tri__prefetch *ahead)
{
    portion *p = ahead->cache && !tri__augment_is_on(&ahead->augment) ? find_work(ahead) : NULL;
    if (!p)
        return false;
    int64_t most = stretch_of(ahead, p), count = 0;
    while (count < most && tri__cache_holds(ahead->cache, p->slot.ids[p->claimed + count]))
        count++;
    if (count == 0)
        return false;
    work_on(&ahead->caller, p, count);
    return true;
}

static bool is_ready(const tri__prefetch *ahead)
{
    return ahead->open > 0 ? ahead->line[0]->finished == ahead->line[0]->slice.count : ahead->failure != NULL;
}

/* Wait until the first batch is whole, or it is plain that it cannot be made. More threads come while it takes long. */
static tri_status await_first(tri__prefetch *ahead, bool *waited)
{
    int64_t begun = tri__clock_now(), now = begun, deadline = now + ahead->timeout;
    TRI_TRY(add_threads(ahead));
    while (!is_ready(ahead)) {
        if (lend_a_hand(ahead))
            continue;
        tri__condition_wait(&ahead->ready, &ahead->lock, now + PATIENCE < deadline ? now + PATIENCE : deadline);
        now = tri__clock_now();
        *waited = now - begun > NOTICED;
        if (!is_ready(ahead) && now >= deadline)
            return too_late(ahead);
        if (!is_ready(ahead) && ahead->busy == ahead->started) {
            tri__tuning_waiting(&ahead->tuning);
            TRI_TRY(add_threads(ahead));
        }
    }
    tri_status failure = ahead->failure;
    ahead->failure = NULL;
    return failure;
}

/* What the caller has had goes back into use, or away where there are more batches than wanted. */
static void take_back(tri__prefetch *ahead)
{
    portion *p = ahead->given;
    if (!p)
        return;
    ahead->given = NULL;
    tri__slot_forget(&p->slot);
    if (ahead->open + ahead->spares < ahead->tuning.depth)
        ahead->spare[ahead->spares++] = p;
    else
        free_portion(p);
    pthread_cond_signal(&ahead->work);
}

static void give_first(tri__prefetch *ahead)
{
    ahead->given = ahead->line[0];
    ahead->open--;
    memmove(ahead->line, ahead->line + 1, (size_t)ahead->open * sizeof *ahead->line);
}

void tri__prefetch_plan(tri__prefetch *ahead, tri__batch_plan *plan)
{
    pthread_mutex_lock(&ahead->lock);
    bool idle = ahead->waiting == 0; /* otherwise whoever can open a batch is at it, or will be when there is room */
    const tri__slice *slice;
    while (ahead->open + ahead->waiting < TRI_MOST_AHEAD && (slice = tri__batch_plan_find(plan, ahead->open + ahead->waiting)))
        ahead->planned[ahead->waiting++] = *slice;
    if (idle && ahead->waiting > 0)
        pthread_cond_signal(&ahead->work);
    pthread_mutex_unlock(&ahead->lock);
}

tri_status tri__prefetch_next(tri__prefetch *ahead, tri__slot **out)
{
    *out = NULL;
    bool waited = false;
    pthread_mutex_lock(&ahead->lock);
    take_back(ahead);
    tri_status status = await_first(ahead, &waited);
    if (!status) {
        give_first(ahead);
        tri__tuning_given(&ahead->tuning, waited);
        *out = &ahead->given->slot;
    }
    pthread_mutex_unlock(&ahead->lock);
    return status;
}

bool tri__prefetch_clear(tri__prefetch *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    ahead->halted = true;
    bool resting = await_rest(ahead);
    if (resting) {
        ahead->waiting = 0;
        while (ahead->open > 0) {
            portion *p = ahead->line[--ahead->open];
            tri__slot_forget(&p->slot);
            ahead->spare[ahead->spares++] = p;
        }
        ahead->halted = false;
    }
    pthread_mutex_unlock(&ahead->lock);
    return resting;
}

const tri__shard *tri__prefetch_shard(const tri__prefetch *ahead)
{
    return &ahead->record_order.shard;
}

int tri__prefetch_depth(tri__prefetch *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    int depth = ahead->tuning.depth;
    pthread_mutex_unlock(&ahead->lock);
    return depth;
}

double tri__prefetch_cpu_seconds(tri__prefetch *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    int64_t cpu = ahead->cpu;
    pthread_mutex_unlock(&ahead->lock);
    return tri__clock_seconds(cpu);
}

const tri__cache *tri__prefetch_cache(const tri__prefetch *ahead)
{
    return ahead->cache;
}
