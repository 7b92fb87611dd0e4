/* ranks.c: collectives of MPI as calls with a status, and the thread that watches them. */
#include "net/mpi/ranks.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "base/text/task.h"
#include "base/text/text.h"
#include "base/thread/clock.h"
#include "base/thread/condition.h"
#include "net/mpi/library.h"
#include "net/mpi/mailbox.h"
#include "net/mpi/ring.h"

#define MOST_FLOATS ((size_t)1 << 20)       /* in one call of MPI: so few that copies stay in a cache (a third faster than 16 MB at once) */
#define OFTEN       (500 * TRI_MILLISECOND) /* time between two looks of the watcher */
#define MOST_BYTES  ((size_t)1 << 30)
#define LARGE       ((size_t)1 << 16) /* floats: from this size on the thread sleeps while a sum travels */
#define NAP         50000             /* nanoseconds */

enum { HOST_SIZE = 64, WHO_SIZE = 400, PATIENCE = 10 };

typedef struct {
    char host[HOST_SIZE];
    int32_t pid;
} who;

struct tri__ranks {
    tri__mpi mpi;
    tri__ranks_options options;
    int rank, size;
    who *members;              /* [size] */
    tri__peer_traffic **peers; /* [size] where the traffic with each rank is counted; NULL: not at all */
    atomic_bool introduced;    /* rank, size and members are known */
    tri__ring *ring;           /* where ranks are on several hosts; NULL elsewhere */
    tri__mailbox *mailbox;
    atomic_int_fast64_t since; /* when the present call began; 0: no thread is in a call */
    atomic_int awaited;        /* the rank that the present call waits for; −1: it may be any rank */
    int_fast64_t told;         /* when the last call began that was reported as slow; only the watcher uses it */
    atomic_bool patient, leaving;
    atomic_int_fast64_t longest; /* the longest time that a call took while we were patient */

    pthread_t watcher;
    bool watched;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool over; /* under lock */
};

/* ---- the watcher ---- */

/* R, S, D: alive. T: stopped. Z or nothing: dead. */
static char state_of(int32_t pid)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    size_t got = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[got] = 0;
    const char *name_end = strrchr(line, ')');
    return name_end && name_end[1] == ' ' ? name_end[2] : 0;
}

static const char has_died[] = "has died";

static const char *trouble_of(const tri__ranks *ranks, int rank)
{
    if (strcmp(ranks->members[rank].host, ranks->members[ranks->rank].host))
        return NULL;
    switch (state_of(ranks->members[rank].pid)) {
    case 0:
    case 'Z':
    case 'X':
        return has_died;
    case 'T':
    case 't':
        return "is stopped";
    default:
        return NULL;
    }
}

/* Names the ranks that we see in trouble; where we see none, the ranks that we wait for. Returns whether we see trouble. */
static bool name_missing(const tri__ranks *ranks, char text[WHO_SIZE])
{
    tri__text list;
    int awaited = atomic_load(&ranks->awaited);
    bool troubled = false;
    tri__text_init(&list, text, WHO_SIZE);
    for (int pass = 0; pass < 2 && !list.used; pass++)
        for (int i = 0; i < ranks->size && list.used < WHO_SIZE - HOST_SIZE; i++) {
            const char *trouble = trouble_of(ranks, i);
            bool far = strcmp(ranks->members[i].host, ranks->members[ranks->rank].host);
            if (pass ? i != ranks->rank && (awaited < 0 || i == awaited) : trouble != NULL)
                tri__text_add(&list, "%srank %d (process %d%s%s)%s%s", list.used ? ", " : "", i, (int)ranks->members[i].pid,
                              far ? " on " : "", far ? ranks->members[i].host : "", trouble ? " " : "",
                              trouble               ? trouble
                              : far && awaited >= 0 ? ", which may wait itself"
                                                    : "");
            troubled |= trouble != NULL;
        }
    return troubled;
}

static bool anybody_died(const tri__ranks *ranks)
{
    for (int i = 0; i < ranks->size; i++)
        if (trouble_of(ranks, i) == has_died)
            return !atomic_load(&ranks->leaving); /* while ranks leave, some end before others */
    return false;
}

/* Until all ranks have met, we do not know which one is missing. */
static void tell_absence(tri__ranks *ranks, int64_t waited)
{
    char why[200];
    snprintf(why, sizeof why, "a rank has waited %.3g s for the others to start (--timeout): one of them has failed, or cannot be reached",
             tri__clock_seconds(waited));
    ranks->options.hung(ranks->options.context, why);
}

