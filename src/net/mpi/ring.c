/* ring.c: sums over ranks that stand in a ring. A sum is cut into chunks, and a chunk into a segment for every rank.
 *
 * A chunk goes around in 2(n − 1) hops. In hop h a rank sends segment rank − h to its right and receives segment rank − h − 1 from its
 * left, all modulo n. In the first n − 1 hops it adds what it receives to its own segment; then each segment is complete at one rank. In
 * the other hops it keeps what it receives. Up to CHUNKS chunks are under way. Chunk c has index c mod CHUNKS, and the index is the tag of
 * its messages, so both sides know which chunk a message belongs to. Chunks are counted from the first sum on, and those of the next sum
 * follow as soon as an index is free, so that the links do not fall idle between two sums. */
#include "net/mpi/ring.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory/memory.h"

enum { CHUNKS = 64, SENT = 0, TAKEN = 1, BOTH = 2 };
#define SEGMENT ((size_t)16000) /* floats: with MPI's header, less than the 64 kB that Open MPI sends over TCP without asking */
#define NAP     500000          /* nanoseconds; sockets and chunks under way have room for more than arrives in that time */

typedef struct {
    float *data;
    size_t count, begun; /* floats of the sum; floats in chunks that were begun */
    int chunks;          /* chunks under way */
} sum;

typedef struct {
    sum *sum; /* NULL: the index is free */
    float *data;
    size_t count; /* up to n segments */
    int hop;
    int open; /* messages of this hop that are still under way */
} chunk;

struct tri__ring {
    const tri__mpi *mpi;
    int rank, size;
    tri__peer_traffic *left, *right; /* what came from the one neighbour and went to the other; NULL: it is not counted */
    sum sums[TRI__RING_SUMS];        /* sum number s at s mod TRI__RING_SUMS */
    int64_t added, filled, ended;    /* how many sums were added; have all their chunks begun; are complete */
    int64_t next;                    /* the number of the next chunk to begin */
    chunk chunks[CHUNKS];
    MPI_Request requests[CHUNKS * BOTH]; /* [chunk][SENT, TAKEN] */
    int finished[CHUNKS * BOTH];
    float *taken; /* [CHUNKS][SEGMENT] received floats, to be added */
};

typedef struct {
    float *data;
    size_t count;
} segment;

static int left_of(int rank, int size)
{
    return (rank + size - 1) % size;
}

static int right_of(int rank, int size)
{
    return (rank + 1) % size;
}

/* number: from −2n up */
static segment segment_of(const tri__ring *ring, const chunk *whole, int number)
{
    size_t n = (size_t)ring->size, i = (size_t)(number + 2 * ring->size) % n;
    size_t first = whole->count * i / n, end = whole->count * (i + 1) / n;
    return (segment){whole->data + first, end - first};
}

static bool adds(const tri__ring *ring, const chunk *self)
{
    return self->hop < ring->size - 1;
}

/* Messages of one index come in the order of chunks and hops. */
static int begin_hop(tri__ring *ring, int index)
{
    const tri__mpi *mpi = ring->mpi;
    chunk *self = &ring->chunks[index];
    MPI_Request *requests = &ring->requests[index * BOTH];
    const int left = left_of(ring->rank, ring->size), right = right_of(ring->rank, ring->size);
    segment give = segment_of(ring, self, ring->rank - self->hop), take = segment_of(ring, self, ring->rank - self->hop - 1);
    float *to = adds(ring, self) ? ring->taken + (size_t)index * SEGMENT : take.data;
    self->open = BOTH;
    int error = mpi->Irecv(to, (int)take.count, mpi->float_type, left, index, mpi->world, &requests[TAKEN]);
    if (error != MPI_SUCCESS)
        return error;
    tri__traffic_moved(ring->right, give.count * sizeof *give.data, 0);
    return mpi->Isend(give.data, (int)give.count, mpi->float_type, right, index, mpi->world, &requests[SENT]);
}

static void end_hop(tri__ring *ring, int index)
{
    chunk *self = &ring->chunks[index];
    segment take = segment_of(ring, self, ring->rank - self->hop - 1);
    const float *taken = ring->taken + (size_t)index * SEGMENT;
    for (size_t i = 0; adds(ring, self) && i < take.count; i++)
        take.data[i] += taken[i];
    tri__traffic_moved(ring->left, 0, take.count * sizeof *taken);
    self->hop++;
}

static int begin_chunk(tri__ring *ring, sum *owner)
{
    int index = (int)(ring->next++ % CHUNKS);
    size_t most = SEGMENT * (size_t)ring->size, left = owner->count - owner->begun, count = left < most ? left : most;
    ring->chunks[index] = (chunk){.sum = owner, .data = owner->data + owner->begun, .count = count};
    owner->begun += count;
    owner->chunks++;
    return begin_hop(ring, index);
}

/* Begin as many chunks as there are free indices. */
static int begin_chunks(tri__ring *ring)
{
    int error = MPI_SUCCESS;
    while (error == MPI_SUCCESS && ring->filled < ring->added && !ring->chunks[ring->next % CHUNKS].sum) {
        sum *owner = &ring->sums[ring->filled % TRI__RING_SUMS];
        error = begin_chunk(ring, owner);
        ring->filled += owner->begun == owner->count;
    }
    return error;
}

/* A message of the chunk at index has arrived or was sent. */
static int go_on(tri__ring *ring, int index)
{
    chunk *self = &ring->chunks[index];
    if (--self->open)
        return MPI_SUCCESS;
    end_hop(ring, index);
    if (self->hop < 2 * (ring->size - 1))
        return begin_hop(ring, index);
    self->sum->chunks--;
    self->sum = NULL;
    return begin_chunks(ring);
}

int tri__ring_begin(tri__ring *ring, float *data, size_t count)
{
    assert(count > 0 && ring->added - ring->ended < TRI__RING_SUMS);
    ring->sums[ring->added++ % TRI__RING_SUMS] = (sum){.data = data, .count = count};
    return begin_chunks(ring);
}

int tri__ring_end(tri__ring *ring)
{
    assert(ring->ended < ring->added);
    const sum *oldest = &ring->sums[ring->ended++ % TRI__RING_SUMS];
    int error = MPI_SUCCESS;
    while (error == MPI_SUCCESS && (oldest->chunks || oldest->begun < oldest->count)) {
        int finished = 0;
        error = ring->mpi->Testsome(CHUNKS * BOTH, ring->requests, &finished, ring->finished, MPI_STATUSES_IGNORE);
        if (finished <= 0)
            nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
        for (int i = 0; i < finished && error == MPI_SUCCESS; i++)
            error = go_on(ring, ring->finished[i] / BOTH);
    }
    return error;
}

tri_status tri__ring_create(const tri__mpi *mpi, int rank, int size, tri__peer_traffic *const *peers, tri__ring **out)
{
    tri__ring *ring;
    TRI_TRY(tri__allocate(1, sizeof *ring, "a ring of ranks", &ring));
    *ring = (tri__ring){.mpi = mpi, .rank = rank, .size = size, .left = peers[left_of(rank, size)], .right = peers[right_of(rank, size)]};
    for (int i = 0; i < CHUNKS * BOTH; i++)
        ring->requests[i] = mpi->no_request;
    tri_status status = tri__allocate(CHUNKS, SEGMENT * sizeof(float), "what comes around a ring of ranks", &ring->taken);
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
