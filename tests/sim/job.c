/* job.c: the tasks of a simulated job, and what is checked while they run. */
#include "sim/job.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "data/batch/shard.h"
#include "sim/network.h"
#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/message.h"
#include "store/ps/server/server.h"
#include "store/ps/server/stretch.h"
#include "store/ps/worker/evaluator.h"
#include "store/ps/worker/worker.h"

_Static_assert(TRI_CHUNK_FLOATS == 256, "the simulator's build of store/ps has small chunks (tests/CMakeLists.txt)");

#define RATE            0.0625f
#define LONGEST_SILENCE (1700 * SIM_MS)

enum { LAYERS = 5, PORT = 20000, REASON = 512 };

typedef enum { ABSENT, RUNNING, ENDED, FAILED } task_state;

typedef struct {
    int place, index;
    bool recover;
    task_state state;
    int64_t steps, examples; /* worker: made by the present process */
    bool killed;             /* at least once */
} task;

static struct {
    sim_job job;
    const sim_truth *truth;
    sim_truth *record;
    task task[SIM_PLACES];
    tri__address address[SIM_MOST_SERVERS], twin[SIM_MOST_SERVERS];
    char host[2 * SIM_MOST_SERVERS][24];
    /* the last checkpoint */
    bool saved;
    float *parameters, *slot[2];
    tri__standing standing;
    /* how it went */
    bool concluded; /* ps:0's owner has the result */
    bool finished;
    tri__ps_status status;
    json_t *reports;
    int64_t over_at;
    bool begun, ending;  /* a token was sent; ps:0 has said that the job is over */
    int64_t said, named; /* when somebody last said anything but that it lives, and when a log last told who is waited for */
    int64_t left;        /* workers that left, or never came to a step */
    int64_t went_back;   /* how often servers did */
    int64_t worker_kills, server_kills, first_kills; /* first: of ps:0, which are server kills, too */
    int64_t applied[SIM_MOST_CHUNKS];                /* async: pushes of each chunk, by all processes of its server */
    bool whole[SIM_MOST_SERVERS];                    /* ps:0 knows that the range lives on two servers */
    bool one_loss;                                   /* only one server is ever lost … */
    bool survivable;                                 /* … and its twin was whole */
    volatile sig_atomic_t stop;
    char violation[REASON];
} all;

void (*sim_message_sent)(int place, uint32_t type);

