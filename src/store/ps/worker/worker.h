/* worker.h: the store of a worker: its parameters live on servers.
 *
 * offer pushes a chunk as soon as all of its gradient is there, await waits for the answer, which brings the chunk's new parameters. Where
 * the model is small, the calling thread sends and reads itself; where it is large, a thread of the store does, so that gradients travel
 * while the rest of the step is computed. Connections that break are made again, and what was not answered is pushed again.
 *
 * Steps are not the worker's to choose: it asks for a token, which says what to do, and goes on until it is told to stop. */
#ifndef TRI_STORE_PS_WORKER_WORKER_H
#define TRI_STORE_PS_WORKER_WORKER_H

#include "base/file/json.h"
#include "base/report/log.h"
#include "net/connection/connection.h"
#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/settings.h"
#include "store/ps/protocol/tokens.h"
#include "trireme/store.h"

typedef struct {
    const tri__address *servers; /* settings.servers of them; borrowed */
    tri__ps_settings settings;
    tri__tls *tls; /* NULL: in clear */
    int task;
    size_t floats;
    tri__table_shapes tables; /* the store has these, and needs no tri_store_add_table */
    tri_rule rule;
    const json_t *hello; /* what it trains: "digest", "batch", "examples", and what the owner needs to settle the job; borrowed */
    tri__log *log;
} tri__ps_store_options;

/* Connect, be welcomed, pull all parameters. Waits for servers that are not there yet, and says so; TRI_TIMEOUT names who is missing. */
TRI_MUST_CHECK tri_status tri__ps_store_create(const tri__ps_store_options *options, tri_store **out);

bool tri__ps_store_has_thread(const tri_store *store); /* one of its own, that sends and receives */

/* Take part; so many tokens at once are of use. */
void tri__ps_store_ready(tri_store *store, int ahead);

/* The next token; *stop where there is none and none will come. Waits. */
TRI_MUST_CHECK tri_status tri__ps_store_token(tri_store *store, tri__token *out, bool *stop);
bool tri__ps_store_peek(tri_store *store, int index, tri__token *out); /* tokens behind the next one that are here already, from 0 */

/* Begin a step before its token has come, since this token is expected. Nothing of the step is sent before it has come; if another one
 * comes, the step is void. False, and nothing is changed, if a token is here already, or if nothing would be gained. */
bool tri__ps_store_expect(tri_store *store, const tri__token *token);

/* True if the step that was made since the last begin is void: another step is wanted, or all tasks went back to a checkpoint, and the
 * tokens before it are void too. */
bool tri__ps_store_voided(tri_store *store);

/* Between steps: fetch these rows, distinct ones, of all tables as they are now, to their places in the store's tables. */
TRI_MUST_CHECK tri_status tri__ps_store_gather(tri_store *store, const int32_t *keys, int64_t count);

void tri__ps_store_traffic(tri_store *store, int64_t *sent, int64_t *received);

void tri__ps_store_report(tri_store *store, json_t *report); /* lets go of report */

/* The worker ends. It sends a final report, and this call returns when the job is over, or when ps:0 is gone for good. If it leaves before
 * the end, it sends why (borrowed), and the call returns when that is on its way. */
void tri__ps_store_leave(tri_store *store, json_t *report, tri_status why);

#endif
