/* evaluator.h: the evaluator's end of its connection to ps:0. It pulls a snapshot whenever ps:0 asks it to, and reports the evaluation. */
#ifndef TRI_STORE_PS_WORKER_EVALUATOR_H
#define TRI_STORE_PS_WORKER_EVALUATOR_H

#include "base/file/json.h"
#include "base/report/log.h"
#include "net/connection/connection.h"
#include "net/loop/loop.h"
#include "store/ps/protocol/settings.h"
#include "trireme/store.h"

typedef struct {
    const tri__address *coordinator; /* borrowed, as all here */
    tri__ps_settings settings;
    tri__tls *tls;
    tri_store *store;    /* receives the snapshots: all parameters, and the rows of tables that `keys` names */
    const int32_t *keys; /* [key_count] the rows that the test examples name, distinct and rising */
    int64_t key_count;
    bool none; /* there are no test examples: tell ps:0 so */
    /* Evaluates the snapshot of this step, which the store holds. *out is sent to ps:0. */
    tri_status (*evaluate)(void *context, int64_t step, json_t **out);
    void *context;
    tri__log *log;
    tri__traffic *traffic; /* receives the bytes of the connection; NULL: they are not added up */
} tri__ps_evaluator_options;

/* Evaluates snapshots until the job is done. */
TRI_MUST_CHECK tri_status tri__ps_evaluator_run(const tri__ps_evaluator_options *options);

#endif
