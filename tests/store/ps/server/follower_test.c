/* follower_test.c: ps:1 in a thread of its own, and a test that plays ps:0 and the workers: what is pushed and pulled while all go back. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/ps/line.h"
#include "store/ps/protocol/keyed.h"
#include "store/ps/server/follower.h"
#include "store/ps/server/role.h"
#include "store/ps/server/server.h"
#include "support.h"

enum { CHUNKS = 4, FLOATS = 2 * CHUNKS * TRI_CHUNK_FLOATS, FIRST = CHUNKS }; /* of two servers; ps:1 has the latter half */

typedef struct {
    tri__server_options options;
    tri__address servers[2];
    uint16_t port;
    int fd; /* where ps:0 listens */
    pthread_t thread;
    line *coordinator;
    tri_status end;
} follower;

static const volatile sig_atomic_t never;

static void *serve(void *context)
{
    follower *ps = context;
    ps->end = tri__server_run(&ps->options, NULL);
    return NULL;
}

/* The share of what may be held is so small that a worker is not read from when two of its chunks are. */
static void start_server(follower *ps, tri__ps_mode mode)
{
    static char host[] = "127.0.0.1";
    uint16_t port;
    int fd = line_listen(&port);
    *ps = (follower){.servers = {{host, port}}};
    ps->options = (tri__server_options){
        .index = 1,
        .settings = {.mode = mode, .workers = 1000, .servers = 2, .timeout = INT64_C(60000000000), .heartbeat = INT64_C(1000000000)},
        .listen_fd = line_listen(&ps->port),
        .servers = ps->servers,
        .coordinator = &ps->servers[0],
        .stop = &never,
    };
    assert_int_equal(pthread_create(&ps->thread, NULL, serve, ps), 0);
    ps->fd = fd;
    ps->coordinator = line_answer(fd);
    line_hear(ps->coordinator, TRI_MSG_HELLO);
}

static void start_mode(follower *ps, tri__ps_mode mode, float clip)
{
    start_server(ps, mode);
    line_say_json(ps->coordinator, TRI_MSG_WELCOME, "{\"floats\": %d, \"rule\": {\"kind\": \"sgd\", \"clip\": %g}}", FLOATS, (double)clip);
}

static void start(follower *ps, float clip)
{
    start_mode(ps, TRI_PS_SYNC, clip);
}

static void end(follower *ps)
{
    line_say_json(ps->coordinator, TRI_MSG_BYE, "{}");
    pthread_join(ps->thread, NULL);
    assert_ok(ps->end);
    line_hang_up(ps->coordinator);
    close(ps->fd);
}

/* ps:0 was lost, and another one is in its place: what ps:1 says of itself. */
static json_t *replace_coordinator(follower *ps)
{
    line_hang_up(ps->coordinator);
    ps->coordinator = line_answer(ps->fd);
    return line_hear_json(ps->coordinator, TRI_MSG_HELLO);
}

static void welcome_again(follower *ps)
{
    line_say_json(ps->coordinator, TRI_MSG_WELCOME, "{\"floats\": %d, \"rule\": {\"kind\": \"sgd\", \"clip\": 0}}", FLOATS);
}

static void restore_chunk(follower *ps, uint32_t generation, uint32_t chunk, float value)
{
    line_say_floats(ps->coordinator, (tri__message){.type = TRI_MSG_RESTORE, .chunk = chunk, .generation = generation}, value,
                    TRI_CHUNK_FLOATS);
}

static void end_restoring(follower *ps, uint32_t generation)
{
    line_say(ps->coordinator, (tri__message){.type = TRI_MSG_RESTORED, .generation = generation}, NULL, 0);
    assert_int_equal(line_hear(ps->coordinator, TRI_MSG_RESTORED)->generation, generation);
}

static void restore(follower *ps, uint32_t generation, float value)
{
    for (uint32_t i = 0; i < CHUNKS; i++)
        restore_chunk(ps, generation, FIRST + i, value);
    end_restoring(ps, generation);
}

static void announce_view(follower *ps, int view, const char *tasks)
{
    line_say_json(ps->coordinator, TRI_MSG_VIEW, "{\"view\": %d, \"step\": 0, \"tasks\": [%s]}", view, tasks);
    assert_int_equal(line_hear(ps->coordinator, TRI_MSG_SEEN)->view, view);
}

