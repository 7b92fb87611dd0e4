/* worker_tokens.c: tokens that have come wait in a ring until their steps begin. */
#include "store/ps/worker/worker_tokens.h"

#include "base/thread/clock.h"
#include "store/ps/worker/waiting.h"

static bool token_here(const tri__worker *worker, const void *what)
{
    (void)what;
    return worker->tokens > 0 || worker->ending >= TRI_ENDS_STOPPED;
}

static tri__token pop_token(tri__worker *worker)
{
    tri__token token = worker->token[worker->first_token];
    worker->first_token = (worker->first_token + 1) % TRI_MOST_HELD;
    worker->tokens--;
    worker->last_step = token.step;
    return token;
}

static bool token_here_or_void(const tri__worker *worker, const void *what)
{
    return worker->at_work == TRI_TOKEN_VOID || token_here(worker, what);
}

tri_status tri__worker_confirm_token(tri__worker *worker)
{
    const tri__token *expected = &worker->expected;
    worker->at_work = TRI_TOKEN_TAKEN;
    if (!token_here(worker, NULL))
        TRI_TRY(tri__worker_wait_and_count(worker, token_here_or_void, NULL));
    if (worker->at_work == TRI_TOKEN_VOID)
        return NULL;
    const tri__token *come = &worker->token[worker->first_token];
    bool same = worker->ending < TRI_ENDS_STOPPED && come->step == expected->step && come->position == expected->position &&
                come->index == expected->index && come->workers == expected->workers;
    if (same)
        pop_token(worker);
    else
        worker->at_work = TRI_TOKEN_VOID;
    return NULL;
}

/* ---- calls of the store, beside those that every store has (worker.h) ---- */

tri_status tri__ps_store_token(tri_store *store, tri__token *out, bool *stop)
{
    tri__worker *worker = (tri__worker *)store;
    tri__worker_enter(worker);
    const int64_t began = tri__clock_now();
    tri_status status = token_here(worker, NULL) ? NULL : tri__worker_wait_and_count(worker, token_here, NULL);
    if (worker->waiting == 0)
        worker->times.tokens += tri__clock_now() - (worker->here > began ? worker->here : began);
    *stop = !status && worker->ending >= TRI_ENDS_STOPPED;
    if (!status && !*stop)
        *out = pop_token(worker);
    worker->at_work = TRI_TOKEN_TAKEN;
    tri__worker_leave(worker);
    return status;
}

bool tri__ps_store_expect(tri_store *store, const tri__token *token)
{
    tri__worker *worker = (tri__worker *)store;
    tri__worker_enter(worker);
    bool expects = worker->threaded && !token_here(worker, NULL);
    worker->expected = *token;
    if (expects)
        worker->at_work = TRI_TOKEN_EXPECTED;
    else if (worker->at_work == TRI_TOKEN_EXPECTED)
        worker->at_work = TRI_TOKEN_TAKEN;
    tri__worker_leave(worker);
    return expects;
}

bool tri__ps_store_peek(tri_store *store, int index, tri__token *out)
{
    tri__worker *worker = (tri__worker *)store;
    tri__worker_enter(worker);
    bool here = index < worker->tokens;
    if (here)
        *out = worker->token[(worker->first_token + index) % TRI_MOST_HELD];
    tri__worker_leave(worker);
    return here;
}

bool tri__ps_store_voided(tri_store *store)
{
    tri__worker *worker = (tri__worker *)store;
    tri__worker_enter(worker);
    bool voided = worker->at_work == TRI_TOKEN_VOID;
    tri__worker_leave(worker);
    return voided;
}
