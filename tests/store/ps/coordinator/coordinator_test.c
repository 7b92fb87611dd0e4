/* coordinator_test.c: ps:0 in a thread of its own, and a test that plays the other servers, the workers and the evaluator: who comes, goes
 * and comes back at the worst of times. */
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/connection/inbox.h"
#include "store/ps/coordinator/coordinator_role.h"
#include "store/ps/idle_owner.h"
#include "store/ps/line.h"
#include "store/ps/server/server.h"
#include "support.h"

enum { KEPT = 5 /* every parameter of the checkpoint */ };

typedef struct {
    tri__server_options options;
    tri__address servers[3];
    tri__ps_job job; /* what the owner says of it */
    uint16_t port;
    pthread_t thread;
    volatile sig_atomic_t stop; /* a signal's; none comes */
    bool asked;                 /* to end the job: atomic */
    tri_status end;
    uint32_t generation; /* as the last worker heard it */
    int concluded;       /* the step at which the owner heard that all is done: atomic */
    int disk;            /* a pipe from which a checkpoint reads before it is written; 0: the disk answers at once */
    int answer;          /* the other end of the pipe */
    bool gave_up;        /* the owner was told that the disk does not answer */
    tri__log log;        /* write is NULL: nobody listens */
    int named;           /* how often the log named a checkpoint that is not written: atomic */
} coordinator;

static tri_status settle(void *context, const json_t *hello, tri__ps_job *out)
{
    const coordinator *ps = context;
    (void)hello;
    *out = ps->job;
    return NULL;
}

static tri_status load(void *context, tri_store *whole, tri__standing *standing)
{
    (void)context;
    *standing = (tri__standing){0};
    for (size_t i = 0; i < tri_store_floats(whole); i++)
        tri_store_parameters(whole)[i] = KEPT;
    return NULL;
}

/* A read that nobody answers is a disk that hangs. */
static tri_status save(void *context, tri_store *whole, const tri__standing *standing, bool best)
{
    const coordinator *ps = context;
    char byte;
    (void)whole, (void)standing, (void)best;
    return ps->disk && read(ps->disk, &byte, 1) < 0 ? tri_fail(TRI_IO, "no disk") : NULL;
}

static void hear_log(tri__log *log, tri__log_level level, const char *said)
{
    coordinator *ps = (coordinator *)((char *)log - offsetof(coordinator, log));
    (void)level;
    if (strstr(said, "the checkpoint of step 1 is not written after "))
        __atomic_add_fetch(&ps->named, 1, __ATOMIC_RELAXED);
}

static bool watch(void *context, const tri__ps_status *status)
{
    const coordinator *ps = context;
    (void)status;
    return __atomic_load_n(&ps->asked, __ATOMIC_RELAXED);
}

static tri_status conclude(void *context, const tri__ps_status *status)
{
    coordinator *ps = context;
    __atomic_store_n(&ps->concluded, (int)status->step, __ATOMIC_RELEASE);
    return NULL;
}

/* The disk answers at last: the test ends no process. */
static void give_up(void *context, const char *why)
{
    coordinator *ps = context;
    assert_non_null(strstr(why, "the checkpoint of step 1 is not written, because the disk of ps:0 does not answer"));
    ps->gave_up = write(ps->answer, "", 1) == 1;
}

static const tri__ps_owner owner = {
    .settle = settle, .load = load, .save = save, .evaluated = idle_evaluated, .watch = watch, .conclude = conclude, .give_up = give_up};

static void *serve(void *context)
{
    coordinator *ps = context;
    tri__ps_status status = {.reports = NULL};
    ps->end = tri__server_run(&ps->options, &status);
    json_decref(status.reports);
    return NULL;
}

static tri__ps_settings settings_of(tri__ps_mode mode, int workers, int servers)
{
    return (tri__ps_settings){
        .mode = mode, .workers = workers, .servers = servers, .timeout = INT64_C(60000000000), .heartbeat = INT64_C(1000000000)};
}

static void prepare(coordinator *ps, tri__ps_settings settings, size_t floats, int64_t checkpoint_every, int64_t evaluate_every)
{
    static char host[] = "127.0.0.1";
    *ps = (coordinator){.servers = {{host, 1}, {host, 2}, {host, 3}}};
    ps->job = (tri__ps_job){
        .floats = floats,
        .rule = {.name = "sgd"},
        .digest = "same",
        .terms = "same",
        .work = {.examples = 100, .batch = 10, .last_step = INT64_MAX, .last_position = INT64_MAX},
        .checkpoint_every = checkpoint_every,
        .evaluate_every = evaluate_every,
    };
    ps->options = (tri__server_options){
        .settings = settings,
        .listen_fd = line_listen(&ps->port),
        .servers = ps->servers,
        .role = &tri__coordinator_role,
        .owner = &owner,
        .context = ps,
        .stop = &ps->stop,
    };
}

