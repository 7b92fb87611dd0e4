/* worker.c: the store of a worker. Offers cover chunks; a chunk that is covered is pushed, and its answer is awaited. */
#include "store/ps/worker/worker.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "base/thread/condition.h"
#include "graph/rule/rule.h"
#include "store/norm.h"
#include "store/ps/worker/links.h"
#include "store/ps/worker/row_messages.h"
#include "store/ps/worker/sending.h"
#include "store/ps/worker/table_client.h"
#include "store/ps/worker/waiting.h"
#include "store/ps/worker/worker_tokens.h"
#include "store/store.h"

#define LARGE_BYTES (4u << 20) /* from this size on, a thread sends and receives while the model computes */

static tri__worker *worker_of(tri_store *store)
{
    return (tri__worker *)store;
}

/* ---- the store ---- */

/* Asks for rows at once, or lets the loop's thread do it. */
static void ask_for_rows(tri__worker *worker)
{
    for (int i = 0; !worker->threaded && i < worker->layout.servers; i++)
        tri__row_messages_ask(worker, i);
    if (worker->threaded)
        tri__loop_wake(worker->loop);
}

static tri_status ps_begin(tri_store *store, const tri_step *step)
{
    tri__worker *worker = worker_of(store);
    tri__worker_enter(worker);
    worker->step = *step;
    worker->serial++;
    worker->covered = 0;
    worker->tables_offered = 0;
    bool asks = tri__table_client_begin(worker);
    for (uint32_t i = 0; i < worker->chunks; i++) /* some of the last step may still wait to be sent */
        worker->chunk[i].covered = 0;
    if (asks)
        ask_for_rows(worker);
    tri__worker_leave(worker);
    return NULL;
}

static bool chunks_here(const tri__worker *worker, const void *what)
{
    const tri_range *range = what;
    if (worker->waiting == 0)
        return true;
    uint32_t first = tri__layout_chunk_at(&worker->layout, range->first);
    uint32_t last = tri__layout_chunk_at(&worker->layout, range->first + range->count - 1);
    for (uint32_t i = first; i <= last; i++)
        if (worker->chunk[i].stage != TRI_CHUNK_HERE && !worker->chunk[i].shard)
            return false;
    return true;
}

/* Connections have a lane of their own: another thread may use them, always under the worker's lock. */
static void ps_trace(tri_store *store, tri__trace *trace)
{
    tri__worker *worker = worker_of(store);
    tri__worker_enter(worker);
    worker->network = tri__trace_lane_add(trace, "network");
    tri__worker_leave(worker);
}

static tri_status ps_await(tri_store *store, tri_range range)
{
    tri__worker *worker = worker_of(store);
    if (range.count == 0)
        return NULL;
    tri__worker_enter(worker);
    tri_status status = chunks_here(worker, &range) ? NULL : tri__worker_wait_and_count(worker, chunks_here, &range);
    tri__worker_leave(worker);
    return status;
}

static void make_ready(tri__worker *worker, uint32_t number, float rate)
{
    tri__worker_chunk *chunk = &worker->chunk[number];
    worker->waiting += chunk->stage == TRI_CHUNK_HERE;
    chunk->stage = TRI_CHUNK_READY;
    chunk->serial = worker->serial;
    chunk->step = worker->step.step;
    chunk->rate = rate;
    tri__sending_push(worker, number);
}

/* In async and staleness each worker clips its own gradient, when all of it is there. */
static void clip(tri__worker *worker)
{
    const tri_range all = {0, worker->layout.floats};
    const size_t trained = all.count - tri__rule_state_in(&worker->store.rule, all);
    double weight = worker->chunk[0].weight, squares = tri__sum_of_squares(worker->store.gradient, trained);
    for (int i = 0; i < worker->layout.tables.count; i++)
        squares += tri__table_client_squares(worker, i);
    double norm = weight > 0 ? sqrt(squares) / weight : 0, bound = (double)worker->store.rule.clip;
    if (norm > bound) {
        for (size_t i = 0; i < trained; i++)
            worker->store.gradient[i] *= (float)(bound / norm);
        for (int i = 0; i < worker->layout.tables.count; i++)
            tri__table_client_scale(worker, i, (float)(bound / norm));
    }
    for (uint32_t i = 0; i < worker->chunks; i++)
        make_ready(worker, i, worker->step.rate);
}

static bool clips_own(const tri__worker *worker)
{
    return worker->store.rule.clip > 0 && worker->options.settings.mode != TRI_PS_SYNC;
}

