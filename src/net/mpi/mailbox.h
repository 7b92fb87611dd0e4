/* mailbox.h: values from one rank to another, each by its number. Values of one number from one rank to another arrive in the order in
 * which they were sent. No more bytes than the window are under way, except where a sender may not wait for that. */
#ifndef TRI_NET_MPI_MAILBOX_H
#define TRI_NET_MPI_MAILBOX_H

#include <stddef.h>
#include <stdint.h>

#include "net/loop/loop.h"
#include "net/mpi/library.h"

typedef struct tri__mailbox tri__mailbox;

/* mpi: borrowed. peers: by rank, where the bytes from and to each are counted; borrowed as well; an entry may be NULL. */
TRI_MUST_CHECK tri_status tri__mailbox_create(const tri__mpi *mpi, size_t window, tri__peer_traffic *const *peers, tri__mailbox **out);
void tri__mailbox_destroy(tri__mailbox *mailbox); /* accepts NULL; what is still under way is abandoned */

/* All return MPI's error, or MPI_SUCCESS. expect provides memory for a value that will come; receive waits for that value. send copies
 * data; where more than the window would be under way, it waits for values that the other rank expects before now
 * (graph/placed/exchange.h), and for no others. flush waits until the other ranks have taken all that was sent. All of them move on what
 * was sent. */
int tri__mailbox_expect(tri__mailbox *mailbox, int from, int number, void *data, size_t bytes);
int tri__mailbox_receive(tri__mailbox *mailbox, int from, int number);
int tri__mailbox_send(tri__mailbox *mailbox, int to, int number, const void *data, size_t bytes, int64_t now, int64_t expected);
int tri__mailbox_flush(tri__mailbox *mailbox);

int64_t tri__mailbox_sent(const tri__mailbox *mailbox); /* bytes, so far */

#endif