static void start(coordinator *ps, tri__ps_settings settings, size_t floats, int64_t checkpoint_every, int64_t evaluate_every)
{
    prepare(ps, settings, floats, checkpoint_every, evaluate_every);
    assert_int_equal(pthread_create(&ps->thread, NULL, serve, ps), 0);
}

/* The last worker leaves for good, since its data is damaged. */
static void end(coordinator *ps, line *worker)
{
    line_say_json(worker, TRI_MSG_BYE, "{\"reason\": \"enough\", \"damaged\": true}");
    pthread_join(ps->thread, NULL);
    assert_fails(ps->end, TRI_BAD_DATA, "enough");
    line_hang_up(worker);
}

static void greet(const coordinator *ps, line *peer, const char *role, int task, int incarnation, uint32_t generation)
{
    char settings[TRI_PS_WORDS];
    tri__ps_settings_words(&ps->options.settings, settings);
    line_say_json(peer, TRI_MSG_HELLO,
                  "{\"protocol\": %d, \"role\": \"%s\", \"task\": %d, \"incarnation\": %d, \"digest\": \"same\", \"terms\": \"same\", "
                  "\"batch\": 10, \"examples\": 100, \"workers\": %d, \"settings\": \"%s\", \"holding\": %s, \"generation\": %u}",
                  TRI_PROTOCOL, role, task, incarnation, ps->options.settings.workers, settings, generation ? "true" : "false", generation);
}

static line *come(const coordinator *ps, const char *role, int task, int incarnation, uint32_t generation)
{
    line *peer = line_call(ps->port);
    greet(ps, peer, role, task, incarnation, generation);
    return peer;
}

/* It is welcome, and takes part. */
static void take_part(coordinator *ps, line *worker)
{
    json_t *welcome = line_hear_json(worker, TRI_MSG_WELCOME);
    ps->generation = (uint32_t)json_integer_value(json_object_get(welcome, "generation"));
    json_decref(welcome);
    line_say(worker, (tri__message){.type = TRI_MSG_READY, .generation = ps->generation, .ahead = 1}, NULL, 0);
}

/* Two workers come, and take part. */
static void begin_with_two(coordinator *ps, line **first, line **second)
{
    *first = come(ps, "worker", 0, 1, 0);
    *second = come(ps, "worker", 1, 1, 0);
    take_part(ps, *first);
    take_part(ps, *second);
}

static void push_serial(const coordinator *ps, line *worker, uint32_t chunk, int64_t step, int64_t serial, size_t floats)
{
    line_say_floats(
        worker,
        (tri__message){
            .type = TRI_MSG_PUSH, .chunk = chunk, .generation = ps->generation, .step = step, .serial = serial, .rate = 1, .weight = 1},
        1, floats);
}

static void push(const coordinator *ps, line *worker, uint32_t chunk, int64_t step, size_t floats)
{
    push_serial(ps, worker, chunk, step, step, floats);
}

static uint32_t be_restored(line *follower)
{
    const tri__message restored = *line_hear(follower, TRI_MSG_RESTORED);
    line_say(follower, restored, NULL, 0);
    return restored.generation;
}

static void see_view(line *follower)
{
    json_t *view = line_hear_json(follower, TRI_MSG_VIEW);
    line_say(follower, (tri__message){.type = TRI_MSG_SEEN, .view = (uint32_t)json_integer_value(json_object_get(view, "view"))}, NULL, 0);
    json_decref(view);
}

/* ps:1 has its stretch, and its connection breaks before ps:0 hears of it. */
static void a_server_whose_word_that_it_is_restored_was_lost_is_believed_when_it_is_back(void **state)
{
    (void)state;
    const tri__ps_mode modes[] = {TRI_PS_ASYNC, TRI_PS_STALENESS};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        coordinator ps;
        start(&ps, settings_of(modes[i], 1, 2), 64, 0, 0);
        line *follower = come(&ps, "server", 1, 1, 0), *worker = come(&ps, "worker", 0, 1, 0);
        uint32_t generation = line_hear(follower, TRI_MSG_RESTORED)->generation;
        line_hang_up(follower);
        follower = come(&ps, "server", 1, 1, generation);
        take_part(&ps, worker);
        line_hear(worker, TRI_MSG_TOKEN);
        end(&ps, worker);
        line_hang_up(follower);
    }
}

static void stop_before_training(coordinator *ps)
{
    __atomic_store_n(&ps->asked, true, __ATOMIC_RELAXED);
    pthread_join(ps->thread, NULL);
    assert_fails(ps->end, TRI_STOPPED, "before training began");
}