static void violate(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void violate(const char *format, ...)
{
    if (all.violation[0])
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(all.violation, sizeof all.violation, format, arguments);
    va_end(arguments);
    sim_note("VIOLATION: %s", all.violation);
}

const char *sim_job_violation(void)
{
    return all.violation[0] ? all.violation : NULL;
}

/* ---- places ---- */

int sim_place_server(int index)
{
    return index;
}

int sim_place_worker(const sim_job *job, int index)
{
    return job->settings.servers + index;
}

int sim_place_evaluator(const sim_job *job)
{
    return job->settings.servers + job->settings.workers;
}

int sim_place_twin(const sim_job *job, int server)
{
    return sim_place_evaluator(job) + job->evaluator + server - 1;
}

int sim_places(const sim_job *job)
{
    return sim_place_twin(job, job->settings.replicas == 2 ? job->settings.servers : 1);
}

int sim_range_at(const sim_job *job, int place)
{
    int twin = place - sim_place_twin(job, 0);
    return place < job->settings.servers ? place : twin > 0 ? twin : 0;
}

const char *sim_place_name(int place)
{
    static char name[SIM_PLACES][24];
    const sim_job *job = &all.job;
    if (place < job->settings.servers)
        snprintf(name[place], sizeof name[place], "ps:%d", place);
    else if (place < sim_place_evaluator(job))
        snprintf(name[place], sizeof name[place], "worker:%d", place - job->settings.servers);
    else if (place >= sim_place_twin(job, 1))
        snprintf(name[place], sizeof name[place], "twin:%d", sim_range_at(job, place));
    else
        snprintf(name[place], sizeof name[place], "evaluator:0");
    return name[place];
}

/* ---- what people and we read ---- */

static bool names_somebody(const char *line)
{
    static const char *const words[] = {"waiting for", "waits for", "goes on without", "silent", "is gone", "is lost"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(line, words[i]) && (strstr(line, "ps:") || strstr(line, "worker:") || strstr(line, "evaluator")))
            return true;
    return false;
}

/* What ps:0 says of the two servers of a range. */
static void note_pairs(const char *line)
{
    int server;
    if (sscanf(line, "the range of ps:%d lives on two", &server) == 1)
        all.whole[server] = true;
    bool lost = sscanf(line, "ps:%d is lost at step", &server) == 1 || sscanf(line, "the twin of ps:%d is lost at step", &server) == 1 ||
                sscanf(line, "ps:%d is gone: the range", &server) == 1 ||
                sscanf(line, "the twin of ps:%d is gone: the range", &server) == 1;
    if (lost)
        all.whole[server] = false;
}

static void write_log(tri__log *log, tri__log_level level, const char *line)
{
    (void)log;
    sim_note("%s%s", level >= TRI_LOG_WARNING ? "! " : "# ", line);
    if (strstr(line, "the others go on") || strstr(line, "beginning with these") || strstr(line, "takes no part any more"))
        all.left++;
    if (strstr(line, "back to step"))
        all.went_back++;
    if (names_somebody(line))
        all.named = sim_now();
    note_pairs(line);
}

static tri__log the_log = {.write = write_log, .least = TRI_LOG_INFO};

void __real_tri__connection_send(tri__connection *connection, const tri__frame *frame, const void *body, bool more);
void __wrap_tri__connection_send(tri__connection *connection, const tri__frame *frame, const void *body, bool more);
void __real_tri__connection_send_copy(tri__connection *connection, const tri__frame *frame, const void *body, bool more);
void __wrap_tri__connection_send_copy(tri__connection *connection, const tri__frame *frame, const void *body, bool more);
tri_status __real_tri__message_decode(const tri__frame *frame, tri__message *out);
tri_status __wrap_tri__message_decode(const tri__frame *frame, tri__message *out);

static void write_frame(const uint64_t numbers[SIM_NUMBERS], char *text, size_t size)
{
    int to = (int)(numbers[4] >> 32) - 1;
    int used = snprintf(text, size, "%s %s chunk %u step %" PRId64 " view %u, %u bytes", to >= 0 ? ">" : "<",
                        tri__message_name((uint32_t)numbers[0]), (unsigned)numbers[1], (int64_t)numbers[2], (unsigned)(numbers[1] >> 32),
                        (unsigned)numbers[4]);
    if (to >= 0)
        snprintf(text + used, size - (size_t)used, " → %s", sim_place_name(to));
}

static void note_frame(const tri__frame *frame, int to)
{
    const uint64_t numbers[SIM_NUMBERS] = {frame->type, frame->word[0], frame->word[1], frame->word[2],
                                           frame->size | (uint64_t)(to + 1) << 32};
    if (frame->type != TRI_MSG_BEAT)
        sim_note_numbers(write_frame, numbers);
}

/* "10.0.0.2:30004" is place 2. */
static int place_of(const char *peer)
{
    int place = -1;
    return sscanf(peer, "10.0.0.%d", &place) == 1 ? place : -1;
}

static void note_sent(const tri__connection *connection, const tri__frame *frame)
{
    note_frame(frame, place_of(tri__connection_peer(connection)));
    if (frame->type != TRI_MSG_BEAT)
        all.said = sim_now();
    all.begun |= frame->type == TRI_MSG_TOKEN;
    all.ending |= frame->type == TRI_MSG_BYE && sim_self()->place == 0;
    if (sim_message_sent)
        sim_message_sent(sim_self()->place, frame->type);
}

void __wrap_tri__connection_send(tri__connection *connection, const tri__frame *frame, const void *body, bool more)
{
    note_sent(connection, frame);
    __real_tri__connection_send(connection, frame, body, more);
}

void __wrap_tri__connection_send_copy(tri__connection *connection, const tri__frame *frame, const void *body, bool more)
{
    note_sent(connection, frame);
    __real_tri__connection_send_copy(connection, frame, body, more);
}

tri_status __wrap_tri__message_decode(const tri__frame *frame, tri__message *out)
{
    note_frame(frame, -1);
    return __real_tri__message_decode(frame, out);
}

tri_status __real_tri__stretch_push(tri__stretch *stretch, const tri__push *push, tri__push_outcome *out);
tri_status __wrap_tri__stretch_push(tri__stretch *stretch, const tri__push *push, tri__push_outcome *out);

tri_status __wrap_tri__stretch_push(tri__stretch *stretch, const tri__push *push, tri__push_outcome *out)
{
    tri_status status = __real_tri__stretch_push(stretch, push, out);
    if (!status && *out == TRI_PUSH_APPLIED && push->chunk < SIM_MOST_CHUNKS)
        all.applied[push->chunk]++;
    return status;
}

/* ---- the model ---- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static float noise(uint64_t key, size_t i)
{
    return (float)(mix(key + i * UINT64_C(0x9e3779b97f4a7c15)) >> 40) * 0x1p-24f - 0.5f;
}

/* Where every update adds just 1 to a parameter of each chunk, so that updates can be counted. */
static bool counts_updates(void)
{
    return !strcmp(all.job.rule.name, "sgd") && all.job.rule.clip == 0 && all.job.settings.mode != TRI_PS_SYNC;
}

static const tri__layout *layout(void)
{
    static tri__layout layout;
    if (layout.floats != all.job.floats || layout.servers != all.job.settings.servers)
        tri_status_free(tri__layout_init(&layout, all.job.floats, all.job.settings.servers));
    return &layout;
}

static bool is_counter(size_t i)
{
    return tri__layout_chunk(layout(), tri__layout_chunk_at(layout(), i)).first == i;
}

static void initial(float *parameters)
{
    for (size_t i = 0; i < all.job.floats; i++)
        parameters[i] = counts_updates() && is_counter(i) ? 0 : noise(77, i);
}

static uint64_t hash(const float *floats, size_t count)
{
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &floats[i], sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
    }
    return sum;
}

