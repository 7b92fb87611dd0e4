/* worker_test.c: a worker's store and what servers say to it. A thread plays ps:0: what it has to say at once, and what after each READY
 * or push. */
#include "store/ps/worker/worker.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/connection/inbox.h"
#include "store/ps/line.h"
#include "support.h"

enum { FLOATS = 16, MOST = 4096, PAUSES = 4 };

typedef struct {
    pthread_t thread;
    tri__address address;
    int fd; /* which listens */
    uint8_t words[MOST];
    size_t size;
    struct {
        size_t said;            /* so many bytes of `words` are said … */
        tri__message_type type; /* … before a message of this type has come */
    } pause[PAUSES];
    int pauses;
} server;

static void say(server *ps, tri__message message, const void *body, size_t size)
{
    message.size = (uint32_t)size;
    tri__frame frame = tri__message_encode(&message);
    assert_true(ps->size + TRI_HEAD_SIZE + size <= MOST);
    tri__head_write(&frame, ps->words + ps->size);
    if (size)
        memcpy(ps->words + ps->size + TRI_HEAD_SIZE, body, size);
    ps->size += TRI_HEAD_SIZE + size;
}

static void say_welcome(server *ps, const char *text)
{
    say(ps, (tri__message){.type = TRI_MSG_WELCOME}, text, strlen(text));
}

/* All parameters, which have the same value. */
static void say_chunk(server *ps, uint32_t generation, int64_t step, float value)
{
    float floats[FLOATS];
    for (int i = 0; i < FLOATS; i++)
        floats[i] = value;
    say(ps, (tri__message){.type = TRI_MSG_CHUNK, .generation = generation, .step = step}, floats, sizeof floats);
}

static void say_token(server *ps, uint32_t generation, int64_t step)
{
    say(ps, (tri__message){.type = TRI_MSG_TOKEN, .generation = generation, .step = step, .workers = 1}, NULL, 0);
}

static void await(server *ps, tri__message_type type)
{
    assert_true(ps->pauses < PAUSES);
    ps->pause[ps->pauses].said = ps->size;
    ps->pause[ps->pauses++].type = type;
}

/* Read frames until one of that type is among them; false at the end. */
static bool hear(int fd, tri__message_type type)
{
    uint8_t head[TRI_HEAD_SIZE], body[MOST];
    tri__frame frame = {0};
    while (frame.type != type) {
        if (recv(fd, head, sizeof head, MSG_WAITALL) != sizeof head)
            return false;
        tri__head_read(head, &frame);
        if (frame.size > sizeof body || (frame.size && recv(fd, body, frame.size, MSG_WAITALL) != (ssize_t)frame.size))
            return false;
    }
    return true;
}

/* One connection; it goes when the worker does. */
static void *play(void *context)
{
    server *ps = context;
    int fd = accept(ps->fd, NULL, NULL);
    bool goes_on = fd >= 0;
    for (size_t said = 0, i = 0; goes_on; i++) {
        const bool pauses = (int)i < ps->pauses;
        size_t until = pauses ? ps->pause[i].said : ps->size;
        if (said < until && send(fd, ps->words + said, until - said, MSG_NOSIGNAL) < 0)
            break;
        said = until;
        goes_on = hear(fd, pauses ? ps->pause[i].type : TRI_MSG_TYPES);
    }
    close(fd);
    return NULL;
}

static void start(server *ps)
{
    static char host[] = "127.0.0.1";
    ps->address = (tri__address){host, 0};
    assert_ok(tri__address_listen(&ps->address, &ps->fd, &ps->address.port));
    assert_int_equal(fcntl(ps->fd, F_SETFL, 0), 0); /* accept waits */
    assert_int_equal(pthread_create(&ps->thread, NULL, play, ps), 0);
}

static tri_status open_store(const server *at, json_t *hello, tri_store **out)
{
    const tri__ps_store_options options = {
        .servers = &at->address,
        .settings = {.mode = TRI_PS_SYNC, .workers = 1, .servers = 1, .timeout = INT64_C(60000000000), .heartbeat = INT64_C(1000000000)},
        .floats = FLOATS,
        .hello = hello,
    };
    return tri__ps_store_create(&options, out);
}