/* Each of these would take gradients otherwise than ps:0 does, and the model would be wrong without a word. */
static void a_server_with_other_settings_is_refused_in_words(void **state)
{
    (void)state;
    const tri__ps_settings sync = settings_of(TRI_PS_SYNC, 2, 3);
    tri__ps_settings others[4] = {settings_of(TRI_PS_ASYNC, 2, 3), sync, sync, sync};
    const char *const words[] = {"ps:1 was started with --async and 3 servers, and ps:0 with --sync and 3 servers",
                                 "with --sync --backup 1 and 3 servers", "with --sync --combine sum and 3 servers", "and 2 servers"};
    others[1].backup = 1;
    others[2].sum = true;
    others[3].servers = 2;
    coordinator ps, other = {0};
    start(&ps, sync, 64, 0, 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        other.options.settings = others[i];
        line *server = line_call(ps.port);
        greet(&other, server, "server", 1, 1, 0);
        json_t *refused = line_hear_json(server, TRI_MSG_REFUSED);
        assert_non_null(strstr(json_string_value(json_object_get(refused, "reason")), words[i]));
        json_decref(refused);
        line_hang_up(server);
    }
    stop_before_training(&ps);
}

/* A worker's hello with other settings than those of the job, each of which changes what it computes or sends. */
static void a_worker_with_other_settings_is_refused_in_words(void **state)
{
    (void)state;
    enum { BACKUP, SUM, STALENESS, SPLIT, HALVES, DENSE, REPLICAS, SERVERS, WORKERS, CASES };
    static const char *const words[CASES] = {
        [BACKUP] = "worker:1 was started with --sync --backup 1 and 1 servers, and ps:0 with --sync and 1 servers",
        [SUM] = "with --sync --combine sum and",
        [STALENESS] = "with --staleness 3 and",
        [SPLIT] = "with --async --split static and",
        [HALVES] = "with --sync --row-values fp16 and",
        [DENSE] = "with --sync --gather dense and",
        [REPLICAS] = "with --sync --replicas 2 and",
        [SERVERS] = "with --sync and 2 servers",
        [WORKERS] = "worker:1 was started as one of 3 workers, and the job has 2",
    };
    const tri__ps_settings sync = settings_of(TRI_PS_SYNC, 2, 1);
    tri__ps_settings others[CASES] = {sync, sync, settings_of(TRI_PS_STALENESS, 2, 1), settings_of(TRI_PS_ASYNC, 2, 1), sync, sync, sync,
                                      sync, sync};
    others[BACKUP].backup = 1;
    others[SUM].sum = true;
    others[STALENESS].staleness = 3;
    others[SPLIT].fixed_parts = true;
    others[HALVES].half_rows = true;
    others[DENSE].dense_rows = true;
    others[REPLICAS].replicas = 2;
    others[SERVERS].servers = 2;
    others[WORKERS].workers = 3;
    coordinator ps, other = {0};
    start(&ps, sync, 16, 0, 0);
    line *first = come(&ps, "worker", 0, 1, 0);
    json_decref(line_hear_json(first, TRI_MSG_WELCOME));
    for (int i = 0; i < CASES; i++) {
        other.options.settings = others[i];
        line *worker = line_call(ps.port);
        greet(&other, worker, "worker", 1, 1, 0);
        json_t *refused = line_hear_json(worker, TRI_MSG_REFUSED);
        assert_non_null(strstr(json_string_value(json_object_get(refused, "reason")), words[i]));
        json_decref(refused);
        line_hang_up(worker);
    }
    stop_before_training(&ps);
    line_hang_up(first);
}

/* A worker that answers each heartbeat by one lives. */
static int64_t hear_token(line *worker)
{
    do {
        assert_true(line_hear_next(worker));
        if (worker->heard.type == TRI_MSG_BEAT)
            line_say(worker, (tri__message){.type = TRI_MSG_BEAT}, NULL, 0);
    } while (worker->heard.type != TRI_MSG_TOKEN);
    return worker->heard.step;
}

/* A sync job that must not make more than one step without a checkpoint. Its disk hangs in the first one. */
static line *hang_in_checkpoint(coordinator *ps, int disk[2])
{
    tri__ps_settings settings = settings_of(TRI_PS_SYNC, 1, 1);
    settings.timeout = INT64_C(3000000000);
    settings.heartbeat = INT64_C(100000000);
    assert_int_equal(pipe(disk), 0);
    prepare(ps, settings, 16, 1, 0);
    ps->disk = disk[0];
    ps->answer = disk[1];
    ps->log.write = hear_log;
    ps->options.log = &ps->log;
    assert_int_equal(pthread_create(&ps->thread, NULL, serve, ps), 0);
    line *worker = come(ps, "worker", 0, 1, 0);
    take_part(ps, worker);
    assert_int_equal(hear_token(worker), 0);
    push(ps, worker, 0, 0, 16);
    assert_int_equal(hear_token(worker), 1);
    push(ps, worker, 0, 1, 16);
    assert_int_equal(hear_token(worker), 2);
    assert_int_equal(__atomic_load_n(&ps->named, __ATOMIC_RELAXED), 1);
    return worker;
}

static void training_goes_on_while_the_disk_hangs_and_the_next_checkpoint_is_written(void **state)
{
    (void)state;
    coordinator ps;
    int disk[2];
    line *worker = hang_in_checkpoint(&ps, disk);
    close(disk[1]); /* it answers */
    for (int64_t step = 2; step < 5; step++) {
        push(&ps, worker, 0, step, 16);
        assert_int_equal(hear_token(worker), step + 1);
    }
    end(&ps, worker);
    close(disk[0]);
}