static tri_range layer(int index)
{
    static const int share[LAYERS + 1] = {0, 1, 9, 14, 30, 32}; /* of 32: uneven, and not at the borders of chunks */
    size_t first = all.job.floats * (size_t)share[index] / 32, end = all.job.floats * (size_t)share[index + 1] / 32;
    return (tri_range){first, end - first};
}

/* ---- ps:0's owner ---- */

static bool is_pure(void)
{
    return all.job.settings.mode == TRI_PS_SYNC && all.job.settings.backup == 0 && all.left == 0 && all.worker_kills == 0;
}

/* A snapshot of a sync job in which all workers took part in all steps is what it is in every such run. */
static void compare(const char *what, int64_t step, const float *parameters)
{
    uint64_t sum = hash(parameters, all.job.floats);
    if (step < 0 || step > SIM_MOST_STEPS)
        return;
    if (all.record) {
        all.record->parameters[step] = sum;
        all.record->known[step] = true;
    }
    if (all.truth && all.truth->known[step] && is_pure() && all.truth->parameters[step] != sum)
        violate("%s of step %" PRId64 " has other bits than in an undisturbed run", what, step);
}

static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", terms[] = "rate 0.0625";

static tri_status owner_settle(void *context, const json_t *hello, tri__ps_job *out)
{
    (void)context, (void)hello;
    const sim_job *job = &all.job;
    *out = (tri__ps_job){
        .floats = job->floats,
        .rule = job->rule,
        .work = {.examples = job->examples, .batch = job->batch, .last_step = job->steps, .last_position = INT64_MAX},
        .evaluate_every = job->evaluate_every,
        .checkpoint_every = job->checkpoint_every,
        .checkpoint_period = job->checkpoint_period,
    };
    memcpy(out->digest, digest, sizeof digest);
    memcpy(out->terms, terms, sizeof terms);
    return NULL;
}

static void copy_standing(const tri__standing *from, tri__standing *out)
{
    *out = *from;
    out->outstanding = NULL;
    out->books = json_deep_copy(from->books);
    if (from->count) {
        out->outstanding = malloc((size_t)from->count * sizeof *out->outstanding);
        memcpy(out->outstanding, from->outstanding, (size_t)from->count * sizeof *out->outstanding);
    }
}

static tri_status owner_load(void *context, tri_store *whole, tri__standing *standing)
{
    (void)context;
    size_t bytes = all.job.floats * sizeof(float);
    *standing = (tri__standing){0};
    if (!all.saved) {
        initial(tri_store_parameters(whole));
        for (int i = 0; i < tri_rule_slots(&all.job.rule); i++)
            memset(tri_store_slot(whole, i), 0, bytes);
        return NULL;
    }
    memcpy(tri_store_parameters(whole), all.parameters, bytes);
    for (int i = 0; i < tri_rule_slots(&all.job.rule); i++)
        memcpy(tri_store_slot(whole, i), all.slot[i], bytes);
    copy_standing(&all.standing, standing);
    sim_note("checkpoint of step %" PRId64 " is loaded", standing->step);
    return NULL;
}