static void clip_when_whole(tri__worker *worker)
{
    if (clips_own(worker) && worker->covered == worker->layout.floats && worker->tables_offered == worker->layout.tables.count)
        clip(worker);
}

/* Counts what was offered of each chunk, and sends the chunks that are covered wholly. */
static void cover(tri__worker *worker, tri_range range, double weight)
{
    bool clips = clips_own(worker);
    size_t end = range.first + range.count;
    for (uint32_t i = tri__layout_chunk_at(&worker->layout, range.first); i < worker->chunks && worker->chunk[i].range.first < end; i++) {
        tri__worker_chunk *chunk = &worker->chunk[i];
        if (chunk->shard)
            continue;
        size_t from = chunk->range.first > range.first ? chunk->range.first : range.first;
        size_t to = chunk->range.first + chunk->range.count < end ? chunk->range.first + chunk->range.count : end;
        chunk->covered += to - from;
        chunk->weight = weight;
        worker->covered += to - from;
        if (chunk->covered == chunk->range.count && !clips)
            make_ready(worker, i, worker->step.rate);
    }
    clip_when_whole(worker);
}

static tri_status ps_offer(tri_store *store, tri_range range, const float *gradient, double weight)
{
    tri__worker *worker = worker_of(store);
    (void)gradient; /* it is the store's own gradient buffer */
    if (range.count == 0)
        return NULL;
    tri__worker_enter(worker);
    tri_status status = worker->at_work == TRI_TOKEN_EXPECTED ? tri__worker_confirm_token(worker) : NULL;
    int64_t began = tri__clock_now();
    if (!status && worker->at_work != TRI_TOKEN_VOID) /* the rest of a void step is not sent */
        cover(worker, range, weight);
    worker->times.sending += tri__clock_now() - began;
    tri__trace_end(worker->store.lane, TRI_SPAN_SEND, began, worker->step.step);
    tri__worker_leave(worker);
    if (worker->threaded)
        tri__loop_wake(worker->loop);
    return status;
}

static tri_status ps_expect(tri_store *store, int table, tri_when when, const int32_t *keys, int64_t count)
{
    tri__worker *worker = worker_of(store);
    tri__worker_enter(worker);
    tri_status status = tri__table_client_expect(worker, table, when, keys, count);
    if (!status)
        ask_for_rows(worker);
    tri__worker_leave(worker);
    return status;
}

static bool rows_here(const tri__worker *worker, const void *what)
{
    return worker->at_work == TRI_TOKEN_VOID || tri__table_client_here(worker, *(const int *)what);
}

static tri_status ps_await_rows(tri_store *store, int table, float *rows)
{
    tri__worker *worker = worker_of(store);
    tri__worker_enter(worker);
    tri_status status = rows_here(worker, &table) ? NULL : tri__worker_wait_and_count(worker, rows_here, &table);
    if (!status)
        tri__table_client_give(worker, table, rows);
    tri__worker_leave(worker);
    return status;
}

static tri_status push_rows(tri__worker *worker, int table, const float *gradient, double weight)
{
    TRI_TRY(tri__table_client_take(worker, table, gradient));
    for (int i = 0; i < worker->layout.servers; i++) {
        uint32_t number = tri__layout_table_chunk(&worker->layout, i, table);
        worker->chunk[number].weight = weight;
        if (!clips_own(worker))
            make_ready(worker, number, worker->step.rate);
    }
    worker->tables_offered++;
    clip_when_whole(worker);
    return NULL;
}

static tri_status ps_offer_rows(tri_store *store, int table, const float *gradient, double weight)
{
    tri__worker *worker = worker_of(store);
    tri__worker_enter(worker);
    tri_status status = worker->at_work == TRI_TOKEN_EXPECTED ? tri__worker_confirm_token(worker) : NULL;
    int64_t began = tri__clock_now();
    if (!status && worker->at_work != TRI_TOKEN_VOID)
        status = push_rows(worker, table, gradient, weight);
    worker->times.sending += tri__clock_now() - began;
    tri__trace_end(worker->store.lane, TRI_SPAN_SEND, began, worker->step.step);
    tri__worker_leave(worker);
    if (worker->threaded)
        tri__loop_wake(worker->loop);
    return status;
}

static bool all_here(const tri__worker *worker, const void *what)
{
    (void)what;
    return worker->waiting == 0;
}

