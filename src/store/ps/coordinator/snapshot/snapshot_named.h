/* snapshot_named.h: a snapshot that is only evaluated has only those rows of tables that the evaluator pulls. ps:0 knows these rows from
 * the first evaluation, and tells every other server which of its rows they are. */
#ifndef TRI_STORE_PS_COORDINATOR_SNAPSHOT_SNAPSHOT_NAMED_H
#define TRI_STORE_PS_COORDINATOR_SNAPSHOT_SNAPSHOT_NAMED_H

#include "store/ps/coordinator/coordinator.h"

void tri__snapshot_named_fini(tri__named_rows *named);

TRI_MUST_CHECK tri_status tri__snapshot_pulled_rows(tri__peer *peer, const tri__message *message); /* the evaluator asks for rows */
TRI_MUST_CHECK tri_status tri__snapshot_named_known(tri__coordinator *coordinator); /* it has evaluated, and so has pulled all rows */

/* What servers copy for such a snapshot: */
void tri__snapshot_copy_named_rows(tri__coordinator *coordinator, int table); /* ps:0 copies its own rows */
TRI_MUST_CHECK tri_status tri__snapshot_tell_named(tri__coordinator *coordinator, int server, tri__peer *peer); /* once a connection */
uint32_t tri__snapshot_named_pieces(const tri__coordinator *coordinator, int server); /* how many COPYs the server sends, chunks included */
TRI_MUST_CHECK tri_status tri__snapshot_named_check(const tri__peer *peer, const tri__message *copy); /* is it a piece of the list? */
void tri__snapshot_receive_named(tri__coordinator *coordinator, const tri__peer *peer, const tri__message *copy); /* after the check */

#endif
