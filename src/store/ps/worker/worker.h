/* worker.h: the store of a worker: its parameters live on servers.
 *
 * offer pushes a chunk as soon as all of its gradient is there. await waits for the answer, which brings the chunk's new parameters. If the
 * model is small, the calling thread sends and receives itself; if it is large, a thread of the store does, so that gradients travel while
 * the rest of the step is computed. If a connection breaks, the worker connects again, and pushes again what was not answered.
 *
 * A worker does not choose its steps: it asks ps:0 for a token, which says what to do, and goes on until ps:0 tells it to stop. */
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
    tri__table_shapes tables; /* the store is created with these tables, without tri_store_add_table */
    tri_rule rule;
    const json_t *hello; /* what it trains: "digest", "batch", "examples", and what the owner needs to settle the job; borrowed */
    tri__log *log;
    tri__traffic *traffic; /* receives the bytes of all connections; NULL: they are not added up */
} tri__ps_store_options;

/* Connects to the servers, is welcomed, and pulls all parameters. Waits for servers that are not there yet, and logs it. The message of
 * TRI_TIMEOUT names the server that is missing. */
TRI_MUST_CHECK tri_status tri__ps_store_create(const tri__ps_store_options *options, tri_store **out);

bool tri__ps_store_has_thread(const tri_store *store); /* it has a thread that sends and receives */

/* The worker takes part from now on, and can use `ahead` tokens at once. */
void tri__ps_store_ready(tri_store *store, int ahead);

/* Waits for the next token. *stop: there is none, and none will come. */
TRI_MUST_CHECK tri_status tri__ps_store_token(tri_store *store, tri__token *out, bool *stop);
bool tri__ps_store_peek(tri_store *store, int index, tri__token *out); /* tokens that are here and not taken; 0: the next one */

/* Begins a step before its token has come, since this token is expected. Nothing of the step is sent before the token has come; if another
 * token comes, the step is void. False, and no step begins, if a token is here already, or if the store has no thread. */
bool tri__ps_store_expect(tri_store *store, const tri__token *token);

/* True if the step that was made since the last begin is void: another step is wanted, or all tasks went back to a checkpoint, and the
 * tokens before it are void too. */
bool tri__ps_store_voided(tri_store *store);

/* Between steps: fetches these rows, which are distinct, of all tables as they are now, into the store's tables. */
TRI_MUST_CHECK tri_status tri__ps_store_gather(tri_store *store, const int32_t *keys, int64_t count);

void tri__ps_store_traffic(tri_store *store, int64_t *sent, int64_t *received);

void tri__ps_store_report(tri_store *store, json_t *report); /* lets go of report */

/* The worker ends. It sends a final report, and this call returns when the job is over, or when ps:0 is gone for good. If the worker leaves
 * before the end, it also sends why (borrowed), and the call returns when that is sent. Takes report. */
void tri__ps_store_leave(tri_store *store, json_t *report, tri_status why);

#endif
