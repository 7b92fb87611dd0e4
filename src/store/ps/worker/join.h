/* join.h: a worker joins a running job. It knows only where ps:0 is, and asks ps:0 for a task number and for the other servers. */
#ifndef TRI_STORE_PS_WORKER_JOIN_H
#define TRI_STORE_PS_WORKER_JOIN_H

#include "base/file/json.h"
#include "base/report/log.h"
#include "net/connection/connection.h"
#include "store/ps/protocol/settings.h"

typedef struct {
    const tri__address *coordinator; /* borrowed, as all here */
    int64_t timeout;
    tri__tls *tls; /* NULL: in clear */
} tri__ps_join_options;

/* *out receives the answer of ps:0: {"task", "workers", "mode", "staleness", "backup", "replicas", "sum", "static", "fp16", "dense",
 * "servers": ["host:port", …]}. The caller owns it. Tries until the timeout. */
TRI_MUST_CHECK tri_status tri__ps_join(const tri__ps_join_options *options, json_t **out);

#endif
