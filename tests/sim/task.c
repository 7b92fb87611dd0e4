/* task.c: the tasks of a simulated job: real servers, real workers' stores, a real evaluator. */
#include "sim/task.h"

#include <inttypes.h>

#include "data/order/shard.h"
#include "graph/store/store.h"
#include "sim/clocks.h"
#include "sim/history.h"
#include "sim/invariants.h"
#include "sim/model.h"
#include "sim/network.h"
#include "sim/observer.h"
#include "sim/owner.h"
#include "sim/place.h"
#include "store/ps/coordinator/coordinator_role.h"
#include "store/ps/worker/evaluator.h"
#include "store/ps/worker/worker.h"

static void ended(sim_task *one, tri_status status)
{
    sim_process *self = sim_self();
    one->state = status ? SIM_TASK_FAILED : SIM_TASK_ENDED;
    sim_note("%s: %s", status ? "FAILS" : "ends", status ? tri_status_message(status) : "well");
    if (one->place == 0)
        sim_all.over_at = sim_now();
    bool expected = sim_all.stop && !sim_all.begun; /* a job that is asked to end before it begins fails */
    if (status && (one->place == 0 || !sim_all.over_at) && !expected)
        sim_violate("%s fails: %s", self->name, tri_status_message(status));
    if (one->place == 0 && !status)
        sim_all.finished = true;
    tri_status_free(status);
    sim_network_killed(self);
    sim_kill(self);
}

static void run_server(void *context)
{
    sim_task *one = context;
    bool first = one->place == 0;
    const tri__server_options options = {
        .index = one->index,
        .second = one->place < sim_all.job.settings.servers ? NULL : &sim_all.second[one->index],
        .settings = sim_all.job.settings,
        .listen_fd = sim_listen(one->place, sim_all.job.kept_sockets),
        .servers = sim_all.address,
        .coordinator = first ? NULL : &sim_all.address[0],
        .recovers = one->recover,
        .role = first ? &tri__coordinator_role : NULL,
        .owner = first ? &sim_owner : NULL,
        .log = &sim_log,
        .stop = &sim_all.stop,
    };
    tri__ps_status status = {0};
    tri_status failed = tri__server_run(&options, first ? &status : NULL);
    json_decref(status.reports);
    if (first && !failed && !sim_all.concluded)
        sim_violate("the job ends without a result");
    ended(one, failed);
}

typedef struct {
    sim_task *task;
    tri_store *store;
    tri__token made;
    bool follows;
    int64_t reported;
    int32_t keys[2][SIM_MOST_TABLES][SIM_MOST_ROWS]; /* the keys of this step and of the next one, in turn */
    int32_t sightings[SIM_MOST_ROWS];                /* where tables grow: how often the step's examples name each of its keys */
    int64_t count[2][SIM_MOST_TABLES];               /* how many keys each has */
    int now;                                         /* which of the two is this step's */
    float rows[SIM_MOST_TABLES][SIM_MOST_ROWS * SIM_MOST_WIDTH]; /* their weights, then their gradients */
    uint64_t expected;                                           /* the examples whose keys were sent ahead; 0: none were */
} work;

static json_t *report(const work *w, bool final)
{
    return json_pack("{s:b, s:I, s:I}", "final", final, "steps", (json_int_t)w->task->steps, "examples", (json_int_t)w->task->examples);
}

/* As train/ps/task/worker_task.c: the token after this one, if the same workers make it. */
static bool guess(const tri__token *token, tri__token *next)
{
    int64_t left = sim_all.job.examples - token->position % sim_all.job.examples, step = token->workers * sim_all.job.batch;
    *next = *token;
    next->step++;
    next->position += step < left ? step : left;
    return next->step < sim_all.job.steps;
}

static tri_status next_token(work *w, tri__token *token, bool *stop)
{
    *stop = false;
    if (sim_all.job.settings.mode == TRI_PS_SYNC && sim_all.job.settings.backup == 0 && w->follows && guess(&w->made, token) &&
        tri__ps_store_expect(w->store, token))
        return NULL;
    return tri__ps_store_token(w->store, token, stop);
}

static void compute(void)
{
    if (sim_draw(3) == 0)
        sim_wait(sim_now() + sim_span(1000, SIM_MS), "its own computing");
}

static tri__slice slice_of(const tri__token *token)
{
    const tri__shard shard = {
        .batch = sim_all.job.batch, .worker = token->index, .workers = token->workers, .examples = sim_all.job.examples, .end = INT64_MAX};
    return tri__shard_slice(&shard, token->position);
}

/* A number that differs from that of other examples. Not 0. */
static uint64_t key_of(const tri__slice *slice)
{
    return sim_mix((uint64_t)slice->position * 1000 + (uint64_t)slice->first + 1);
}

static tri_status expect_rows(work *w, tri_when when, uint64_t examples)
{
    int set = when == TRI_NOW ? w->now : !w->now;
    for (int i = 0; i < sim_all.job.tables.count; i++) {
        w->count[set][i] = sim_keys(examples, i, w->keys[set][i]);
        TRI_TRY(tri_store_expect(w->store, i, when, w->keys[set][i], w->count[set][i]));
    }
    return NULL;
}

