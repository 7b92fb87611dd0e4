/* snapshot_rows.h: the rows of tables in ps:0's copy of the whole model. Row r of a server's part of a table is row r · servers + server of
 * the whole table (layout.h). */
#ifndef TRI_STORE_PS_COORDINATOR_SNAPSHOT_SNAPSHOT_ROWS_H
#define TRI_STORE_PS_COORDINATOR_SNAPSHOT_SNAPSHOT_ROWS_H

#include "store/ps/coordinator/coordinator.h"

void tri__snapshot_copy_own_rows(tri__coordinator *coordinator, int table, uint32_t slots, bool into_whole);     /* the rows of ps:0 */
void tri__snapshot_send_rows(tri__coordinator *coordinator, uint32_t chunk, uint32_t slot, tri__connection *to); /* as RESTORE */
void tri__snapshot_receive_rows(tri__coordinator *coordinator, const tri__peer *peer, const tri__message *copy); /* after the check */

#endif