/* Called by a thread of its own: it takes a while, and is killed with its process. */
static tri_status owner_save(void *context, tri_store *whole, const tri__standing *standing, bool best)
{
    (void)context, (void)best;
    size_t bytes = all.job.floats * sizeof(float);
    uint64_t before = hash(tri_store_parameters(whole), all.job.floats);
    compare("the checkpoint", standing->step, tri_store_parameters(whole));
    sim_wait(sim_now() + sim_span(10000, 30 * SIM_MS), "the disk");
    if (hash(tri_store_parameters(whole), all.job.floats) != before)
        violate("the checkpoint of step %" PRId64 " changes while it is written", standing->step);
    memcpy(all.parameters, tri_store_parameters(whole), bytes);
    for (int i = 0; i < tri_rule_slots(&all.job.rule); i++)
        memcpy(all.slot[i], tri_store_slot(whole, i), bytes);
    if (all.saved && standing->step < all.standing.step && all.job.settings.mode != TRI_PS_SYNC)
        violate("the checkpoint of step %" PRId64 " follows that of step %" PRId64, standing->step, all.standing.step);
    tri__standing_fini(&all.standing);
    copy_standing(standing, &all.standing);
    all.saved = true;
    sim_note("checkpoint of step %" PRId64 " is written", standing->step);
    return NULL;
}

static unsigned owner_evaluated(void *context, int64_t step, const json_t *evaluation)
{
    (void)context, (void)evaluation;
    sim_note("step %" PRId64 " is evaluated", step);
    return 0;
}

static bool owner_watch(void *context, const tri__ps_status *status)
{
    (void)context, (void)status;
    return false;
}

static tri_status owner_conclude(void *context, const tri__ps_status *status)
{
    (void)context;
    if (all.concluded)
        violate("the job is concluded twice");
    all.concluded = true;
    all.status = *status;
    all.reports = json_incref(status->reports);
    sim_note("the job is concluded at step %" PRId64, status->step);
    return NULL;
}

static const tri__ps_owner owner = {
    .settle = owner_settle,
    .load = owner_load,
    .save = owner_save,
    .evaluated = owner_evaluated,
    .watch = owner_watch,
    .conclude = owner_conclude,
};

/* ---- tasks ---- */

static void ended(task *one, tri_status status)
{
    sim_process *self = sim_self();
    one->state = status ? FAILED : ENDED;
    sim_note("%s: %s", status ? "FAILS" : "ends", status ? tri_status_message(status) : "well");
    if (one->place == 0)
        all.over_at = sim_now();
    bool expected = all.stop && !all.begun; /* a job that is asked to end before it begins fails */
    if (status && (one->place == 0 || !all.over_at) && !expected)
        violate("%s fails: %s", self->name, tri_status_message(status));
    if (one->place == 0 && !status)
        all.finished = true;
    tri_status_free(status);
    sim_network_killed(self);
    sim_kill(self);
}

static void run_server(void *context)
{
    task *one = context;
    bool first = one->index == 0;
    const tri__server_options options = {
        .index = one->index,
        .twin = one->place < all.job.settings.servers ? NULL : &all.twin[one->index],
        .settings = all.job.settings,
        .listen_fd = sim_listen(one->place, all.job.kept_sockets),
        .servers = all.address,
        .coordinator = first ? NULL : &all.address[0],
        .recovers = one->recover,
        .owner = first ? &owner : NULL,
        .log = &the_log,
        .stop = &all.stop,
    };
    tri__ps_status status = {0};
    tri_status failed = tri__server_run(&options, first ? &status : NULL);
    json_decref(status.reports);
    if (first && !failed && !all.concluded)
        violate("the job ends without a result");
    ended(one, failed);
}

typedef struct {
    task *task;
    tri_store *store;
    tri__token made;
    bool follows;
    int64_t reported;
} work;

static json_t *report(const work *w, bool final)
{
    return json_pack("{s:b, s:I, s:I}", "final", final, "steps", (json_int_t)w->task->steps, "examples", (json_int_t)w->task->examples);
}

/* As train/ps/worker_task.c: the token after this one, if the same workers make it. */
static bool guess(const tri__token *token, tri__token *next)
{
    int64_t left = all.job.examples - token->position % all.job.examples, step = token->workers * all.job.batch;
    *next = *token;
    next->step++;
    next->position += step < left ? step : left;
    return next->step < all.job.steps;
}