static void end(server *ps, tri_store *store, json_t *hello)
{
    tri_store_destroy(store);
    json_decref(hello);
    pthread_join(ps->thread, NULL);
    close(ps->fd);
}

static void an_answer_from_before_going_back_is_not_taken(void **state)
{
    (void)state;
    server ps = {0};
    json_t *hello = json_object();
    tri_store *store;
    tri__token token;
    bool stop;
    say_welcome(&ps, "{\"floats\": 16, \"generation\": 1}");
    say_chunk(&ps, 1, 0, 1);
    say(&ps, (tri__message){.type = TRI_MSG_RESTORED, .generation = 2}, NULL, 0);
    say_chunk(&ps, 1, 0, 7); /* it was on its way */
    say_chunk(&ps, 2, 0, 3);
    await(&ps, TRI_MSG_READY);
    say_token(&ps, 2, 0);
    start(&ps);
    assert_ok(open_store(&ps, hello, &store));
    tri__ps_store_ready(store, 1);
    assert_ok(tri__ps_store_token(store, &token, &stop));
    assert_false(stop);
    assert_ok(tri_store_flush(store));
    assert_float_equal(tri_store_parameters(store)[0], 3, 0);
    end(&ps, store, hello);
}

/* As after a connection broke: the answer that was under way, and one to the push that was repeated. */
static void an_answer_that_comes_twice_is_not_taken_for_the_next(void **state)
{
    (void)state;
    server ps = {0};
    json_t *hello = json_object();
    tri_store *store;
    const tri_range all = {0, FLOATS};
    say_welcome(&ps, "{\"floats\": 16, \"generation\": 1}");
    say_chunk(&ps, 1, 0, 0);
    await(&ps, TRI_MSG_READY);
    say_token(&ps, 1, 0);
    await(&ps, TRI_MSG_PUSH);
    say_chunk(&ps, 1, 1, 1);
    say_token(&ps, 1, 1);
    await(&ps, TRI_MSG_PUSH);
    say_chunk(&ps, 1, 1, 1);
    say_chunk(&ps, 1, 2, 2);
    start(&ps);
    assert_ok(open_store(&ps, hello, &store));
    tri__ps_store_ready(store, 1);
    for (int64_t step = 0; step < 2; step++) {
        tri__token token;
        bool stop;
        assert_ok(tri__ps_store_token(store, &token, &stop));
        assert_int_equal(token.step, step);
        assert_ok(tri_store_begin(store, &(tri_step){.step = step, .rate = 0.1F}));
        assert_ok(tri_store_await(store, all));
        assert_float_equal(tri_store_parameters(store)[0], (float)step, 0);
        assert_ok(tri_store_offer(store, all, 1));
    }
    assert_ok(tri_store_flush(store));
    assert_float_equal(tri_store_parameters(store)[0], 2, 0);
    end(&ps, store, hello);
}

static void a_server_of_another_model_is_named(void **state)
{
    (void)state;
    server ps = {0};
    json_t *hello = json_object();
    tri_store *store;
    say_welcome(&ps, "{\"floats\": 17, \"generation\": 1}");
    start(&ps);
    assert_fails(open_store(&ps, hello, &store), TRI_BAD_CALL, "ps:0 keeps 17 parameters, this worker's model has 16");
    end(&ps, NULL, hello);
}

/* ---- the test is ps:0; a large model's store has a thread of its own ---- */

enum { CHUNKS = 16, LARGE = CHUNKS * TRI_CHUNK_FLOATS };

typedef struct {
    tri__ps_store_options options;
    tri__address address;
    json_t *hello;
    tri_store *store;
    tri_status opened;
    int fd; /* which listens */
    line *ps;
} played_job;

static void *open_large(void *context)
{
    played_job *job = context;
    job->opened = tri__ps_store_create(&job->options, &job->store);
    return NULL;
}

static void give_parameters(played_job *job, uint32_t generation, int64_t step)
{
    size_t floats = job->options.floats, each = floats < TRI_CHUNK_FLOATS ? floats : TRI_CHUNK_FLOATS;
    for (uint32_t i = 0; i < floats / each; i++)
        line_say_floats(job->ps, (tri__message){.type = TRI_MSG_CHUNK, .chunk = i, .generation = generation, .step = step}, 1, each);
}