static void a_job_whose_disk_hangs_ends_when_it_is_asked_to(void **state)
{
    (void)state;
    coordinator ps;
    int disk[2];
    line *worker = hang_in_checkpoint(&ps, disk);
    push(&ps, worker, 0, 2, 16);
    __atomic_store_n(&ps.asked, true, __ATOMIC_RELAXED);
    pthread_join(ps.thread, NULL);
    assert_fails(ps.end, TRI_TIMEOUT, "is not saved: the checkpoint of step 1 is not written after ");
    assert_true(ps.gave_up);
    line_hang_up(worker);
    close(disk[0]);
    close(disk[1]);
}

static void a_worker_that_is_replaced_within_a_step_takes_part_in_the_next(void **state)
{
    (void)state;
    coordinator ps;
    start(&ps, settings_of(TRI_PS_SYNC, 2, 1), 16, 0, 0);
    line *first, *second;
    begin_with_two(&ps, &first, &second);
    assert_int_equal(line_hear(first, TRI_MSG_TOKEN)->workers, 2);
    line_hear(second, TRI_MSG_TOKEN);
    line_hang_up(second);
    line *successor;
    for (bool welcome = false; !welcome;) { /* until ps:0 has noticed that the one before it is gone */
        successor = come(&ps, "worker", 1, 2, 0);
        const tri__message_type said = line_hear_any(successor, TRI_MSG_WELCOME, TRI_MSG_REFUSED);
        welcome = said == TRI_MSG_WELCOME;
        if (!welcome)
            line_hang_up(successor);
    }
    line_say(successor, (tri__message){.type = TRI_MSG_READY, .generation = ps.generation, .ahead = 1}, NULL, 0);
    line_say(successor, (tri__message){.type = TRI_MSG_PULL}, NULL, 0);
    line_hear(successor, TRI_MSG_CHUNK); /* ps:0 knows that it is ready, before the step ends */
    push(&ps, first, 0, 0, 16);
    const tri__message *token = line_hear(successor, TRI_MSG_TOKEN);
    assert_int_equal(token->step, 1);
    assert_int_equal(token->workers, 2);
    line_say_json(first, TRI_MSG_BYE, "{\"reason\": \"enough\", \"damaged\": true}");
    end(&ps, successor);
    line_hang_up(first);
}

/* When the last one has diverged, too, the job ends as diverged. */
static void a_worker_whose_gradient_is_no_number_is_out_and_the_others_go_on(void **state)
{
    (void)state;
    const tri__ps_mode modes[] = {TRI_PS_SYNC, TRI_PS_ASYNC};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        coordinator ps;
        start(&ps, settings_of(modes[i], 2, 1), 16, 0, 0);
        line *good, *spoilt;
        begin_with_two(&ps, &good, &spoilt);
        line_hear(good, TRI_MSG_TOKEN);
        const tri__message token = *line_hear(spoilt, TRI_MSG_TOKEN);
        line_say_floats(
            spoilt,
            (tri__message){.type = TRI_MSG_PUSH, .generation = ps.generation, .step = token.step, .serial = 1, .rate = 1, .weight = 1}, NAN,
            16);
        json_t *refused = line_hear_json(spoilt, TRI_MSG_REFUSED);
        assert_non_null(strstr(json_string_value(json_object_get(refused, "reason")), "the gradient of worker:1 for step"));
        assert_true(json_is_true(json_object_get(refused, "diverged")));
        json_decref(refused);
        line_hear_end(spoilt);
        push(&ps, good, 0, 0, 16);
        line_hear(good, TRI_MSG_CHUNK);
        for (int k = 0; k < 16; k++)
            assert_float_equal(good->floats[k], KEPT - 1, 0);
        line_say_json(good, TRI_MSG_BYE, "{\"reason\": \"so has mine\", \"diverged\": true}");
        pthread_join(ps.thread, NULL);
        assert_fails(ps.end, TRI_DIVERGED, "no worker is left; worker:0 was the last: so has mine");
        line_hang_up(good);
        line_hang_up(spoilt);
    }
}

