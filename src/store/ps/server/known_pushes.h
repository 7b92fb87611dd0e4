/* known_pushes.h: async: which pushes are in a copy of a stretch. A worker that was not answered pushes again, also to a server that was
 * restored from that copy; that server must know which of these pushes it has.
 *
 * One JSON object a task: {"task": 0, "incarnation": 77, "runs": [[chunk, chunks, serial], …]}. Chunks that follow each other have mostly
 * had the same push as the last one. The server sends it with its copy, ps:0 keeps it with the checkpoint, and sends it back when it
 * restores the stretch. */
#ifndef TRI_STORE_PS_SERVER_KNOWN_PUSHES_H
#define TRI_STORE_PS_SERVER_KNOWN_PUSHES_H

#include "store/ps/server/server_inside.h"

json_t *tri__known_pushes_of(const tri__server *server, int task); /* NULL: none of its pushes is in the stretch */

/* Of a stretch that this server has. TRI_BAD_DATA where it cannot be. */
TRI_MUST_CHECK tri_status tri__known_pushes_check(const tri__layout *layout, int server, const json_t *pushes);

/* The stretch of this server has these pushes; checks them. */
TRI_MUST_CHECK tri_status tri__known_pushes_take(tri__server *server, const json_t *pushes);

#endif