static void give_token(played_job *job, uint32_t generation, int64_t step)
{
    line_say(job->ps, (tri__message){.type = TRI_MSG_TOKEN, .generation = generation, .step = step, .workers = 1}, NULL, 0);
}

/* The worker has all parameters, and has not said that it is ready. The model has one table, of so many rows of one number each; 0: it has
 * none. */
static void meet_job(played_job *job, tri__ps_mode mode, size_t floats, int64_t rows)
{
    static char host[] = "127.0.0.1";
    pthread_t opener;
    *job = (played_job){.address = {host, 0}, .hello = json_object()};
    job->fd = line_listen(&job->address.port);
    job->options = (tri__ps_store_options){
        .servers = &job->address,
        .settings = {.mode = mode, .workers = 1, .servers = 1, .timeout = INT64_C(60000000000), .heartbeat = INT64_C(50000000)},
        .floats = floats,
        .tables = {.count = rows > 0, .table = {{.rows = rows, .width = 1}}},
        .hello = job->hello,
    };
    char table[32] = "";
    if (rows)
        snprintf(table, sizeof table, "[%lld, 1, 0, 0, 0, 0, 0]", (long long)rows);
    assert_int_equal(pthread_create(&opener, NULL, open_large, job), 0);
    job->ps = line_answer(job->fd);
    line_hear(job->ps, TRI_MSG_HELLO);
    line_say_json(job->ps, TRI_MSG_WELCOME, "{\"floats\": %zu, \"tables\": [%s], \"generation\": 1}", floats, table);
    give_parameters(job, 1, 7);
    pthread_join(opener, NULL);
    assert_ok(job->opened);
}

static void take_part(played_job *job)
{
    tri__ps_store_ready(job->store, 1);
    line_hear(job->ps, TRI_MSG_READY);
}

static void open_job_in(played_job *job, tri__ps_mode mode, size_t floats, int64_t rows)
{
    meet_job(job, mode, floats, rows);
    take_part(job);
}

static void open_job(played_job *job, size_t floats)
{
    open_job_in(job, TRI_PS_SYNC, floats, 0);
}

static void begin_large(played_job *job)
{
    open_job(job, LARGE);
    assert_true(tri__ps_store_has_thread(job->store));
}

static void *leave_beside(void *context)
{
    const played_job *job = context;
    tri__ps_store_leave(job->store, json_pack("{s:b}", "final", true), NULL);
    return NULL;
}

static void end_job(played_job *job)
{
    tri_store_destroy(job->store);
    line_hang_up(job->ps);
    close(job->fd);
    json_decref(job->hello);
}

/* All go back to step; when this returns, the worker has what it begins from again. */
static void go_back(played_job *job, uint32_t generation, int64_t step)
{
    line_say(job->ps, (tri__message){.type = TRI_MSG_RESTORED, .generation = generation, .step = step}, NULL, 0);
    give_parameters(job, generation, step);
    assert_int_equal(line_hear(job->ps, TRI_MSG_READY)->generation, generation);
}

static int64_t take_token(played_job *job)
{
    tri__token token;
    bool stop;
    assert_ok(tri__ps_store_token(job->store, &token, &stop));
    assert_false(stop);
    return token.step;
}

static void begin_step(played_job *job, int64_t step)
{
    assert_ok(tri_store_begin(job->store, &(tri_step){.step = step, .rate = 0.1F}));
}

static void end_step(played_job *job)
{
    const tri_range all = {0, LARGE};
    assert_ok(tri_store_await(job->store, all));
    assert_ok(tri_store_offer(job->store, all, 1));
}

static void hear_pushes(played_job *job, uint32_t generation, int64_t step)
{
    for (int i = 0; i < CHUNKS; i++) {
        const tri__message *push = line_hear(job->ps, TRI_MSG_PUSH);
        assert_int_equal(push->generation, generation);
        assert_int_equal(push->step, step);
    }
}

/* The token was taken, the batch is being read, and the step has not begun. */
static void a_step_whose_token_is_from_before_going_back_is_void(void **state)
{
    (void)state;
    played_job job;
    begin_large(&job);
    give_token(&job, 1, 9);
    assert_int_equal(take_token(&job), 9);
    go_back(&job, 3, 7);
    begin_step(&job, 9);
    end_step(&job);
    assert_true(tri__ps_store_voided(job.store));
    give_token(&job, 3, 7);
    assert_int_equal(take_token(&job), 7);
    begin_step(&job, 7);
    end_step(&job);
    assert_false(tri__ps_store_voided(job.store));
    hear_pushes(&job, 3, 7); /* and nothing of the void step before it */
    end_job(&job);
}

