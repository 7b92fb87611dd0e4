/* mailbox.h: values from one rank to another, each by its number. Values of one number from one rank to another arrive in the order in
 * which they were sent. */
#ifndef TRI_NET_MPI_MAILBOX_H
#define TRI_NET_MPI_MAILBOX_H

#include <stddef.h>
#include <stdint.h>

#include "net/mpi/library.h"

typedef struct tri__mailbox tri__mailbox;

TRI_MUST_CHECK tri_status tri__mailbox_create(const tri__mpi *mpi, tri__mailbox **out); /* mpi: borrowed */
void tri__mailbox_destroy(tri__mailbox *mailbox); /* accepts NULL; what is still under way is abandoned */

/* All give MPI's error, or MPI_SUCCESS. send copies data and returns at once; receive waits for the value; flush waits until the others
 * have taken all that was sent. What was sent travels on in all three. */
int tri__mailbox_send(tri__mailbox *mailbox, int to, int number, const void *data, size_t bytes);
int tri__mailbox_receive(tri__mailbox *mailbox, int from, int number, void *data, size_t bytes);
int tri__mailbox_flush(tri__mailbox *mailbox);

int64_t tri__mailbox_sent(const tri__mailbox *mailbox); /* bytes, so far */

#endif