/* How long the present call may take. A rank 0 that we see stopped gets no extra time. */
static int64_t limit_of(const tri__ranks *ranks)
{
    int64_t timeout = ranks->options.timeout, longest = atomic_load(&ranks->longest);
    if (!atomic_load(&ranks->patient) || trouble_of(ranks, 0))
        return timeout;
    return PATIENCE * (longest > timeout ? longest : timeout);
}

/* Reported long before the timeout, so that somebody who sees it can still help. */
static void tell_slowness(tri__ranks *ranks, int64_t since, int64_t waited)
{
    char missing[WHO_SIZE], why[WHO_SIZE + 160];
    if (!ranks->options.slow || waited < limit_of(ranks) / 4 || waited < OFTEN || ranks->told == since)
        return;
    ranks->told = since;
    (void)name_missing(ranks, missing);
    snprintf(why, sizeof why, "rank %d has waited %.3g s for the others, and will for %.3g s: %s", ranks->rank, tri__clock_seconds(waited),
             tri__clock_seconds(limit_of(ranks) - waited), missing);
    ranks->options.slow(ranks->options.context, why);
}

/* What the watcher does each time it wakes. A dead rank is reported at once, without waiting for the timeout. */
static void look(tri__ranks *ranks)
{
    int64_t since = atomic_load(&ranks->since), waited = since ? tri__clock_now() - since : 0;
    bool late = waited >= ranks->options.timeout && waited >= limit_of(ranks), introduced = atomic_load(&ranks->introduced);
    if (late && !introduced) {
        tell_absence(ranks, waited);
        return;
    }
    if (!late && (waited < OFTEN || !introduced || !anybody_died(ranks))) {
        if (since && introduced && !atomic_load(&ranks->leaving))
            tell_slowness(ranks, since, waited);
        return;
    }
    char missing[WHO_SIZE], why[WHO_SIZE + 200];
    const bool troubled = name_missing(ranks, missing);
    snprintf(why, sizeof why, "rank %d has waited %.3g s for the others%s: %s%s", ranks->rank, tri__clock_seconds(waited),
             late ? " (--timeout)" : "", missing, troubled ? "" : "; if it computes that long, give all ranks a longer --timeout");
    ranks->options.hung(ranks->options.context, why);
}

/* While a scheduler has the whole job frozen, no time counts. A watcher that wakes too late was frozen, too. */
static void excuse(tri__ranks *ranks, int64_t planned)
{
    int_fast64_t since = atomic_load(&ranks->since), late = tri__clock_now() - planned;
    if (late >= OFTEN && since && since < planned)
        atomic_compare_exchange_strong(&ranks->since, &since, since + late); /* fails where the call is over: then nothing is to be done */
}

static void *watch(void *context)
{
    tri__ranks *ranks = context;
    int64_t interval = ranks->options.timeout / 4 < OFTEN ? ranks->options.timeout / 4 : OFTEN;
    pthread_mutex_lock(&ranks->lock);
    while (!ranks->over) {
        int64_t planned = tri__clock_now() + interval;
        tri__condition_wait(&ranks->ended, &ranks->lock, planned);
        excuse(ranks, planned);
        if (!ranks->over)
            look(ranks);
    }
    pthread_mutex_unlock(&ranks->lock);
    return NULL;
}

static tri_status start_watching(tri__ranks *ranks)
{
    ranks->watched = !pthread_create(&ranks->watcher, NULL, watch, ranks);
    return ranks->watched ? NULL : tri_fail(TRI_NO_MEMORY, "no thread to watch the other ranks");
}

static void stop_watching(tri__ranks *ranks)
{
    if (!ranks->watched)
        return;
    pthread_mutex_lock(&ranks->lock);
    ranks->over = true;
    pthread_cond_signal(&ranks->ended);
    pthread_mutex_unlock(&ranks->lock);
    pthread_join(ranks->watcher, NULL);
    ranks->watched = false;
}

void tri__ranks_be_patient(tri__ranks *ranks, bool patient)
{
    atomic_store(&ranks->patient, patient);
}

/* ---- calls ---- */

static tri_status check(const tri__ranks *ranks, int error, const char *what)
{
    if (error == MPI_SUCCESS)
        return NULL;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    ranks->mpi.Error_string(error, text, &length);
    return tri_fail(TRI_INTERNAL, "MPI, rank %d of %d, %s: %s", ranks->rank, ranks->size, what, text);
}

/* One thread at a time is in a call, so no other thread writes. */
static void remember(tri__ranks *ranks, int64_t took)
{
    if (took > atomic_load(&ranks->longest))
        atomic_store(&ranks->longest, took);
}

static void enter(tri__ranks *ranks)
{
    atomic_store_explicit(&ranks->since, tri__clock_now(), memory_order_relaxed);
}