/* A step has begun. If the next step is known by now, its keys are sent ahead. */
static tri_status tell_rows(work *w, const tri__token *token)
{
    tri__slice slice = slice_of(token);
    bool sync = sim_all.job.settings.mode == TRI_PS_SYNC;
    tri__token next;
    w->now = !w->now;
    if (w->expected != key_of(&slice))
        TRI_TRY(expect_rows(w, TRI_NOW, key_of(&slice)));
    w->expected = 0;
    for (int64_t i = 0; w->store->counts && i < w->count[w->now][0]; i++)
        w->sightings[i] = sim_sightings(key_of(&slice), w->keys[w->now][0][i]);
    w->store->sightings = w->sightings;
    if (sim_draw(3) == 0 || (sync ? !guess(token, &next) : !tri__ps_store_peek(w->store, 0, &next)))
        return NULL;
    slice = slice_of(&next);
    w->expected = key_of(&slice);
    return expect_rows(w, TRI_NEXT, w->expected);
}

static tri_status await_rows(work *w)
{
    for (int i = 0; i < sim_all.job.tables.count; i++)
        TRI_TRY(tri_store_await_rows(w->store, i, w->rows[i]));
    compute();
    return NULL;
}

/* g = Σ over the examples, as for other parameters, for the rows that they name. */
static tri_status offer_rows(work *w, int table, const tri__slice *slice)
{
    int64_t width = sim_all.job.tables.table[table].width;
    float weight = (float)slice->count, *values = w->rows[table];
    for (int64_t i = 0; i < w->count[w->now][table] * width; i++) {
        int32_t row = w->keys[w->now][table][i / width];
        bool counts = sim_counts_updates() && sim_is_row_counter(row, i % width);
        values[i] =
            counts ? -weight / SIM_RATE : weight * (values[i] * 0.125f + sim_noise(key_of(slice), (size_t)(row * width + i % width)));
    }
    return tri_store_offer_rows(w->store, table, values, (double)slice->count);
}

/* The gradient of one parameter: Σ over the examples. A parameter that counts updates grows by 1. */
static float gradient_of(const work *w, size_t i, float parameter, uint64_t key, float weight)
{
    const int worker = sim_counts_updates() ? sim_counted_worker(i) : -1;
    if (worker >= 0)
        return worker == w->task->index ? -weight / SIM_RATE : 0;
    return sim_counts_updates() && sim_is_counter(i) ? -weight / SIM_RATE : weight * (parameter * 0.125f + sim_noise(key, i));
}

/* g = Σ over the examples; the parameters that it reads must not change before they are offered. */
static tri_status train(work *w, const tri__token *token, const tri__slice *slice)
{
    float *parameters = tri_store_parameters(w->store), *gradient = tri_store_gradient(w->store);
    uint64_t seen[SIM_LAYERS];
    const int late = (int)sim_draw(SIM_LAYERS), early = (int)sim_draw(SIM_LAYERS + 1) - 1; /* −1: no layer waits for rows early */
    for (int i = 0; i < SIM_LAYERS; i++) {
        TRI_TRY(tri_store_await(w->store, sim_layer(i)));
        seen[i] = sim_hash(parameters + sim_layer(i).first, sim_layer(i).count);
        compute();
        if (i == early)
            TRI_TRY(await_rows(w));
    }
    if (!tri__ps_store_voided(w->store))
        sim_check_read(w->task->index, token->step, parameters);
    uint64_t key = key_of(slice);
    float weight = (float)slice->count;
    for (int i = SIM_LAYERS - 1; i >= 0; i--) {
        tri_range range = sim_layer(i);
        if (sim_hash(parameters + range.first, range.count) != seen[i] && !tri__ps_store_voided(w->store))
            sim_violate("worker:%d: parameters change in the midst of step %" PRId64, w->task->index, token->step);
        for (size_t j = range.first; j < range.first + range.count; j++)
            gradient[j] = gradient_of(w, j, parameters[j], key, weight);
        compute();
        TRI_TRY(tri_store_offer(w->store, range, (double)slice->count));
        if (i == late && early < 0)
            TRI_TRY(await_rows(w));
        for (int table = 0; i == late && table < sim_all.job.tables.count; table++)
            TRI_TRY(offer_rows(w, table, slice));
    }
    return NULL;
}

static tri_status make_step(work *w, const tri__token *token)
{
    tri__slice slice = slice_of(token);
    TRI_TRY(tri_store_begin(w->store, &(tri_step){.step = token->step, .rate = SIM_RATE}));
    TRI_TRY(tell_rows(w, token));
    TRI_TRY(train(w, token, &slice));
    w->follows = !tri__ps_store_voided(w->store);
    if (!w->follows)
        return NULL;
    w->made = *token;
    w->task->steps++;
    w->task->examples += slice.count;
    return NULL;
}