static void *end_step_beside(void *context)
{
    end_step(context);
    return NULL;
}

/* A step that began before its token came waits for it when all go back. The token of the step that is made again looks the same. */
static void a_void_step_does_not_use_up_the_token_of_the_next(void **state)
{
    (void)state;
    played_job job;
    pthread_t thread;
    begin_large(&job);
    assert_true(tri__ps_store_expect(job.store, &(tri__token){.step = 7, .workers = 1}));
    begin_step(&job, 7);
    assert_int_equal(pthread_create(&thread, NULL, end_step_beside, &job), 0);
    for (int i = 0; i < 3; i++)
        line_hear(job.ps, TRI_MSG_BEAT); /* time for it to wait */
    go_back(&job, 3, 7);
    give_token(&job, 3, 7);
    pthread_join(thread, NULL);
    assert_true(tri__ps_store_voided(job.store));
    assert_int_equal(take_token(&job), 7);
    begin_step(&job, 7);
    end_step(&job);
    hear_pushes(&job, 3, 7);
    end_job(&job);
}

/* Its store has no thread that sends and receives. It has a token, and computes: nothing is asked of the store meanwhile. */
static void a_worker_of_a_small_model_tells_that_it_lives_while_it_computes(void **state)
{
    (void)state;
    played_job job;
    open_job(&job, FLOATS);
    assert_false(tri__ps_store_has_thread(job.store));
    give_token(&job, 1, 7);
    assert_int_equal(take_token(&job), 7);
    for (int i = 0; i < 5; i++)
        line_hear(job.ps, TRI_MSG_BEAT);
    end_job(&job);
}

/* ps:0 is lost after it was told all, and another one asks again. */
static void a_worker_that_has_done_its_work_stays_until_the_job_is_over(void **state)
{
    (void)state;
    played_job job;
    pthread_t thread;
    open_job(&job, FLOATS);
    line_say(job.ps, (tri__message){.type = TRI_MSG_STOP, .step = 7}, NULL, 0);
    assert_int_equal(pthread_create(&thread, NULL, leave_beside, &job), 0);
    line_hear(job.ps, TRI_MSG_REPORT);
    line_hang_up(job.ps);
    job.ps = line_answer(job.fd);
    json_t *hello = line_hear_json(job.ps, TRI_MSG_HELLO);
    assert_true(json_is_true(json_object_get(hello, "stopped")));
    json_decref(hello);
    line_say_json(job.ps, TRI_MSG_WELCOME, "{\"floats\": %d, \"generation\": 5}", FLOATS);
    give_parameters(&job, 5, 7);
    line_hear(job.ps, TRI_MSG_READY);
    line_say(job.ps, (tri__message){.type = TRI_MSG_STOP, .step = 7}, NULL, 0);
    line_hear(job.ps, TRI_MSG_REPORT);
    line_say_json(job.ps, TRI_MSG_BYE, "{}");
    pthread_join(thread, NULL);
    end_job(&job);
}

/* In async only a server goes back, and its workers hear nothing of it. */
static void a_worker_goes_back_only_in_sync_and_to_another_generation(void **state)
{
    (void)state;
    const tri__ps_mode modes[] = {TRI_PS_ASYNC, TRI_PS_SYNC};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        played_job job;
        tri__token token;
        bool stop;
        open_job_in(&job, modes[i], FLOATS, 0);
        line_say(job.ps, (tri__message){.type = TRI_MSG_RESTORED, .generation = modes[i] == TRI_PS_SYNC ? 1 : 2}, NULL, 0);
        assert_fails(tri__ps_store_token(job.store, &token, &stop), TRI_BAD_DATA, "a restored where nothing went back");
        end_job(&job);
    }
}