static tri_status ps_flush(tri_store *store)
{
    tri__worker *worker = worker_of(store);
    tri__worker_enter(worker);
    tri_status status = tri__worker_wait(worker, all_here, NULL);
    tri__worker_leave(worker);
    return status;
}

static void end_thread(tri__worker *worker)
{
    if (!worker->threaded)
        return;
    pthread_mutex_lock(&worker->lock);
    worker->leaving = true;
    pthread_mutex_unlock(&worker->lock);
    tri__loop_wake(worker->loop);
    pthread_join(worker->thread, NULL);
    worker->threaded = false;
}

static void ps_destroy(tri_store *store)
{
    tri__worker *worker = worker_of(store);
    end_thread(worker);
    tri__heartbeat_hold(&worker->heartbeat);
    tri__heartbeat_fini(&worker->heartbeat);
    worker->leaving = true;
    tri__links_destroy(worker);
    tri__table_client_destroy(worker);
    free(worker->chunk);
    free(worker->scratch);
    json_decref(worker->report);
    json_decref(worker->final);
    tri_status_free(worker->failure);
    tri__store_fini(store);
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}

static tri__store_times ps_times(tri_store *store)
{
    tri__worker *worker = worker_of(store);
    tri__worker_enter(worker);
    tri__store_times times = worker->times;
    worker->times = (tri__store_times){0};
    tri__worker_leave(worker);
    return times;
}

static const tri__store_kind ps_kind = {
    .name = "ps",
    .begin = ps_begin,
    .await = ps_await,
    .offer = ps_offer,
    .flush = ps_flush,
    .expect = ps_expect,
    .await_rows = ps_await_rows,
    .offer_rows = ps_offer_rows,
    .times = ps_times,
    .trace = ps_trace,
    .destroy = ps_destroy,
};

static void *run_loop(void *context)
{
    tri__loop_run(((tri__worker *)context)->loop);
    return NULL;
}

static tri_status prepare(tri__worker *worker)
{
    TRI_TRY(tri__layout_init(&worker->layout, worker->options.floats, &worker->options.tables, worker->options.settings.servers));
    worker->chunks = tri__layout_chunks(&worker->layout);
    TRI_TRY(tri__allocate(worker->chunks, sizeof *worker->chunk, "the chunks of a model", &worker->chunk));
    TRI_TRY(tri__allocate(1, TRI_CHUNK_BYTES, "a chunk", &worker->scratch));
    for (uint32_t i = 0; i < worker->chunks; i++)
        worker->chunk[i] =
            (tri__worker_chunk){.range = tri__layout_chunk(&worker->layout, i), .server = tri__layout_server(&worker->layout, i)};
    TRI_TRY(tri__table_client_create(worker));
    return tri__links_create(worker);
}

static bool pulled(const tri__worker *worker, const void *what)
{
    (void)what;
    return worker->readiness == TRI_READINESS_PULLED;
}

static bool is_large(const tri__layout *layout)
{
    size_t floats = layout->floats;
    for (int i = 0; i < layout->tables.count; i++)
        floats += (size_t)(layout->tables.table[i].rows * layout->tables.table[i].width);
    return floats * sizeof(float) >= LARGE_BYTES;
}

static tri_status start(tri__worker *worker)
{
    TRI_TRY(prepare(worker));
    bool large = is_large(&worker->layout);
    if (large && pthread_create(&worker->thread, NULL, run_loop, worker) == 0)
        worker->threaded = true;
    if (!worker->threaded) {
        tri__loop_set_patience(worker->loop, TRI_PS_PATIENCE);
        tri__heartbeat_init(&worker->heartbeat, worker->loop, worker->options.settings.heartbeat);
    }
    pthread_mutex_lock(&worker->lock);
    tri_status status = tri__worker_wait(worker, pulled, NULL);
    tri__worker_leave(worker);
    return status;
}

tri_status tri__ps_store_create(const tri__ps_store_options *options, tri_store **out)
{
    tri__worker *worker;
    TRI_TRY(tri__allocate(1, sizeof *worker, "a worker's store", &worker));
    tri_status status = tri__store_init(&worker->store, &ps_kind, options->floats, &options->rule);
    if (status) {
        free(worker);
        return status;
    }
    worker->options = *options;
    worker->last_step = -1;
    worker->incarnation = tri__incarnation();
    pthread_mutex_init(&worker->lock, NULL);
    tri__condition_init(&worker->changed);
    status = start(worker);
    if (status)
        ps_destroy(&worker->store);
    else
        *out = &worker->store;
    return status;
}