static line *come(const follower *ps, int task, int incarnation)
{
    line *worker = line_call(ps->port);
    line_say_json(worker, TRI_MSG_HELLO, "{\"protocol\": %d, \"role\": \"worker\", \"task\": %d, \"incarnation\": %d}", TRI_PROTOCOL, task,
                  incarnation);
    line_hear(worker, TRI_MSG_WELCOME);
    return worker;
}

static void push(line *worker, uint32_t generation, uint32_t chunk, float value)
{
    line_say_floats(worker, (tri__message){.type = TRI_MSG_PUSH, .chunk = chunk, .generation = generation, .rate = 1, .weight = 1}, value,
                    TRI_CHUNK_FLOATS);
}

/* Async; its answer is heard. */
static void push_serial(line *worker, uint32_t chunk, int64_t serial)
{
    line_say_floats(worker, (tri__message){.type = TRI_MSG_PUSH, .chunk = chunk, .generation = 1, .serial = serial, .rate = 1, .weight = 1},
                    1, TRI_CHUNK_FLOATS);
    while (line_hear(worker, TRI_MSG_CHUNK)->chunk != chunk)
        ;
}

static float pull(line *worker, uint32_t chunk)
{
    line_say(worker, (tri__message){.type = TRI_MSG_PULL, .chunk = chunk}, NULL, 0);
    while (line_hear(worker, TRI_MSG_CHUNK)->chunk != chunk)
        ;
    return worker->floats[0];
}

/* A second hello ends the connection: then all that was said before it has been read. */
static void leave(line *worker)
{
    line_say_json(worker, TRI_MSG_HELLO, "{}");
    line_hear_end(worker);
    line_hang_up(worker);
}

/* Somebody who is turned away comes and goes a few times: meanwhile the server has looked at all its connections. */
static void let_it_read(const follower *ps)
{
    for (int i = 0; i < 10; i++) {
        line *stranger = line_call(ps->port);
        line_say_json(stranger, TRI_MSG_HELLO, "{}");
        line_hear(stranger, TRI_MSG_REFUSED);
        line_hang_up(stranger);
    }
}

static void a_gradient_from_before_going_back_does_not_touch_what_is_restored(void **state)
{
    (void)state;
    follower ps;
    start(&ps, 0);
    restore(&ps, 1, 0);
    announce_view(&ps, 1, "0");
    line *worker = come(&ps, 0, 1);
    for (uint32_t i = 0; i < CHUNKS; i++)
        restore_chunk(&ps, 3, FIRST + i, 5);
    let_it_read(&ps);
    push(worker, 1, FIRST, 1);
    leave(worker);
    end_restoring(&ps, 3);
    worker = come(&ps, 0, 1);
    assert_float_equal(pull(worker, FIRST), 5, 0);
    line_hang_up(worker);
    end(&ps);
}

/* worker:1 has pushed more than may be held until worker:0 does, and is not read from. */
static void a_worker_that_was_too_far_ahead_is_read_from_after_going_back(void **state)
{
    (void)state;
    follower ps;
    start(&ps, 0);
    restore(&ps, 1, 0);
    announce_view(&ps, 1, "0, 1");
    line *first = come(&ps, 0, 1), *second = come(&ps, 1, 1);
    for (uint32_t i = 0; i < CHUNKS; i++)
        push(second, 1, FIRST + i, 1);
    let_it_read(&ps);
    restore(&ps, 3, 5);
    assert_float_equal(pull(second, FIRST), 5, 0);
    line_hang_up(first);
    line_hang_up(second);
    end(&ps);
}

/* With clipping a step that has all its parts waits for the norm. Another process of a task whose part is in has nothing to add to it. */
static void a_step_has_one_part_of_each_task_whatever_process_pushed_it(void **state)
{
    (void)state;
    follower ps;
    start(&ps, 1e6F);
    restore(&ps, 1, 0);
    announce_view(&ps, 1, "0");
    for (int incarnation = 1; incarnation <= 3; incarnation++) {
        line *worker = come(&ps, 0, incarnation);
        for (uint32_t i = 0; i < CHUNKS; i++)
            push(worker, 1, FIRST + i, 1);
        leave(worker);
    }
    assert_int_equal(line_hear(ps.coordinator, TRI_MSG_NORM)->step, 0);
    line_say(ps.coordinator, (tri__message){.type = TRI_MSG_NORM, .norm = 1}, NULL, 0);
    line *worker = come(&ps, 0, 4);
    let_it_read(&ps);
    for (uint32_t i = 0; i < CHUNKS; i++)
        assert_float_equal(pull(worker, FIRST + i), -1, 0);
    line_hang_up(worker);
    end(&ps);
}