/* A worker that is new, and one that has gone back and pulls its parameters again. */
static void a_token_before_ready_is_refused(void **state)
{
    (void)state;
    for (int again = 0; again < 2; again++) {
        played_job job;
        tri__token token;
        bool stop;
        const uint32_t generation = again ? 2 : 1;
        meet_job(&job, TRI_PS_SYNC, FLOATS, 0);
        if (again)
            take_part(&job);
        if (again)
            line_say(job.ps, (tri__message){.type = TRI_MSG_RESTORED, .generation = generation}, NULL, 0);
        give_token(&job, generation, 7);
        assert_fails(tri__ps_store_token(job.store, &token, &stop), TRI_BAD_DATA,
                     "a token for a worker that has not said that it is ready");
        end_job(&job);
    }
}

/* ---- bounded staleness ---- */

static void give_rows(played_job *job, uint32_t number, float value)
{
    line_say_floats(job->ps, (tri__message){.type = TRI_MSG_ROWS, .chunk = 1, .generation = 1, .number = number}, value, 1);
}

/* Makes step 7. Its parameters are 1, and so is all that it is answered, with the row of the next step. */
static void make_first_step(played_job *job, const int32_t *key)
{
    const tri_range all = {0, FLOATS};
    float row;
    give_token(job, 1, 7);
    assert_int_equal(take_token(job), 7);
    begin_step(job, 7);
    assert_ok(tri_store_expect(job->store, 0, TRI_NOW, key, 1));
    give_rows(job, line_hear(job->ps, TRI_MSG_PULL_ROWS)->number, 1);
    assert_ok(tri_store_await(job->store, all));
    assert_ok(tri_store_await_rows(job->store, 0, &row));
    assert_ok(tri_store_expect(job->store, 0, TRI_NEXT, key, 1));
    uint32_t next = line_hear(job->ps, TRI_MSG_PULL_ROWS)->number;
    assert_ok(tri_store_offer(job->store, all, 1));
    assert_ok(tri_store_offer_rows(job->store, 0, &row, 1));
    line_hear(job->ps, TRI_MSG_PUSH_ROWS);
    give_parameters(job, 1, 8);
    line_say(job->ps, (tri__message){.type = TRI_MSG_CHUNK, .chunk = 1, .generation = 1, .step = 8}, NULL, 0);
    give_rows(job, next, 1);
    assert_ok(tri_store_flush(job->store));
}

/* It waited for others, and what they did meanwhile is not in the answers to its last push. */
static void a_worker_that_waited_at_the_bound_reads_what_the_others_did_meanwhile(void **state)
{
    (void)state;
    const int32_t key = 2;
    played_job job;
    float row = 0;
    open_job_in(&job, TRI_PS_STALENESS, FLOATS, 4);
    make_first_step(&job, &key);
    line_say(job.ps, (tri__message){.type = TRI_MSG_TOKEN, .fresh = 1, .generation = 1, .step = 9, .workers = 1}, NULL, 0);
    assert_int_equal(take_token(&job), 9);
    assert_int_equal(line_hear(job.ps, TRI_MSG_PULL)->chunk, 0);
    const uint32_t number = line_hear(job.ps, TRI_MSG_PULL_ROWS)->number;
    line_say_floats(job.ps, (tri__message){.type = TRI_MSG_CHUNK, .generation = 1, .step = 9}, 5, FLOATS);
    give_rows(&job, number, 5);
    begin_step(&job, 9);
    assert_ok(tri_store_await(job.store, (tri_range){0, FLOATS}));
    assert_ok(tri_store_await_rows(job.store, 0, &row));
    for (int i = 0; i < FLOATS; i++)
        assert_float_equal(tri_store_parameters(job.store)[i], 5, 0);
    assert_float_equal(row, 5, 0);
    end_job(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_from_before_going_back_is_not_taken),
        cmocka_unit_test(an_answer_that_comes_twice_is_not_taken_for_the_next),
        cmocka_unit_test(a_server_of_another_model_is_named),
        cmocka_unit_test(a_step_whose_token_is_from_before_going_back_is_void),
        cmocka_unit_test(a_void_step_does_not_use_up_the_token_of_the_next),
        cmocka_unit_test(a_worker_of_a_small_model_tells_that_it_lives_while_it_computes),
        cmocka_unit_test(a_worker_that_has_done_its_work_stays_until_the_job_is_over),
        cmocka_unit_test(a_worker_goes_back_only_in_sync_and_to_another_generation),
        cmocka_unit_test(a_token_before_ready_is_refused),
        cmocka_unit_test(a_worker_that_waited_at_the_bound_reads_what_the_others_did_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
