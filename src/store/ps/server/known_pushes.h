/* known_pushes.h: async: which pushes are in a copy of a stretch. A worker that was not answered pushes again. A server that was restored
 * from the copy must know which of these pushes it already has.
 *
 * There is one JSON object for each task: {"task": 0, "incarnation": 77, "runs": [[chunk, chunks, serial], …]}. Neighbouring chunks mostly
 * have the same last push, and form a run. The server sends the objects with its copy. ps:0 keeps them with the checkpoint, and sends them
 * back when it restores the stretch. */
#ifndef TRI_STORE_PS_SERVER_KNOWN_PUSHES_H
#define TRI_STORE_PS_SERVER_KNOWN_PUSHES_H

#include "store/ps/server/server_inside.h"

json_t *tri__known_pushes_of(const tri__server *server, int task); /* NULL: no push of the task is in the stretch */

/* TRI_BAD_DATA where these cannot be pushes to that server's stretch. */
TRI_MUST_CHECK tri_status tri__known_pushes_check(const tri__layout *layout, int server, const json_t *pushes);

/* This server's stretch was restored with these pushes in it. Checks them, too. */
TRI_MUST_CHECK tri_status tri__known_pushes_take(tri__server *server, const json_t *pushes);

#endif