/* Async: ps:0 counts a step of which ps:1 lacks a chunk that is still under way. */
static void a_copy_waits_for_updates_that_ps_0_has_already(void **state)
{
    (void)state;
    follower ps;
    start_mode(&ps, TRI_PS_ASYNC, 0);
    restore(&ps, 1, 5);
    line *worker = come(&ps, 0, 1);
    for (uint32_t i = 0; i + 1 < CHUNKS; i++)
        push(worker, 1, FIRST + i, 1);
    line_say(ps.coordinator, (tri__message){.type = TRI_MSG_SNAPSHOT, .snapshot = 1, .step = 1, .slots = 1, .updates = 1}, NULL, 0);
    let_it_read(&ps);
    push(worker, 1, FIRST + CHUNKS - 1, 1);
    assert_int_equal(line_hear(ps.coordinator, TRI_MSG_COPIED)->updates, 1);
    for (uint32_t i = 0; i < CHUNKS; i++) {
        assert_int_equal(line_hear(ps.coordinator, TRI_MSG_COPY)->chunk, FIRST + i);
        assert_float_equal(ps.coordinator->floats[0], 4, 0);
    }
    line_hang_up(worker);
    end(&ps);
}

/* Sync: a new ps:0 goes on from a step that all servers have made, as they have said. */
static void what_a_server_says_of_its_steps_to_a_new_ps_0_stays_true(void **state)
{
    (void)state;
    follower ps;
    start(&ps, 0);
    restore(&ps, 1, 5);
    announce_view(&ps, 1, "0");
    line *worker = come(&ps, 0, 1);
    json_t *hello = replace_coordinator(&ps);
    assert_true(json_is_true(json_object_get(hello, "holding")));
    assert_int_equal(json_integer_value(json_object_get(hello, "updates")), 0);
    json_decref(hello);
    for (uint32_t i = 0; i < CHUNKS; i++)
        push(worker, 1, FIRST + i, 1);
    let_it_read(&ps);
    welcome_again(&ps);
    line_say(ps.coordinator, (tri__message){.type = TRI_MSG_SNAPSHOT, .snapshot = 1, .slots = 1}, NULL, 0);
    assert_int_equal(line_hear(ps.coordinator, TRI_MSG_COPIED)->updates, 0);
    line_hear(ps.coordinator, TRI_MSG_COPY);
    assert_float_equal(ps.coordinator->floats[0], 5, 0);
    line_hang_up(worker);
    end(&ps);
}

/* Async: the new ps:0 has an update whose gradient is still on its way to ps:1. */
static void a_new_ps_0_does_not_void_gradients_of_updates_that_it_has(void **state)
{
    (void)state;
    follower ps;
    start_mode(&ps, TRI_PS_ASYNC, 0);
    restore(&ps, 1, 5);
    line *worker = come(&ps, 0, 1);
    json_decref(replace_coordinator(&ps));
    welcome_again(&ps);
    line_say(ps.coordinator, (tri__message){.type = TRI_MSG_RESTORED, .generation = 3, .step = 1}, NULL, 0);
    for (uint32_t i = 0; i < CHUNKS; i++)
        push(worker, 1, FIRST + i, 1);
    const tri__message *restored = line_hear(ps.coordinator, TRI_MSG_RESTORED);
    assert_int_equal(restored->step, 1);
    assert_int_equal(restored->generation, 3);
    assert_float_equal(pull(worker, FIRST + CHUNKS - 1), 4, 0);
    line_hang_up(worker);
    end(&ps);
}

/* … and it does not wait for ever for those of a worker that is gone. */
static void a_server_says_how_many_updates_it_has_kept(void **state)
{
    (void)state;
    follower ps;
    start_mode(&ps, TRI_PS_ASYNC, 0);
    restore(&ps, 1, 5);
    line *worker = come(&ps, 0, 1);
    push_serial(worker, FIRST, 1);
    json_decref(replace_coordinator(&ps));
    welcome_again(&ps);
    line_say(ps.coordinator, (tri__message){.type = TRI_MSG_RESTORED, .generation = 3, .step = 2}, NULL, 0);
    const tri__message *restored = line_hear(ps.coordinator, TRI_MSG_RESTORED);
    assert_int_equal(restored->step, 0);
    assert_int_equal(restored->updates, 1);
    line_hang_up(worker);
    end(&ps);
}