/* ps:2 sends its copy for a checkpoint when ps:1 is lost; the rest of it comes when all are given what the last checkpoint holds. */
static void a_copy_that_is_under_way_does_not_change_what_servers_go_back_to(void **state)
{
    (void)state;
    enum { CHUNKS = 32, LAST = 3 * CHUNKS - 1, HALF = TRI_CHUNK_BYTES / 2 };
    static const char copied[TRI_CHUNK_BYTES];
    coordinator ps;
    start(&ps, settings_of(TRI_PS_SYNC, 1, 3), (size_t)3 * CHUNKS * TRI_CHUNK_FLOATS, 1, 0);
    line *first = come(&ps, "server", 1, 1, 0), *second = line_call(ps.port), *worker;
    assert_int_equal(setsockopt(second->fd, SOL_SOCKET, SO_RCVBUF, &(int){65536}, sizeof(int)), 0); /* what it does not read stays there */
    greet(&ps, second, "server", 2, 1, 0);
    worker = come(&ps, "worker", 0, 1, 0);
    be_restored(first);
    be_restored(second);
    take_part(&ps, worker);
    see_view(first);
    see_view(second);
    line_hear(worker, TRI_MSG_TOKEN);
    for (uint32_t i = 0; i < CHUNKS; i++)
        push(&ps, worker, i, 0, TRI_CHUNK_FLOATS);
    line_hear(first, TRI_MSG_SNAPSHOT);
    const tri__message snapshot = *line_hear(second, TRI_MSG_SNAPSHOT);
    line_say(second, (tri__message){.type = TRI_MSG_COPIED, .snapshot = snapshot.snapshot, .step = 1}, NULL, 0);
    line_say_part(second, (tri__message){.type = TRI_MSG_COPY, .chunk = LAST, .snapshot = snapshot.snapshot, .step = 1}, copied,
                  TRI_CHUNK_BYTES, HALF);
    line_hang_up(first);
    first = come(&ps, "server", 1, 2, 0);
    be_restored(first);
    line_say_rest(second, copied, HALF);
    line *stranger = line_call(ps.port); /* when it is turned away, the rest was read */
    line_say_json(stranger, TRI_MSG_HELLO, "{}");
    line_hear(stranger, TRI_MSG_REFUSED);
    while (line_hear(second, TRI_MSG_RESTORE)->chunk != LAST)
        ;
    for (size_t i = 0; i < TRI_CHUNK_FLOATS; i++)
        assert_float_equal(second->floats[i], KEPT, 0);
    end(&ps, worker);
    line_hang_up(stranger);
    line_hang_up(first);
    line_hang_up(second);
}

/* It has a connection, and is stopped: nothing comes on it. */
static void a_silent_evaluator_is_done_without(void **state)
{
    (void)state;
    const tri__ps_mode modes[] = {TRI_PS_SYNC, TRI_PS_ASYNC, TRI_PS_STALENESS};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        coordinator ps;
        tri__ps_settings settings = settings_of(modes[i], 1, 1);
        settings.staleness = 1;
        settings.timeout = INT64_C(2000000000);
        settings.heartbeat = INT64_C(100000000);
        start(&ps, settings, 16, 1, 1);
        line *evaluator = come(&ps, "evaluator", 0, 1, 0), *worker = come(&ps, "worker", 0, 1, 0);
        take_part(&ps, worker);
        line_hear(worker, TRI_MSG_TOKEN);
        push(&ps, worker, 0, 0, 16);
        line_hear(evaluator, TRI_MSG_EVALUATE);
        while (line_hear_next(evaluator)) /* until it is given up; the worker, which has a token, lives meanwhile */
            line_say(worker, (tri__message){.type = TRI_MSG_BEAT}, NULL, 0);
        for (int64_t step = 1; step < 4; step++) { /* and training goes on, past checkpoints that waited for it */
            assert_int_equal(line_hear(worker, TRI_MSG_TOKEN)->step, step);
            push(&ps, worker, 0, step, 16);
        }
        end(&ps, worker);
        line_hang_up(evaluator);
    }
}

enum { MOST_BEATS = 600 }; /* of 100 ms: only a job that stands still for ever has as many */

/* The job has not begun: one of two workers is ready, and ps:0 waits for the other one. */
static void a_server_that_goes_for_good_before_the_job_begins_ends_it(void **state)
{
    (void)state;
    coordinator ps;
    tri__ps_settings settings = settings_of(TRI_PS_SYNC, 2, 2);
    settings.timeout = INT64_C(2000000000);
    settings.heartbeat = INT64_C(100000000);
    start(&ps, settings, 64, 0, 0);
    line *follower = come(&ps, "server", 1, 1, 0), *worker = come(&ps, "worker", 0, 1, 0);
    be_restored(follower);
    take_part(&ps, worker);
    line_hang_up(follower);
    int beats = 0;
    for (; beats < MOST_BEATS && line_hear_next(worker) && worker->heard.type != TRI_MSG_BYE; beats++)
        line_say(worker, (tri__message){.type = TRI_MSG_BEAT}, NULL, 0);
    assert_in_range(beats, 0, MOST_BEATS - 1);
    line_hang_up(worker);
    pthread_join(ps.thread, NULL);
    assert_fails(ps.end, TRI_TIMEOUT, "ps:1 is gone and has not come back within 2 s (--timeout)");
}

/* ---- what ps:0 logs ---- */

static struct {
    pthread_mutex_t lock;
    const char *awaited; /* a part of a line */
    bool seen;           /* such a line was logged */
} logged = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void watch_log(tri__log *log, tri__log_level level, const char *text)
{
    (void)log, (void)level;
    pthread_mutex_lock(&logged.lock);
    logged.seen |= strstr(text, logged.awaited) != NULL;
    pthread_mutex_unlock(&logged.lock);
}

