/* rank_exchange.h: an exchange on ranks that have joined already. trireme/exchange.h has the calls of one that joins by itself. */
#ifndef TRI_TRAIN_PLACED_RANK_EXCHANGE_H
#define TRI_TRAIN_PLACED_RANK_EXCHANGE_H

#include "graph/placed/exchange.h"
#include "net/mpi/ranks.h"

#define TRI_EXCHANGE_WINDOW ((size_t)32 << 20) /* where nothing else is said */

/* ranks, which were joined with this window, are borrowed. */
TRI_MUST_CHECK tri_status tri__rank_exchange_create(tri__ranks *ranks, size_t window, tri_exchange **out);
void tri__rank_exchange_destroy(tri_exchange *exchange); /* accepts NULL; nobody leaves */

int64_t tri__rank_exchange_received(const tri_exchange *exchange); /* bytes of values, so far */
int64_t tri__rank_exchange_waited(tri_exchange *exchange);         /* nanoseconds for values of others, since the last call */

#endif