/* … but not for those of a worker that is gone. It says what it has. */
static void a_copy_does_not_wait_for_ever_for_updates_that_do_not_come(void **state)
{
    (void)state;
    follower ps;
    start_mode(&ps, TRI_PS_ASYNC, 0);
    restore(&ps, 1, 5);
    line_say(ps.coordinator, (tri__message){.type = TRI_MSG_SNAPSHOT, .snapshot = 1, .step = 1, .slots = 1, .updates = 1}, NULL, 0);
    assert_int_equal(line_hear(ps.coordinator, TRI_MSG_COPIED)->updates, 0);
    end(&ps);
}

/* Async: worker:0 was not answered, pushes again, and the copy that ps:1 is restored from has that push. */
static void a_push_that_is_in_the_restored_copy_is_not_applied_again(void **state)
{
    (void)state;
    follower ps;
    start_mode(&ps, TRI_PS_ASYNC, 0);
    for (uint32_t i = 0; i < CHUNKS; i++)
        restore_chunk(&ps, 1, FIRST + i, 5);
    line_say_json(ps.coordinator, TRI_MSG_PUSHED, "{\"task\": 0, \"incarnation\": 7, \"runs\": [[%d, 2, 4], [%d, 2, 3]]}", FIRST,
                  FIRST + 2);
    end_restoring(&ps, 1);
    line *same = come(&ps, 0, 7);
    push_serial(same, FIRST, 4);
    assert_float_equal(same->floats[0], 5, 0);
    push_serial(same, FIRST + 2, 4);
    assert_float_equal(same->floats[0], 4, 0);
    line_hang_up(same);
    line *another = come(&ps, 0, 8); /* its serials begin anew */
    push_serial(another, FIRST, 4);
    assert_float_equal(another->floats[0], 4, 0);
    line_hang_up(another);
    end(&ps);
}

static void a_copy_tells_which_pushes_are_in_it(void **state)
{
    (void)state;
    follower ps;
    start_mode(&ps, TRI_PS_ASYNC, 0);
    restore(&ps, 1, 5);
    line *worker = come(&ps, 3, 7);
    push_serial(worker, FIRST + 1, 4);
    push_serial(worker, FIRST + 2, 4);
    push_serial(worker, FIRST + 3, 5);
    line_say(ps.coordinator, (tri__message){.type = TRI_MSG_SNAPSHOT, .snapshot = 1, .slots = 1}, NULL, 0);
    line_hear(ps.coordinator, TRI_MSG_COPIED);
    json_t *pushes = line_hear_json(ps.coordinator, TRI_MSG_PUSHED);
    json_t *right =
        json_pack("{s:i, s:i, s:[[i, i, i], [i, i, i]]}", "task", 3, "incarnation", 7, "runs", FIRST + 1, 2, 4, FIRST + 3, 1, 5);
    assert_true(json_equal(pushes, right));
    json_decref(pushes);
    json_decref(right);
    line_hang_up(worker);
    end(&ps);
}

/* ---- copies of tables ---- */

enum {
    PIECES = 128, /* of ps:1's part of a table, which is 32 MB */
    ROWS = PIECES * TRI_CHUNK_FLOATS,
    TABLE = FIRST + 1 + CHUNKS, /* its chunk; ps:0 has such a chunk, too */
    EACH = 1000,                /* how many rows of each piece, and … */
    LAST = 64,                  /* … of how many of the last pieces a worker pushes */
    PUSHED = LAST * EACH,
    LITTLE = 12 << 20, /* bytes: what is on its way, and copies of the rows that were pushed */
};

static bool is_pushed(int64_t row)
{
    return row >= (PIECES - LAST) * TRI_CHUNK_FLOATS && row % TRI_CHUNK_FLOATS < EACH;
}