static void leave(tri__ranks *ranks)
{
    if (atomic_load(&ranks->patient))
        remember(ranks, tri__clock_now() - atomic_load(&ranks->since));
    atomic_store_explicit(&ranks->since, 0, memory_order_relaxed);
}

/* Wait until all ranks have come. MPI's own waiting would take a CPU from ranks that still compute. */
static int meet(const tri__mpi *mpi)
{
    MPI_Request all;
    int come = 0, error = mpi->Ibarrier(mpi->world, &all);
    while (error == MPI_SUCCESS && (error = mpi->Test(&all, &come, MPI_STATUS_IGNORE)) == MPI_SUCCESS && !come)
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
    return error;
}

_Static_assert((int)TRI__RANKS_SUMS == (int)TRI__RING_SUMS, "what may have begun is the ring's to say");

static bool by_ring(const tri__ranks *ranks, size_t count)
{
    return ranks->ring && count >= LARGE;
}

static int sum(const tri__mpi *mpi, float *data, size_t count)
{
    int error = count >= LARGE ? meet(mpi) : MPI_SUCCESS;
    for (size_t at = 0; at < count && error == MPI_SUCCESS; at += MOST_FLOATS) {
        size_t part = count - at < MOST_FLOATS ? count - at : MOST_FLOATS;
        error = mpi->Allreduce(MPI_IN_PLACE, data + at, (int)part, mpi->float_type, mpi->sum, mpi->world);
    }
    return error;
}

static const char adding_up[] = "adding up gradients";

tri_status tri__ranks_begin_sum(tri__ranks *ranks, float *data, size_t count)
{
    return by_ring(ranks, count) ? check(ranks, tri__ring_begin(ranks->ring, data, count), adding_up) : NULL;
}

tri_status tri__ranks_end_sum(tri__ranks *ranks, float *data, size_t count)
{
    enter(ranks);
    int error = by_ring(ranks, count) ? tri__ring_end(ranks->ring) : sum(&ranks->mpi, data, count);
    leave(ranks);
    return check(ranks, error, adding_up);
}

tri_status tri__ranks_sum(tri__ranks *ranks, float *data, size_t count)
{
    TRI_TRY(tri__ranks_begin_sum(ranks, data, count));
    return tri__ranks_end_sum(ranks, data, count);
}

tri_status tri__ranks_broadcast(tri__ranks *ranks, void *data, size_t bytes)
{
    enter(ranks);
    int error = meet(&ranks->mpi);
    for (size_t at = 0; at < bytes && error == MPI_SUCCESS; at += MOST_BYTES) {
        size_t part = bytes - at < MOST_BYTES ? bytes - at : MOST_BYTES;
        error = ranks->mpi.Bcast((char *)data + at, (int)part, ranks->mpi.byte_type, 0, ranks->mpi.world);
    }
    leave(ranks);
    return check(ranks, error, "hearing from rank 0");
}

tri_status tri__ranks_gather(tri__ranks *ranks, const void *mine, size_t bytes, void *all)
{
    const tri__mpi *mpi = &ranks->mpi;
    if (bytes > MOST_BYTES)
        return tri_fail(TRI_BAD_CALL, "%zu bytes of each rank are more than can be gathered at once", bytes);
    enter(ranks);
    int error = meet(mpi);
    if (error == MPI_SUCCESS)
        error = mpi->Allgather(mine, (int)bytes, mpi->byte_type, all, (int)bytes, mpi->byte_type, mpi->world);
    leave(ranks);
    return check(ranks, error, "comparing notes");
}

tri_status tri__ranks_expect(tri__ranks *ranks, int from, int number, void *data, size_t bytes)
{
    return check(ranks, tri__mailbox_expect(ranks->mailbox, from, number, data, bytes), "receiving a value");
}

tri_status tri__ranks_send(tri__ranks *ranks, int to, int number, const void *data, size_t bytes, int64_t now, int64_t expected)
{
    enter(ranks);
    int error = tri__mailbox_send(ranks->mailbox, to, number, data, bytes, now, expected);
    leave(ranks);
    if (error == MPI_ERR_NO_MEM)
        return tri_fail(TRI_NO_MEMORY, "rank %d has no memory to send %zu bytes to rank %d", ranks->rank, bytes, to);
    return check(ranks, error, "sending a value");
}

tri_status tri__ranks_receive(tri__ranks *ranks, int from, int number)
{
    atomic_store(&ranks->awaited, from);
    enter(ranks);
    int error = tri__mailbox_receive(ranks->mailbox, from, number);
    atomic_store(&ranks->awaited, -1);
    leave(ranks);
    return check(ranks, error, "receiving a value");
}

tri_status tri__ranks_flush(tri__ranks *ranks)
{
    enter(ranks);
    int error = tri__mailbox_flush(ranks->mailbox);
    leave(ranks);
    return check(ranks, error, "sending values");
}