/* ---- beside the store's own calls ---- */

bool tri__ps_store_has_thread(const tri_store *store)
{
    return ((const tri__worker *)store)->threaded;
}

void tri__ps_store_ready(tri_store *store, int ahead)
{
    tri__worker *worker = worker_of(store);
    tri__worker_enter(worker);
    worker->ahead = ahead < TRI_MOST_HELD ? ahead : TRI_MOST_HELD;
    worker->readiness = tri__readiness_pulls(worker->readiness) ? TRI_READINESS_PULLING_ANEW : TRI_READINESS_TO_SAY;
    if (!worker->threaded)
        tri__links_say(worker);
    tri__worker_leave(worker);
    if (worker->threaded)
        tri__loop_wake(worker->loop);
}

static bool gathered(const tri__worker *worker, const void *what)
{
    return tri__table_client_here(worker, *(const int *)what);
}

static tri_status gather(tri__worker *worker, int table, const int32_t *keys, int64_t count)
{
    TRI_TRY(tri__table_client_expect(worker, table, TRI_NOW, keys, count));
    tri__table_client_at_once(worker, table);
    ask_for_rows(worker);
    TRI_TRY(tri__worker_wait(worker, gathered, &table));
    tri__table_client_keep(worker, table, keys);
    return NULL;
}

tri_status tri__ps_store_gather(tri_store *store, const int32_t *keys, int64_t count)
{
    tri__worker *worker = worker_of(store);
    tri_status status = NULL;
    tri__worker_enter(worker);
    for (int table = 0; table < worker->layout.tables.count; table++)
        for (int64_t first = 0; !status && first < count; first += tri__layout_piece(&worker->layout, table)) {
            int64_t left = count - first, piece = tri__layout_piece(&worker->layout, table);
            status = gather(worker, table, keys + first, left < piece ? left : piece);
        }
    tri__worker_leave(worker);
    return status;
}

void tri__ps_store_traffic(tri_store *store, int64_t *sent, int64_t *received)
{
    tri__worker *worker = worker_of(store);
    tri__worker_enter(worker);
    if (!worker->threaded)
        tri__links_count(worker);
    *sent = worker->sent;
    *received = worker->received;
    tri__worker_leave(worker);
}

void tri__ps_store_report(tri_store *store, json_t *report)
{
    tri__worker *worker = worker_of(store);
    tri__worker_enter(worker);
    json_decref(worker->report);
    worker->report = report;
    if (!worker->threaded)
        tri__links_say(worker);
    tri__worker_leave(worker);
    if (worker->threaded)
        tri__loop_wake(worker->loop);
}

static bool said(const tri__worker *worker, const void *what)
{
    const tri__link *link = &worker->link[0];
    (void)what;
    return worker->ending == TRI_ENDS_OVER ||
           (!worker->report && (!link->contact.connection || tri__connection_unsent(link->contact.connection) == 0));
}

static void say_bye(tri__worker *worker, tri_status why)
{
    const tri_code code = tri_status_code(why);
    for (int i = 0; i < worker->options.settings.servers; i++)
        if (worker->link[i].contact.welcome)
            tri__message_send_json(worker->link[i].contact.connection, TRI_MSG_BYE,
                                   json_pack("{s:s, s:b, s:b}", "reason", tri_status_message(why), "damaged", code == TRI_BAD_DATA,
                                             "diverged", code == TRI_DIVERGED));
}

static bool is_over(const tri__worker *worker, const void *what)
{
    (void)what;
    return worker->ending == TRI_ENDS_OVER;
}

/* From here on nothing is computed, so the calling thread turns the loop. A worker that has done its work stays until the job is over: if
 * ps:0 is lost while it evaluates and saves the last step, the new ps:0 needs a worker to learn what was trained. */
void tri__ps_store_leave(tri_store *store, json_t *report, tri_status why)
{
    tri__worker *worker = worker_of(store);
    end_thread(worker);
    tri__worker_enter(worker);
    json_decref(worker->report);
    worker->report = report;
    if (!why)
        worker->final = json_incref(report);
    tri__links_say(worker);
    if (why)
        say_bye(worker, why);
    tri_status_free(tri__worker_wait(worker, why ? said : is_over, NULL)); /* if ps:0 cannot be told, it has gone */
    tri__worker_leave(worker);
}