static void restore_table(follower *ps, float value)
{
    for (uint32_t i = 0; i < CHUNKS; i++)
        restore_chunk(ps, 1, FIRST + 1 + i, value);
    for (int64_t i = 0; i < PIECES; i++)
        line_say_floats(ps->coordinator,
                        (tri__message){.type = TRI_MSG_RESTORE, .chunk = TABLE, .generation = 1, .position = i * TRI_CHUNK_FLOATS}, value,
                        TRI_CHUNK_FLOATS);
    end_restoring(ps, 1);
}

/* Pushes a gradient of 1 for rows and of 0 for all else, which has been applied when the call returns. */
static void push_rows(line *worker, int64_t step)
{
    for (uint32_t i = 0; i < CHUNKS; i++)
        line_say_floats(
            worker,
            (tri__message){
                .type = TRI_MSG_PUSH, .chunk = FIRST + 1 + i, .generation = 1, .step = step, .serial = step + 1, .rate = 1, .weight = 1},
            0, TRI_CHUNK_FLOATS);
    tri__row_list list = {0};
    assert_ok(tri__row_list_reserve(&list, PUSHED));
    float *values = malloc(PUSHED * sizeof *values);
    uint8_t *body = malloc((size_t)tri__keyed_most_bytes(PUSHED, 1));
    for (int32_t row = 0; row < ROWS; row++)
        if (is_pushed(row)) {
            values[list.count] = 1;
            list.rows[list.count++] = row;
        }
    tri__row_list_sign(&list);
    const tri__message push = {
        .type = TRI_MSG_PUSH_ROWS, .chunk = TABLE, .generation = 1, .step = step, .serial = step + 1, .rate = 1, .weight = 1};
    line_say(worker, push, body, tri__keyed_write(list.rows, list.count, values, 1, body));
    list.count = 1;
    tri__row_list_sign(&list);
    const tri__message pull = {.type = TRI_MSG_PULL_ROWS, .chunk = TABLE, .generation = 1, .step = step + 1, .serial = step + 1};
    line_say(worker, pull, body, tri__keyed_list_write(&list, body));
    line_hear(worker, TRI_MSG_ROWS);
    free(values);
    free(body);
    tri__row_list_fini(&list);
}

static void ask_for_copy(follower *ps, uint32_t number, int64_t step)
{
    line_say(ps->coordinator, (tri__message){.type = TRI_MSG_SNAPSHOT, .snapshot = number, .step = step, .slots = 1, .updates = step}, NULL,
             0);
    assert_int_equal(line_hear(ps->coordinator, TRI_MSG_COPIED)->snapshot, number);
    assert_int_equal(ps->coordinator->heard.updates, step);
}

/* Rows that are neither as they were nor, if the worker pushed them, less by `less`. */
static int64_t count_wrong(follower *ps, uint32_t number, float value, float less)
{
    int64_t wrong = 0, pieces = 0;
    while (pieces < PIECES) {
        const tri__message *copy = line_hear(ps->coordinator, TRI_MSG_COPY);
        if (copy->snapshot != number || copy->chunk != TABLE)
            continue;
        assert_int_equal(copy->size, TRI_CHUNK_BYTES);
        for (int64_t i = 0; i < TRI_CHUNK_FLOATS; i++)
            wrong += ps->coordinator->floats[i] != value - (is_pushed(copy->position + i) ? less : 0);
        pieces++;
    }
    return wrong;
}

/* Bytes of memory that only this process has. */
static int64_t own_memory(void)
{
    char text[256];
    long long kilobytes = -1;
    FILE *file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    while (kilobytes < 0 && fgets(text, sizeof text, file))
        if (strncmp(text, "RssAnon:", 8) == 0)
            kilobytes = atoll(text + 8);
    fclose(file);
    assert_true(kilobytes > 0);
    return kilobytes * 1024;
}

