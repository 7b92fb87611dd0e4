/* evaluator.h: the evaluator's end of a connection to ps:0: it pulls snapshots and tells how good they are. */
#ifndef TRI_STORE_PS_WORKER_EVALUATOR_H
#define TRI_STORE_PS_WORKER_EVALUATOR_H

#include "base/json.h"
#include "base/log.h"
#include "net/connection.h"
#include "store/ps/protocol/settings.h"
#include "trireme/store.h"

typedef struct {
    const tri__address *coordinator; /* borrowed, as all here */
    tri__ps_settings settings;
    tri__tls *tls;
    tri_store *store;    /* whose parameters receive the snapshots, and whose tables … */
    const int32_t *keys; /* … the rows that the examples name: [key_count], distinct and rising */
    int64_t key_count;
    bool none; /* there is nothing to evaluate on: say so */
    /* The store holds the snapshot of this step. What it gives is sent to ps:0. */
    tri_status (*evaluate)(void *context, int64_t step, json_t **out);
    void *context;
    tri__log *log;
} tri__ps_evaluator_options;

/* Until the job is done. */
TRI_MUST_CHECK tri_status tri__ps_evaluator_run(const tri__ps_evaluator_options *options);

#endif