static bool has_logged(void)
{
    pthread_mutex_lock(&logged.lock);
    bool seen = logged.seen;
    pthread_mutex_unlock(&logged.lock);
    return seen;
}

static void await_log(const char *text)
{
    pthread_mutex_lock(&logged.lock);
    logged.awaited = text;
    logged.seen = false;
    pthread_mutex_unlock(&logged.lock);
}

/* Both live, or the first one alone, and send heartbeats; so does ps:0, which the first one hears. */
static void live_until_logged(line *first, line *second)
{
    int beats = 0;
    for (; beats < MOST_BEATS && !has_logged(); beats++) {
        line_say(first, (tri__message){.type = TRI_MSG_BEAT}, NULL, 0);
        if (second)
            line_say(second, (tri__message){.type = TRI_MSG_BEAT}, NULL, 0);
        assert_true(line_hear_next(first));
    }
    assert_in_range(beats, 0, MOST_BEATS - 1);
}

/* The first one waits for the second one's part of a sync step, or at the bound of staleness. Each pushes for its token; where a token is
 * held back, its step begins later. */
static void a_worker_that_lives_and_keeps_others_waiting_is_named_and_stays(void **state)
{
    (void)state;
    static tri__log log = {.write = watch_log, .least = TRI_LOG_INFO};
    const tri__ps_mode modes[] = {TRI_PS_SYNC, TRI_PS_STALENESS};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        coordinator ps;
        tri__ps_settings settings = settings_of(modes[i], 2, 1);
        settings.staleness = 1;
        settings.timeout = INT64_C(2000000000);
        settings.heartbeat = INT64_C(100000000);
        prepare(&ps, settings, 16, 0, 0);
        ps.options.log = &log;
        await_log("has waited for worker:1 for 2 s: it lives");
        assert_int_equal(pthread_create(&ps.thread, NULL, serve, &ps), 0);
        line *first, *second;
        begin_with_two(&ps, &first, &second);
        const int64_t late = line_hear(second, TRI_MSG_TOKEN)->step;
        for (int step = 0; step < (modes[i] == TRI_PS_SYNC ? 1 : 2); step++)
            push(&ps, first, 0, line_hear(first, TRI_MSG_TOKEN)->step, 16);
        live_until_logged(first, second);
        push(&ps, second, 0, late, 16);
        line_hear(second, TRI_MSG_TOKEN);
        line_hear(first, TRI_MSG_TOKEN);
        line_say_json(first, TRI_MSG_BYE, "{\"reason\": \"enough\", \"damaged\": true}");
        end(&ps, second);
        line_hang_up(first);
    }
}

/* The second one is silent. Within the bound of staleness the first one goes on; at the bound it waits. */
static void a_silent_worker_is_waited_for_at_the_bound_of_staleness(void **state)
{
    (void)state;
    static tri__log log = {.write = watch_log, .least = TRI_LOG_INFO};
    static const char *const words[] = {"step 1 goes on without worker:1, silent", "step 2 waits for worker:1, silent"};
    for (int steps = 1; steps <= 2; steps++) {
        coordinator ps;
        tri__ps_settings settings = settings_of(TRI_PS_STALENESS, 2, 1);
        settings.staleness = 1;
        settings.heartbeat = INT64_C(100000000);
        prepare(&ps, settings, 16, 0, 0);
        ps.options.log = &log;
        await_log(words[steps - 1]);
        assert_int_equal(pthread_create(&ps.thread, NULL, serve, &ps), 0);
        line *first, *second;
        begin_with_two(&ps, &first, &second);
        line_hear(second, TRI_MSG_TOKEN);
        for (int step = 0; step < steps; step++)
            push(&ps, first, 0, line_hear(first, TRI_MSG_TOKEN)->step, 16);
        live_until_logged(first, NULL);
        line_say_json(second, TRI_MSG_BYE, "{\"reason\": \"enough\", \"damaged\": true}");
        end(&ps, first);
        line_hang_up(second);
    }
}

/* A token is the right to make one step. */
static void a_gradient_without_a_token_is_not_applied(void **state)
{
    (void)state;
    const tri__ps_mode modes[] = {TRI_PS_ASYNC, TRI_PS_STALENESS};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        coordinator ps;
        start(&ps, settings_of(modes[i], 2, 1), 16, 0, 0);
        line *first, *second;
        begin_with_two(&ps, &first, &second);
        const int64_t held = line_hear(second, TRI_MSG_TOKEN)->step;
        int64_t step = line_hear(first, TRI_MSG_TOKEN)->step;
        push(&ps, second, 0, held + 7, 16);
        json_t *refused = line_hear_json(second, TRI_MSG_REFUSED);
        assert_non_null(strstr(json_string_value(json_object_get(refused, "reason")), "for which it has no token"));
        json_decref(refused);
        line_say(first, (tri__message){.type = TRI_MSG_PULL}, NULL, 0);
        line_hear(first, TRI_MSG_CHUNK);
        assert_float_equal(first->floats[0], KEPT, 0);
        line_hear_end(second);
        line_hang_up(second);
        for (int64_t serial = 0; step != held; serial++) { /* until the other one has its token: it has left */
            push_serial(&ps, first, 0, step, serial, 16);
            step = line_hear(first, TRI_MSG_TOKEN)->step;
        }
        end(&ps, first);
    }
}