/* The copy is of the moment at which it was asked for, and only the rows that are pushed meanwhile take memory. */
static void check_copy_of_table(tri__ps_mode mode)
{
    follower ps;
    start_server(&ps, mode);
    line_say_json(ps.coordinator, TRI_MSG_WELCOME, "{\"floats\": %d, \"tables\": [[%d, 1]], \"rule\": {\"kind\": \"sgd\", \"clip\": 0}}",
                  FLOATS, 2 * ROWS);
    restore_table(&ps, 5);
    if (mode == TRI_PS_SYNC)
        announce_view(&ps, 1, "0");
    line *worker = come(&ps, 0, 1);
    push_rows(worker, 0); /* the server has its working memory now */
    const int64_t before = own_memory();
    ask_for_copy(&ps, 1, 1);
    push_rows(worker, 1);
    push_rows(worker, 2);
    const int64_t more = own_memory() - before;
    assert_int_equal(count_wrong(&ps, 1, 5, 1), 0);
#if !defined(__SANITIZE_THREAD__) /* it takes memory of its own for every access */
    assert_in_range(more > 0 ? more : 0, 0, LITTLE);
#else
    (void)more;
#endif
    ask_for_copy(&ps, 2, 3);
    assert_int_equal(count_wrong(&ps, 2, 5, 3), 0);
    line_hang_up(worker);
    end(&ps);
}

static void a_copy_of_a_table_takes_memory_for_rows_that_change_meanwhile(void **state)
{
    (void)state;
    check_copy_of_table(TRI_PS_ASYNC);
    check_copy_of_table(TRI_PS_SYNC);
}

/* ---- hostile messages ---- */

static void pushes_of_chunks_that_a_server_does_not_have_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"{\"task\": 1024, \"runs\": []}",
                                        "{\"task\": 0}",
                                        "{\"task\": 0, \"runs\": [[3, 1, 1]]}",
                                        "{\"task\": 0, \"runs\": [[7, 2, 1]]}",
                                        "{\"task\": 0, \"runs\": [[4, 0, 1]]}",
                                        "{\"task\": 0, \"runs\": [[4, 1, -1]]}",
                                        "{\"task\": 0, \"runs\": [[4, 9223372036854775807, 1]]}",
                                        "{\"task\": 0, \"runs\": [[4, 1]]}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        follower ps;
        start_mode(&ps, TRI_PS_ASYNC, 0);
        restore_chunk(&ps, 1, FIRST, 5);
        line_say_json(ps.coordinator, TRI_MSG_PUSHED, "%s", wrong[i]);
        pthread_join(ps.thread, NULL);
        assert_fails(ps.end, TRI_BAD_DATA, "pushes of");
        line_hang_up(ps.coordinator);
        close(ps.fd);
    }
}

static void a_stretch_that_was_given_in_part_serves_nobody(void **state)
{
    (void)state;
    follower ps;
    start(&ps, 0);
    restore_chunk(&ps, 1, FIRST, 5);
    line_say(ps.coordinator, (tri__message){.type = TRI_MSG_RESTORED, .generation = 1}, NULL, 0);
    pthread_join(ps.thread, NULL);
    assert_fails(ps.end, TRI_BAD_DATA, "before all of the stretch has come");
    line_hang_up(ps.coordinator);
    close(ps.fd);
}

static void a_view_whose_tasks_do_not_rise_is_refused(void **state)
{
    (void)state;
    follower ps;
    start(&ps, 0);
    restore(&ps, 1, 0);
    line_say_json(ps.coordinator, TRI_MSG_VIEW, "{\"view\": 1, \"step\": 0, \"tasks\": [0, 0]}");
    pthread_join(ps.thread, NULL);
    assert_fails(ps.end, TRI_BAD_DATA, "tasks that do not rise");
    line_hang_up(ps.coordinator);
    close(ps.fd);
}

static void a_follower_is_welcomed_once(void **state)
{
    (void)state;
    follower ps;
    start(&ps, 0);
    restore(&ps, 1, 0);
    line_say_json(ps.coordinator, TRI_MSG_WELCOME, "{\"floats\": %d, \"rule\": {\"kind\": \"sgd\", \"clip\": 0}}", FLOATS);
    pthread_join(ps.thread, NULL);
    assert_fails(ps.end, TRI_BAD_DATA, "a second welcome");
    line_hang_up(ps.coordinator);
    close(ps.fd);
}

/* What ps:0 says makes no sense here, and the server ends. */
static void end_for(follower *ps, const char *why)
{
    pthread_join(ps->thread, NULL);
    assert_fails(ps->end, TRI_BAD_DATA, why);
    line_hang_up(ps->coordinator);
    close(ps->fd);
}

