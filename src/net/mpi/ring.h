/* ring.h: adds up floats over the links between hosts: around a ring of ranks, in many small messages that are under way at once.
 *
 * Over TCP, MPI_Allreduce sends a large message only after its receiver has agreed, and that answer waits behind the data that travel the
 * other way: two hosts on a full-duplex link got half of its bandwidth. Messages of the size used here are sent without asking, and fill
 * the link. The thread sleeps while they travel; MPI's own waiting would take a CPU from threads that compute. */
#ifndef TRI_NET_MPI_RING_H
#define TRI_NET_MPI_RING_H

#include <stddef.h>

#include "net/loop/loop.h"
#include "net/mpi/library.h"

typedef struct tri__ring tri__ring;

/* mpi: borrowed. peers: [size] where the bytes from and to each rank are counted, borrowed as well; an entry may be NULL. */
TRI_MUST_CHECK tri_status tri__ring_create(const tri__mpi *mpi, int rank, int size, tri__peer_traffic *const *peers, tri__ring **out);
void tri__ring_destroy(tri__ring *ring); /* accepts NULL */

enum { TRI__RING_SUMS = 4 }; /* how many sums may have begun and not ended */

/* data[i] becomes Σ of all ranks' data[i], the same bits for all ranks. data belong to the ring until the sum has ended. Sums end in the
 * order in which they began; their data travel while the caller is in tri__ring_end. Both return MPI's error, or MPI_SUCCESS. */
int tri__ring_begin(tri__ring *ring, float *data, size_t count);
int tri__ring_end(tri__ring *ring);

#endif
