/* snapshot_keys.h: where tables grow: which rows of ps:0's whole model belong to which server.
 *
 * Every server has a map of its own keys. The whole has a map of all keys, as a local run has it, so that a checkpoint is the same under
 * all strategies. Each server counts what it left out; the books of a checkpoint have the count of each server. */
#ifndef TRI_STORE_PS_COORDINATOR_SNAPSHOT_SNAPSHOT_KEYS_H
#define TRI_STORE_PS_COORDINATOR_SNAPSHOT_SNAPSHOT_KEYS_H

#include "store/ps/coordinator/coordinator.h"

/* Gives the whole its tables, if it has none yet. They have room for all rows of all servers, and for keys that wait; memory that is not
 * touched is not taken. */
TRI_MUST_CHECK tri_status tri__snapshot_add_grown_tables(tri__coordinator *coordinator);
void tri__snapshot_grown_fini(tri__snapshot *snapshot);

/* The whole was loaded: deals out its rows, and what was left out, to the servers. TRI_BAD_CALL where a server has no room for its rows. */
TRI_MUST_CHECK tri_status tri__snapshot_deal_keys(tri__coordinator *coordinator);

/* Copy keys from the whole: to another server, and to ps:0's own stretch. */
TRI_MUST_CHECK tri_status tri__snapshot_send_keys(tri__coordinator *coordinator, int server, tri__connection *to);
TRI_MUST_CHECK tri_status tri__snapshot_fill_own_keys(tri__coordinator *coordinator);

/* A snapshot begins: copy_own_keys empties the whole's map and puts ps:0's keys into it. receive_keys adds keys of another server. */
TRI_MUST_CHECK tri_status tri__snapshot_copy_own_keys(tri__coordinator *coordinator);
TRI_MUST_CHECK tri_status tri__snapshot_receive_keys(tri__coordinator *coordinator, const tri__peer *peer, const tri__message *copy);

/* A new ps:0 gets the copies of the first `servers` servers (handover.h): drops their keys from the whole. */
TRI_MUST_CHECK tri_status tri__snapshot_drop_keys(tri__coordinator *coordinator, int servers);

void tri__snapshot_note_left_out(const tri__coordinator *coordinator, json_t *books); /* of each server, when a snapshot is whole */

#endif