static tri_status work_on(work *w)
{
    for (;;) {
        tri__token token;
        bool stop;
        TRI_TRY(next_token(w, &token, &stop));
        if (stop)
            break;
        TRI_TRY(make_step(w, &token));
        if (sim_now() - w->reported > 50 * SIM_MS) {
            w->reported = sim_now();
            tri__ps_store_report(w->store, report(w, false));
        }
    }
    return tri_store_flush(w->store);
}

static void run_worker(void *context)
{
    work w = {.task = context};
    w.task->steps = w.task->examples = 0;
    json_t *hello = json_pack("{s:s, s:I, s:I, s:s}", "digest", sim_digest, "batch", (json_int_t)sim_all.job.batch, "examples",
                              (json_int_t)sim_all.job.examples, "terms", sim_terms);
    tri__ps_store_options options = {
        .servers = sim_all.address,
        .settings = sim_all.job.settings,
        .task = w.task->index,
        .floats = sim_all.job.floats,
        .tables = sim_all.job.tables,
        .rule = sim_all.job.rule,
        .hello = hello,
        .log = &sim_log,
    };
    options.tables.growth = (tri__table_growth){0}; /* ps:0 says how they grow */
    tri_status status = tri__ps_store_create(&options, &w.store);
    if (!status) {
        compute();
        tri__ps_store_ready(w.store, sim_all.job.ahead);
        status = work_on(&w);
        tri__ps_store_leave(w.store, report(&w, !status), status);
        tri_store_destroy(w.store);
    }
    json_decref(hello);
    ended(w.task, status);
}

static tri_status evaluate(void *context, int64_t step, json_t **out)
{
    tri_store *store = context;
    sim_compare("the evaluated snapshot", step, store);
    sim_wait(sim_now() + sim_span(10000, 20 * SIM_MS), "its own computing");
    *out = json_pack("{s:f}", "loss", 1.0);
    return NULL;
}

static void run_evaluator(void *context)
{
    tri_store *store = sim_model_create(&(tri_rule){0}, false);
    int32_t keys[SIM_MOST_ROWS];
    for (int32_t i = 0; i < SIM_MOST_ROWS; i++)
        keys[i] = i;
    const tri__ps_evaluator_options options = {.coordinator = &sim_all.address[0],
                                               .settings = sim_all.job.settings,
                                               .store = store,
                                               .keys = keys,
                                               .key_count = sim_all.job.tables.count ? sim_all.job.tables.table[0].rows : 0,
                                               .evaluate = evaluate,
                                               .context = store,
                                               .log = &sim_log};
    tri_status status = tri__ps_evaluator_run(&options);
    tri_store_destroy(store);
    ended(context, status);
}

void sim_task_start(int place, bool recover)
{
    sim_task *one = &sim_all.task[place];
    one->place = place;
    one->recover = recover;
    one->state = SIM_TASK_RUNNING;
    one->started = sim_now();
    sim_all.server[place] = sim_all.standby[place] = NULL;
    int servers = sim_all.job.settings.servers, workers = sim_all.job.settings.workers;
    bool second = sim_is_second(&sim_all.job, place);
    one->index = place < servers || second ? sim_range_at(&sim_all.job, place) : place < servers + workers ? place - servers : 0;
    void (*body)(void *) = place < servers || second ? run_server : place < servers + workers ? run_worker : run_evaluator;
    sim_start(place, sim_place_name(place), body, one);
}

static void restart(void *context, int64_t place)
{
    (void)context;
    if (sim_all.over_at || sim_process_at((int)place))
        return;
    sim_note("%s is started again", sim_place_name((int)place));
    sim_task_start((int)place, true);
}

void sim_task_kill(int place, int64_t restart_after)
{
    sim_process *process = sim_process_at(place);
    if (!process)
        return;
    sim_note("%s is killed", process->name);
    sim_all.task[place].killed = true;
    int range = sim_range_at(&sim_all.job, place);
    bool server = place < sim_all.job.settings.servers || sim_is_second(&sim_all.job, place);
    sim_all.survivable = sim_all.one_loss && server && sim_all.whole[range] && (!sim_all.server_kills || sim_all.survivable);
    for (int i = 0; server && i < sim_all.job.settings.servers; i++)
        sim_all.whole[i] &= place != 0 && i != range; /* until ps:0 logs it again */
    sim_all.first_kills += place == 0;
    if (server)
        sim_all.server_kills++;
    else if (place < sim_place_evaluator(&sim_all.job))
        sim_all.worker_kills++;
    sim_network_killed(process);
    sim_kill(process);
    if (place == 0 && sim_all.concluded) { /* the supervisor has the result, and ends the others */
        sim_all.over_at = sim_now();
        sim_all.finished = true;
        return;
    }
    if (restart_after < SIM_FOREVER)
        sim_at(sim_now() + restart_after, restart, NULL, place);
}

void sim_task_stop_job(void)
{
    sim_all.stop = 1;
}
