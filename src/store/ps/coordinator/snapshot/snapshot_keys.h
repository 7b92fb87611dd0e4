/* snapshot_keys.h: the whole model of ps:0, where tables grow: which of its rows are whose.
 *
 * Every server has a map of its own keys. The whole has one of all keys, as a local run has it, so that a checkpoint is the same under all
 * strategies. What was left out is counted by each server; the books of a checkpoint have the part of each. */
#ifndef TRI_STORE_PS_COORDINATOR_SNAPSHOT_SNAPSHOT_KEYS_H
#define TRI_STORE_PS_COORDINATOR_SNAPSHOT_SNAPSHOT_KEYS_H

#include "store/ps/coordinator/coordinator.h"

/* Tables for the whole that has none yet. Rows for all that servers have, and keys that wait; memory that is not touched is not taken. */
TRI_MUST_CHECK tri_status tri__snapshot_add_grown_tables(tri__coordinator *coordinator);
void tri__snapshot_grown_fini(tri__snapshot *snapshot);

/* The whole was loaded: which of its rows are whose, and what each has left out. TRI_BAD_CALL where a server has no room for its own. */
TRI_MUST_CHECK tri_status tri__snapshot_deal_keys(tri__coordinator *coordinator);

/* From the whole to a server, and to ps:0's own stretch. */
TRI_MUST_CHECK tri_status tri__snapshot_send_keys(tri__coordinator *coordinator, int server, tri__connection *to);
TRI_MUST_CHECK tri_status tri__snapshot_fill_own_keys(tri__coordinator *coordinator);

/* A snapshot begins: the whole has no keys, then those of ps:0; and those of another server have come. */
TRI_MUST_CHECK tri_status tri__snapshot_copy_own_keys(tri__coordinator *coordinator);
TRI_MUST_CHECK tri_status tri__snapshot_receive_keys(tri__coordinator *coordinator, const tri__peer *peer, const tri__message *copy);

void tri__snapshot_note_left_out(const tri__coordinator *coordinator, json_t *books); /* of each server, where a snapshot is whole */

#endif