/* It cannot undo the steps that it has made since: no copy would ever come. */
static void a_server_that_is_past_the_step_of_a_snapshot_is_restored(void **state)
{
    (void)state;
    coordinator ps;
    start(&ps, settings_of(TRI_PS_SYNC, 1, 2), 64, 1, 0);
    line *follower = come(&ps, "server", 1, 1, 0), *worker = come(&ps, "worker", 0, 1, 0);
    be_restored(follower);
    take_part(&ps, worker);
    see_view(follower);
    line_hear(worker, TRI_MSG_TOKEN);
    push(&ps, worker, 0, 0, 32);
    tri__message copied = *line_hear(follower, TRI_MSG_SNAPSHOT);
    copied = (tri__message){.type = TRI_MSG_COPIED, .snapshot = copied.snapshot, .step = copied.step, .updates = -1};
    line_say(follower, copied, NULL, 0);
    line_hear_end(follower);
    line_hang_up(follower);
    follower = come(&ps, "server", 1, 1, ps.generation);
    const uint32_t generation = be_restored(follower);
    assert_int_equal(line_hear(worker, TRI_MSG_RESTORED)->generation, generation);
    end(&ps, worker);
    line_hang_up(follower);
}

/* ps:0 has all of the worker's step, ps:1 has not, and cannot copy its stretch for the checkpoint before the next one. */
static void a_worker_that_stops_before_every_server_has_its_part_is_given_up(void **state)
{
    (void)state;
    coordinator ps;
    tri__ps_settings settings = settings_of(TRI_PS_SYNC, 1, 2);
    settings.timeout = INT64_C(2000000000);
    settings.heartbeat = INT64_C(100000000);
    start(&ps, settings, 64, 1, 0);
    line *follower = come(&ps, "server", 1, 1, 0), *worker = come(&ps, "worker", 0, 1, 0);
    be_restored(follower);
    take_part(&ps, worker);
    see_view(follower);
    line_hear(worker, TRI_MSG_TOKEN);
    push(&ps, worker, 0, 0, 32);
    line_hear(follower, TRI_MSG_SNAPSHOT);
    do {
        line_say(follower, (tri__message){.type = TRI_MSG_BEAT}, NULL, 0);
        assert_true(line_hear_next(follower));
    } while (follower->heard.type != TRI_MSG_LEFT);
    assert_int_equal(follower->heard.chunk, 0);
    assert_int_equal(follower->heard.step, 0);
    line_hang_up(follower);
    line_hang_up(worker);
    pthread_join(ps.thread, NULL);
    assert_fails(ps.end, TRI_TIMEOUT, "--timeout");
}

/* ps:0 has the gradients of two of three workers. One of them stops before ps:1 has its part, which the other two wait for. It is late, not
 * gone: the job would wait a minute before giving it up. */
static void a_backup_stands_in_for_a_worker_that_stops_before_every_server_has_its_part(void **state)
{
    (void)state;
    coordinator ps;
    tri__ps_settings settings = settings_of(TRI_PS_SYNC, 3, 2);
    settings.backup = 1;
    settings.heartbeat = INT64_C(100000000);
    start(&ps, settings, 64, 0, 0);
    line *follower = come(&ps, "server", 1, 1, 0), *worker[3];
    for (int i = 0; i < 3; i++)
        worker[i] = come(&ps, "worker", i, 1, 0);
    be_restored(follower);
    for (int i = 0; i < 3; i++)
        take_part(&ps, worker[i]);
    see_view(follower);
    for (int i = 0; i < 3; i++)
        line_hear(worker[i], TRI_MSG_TOKEN);
    push(&ps, worker[0], 0, 0, 32);
    push(&ps, worker[1], 0, 0, 32);
    do { /* all live but one */
        line *const alive[] = {follower, worker[0], worker[2]};
        for (int i = 0; i < 3; i++)
            line_say(alive[i], (tri__message){.type = TRI_MSG_BEAT}, NULL, 0);
        assert_true(line_hear_next(follower));
    } while (follower->heard.type != TRI_MSG_LEFT);
    assert_int_equal(follower->heard.chunk, 1);
    assert_int_equal(follower->heard.step, 0);
    assert_int_equal(line_hear(worker[1], TRI_MSG_TOKEN)->step, 1); /* it takes part in the next step, should it come back */
    line_say_json(worker[0], TRI_MSG_BYE, "{\"reason\": \"enough\", \"damaged\": true}");
    end(&ps, worker[2]);
    line_hang_up(worker[0]);
    line_hang_up(worker[1]);
    line_hang_up(follower);
}