int64_t tri__ranks_sent(const tri__ranks *ranks)
{
    return tri__mailbox_sent(ranks->mailbox);
}

/* ---- joining and leaving ---- */

/* MPI_THREAD_SERIALIZED: the thread that adds up gradients need not be the one that joined. */
static tri_status start(tri__ranks *ranks)
{
    const tri__mpi *mpi = &ranks->mpi;
    int provided;
    enter(ranks);
    int error = mpi->Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    leave(ranks);
    TRI_TRY(check(ranks, error, "starting"));
    TRI_TRY(check(ranks, mpi->Comm_set_errhandler(mpi->world, mpi->errors_return), "starting"));
    TRI_TRY(check(ranks, mpi->Comm_rank(mpi->world, &ranks->rank), "starting"));
    TRI_TRY(check(ranks, mpi->Comm_size(mpi->world, &ranks->size), "starting"));
    if (provided < MPI_THREAD_SERIALIZED)
        return tri_fail(TRI_UNSUPPORTED, "this MPI was built without support for threads (MPI_THREAD_SERIALIZED)");
    return NULL;
}

static tri_status introduce(tri__ranks *ranks)
{
    who me = {.pid = (int32_t)getpid()};
    if (gethostname(me.host, sizeof me.host - 1))
        return tri_fail(TRI_IO, "the name of this host: %s", strerror(errno));
    TRI_TRY(tri__allocate((size_t)ranks->size, sizeof me, "the list of ranks", &ranks->members));
    TRI_TRY(tri__ranks_gather(ranks, &me, sizeof me, ranks->members));
    atomic_store(&ranks->introduced, true);
    return NULL;
}

static tri_status count_traffic(tri__ranks *ranks)
{
    char name[TRI_TASK_SIZE];
    TRI_TRY(tri__allocate((size_t)ranks->size, sizeof(tri__peer_traffic *), "the traffic of ranks", &ranks->peers));
    for (int i = 0; ranks->options.traffic && i < ranks->size; i++)
        ranks->peers[i] =
            i == ranks->rank ? NULL : tri__traffic_peer(ranks->options.traffic, tri__task_name((tri__task){TRI_ROLE_WORKER, i}, name));
    return NULL;
}

static tri_status connect_all(tri__ranks *ranks)
{
    TRI_TRY(count_traffic(ranks));
    TRI_TRY(tri__mailbox_create(&ranks->mpi, ranks->options.window, ranks->peers, &ranks->mailbox));
    return tri__ranks_apart(ranks) ? tri__ring_create(&ranks->mpi, ranks->rank, ranks->size, ranks->peers, &ranks->ring) : NULL;
}

static void dismiss(tri__ranks *ranks)
{
    stop_watching(ranks);
    pthread_cond_destroy(&ranks->ended);
    pthread_mutex_destroy(&ranks->lock);
    tri__ring_destroy(ranks->ring);
    tri__mailbox_destroy(ranks->mailbox);
    free(ranks->peers);
    free(ranks->members);
    free(ranks);
}

tri_status tri__ranks_join(const tri__ranks_options *options, tri__ranks **out)
{
    tri__ranks *ranks;
    TRI_TRY(tri__allocate(1, sizeof *ranks, "the ranks of MPI", &ranks));
    ranks->options = *options;
    atomic_store(&ranks->awaited, -1);
    pthread_mutex_init(&ranks->lock, NULL);
    tri__condition_init(&ranks->ended);
    tri_status status = tri__mpi_load(&ranks->mpi);
    if (!status)
        status = start_watching(ranks);
    if (!status)
        status = start(ranks);
    if (!status)
        status = introduce(ranks);
    if (!status)
        status = connect_all(ranks);
    if (status) {
        dismiss(ranks);
        return status;
    }
    *out = ranks;
    return NULL;
}

void tri__ranks_leave(tri__ranks *ranks)
{
    if (!ranks)
        return;
    atomic_store(&ranks->leaving, true);
    enter(ranks);
    ranks->mpi.Finalize();
    leave(ranks);
    dismiss(ranks);
}

int tri__ranks_rank(const tri__ranks *ranks)
{
    return ranks->rank;
}

int tri__ranks_size(const tri__ranks *ranks)
{
    return ranks->size;
}

int tri__ranks_here(const tri__ranks *ranks)
{
    int count = 0;
    for (int i = 0; i < ranks->size; i++)
        count += !strcmp(ranks->members[i].host, ranks->members[ranks->rank].host);
    return count;
}

bool tri__ranks_apart(const tri__ranks *ranks)
{
    return tri__ranks_here(ranks) < ranks->size;
}
