/* worker_test.c: a worker's store and what servers say to it. A thread plays ps:0: what it has to say at once, and what after each push. */
#include "store/ps/worker/worker.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/inbox.h"
#include "store/ps/protocol/message.h"
#include "support.h"

enum { FLOATS = 16, MOST = 4096, PAUSES = 4 };

typedef struct {
    pthread_t thread;
    tri__address address;
    int fd; /* which listens */
    uint8_t words[MOST];
    size_t size;
    size_t pause[PAUSES]; /* so many bytes of it are said before the first push has come, before the second … */
    int pauses;
} server;

static void say(server *of, tri__message message, const void *body, size_t size)
{
    message.size = (uint32_t)size;
    tri__frame frame = tri__message_encode(&message);
    assert_true(of->size + TRI_HEAD_SIZE + size <= MOST);
    tri__head_write(&frame, of->words + of->size);
    if (size)
        memcpy(of->words + of->size + TRI_HEAD_SIZE, body, size);
    of->size += TRI_HEAD_SIZE + size;
}

static void say_welcome(server *of, const char *text)
{
    say(of, (tri__message){.type = TRI_MSG_WELCOME}, text, strlen(text));
}

/* All parameters, which have the same value. */
static void say_chunk(server *of, uint32_t generation, int64_t step, float value)
{
    float floats[FLOATS];
    for (int i = 0; i < FLOATS; i++)
        floats[i] = value;
    say(of, (tri__message){.type = TRI_MSG_CHUNK, .view = generation, .step = step}, floats, sizeof floats);
}

static void say_token(server *of, uint32_t generation, int64_t step)
{
    say(of, (tri__message){.type = TRI_MSG_TOKEN, .view = generation, .step = step, .workers = 1}, NULL, 0);
}

static void await_push(server *of)
{
    of->pause[of->pauses++] = of->size;
}

/* Read frames until a push is among them; false at the end. */
static bool hear_push(int fd)
{
    uint8_t head[TRI_HEAD_SIZE], body[MOST];
    tri__frame frame = {0};
    while (frame.type != TRI_MSG_PUSH) {
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
    server *of = context;
    int fd = accept(of->fd, NULL, NULL);
    bool goes_on = fd >= 0;
    for (size_t said = 0, i = 0; goes_on; i++) {
        size_t until = (int)i < of->pauses ? of->pause[i] : of->size;
        if (said < until && send(fd, of->words + said, until - said, MSG_NOSIGNAL) < 0)
            break;
        said = until;
        goes_on = hear_push(fd);
    }
    close(fd);
    return NULL;
}

static void start(server *of)
{
    static char host[] = "127.0.0.1";
    of->address = (tri__address){host, 0};
    assert_ok(tri__address_listen(&of->address, &of->fd, &of->address.port));
    assert_int_equal(fcntl(of->fd, F_SETFL, 0), 0); /* accept waits */
    assert_int_equal(pthread_create(&of->thread, NULL, play, of), 0);
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

static void end(server *of, tri_store *store, json_t *hello)
{
    tri_store_destroy(store);
    json_decref(hello);
    pthread_join(of->thread, NULL);
    close(of->fd);
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
    say(&ps, (tri__message){.type = TRI_MSG_RESTORED, .view = 2}, NULL, 0);
    say_chunk(&ps, 1, 0, 7); /* it was on its way */
    say_chunk(&ps, 2, 0, 3);
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
    say_token(&ps, 1, 0);
    await_push(&ps);
    say_chunk(&ps, 1, 1, 1);
    say_token(&ps, 1, 1);
    await_push(&ps);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_from_before_going_back_is_not_taken),
        cmocka_unit_test(an_answer_that_comes_twice_is_not_taken_for_the_next),
        cmocka_unit_test(a_server_of_another_model_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
