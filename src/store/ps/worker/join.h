/* join.h: one more worker comes to a running job and knows only where ps:0 is: it asks for a number, and where the servers are. */
#ifndef TRI_STORE_PS_WORKER_JOIN_H
#define TRI_STORE_PS_WORKER_JOIN_H

#include "base/json.h"
#include "base/log.h"
#include "net/connection.h"
#include "store/ps/protocol/settings.h"

typedef struct {
    const tri__address *coordinator; /* borrowed, as all here */
    int64_t timeout;
    tri__tls *tls; /* NULL: in clear */
} tri__ps_join_options;

/* What ps:0 answers: {"task", "workers", "mode", "staleness", "backup", "replicas", "sum", "servers": ["host:port", …]}; the caller's.
 * Tries until the timeout. */
TRI_MUST_CHECK tri_status tri__ps_join(const tri__ps_join_options *options, json_t **out);

#endif