static tri_status next_token(work *w, tri__token *token, bool *stop)
{
    *stop = false;
    if (all.job.settings.mode == TRI_PS_SYNC && all.job.settings.backup == 0 && w->follows && guess(&w->made, token) &&
        tri__ps_store_expect(w->store, token))
        return NULL;
    return tri__ps_store_token(w->store, token, stop);
}

static void compute(void)
{
    if (sim_draw(3) == 0)
        sim_wait(sim_now() + sim_span(1000, SIM_MS), "its own computing");
}

/* g = Σ over the examples; the parameters that it reads must not change before they are offered. */
static tri_status train(work *w, const tri__token *token, const tri__slice *slice)
{
    float *parameters = tri_store_parameters(w->store), *gradient = tri_store_gradient(w->store);
    uint64_t seen[LAYERS];
    for (int i = 0; i < LAYERS; i++) {
        TRI_TRY(tri_store_await(w->store, layer(i)));
        seen[i] = hash(parameters + layer(i).first, layer(i).count);
        compute();
    }
    uint64_t key = mix((uint64_t)slice->position * 1000 + (uint64_t)slice->first);
    float weight = (float)slice->count;
    for (int i = LAYERS - 1; i >= 0; i--) {
        tri_range range = layer(i);
        if (hash(parameters + range.first, range.count) != seen[i] && !tri__ps_store_voided(w->store))
            violate("worker:%d: parameters change in the midst of step %" PRId64, w->task->index, token->step);
        for (size_t j = range.first; j < range.first + range.count; j++)
            gradient[j] = counts_updates() && is_counter(j) ? -weight / RATE : weight * (parameters[j] * 0.125f + noise(key, j));
        compute();
        TRI_TRY(tri_store_offer(w->store, range, (double)slice->count));
    }
    return NULL;
}

