/* rank_exchange.h: an exchange between ranks that have joined already. An exchange that makes its ranks join is in trireme/exchange.h. */
#ifndef TRI_TRAIN_PLACED_RANK_EXCHANGE_H
#define TRI_TRAIN_PLACED_RANK_EXCHANGE_H

#include "graph/placed/exchange.h"
#include "net/mpi/ranks.h"

#define TRI_EXCHANGE_WINDOW ((size_t)32 << 20) /* the default */

/* ranks were joined with this window; they are borrowed. */
TRI_MUST_CHECK tri_status tri__rank_exchange_create(tri__ranks *ranks, size_t window, tri_exchange **out);
void tri__rank_exchange_destroy(tri_exchange *exchange); /* accepts NULL; the ranks stay joined */

int64_t tri__rank_exchange_received(const tri_exchange *exchange); /* bytes of values, so far */
int64_t tri__rank_exchange_waited(tri_exchange *exchange);         /* nanoseconds of waiting for other ranks' values, since the last call */

#endif