/* Where ps:0 is lost after this, nobody has to take its place; where it is lost before, all are still there. */
static void the_owner_has_the_result_before_anybody_hears_that_the_job_is_over(void **state)
{
    (void)state;
    const tri__ps_mode modes[] = {TRI_PS_SYNC, TRI_PS_ASYNC};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        coordinator ps;
        prepare(&ps, settings_of(modes[i], 1, 1), 16, 0, 0);
        ps.job.work.last_step = 1;
        assert_int_equal(pthread_create(&ps.thread, NULL, serve, &ps), 0);
        line *nobody = come(&ps, "evaluator", 0, 1, 0), *worker = come(&ps, "worker", 0, 1, 0);
        take_part(&ps, worker);
        line_hear(worker, TRI_MSG_TOKEN);
        push(&ps, worker, 0, 0, 16);
        line_hear(worker, TRI_MSG_STOP);
        line_say_json(worker, TRI_MSG_REPORT, "{\"final\": true}");
        line_hear(nobody, TRI_MSG_EVALUATE);
        assert_int_equal(__atomic_load_n(&ps.concluded, __ATOMIC_ACQUIRE), 0);
        line_say_json(nobody, TRI_MSG_EVALUATED, "{\"step\": 1, \"loss\": 1.0}");
        line_hear(worker, TRI_MSG_BYE);
        assert_int_equal(__atomic_load_n(&ps.concluded, __ATOMIC_ACQUIRE), 1);
        line_hear(nobody, TRI_MSG_BYE);
        line_hang_up(worker);
        line_hang_up(nobody);
        pthread_join(ps.thread, NULL);
        assert_ok(ps.end);
    }
}

/* The end of the connection of the one before it may be read after its hello, as by a ps:0 that was stopped. */
static void an_evaluator_or_server_that_was_replaced_may_be_seen_to_go_after_its_successor_came(void **state)
{
    (void)state;
    coordinator ps;
    tri__ps_settings settings = settings_of(TRI_PS_SYNC, 1, 2);
    settings.heartbeat = INT64_C(4000000000);
    start(&ps, settings, 64, 0, 0);
    line *worker = come(&ps, "worker", 0, 1, 0);
    const char *const roles[] = {"evaluator", "server"};
    line *successor[2];
    for (int task = 0; task < 2; task++) {
        line *before = come(&ps, roles[task], task, 1, 0);
        line_hear(before, TRI_MSG_WELCOME);
        successor[task] = come(&ps, roles[task], task, 2, 0);
        line *stranger = line_call(ps.port); /* when it is turned away, the hello was read */
        line_say_json(stranger, TRI_MSG_HELLO, "{}");
        line_hear(stranger, TRI_MSG_REFUSED);
        line_hang_up(stranger);
        line_hang_up(before);
        line_hear(successor[task], TRI_MSG_WELCOME);
    }
    be_restored(successor[1]);
    take_part(&ps, worker);
    see_view(successor[1]);
    line_hear(worker, TRI_MSG_TOKEN);
    line_hang_up(successor[0]);
    line_hang_up(successor[1]);
    end(&ps, worker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_whose_word_that_it_is_restored_was_lost_is_believed_when_it_is_back),
        cmocka_unit_test(a_server_with_other_settings_is_refused_in_words),
        cmocka_unit_test(a_worker_with_other_settings_is_refused_in_words),
        cmocka_unit_test(training_goes_on_while_the_disk_hangs_and_the_next_checkpoint_is_written),
        cmocka_unit_test(a_job_whose_disk_hangs_ends_when_it_is_asked_to),
        cmocka_unit_test(a_worker_that_is_replaced_within_a_step_takes_part_in_the_next),
        cmocka_unit_test(a_silent_evaluator_is_done_without),
        cmocka_unit_test(a_server_that_goes_for_good_before_the_job_begins_ends_it),
        cmocka_unit_test(a_gradient_without_a_token_is_not_applied),
        cmocka_unit_test(a_server_that_is_past_the_step_of_a_snapshot_is_restored),
        cmocka_unit_test(a_worker_that_lives_and_keeps_others_waiting_is_named_and_stays),
        cmocka_unit_test(a_silent_worker_is_waited_for_at_the_bound_of_staleness),
        cmocka_unit_test(a_worker_that_stops_before_every_server_has_its_part_is_given_up),
        cmocka_unit_test(a_backup_stands_in_for_a_worker_that_stops_before_every_server_has_its_part),
        cmocka_unit_test(the_owner_has_the_result_before_anybody_hears_that_the_job_is_over),
        cmocka_unit_test(an_evaluator_or_server_that_was_replaced_may_be_seen_to_go_after_its_successor_came),
        cmocka_unit_test(a_worker_whose_gradient_is_no_number_is_out_and_the_others_go_on),
        cmocka_unit_test(a_copy_that_is_under_way_does_not_change_what_servers_go_back_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