static tri_status make_step(work *w, const tri__token *token)
{
    const tri__shard shard = {
        .batch = all.job.batch, .worker = token->index, .workers = token->workers, .examples = all.job.examples, .end = INT64_MAX};
    tri__slice slice = tri__shard_slice(&shard, token->position);
    TRI_TRY(tri_store_begin(w->store, &(tri_step){.step = token->step, .rate = RATE}));
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
    json_t *hello = json_pack("{s:s, s:I, s:I, s:s}", "digest", digest, "batch", (json_int_t)all.job.batch, "examples",
                              (json_int_t)all.job.examples, "terms", terms);
    const tri__ps_store_options options = {
        .servers = all.address,
        .settings = all.job.settings,
        .task = w.task->index,
        .floats = all.job.floats,
        .rule = all.job.rule,
        .hello = hello,
        .log = &the_log,
    };
    tri_status status = tri__ps_store_create(&options, &w.store);
    if (!status) {
        compute();
        tri__ps_store_ready(w.store, all.job.ahead);
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
    compare("the evaluated snapshot", step, tri_store_parameters(store));
    sim_wait(sim_now() + sim_span(10000, 20 * SIM_MS), "its own computing");
    *out = json_pack("{s:f}", "loss", 1.0);
    return NULL;
}

static void run_evaluator(void *context)
{
    tri_store *store;
    tri_status status = tri_store_local_create(all.job.floats, &(tri_rule){0}, &store);
    const tri__ps_evaluator_options options = {.coordinator = &all.address[0],
                                               .settings = all.job.settings,
                                               .store = store,
                                               .evaluate = evaluate,
                                               .context = store,
                                               .log = &the_log};
    if (!status)
        status = tri__ps_evaluator_run(&options);
    tri_store_destroy(store);
    ended(context, status);
}

static void start_task(int place, bool recover)
{
    task *one = &all.task[place];
    one->place = place;
    one->recover = recover;
    one->state = RUNNING;
    int servers = all.job.settings.servers, workers = all.job.settings.workers;
    bool twin = place >= sim_place_twin(&all.job, 1);
    one->index = place < servers || twin ? sim_range_at(&all.job, place) : place < servers + workers ? place - servers : 0;
    void (*body)(void *) = place < servers || twin ? run_server : place < servers + workers ? run_worker : run_evaluator;
    sim_start(place, sim_place_name(place), body, one);
}

static void restart(void *context, int64_t place)
{
    (void)context;
    if (all.over_at || sim_process_at((int)place))
        return;
    sim_note("%s is started again", sim_place_name((int)place));
    start_task((int)place, true);
}

void sim_task_kill(int place, int64_t restart_after)
{
    sim_process *process = sim_process_at(place);
    if (!process)
        return;
    sim_note("%s is killed", process->name);
    all.task[place].killed = true;
    int range = sim_range_at(&all.job, place);
    all.survivable = all.one_loss && range > 0 && all.whole[range];
    all.first_kills += place == 0;
    if (place < all.job.settings.servers || range)
        all.server_kills++;
    else if (place < sim_place_evaluator(&all.job))
        all.worker_kills++;
    sim_network_killed(process);
    sim_kill(process);
    if (place == 0 && all.concluded) { /* the supervisor has the result, and ends the others */
        all.over_at = sim_now();
        all.finished = true;
        return;
    }
    if (restart_after < SIM_FOREVER)
        sim_at(sim_now() + restart_after, restart, NULL, place);
}

void sim_task_stop_job(void)
{
    all.stop = 1;
}

/* ---- from beginning to end ---- */

void sim_job_describe(const sim_job *job, char *text, size_t size)
{
    const tri__ps_settings *s = &job->settings;
    snprintf(text, size,
             "%s%s, %d servers, %d workers%s, %zu floats, %s%s, %" PRId64 " steps, %" PRId64 " examples in batches of %" PRId64
             ", checkpoints every %" PRId64 " steps or %" PRId64 " ms, evaluation every %" PRId64 " steps, ahead %d%s%s%s",
             tri__ps_mode_name(s->mode), s->sum ? " (sum)" : "", s->servers, s->workers, s->backup ? " (1 backup)" : "", job->floats,
             job->rule.name, job->rule.clip > 0 ? ", clip" : "", job->steps, job->examples, job->batch, job->checkpoint_every,
             job->checkpoint_period / SIM_MS, job->evaluate_every, job->ahead, job->evaluator ? "" : ", no evaluator",
             job->kept_sockets ? ", sockets kept" : "", s->replicas == 2 ? ", 2 replicas" : "");
}

/* No wait is for nobody: where nothing is said for longer than any short fault lasts, some log tells who is waited for. */
static void watch_silence(void *context, int64_t number)
{
    (void)context, (void)number;
    int64_t now = sim_now();
    if (all.over_at || all.ending) /* then ps:0 waits two seconds at the most for tasks that have not heard of it */
        return;
    if (now - all.said > LONGEST_SILENCE && all.named < all.said - all.job.settings.timeout)
        violate("nothing was said for %" PRId64 " ms, and nobody was named", (now - all.said) / SIM_MS);
    sim_at(now + 100 * SIM_MS, watch_silence, NULL, 0);
}

void sim_job_begin(const sim_job *job, const sim_truth *truth, sim_truth *record)
{
    memset(&all, 0, sizeof all);
    all.job = *job;
    all.truth = truth;
    all.record = record;
    all.parameters = calloc(job->floats, sizeof(float));
    for (int i = 0; i < 2; i++)
        all.slot[i] = calloc(job->floats, sizeof(float));
    for (int i = 0; i < job->settings.servers; i++) {
        snprintf(all.host[i], sizeof all.host[i], "10.0.0.%d", i);
        all.address[i] = (tri__address){.host = all.host[i], .port = PORT};
        char *twin = all.host[SIM_MOST_SERVERS + i];
        snprintf(twin, sizeof all.host[i], "10.0.0.%d", sim_place_twin(job, i));
        all.twin[i] = (tri__address){.host = twin, .port = PORT};
    }
    for (int place = 0; place < sim_places(job); place++)
        start_task(place, false);
    all.said = sim_now();
    watch_silence(NULL, 0);
}

void sim_job_end(void)
{
    free(all.parameters);
    free(all.slot[0]);
    free(all.slot[1]);
    tri__standing_fini(&all.standing);
    json_decref(all.reports);
}

bool sim_job_finished(void)
{
    return all.finished;
}

bool sim_job_begun(void)
{
    return all.begun;
}

/* ps:0 has ended, and the others have or had time to. */
bool sim_job_over(void)
{
    if (all.violation[0])
        return true;
    if (!all.over_at)
        return false;
    bool anybody = false;
    for (int place = 0; place < sim_places(&all.job); place++)
        anybody |= sim_process_at(place) != NULL;
    return !anybody || sim_now() > all.over_at + all.job.settings.timeout + 2000 * SIM_MS;
}

static int64_t reported(const char *key)
{
    int64_t sum = 0;
    for (size_t i = 0; i < json_array_size(all.reports); i++)
        sum += json_integer_value(json_object_get(json_array_get(all.reports, i), key));
    return sum;
}

/* Each update is applied once to each chunk, but for what the books say: a server lost some with its memory, and some were given out again.
 * When ps:0 is lost the other servers keep theirs: they have had those that it takes back, and of each worker one that it did not have yet.
 * Both are made again. And no more is lost than servers have applied and taken back, or a worker has sent to some of them only. */
static void judge_updates(void)
{
    if (!counts_updates())
        return;
    int64_t step = all.status.step, lost = all.status.lost, again = all.status.re_leased, most_lost = 0;
    int64_t begun = all.first_kills * all.job.settings.workers, halved = all.worker_kills * (all.job.settings.servers - 1);
    int64_t left = all.stop ? all.worker_kills : 0; /* a job that is asked to end does not give out again what they had begun */
    for (int server = 0; server < all.job.settings.servers; server++) {
        int64_t taken_back = 0;
        for (uint32_t chunk = tri__layout_first(layout(), server); chunk < tri__layout_first(layout(), server + 1); chunk++) {
            float made = all.parameters[tri__layout_chunk(layout(), chunk).first];
            int64_t count = (int64_t)made;
            if (made != floorf(made) || count > step + lost + again + left + (server ? begun : 0) || count < step - lost)
                violate("chunk %u has had %g updates; there were %" PRId64 " steps, %" PRId64 " lost, %" PRId64 " given out again", chunk,
                        (double)made, step, lost, again);
            taken_back = all.applied[chunk] - count > taken_back ? all.applied[chunk] - count : taken_back;
        }
        most_lost += taken_back;
    }
    if (lost > most_lost + halved)
        violate("%" PRId64 " updates are said to be lost, and servers took back %" PRId64, lost, most_lost);
}

void sim_job_one_loss(void)
{
    all.one_loss = true;
}

/* One server of a range that lived on two was lost: nobody goes back, and every update is in the model once. */
static void judge_loss(void)
{
    if (!all.survivable)
        return;
    if (all.went_back || all.status.lost)
        violate("a server that had a twin was lost, and %" PRId64 " updates with it", all.status.lost);
    for (uint32_t chunk = 0; counts_updates() && chunk < tri__layout_chunks(layout()); chunk++) {
        float made = all.parameters[tri__layout_chunk(layout(), chunk).first];
        if (made != (float)all.status.step)
            violate("a server that had a twin was lost: chunk %u has had %g updates in %" PRId64 " steps", chunk, (double)made,
                    all.status.step);
    }
}

/* What workers brought, as the books say, is what the model has: in async always, and in sync where all took part in all steps. */
static void judge_shares(void)
{
    const sim_job *job = &all.job;
    bool sync = job->settings.mode == TRI_PS_SYNC, whole = all.left == 0 && all.worker_kills == 0 && !job->settings.backup;
    int64_t steps = reported("steps"), most = (sync ? job->settings.workers : 1) * all.status.step;
    if (steps > most || (steps < most && (!sync || whole)))
        violate("workers brought %" PRId64 " parts of %" PRId64 " steps", steps, all.status.step);
    if (!sync && reported("examples") != steps * job->batch)
        violate("workers brought %" PRId64 " examples in %" PRId64 " steps", reported("examples"), steps);
}

void sim_job_judge(void)
{
    const sim_job *job = &all.job;
    if (!all.finished)
        return;
    if (!all.stop && all.status.step != job->steps)
        violate("%" PRId64 " steps were made, and %" PRId64 " wanted", all.status.step, job->steps);
    if (!all.saved || all.standing.step != all.status.step)
        violate("the job ends at step %" PRId64 " with a checkpoint of step %" PRId64, all.status.step, all.saved ? all.standing.step : -1);
    compare("the final model", all.status.step, all.parameters);
    judge_updates();
    judge_shares();
    judge_loss();
    bool undisturbed = all.left == 0 && all.went_back == 0 && all.worker_kills == 0 && all.server_kills == 0;
    if (undisturbed && all.status.lost)
        violate("%" PRId64 " updates are said to be lost, and no server was", all.status.lost);
    if (undisturbed && !job->settings.backup && all.status.dropped)
        violate("%" PRId64 " gradients are said to be stale", all.status.dropped);
}
