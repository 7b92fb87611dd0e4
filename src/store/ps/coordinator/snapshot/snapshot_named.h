/* snapshot_named.h: snapshots that are only evaluated have no rows of tables but those that the evaluator pulls. ps:0 knows them from the
 * first evaluation, and tells every other server which of its rows they are. */
#ifndef TRI_STORE_PS_COORDINATOR_SNAPSHOT_SNAPSHOT_NAMED_H
#define TRI_STORE_PS_COORDINATOR_SNAPSHOT_SNAPSHOT_NAMED_H

#include "store/ps/coordinator/coordinator.h"

void tri__snapshot_named_fini(tri__named_rows *named);

TRI_MUST_CHECK tri_status tri__snapshot_pulled_rows(tri__peer *peer, const tri__message *message); /* by the evaluator */
TRI_MUST_CHECK tri_status tri__snapshot_named_known(tri__coordinator *coordinator);                /* it has evaluated: it pulled all */

/* What a server copies of such a snapshot: */
void tri__snapshot_copy_named_rows(tri__coordinator *coordinator, int table);                                   /* ps:0 its own rows */
TRI_MUST_CHECK tri_status tri__snapshot_tell_named(tri__coordinator *coordinator, int server, tri__peer *peer); /* once a connection */
uint32_t tri__snapshot_named_pieces(const tri__coordinator *coordinator, int server);                 /* COPYs that come, chunks too */
TRI_MUST_CHECK tri_status tri__snapshot_named_check(const tri__peer *peer, const tri__message *copy); /* of rows: is it a piece of it? */
void tri__snapshot_receive_named(tri__coordinator *coordinator, const tri__peer *peer, const tri__message *copy); /* checked */

#endif
