/* ring.c: rows of floats, each cut into a segment for every rank.
 *
 * A row goes around in 2(n − 1) hops. In hop h a rank hands segment rank − h to its right and takes segment rank − h − 1 from its left,
 * all modulo n: in the first n − 1 hops it adds what it takes to its own, so that then each segment is complete somewhere; in the others
 * it keeps what it takes. Up to ROWS rows are under way, each in a place of its own: row r in place r mod ROWS, so that a message's place,
 * which is its tag, tells both sides which row it is of. Rows are counted from the first sum on, and those of the next sum follow as places
 * become free, so that the links do not run dry between two sums. */
#include "net/mpi/ring.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"

enum { ROWS = 64, SENT = 0, TAKEN = 1, BOTH = 2 };
#define SEGMENT ((size_t)16000) /* floats: with MPI's header less than the 64 kB that Open MPI sends over TCP without asking */
#define NAP     500000          /* nanoseconds; sockets, and rows that are under way, hold more than comes in that time */

typedef struct {
    float *data;
    size_t count, begun; /* floats; and those in rows that were begun */
    int rows;            /* under way */
} work;

typedef struct {
    work *of; /* NULL: the place is free */
    float *data;
    size_t count; /* up to n segments */
    int hop;
    int open; /* messages of this hop */
} row;

struct tri__ring {
    const tri__mpi *mpi;
    int rank, size;
    work works[TRI__RING_SUMS];   /* number w at w mod TRI__RING_SUMS */
    int64_t added, filled, ended; /* works: whose rows may be begun, have all been begun, are complete */
    int64_t next;                 /* row to be begun */
    row rows[ROWS];
    MPI_Request requests[ROWS * BOTH]; /* [row][SENT, TAKEN] */
    int finished[ROWS * BOTH];
    float *taken; /* [ROWS][SEGMENT], to be added */
};

typedef struct {
    float *data;
    size_t count;
} segment;

/* number: from −2n up */
static segment segment_of(const tri__ring *ring, const row *of, int number)
{
    size_t n = (size_t)ring->size, i = (size_t)(number + 2 * ring->size) % n;
    size_t first = of->count * i / n, end = of->count * (i + 1) / n;
    return (segment){of->data + first, end - first};
}

static bool adds(const tri__ring *ring, const row *self)
{
    return self->hop < ring->size - 1;
}

/* Messages of one place come in the order of rows and hops. */
static int begin_hop(tri__ring *ring, int place)
{
    const tri__mpi *mpi = ring->mpi;
    row *self = &ring->rows[place];
    MPI_Request *requests = &ring->requests[place * BOTH];
    int left = (ring->rank + ring->size - 1) % ring->size, right = (ring->rank + 1) % ring->size;
    segment give = segment_of(ring, self, ring->rank - self->hop), take = segment_of(ring, self, ring->rank - self->hop - 1);
    float *to = adds(ring, self) ? ring->taken + (size_t)place * SEGMENT : take.data;
    self->open = BOTH;
    int error = mpi->Irecv(to, (int)take.count, mpi->float_type, left, place, mpi->world, &requests[TAKEN]);
    if (error != MPI_SUCCESS)
        return error;
    return mpi->Isend(give.data, (int)give.count, mpi->float_type, right, place, mpi->world, &requests[SENT]);
}

static void end_hop(tri__ring *ring, int place)
{
    row *self = &ring->rows[place];
    segment take = segment_of(ring, self, ring->rank - self->hop - 1);
    const float *taken = ring->taken + (size_t)place * SEGMENT;
    for (size_t i = 0; adds(ring, self) && i < take.count; i++)
        take.data[i] += taken[i];
    self->hop++;
}

static int begin_row(tri__ring *ring, work *of)
{
    int place = (int)(ring->next++ % ROWS);
    size_t most = SEGMENT * (size_t)ring->size, left = of->count - of->begun, count = left < most ? left : most;
    ring->rows[place] = (row){.of = of, .data = of->data + of->begun, .count = count};
    of->begun += count;
    of->rows++;
    return begin_hop(ring, place);
}

/* As many as there are places for. */
static int begin_rows(tri__ring *ring)
{
    int error = MPI_SUCCESS;
    while (error == MPI_SUCCESS && ring->filled < ring->added && !ring->rows[ring->next % ROWS].of) {
        work *of = &ring->works[ring->filled % TRI__RING_SUMS];
        error = begin_row(ring, of);
        ring->filled += of->begun == of->count;
    }
    return error;
}

/* A message of a place has come or gone. */
static int go_on(tri__ring *ring, int place)
{
    row *self = &ring->rows[place];
    if (--self->open)
        return MPI_SUCCESS;
    end_hop(ring, place);
    if (self->hop < 2 * (ring->size - 1))
        return begin_hop(ring, place);
    self->of->rows--;
    self->of = NULL;
    return begin_rows(ring);
}

int tri__ring_begin(tri__ring *ring, float *data, size_t count)
{
    assert(count > 0 && ring->added - ring->ended < TRI__RING_SUMS);
    ring->works[ring->added++ % TRI__RING_SUMS] = (work){.data = data, .count = count};
    return begin_rows(ring);
}

int tri__ring_end(tri__ring *ring)
{
    assert(ring->ended < ring->added);
    const work *oldest = &ring->works[ring->ended++ % TRI__RING_SUMS];
    int error = MPI_SUCCESS;
    while (error == MPI_SUCCESS && (oldest->rows || oldest->begun < oldest->count)) {
        int finished = 0;
        error = ring->mpi->Testsome(ROWS * BOTH, ring->requests, &finished, ring->finished, MPI_STATUSES_IGNORE);
        if (finished <= 0)
            nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
        for (int i = 0; i < finished && error == MPI_SUCCESS; i++)
            error = go_on(ring, ring->finished[i] / BOTH);
    }
    return error;
}

tri_status tri__ring_create(const tri__mpi *mpi, int rank, int size, tri__ring **out)
{
    tri__ring *ring;
    TRI_TRY(tri__allocate(1, sizeof *ring, "a ring of ranks", &ring));
    *ring = (tri__ring){.mpi = mpi, .rank = rank, .size = size};
    for (int i = 0; i < ROWS * BOTH; i++)
        ring->requests[i] = mpi->no_request;
    tri_status status = tri__allocate(ROWS, SEGMENT * sizeof(float), "what comes around a ring of ranks", &ring->taken);
    if (status) {
        free(ring);
        return status;
    }
    *out = ring;
    return NULL;
}

void tri__ring_destroy(tri__ring *ring)
{
    if (!ring)
        return;
    free(ring->taken);
    free(ring);
}