static void a_server_takes_only_messages_that_its_mode_has(void **state)
{
    (void)state;
    follower ps;
    const tri__message messages[] = {{.type = TRI_MSG_LEFT}, {.type = TRI_MSG_NORM, .norm = 1}, {.type = TRI_MSG_LONE}};
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        start_mode(&ps, TRI_PS_ASYNC, 0);
        restore(&ps, 1, 0);
        line_say(ps.coordinator, messages[i], NULL, 0);
        end_for(&ps, "which a job with --async and 2 servers does not have");
    }
    start(&ps, 0);
    restore(&ps, 1, 0);
    line_say_json(ps.coordinator, TRI_MSG_CHOSEN, "{\"step\": 0, \"tasks\": [0]}");
    end_for(&ps, "a chosen, which a job with --sync and 2 servers does not have");
}

/* All go back to begin another generation. */
static void a_server_is_not_restored_within_the_generation_that_it_holds(void **state)
{
    (void)state;
    follower ps;
    start(&ps, 0);
    restore(&ps, 1, 0);
    restore_chunk(&ps, 1, FIRST, 5);
    end_for(&ps, "a restore of the generation that it holds");
}

static void rows_to_evaluate_are_not_named_to_a_server_without_a_stretch(void **state)
{
    (void)state;
    follower ps;
    start(&ps, 0);
    line_say(ps.coordinator, (tri__message){.type = TRI_MSG_NAMED}, "0123456789abcdef", 16);
    end_for(&ps, "comes before its stretch");
}

static tri_status start_alone(tri__server *server)
{
    (void)server;
    return NULL;
}

static void tick_late(tri__server *server)
{
    const struct timespec pause = {.tv_nsec = 2 * server->options.settings.heartbeat};
    nanosleep(&pause, NULL);
    if (__atomic_load_n(server->options.abandoned, __ATOMIC_ACQUIRE))
        tri__server_end(server, NULL);
}

/* As on a machine without a free CPU. */
static void a_server_that_is_always_late_gives_up_silent_peers(void **state)
{
    (void)state;
    bool over = false;
    tri__server_role role = tri__follower_role;
    role.start = start_alone;
    role.tick = tick_late;
    follower ps = {.options = {.index = 1,
                               .settings = {.servers = 2, .timeout = INT64_C(200000000), .heartbeat = INT64_C(60000000)},
                               .role = &role,
                               .abandoned = &over,
                               .stop = &never}};
    ps.options.listen_fd = line_listen(&ps.port);
    assert_int_equal(pthread_create(&ps.thread, NULL, serve, &ps), 0);
    line *stranger = line_call(ps.port);
    line_hear_end(stranger);
    line_hang_up(stranger);
    __atomic_store_n(&over, true, __ATOMIC_RELEASE);
    pthread_join(ps.thread, NULL);
    assert_ok(ps.end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_follower_is_welcomed_once),
        cmocka_unit_test(a_gradient_from_before_going_back_does_not_touch_what_is_restored),
        cmocka_unit_test(a_worker_that_was_too_far_ahead_is_read_from_after_going_back),
        cmocka_unit_test(a_step_has_one_part_of_each_task_whatever_process_pushed_it),
        cmocka_unit_test(a_copy_waits_for_updates_that_ps_0_has_already),
        cmocka_unit_test(a_copy_does_not_wait_for_ever_for_updates_that_do_not_come),
        cmocka_unit_test(what_a_server_says_of_its_steps_to_a_new_ps_0_stays_true),
        cmocka_unit_test(a_new_ps_0_does_not_void_gradients_of_updates_that_it_has),
        cmocka_unit_test(a_server_says_how_many_updates_it_has_kept),
        cmocka_unit_test(a_push_that_is_in_the_restored_copy_is_not_applied_again),
        cmocka_unit_test(a_copy_tells_which_pushes_are_in_it),
        cmocka_unit_test(a_copy_of_a_table_takes_memory_for_rows_that_change_meanwhile),
        cmocka_unit_test(pushes_of_chunks_that_a_server_does_not_have_are_refused),
        cmocka_unit_test(a_stretch_that_was_given_in_part_serves_nobody),
        cmocka_unit_test(a_view_whose_tasks_do_not_rise_is_refused),
        cmocka_unit_test(a_server_takes_only_messages_that_its_mode_has),
        cmocka_unit_test(a_server_is_not_restored_within_the_generation_that_it_holds),
        cmocka_unit_test(rows_to_evaluate_are_not_named_to_a_server_without_a_stretch),
        cmocka_unit_test(a_server_that_is_always_late_gives_up_silent_peers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
