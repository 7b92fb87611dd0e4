/* poison_test.c: a worker whose memory is damaged pushes a gradient that would spoil the model. It is refused and named, and the others go
 * on with a model that has learnt.
 *
 * The damage is done on the way: worker:1 reaches ps:0 through this test, which changes one number of a gradient when it is told to. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/connection/inbox.h"
#include "ps/process.h"
#include "store/ps/protocol/message.h"

#define TASK "train " SOFTMAX ENDLESS "--sync --heartbeat 100ms --cluster %s.yaml --task %s %s"

typedef struct {
    int listener, port, behind; /* behind: the port of ps:0 */
    int worker, server;         /* its two ends */
    atomic_int armed;           /* 1: the next gradient is changed */
    float value;                /* to which its first number is */
} poisoner;

static struct sockaddr_in address_of(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static bool receive(int fd, void *bytes, size_t size)
{
    return size == 0 || recv(fd, bytes, size, MSG_WAITALL) == (ssize_t)size;
}

static bool hand_on(int fd, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* What the worker says, message by message. */
static void *hand_on_to_server(void *context)
{
    poisoner *self = context;
    static uint8_t body[1 << 20];
    uint8_t head[TRI_HEAD_SIZE];
    tri__frame frame;
    for (;;) {
        if (!receive(self->worker, head, sizeof head))
            break;
        tri__head_read(head, &frame);
        if (frame.size > sizeof body || !receive(self->worker, body, frame.size))
            break;
        int armed = 1;
        if (frame.type == TRI_MSG_PUSH && atomic_compare_exchange_strong(&self->armed, &armed, 0))
            memcpy(body, &self->value, sizeof self->value);
        if (!hand_on(self->server, head, sizeof head) || !hand_on(self->server, body, frame.size))
            break;
    }
    shutdown(self->server, SHUT_WR);
    return NULL;
}

static void hand_on_to_worker(const poisoner *self)
{
    static char bytes[1 << 16];
    ssize_t count;
    while ((count = recv(self->server, bytes, sizeof bytes, 0)) > 0 && hand_on(self->worker, bytes, (size_t)count))
        continue;
    shutdown(self->worker, SHUT_WR);
}

/* Connection after connection: a worker that is refused does not come back. */
static void *stand_between(void *context)
{
    poisoner *self = context;
    while ((self->worker = accept4(self->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        struct sockaddr_in to = address_of(self->behind);
        pthread_t thread;
        self->server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (!connect(self->server, (struct sockaddr *)&to, sizeof to) && !pthread_create(&thread, NULL, hand_on_to_server, self)) {
            hand_on_to_worker(self);
            pthread_join(thread, NULL);
        }
        close(self->server);
        close(self->worker);
    }
    return NULL;
}

static pthread_t start_poisoner(poisoner *self, int behind, float value)
{
    struct sockaddr_in at = address_of(0);
    socklen_t size = sizeof at;
    pthread_t thread;
    *self = (poisoner){.behind = behind, .value = value};
    self->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(self->listener >= 0 && !bind(self->listener, (struct sockaddr *)&at, sizeof at) && !listen(self->listener, 8));
    assert_false(getsockname(self->listener, (struct sockaddr *)&at, &size));
    self->port = ntohs(at.sin_port);
    assert_false(pthread_create(&thread, NULL, stand_between, self));
    return thread;
}

static void write_cluster(const char *folder, const char *name, int port)
{
    char *path = test_path(folder, name), text[128];
    snprintf(text, sizeof text, "ps: [\"127.0.0.1:%d\"]\nworker: [a, b]\n", port);
    test_write(path, text, strlen(text));
    free(path);
}

static void poison(const char *folder, float value, const char *told)
{
    poisoner between;
    int port = free_port();
    pthread_t thread = start_poisoner(&between, port, value);
    write_cluster(folder, "direct.yaml", port);
    write_cluster(folder, "through.yaml", between.port);
    process server = process_start(folder, "p0", TASK, "direct", "ps:0", "--json --eval-every 100 --out run");
    process sound = process_start(folder, "w0", TASK, "direct", "worker:0", "");
    process damaged = process_start(folder, "w1", TASK, "through", "worker:1", "");
    process_await_step(&server, STRIKE);
    await_member(folder, "worker:1");
    atomic_store(&between.armed, 1);
    process_await(&damaged, "the gradient of worker:1 for step ");
    assert_true(file_says(damaged.err, told));
    json_decref(process_end(&damaged, 1));
    await_text(server.log, "worker:1 has left: ");
    assert_true(file_says(server.log, told));
    process_await_step(&server, process_step(&server) + 100);
    kill(server.pid, SIGINT);
    json_t *summary = process_end(&server, 130);
    assert_true(number_of(summary, "test_accuracy") > 0.5);
    json_decref(summary);
    json_decref(process_end(&sound, 0));
    shutdown(between.listener, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(between.listener);
}

static void a_worker_that_pushes_a_huge_gradient_is_refused_by_name(void **state)
{
    poison(*state, 1e30f, "has the value 1e+30 ");
}

static void a_worker_that_pushes_what_is_no_number_is_refused_by_name(void **state)
{
    poison(*state, NAN, "has the value nan ");
}

static void a_worker_that_pushes_infinity_is_refused_by_name(void **state)
{
    poison(*state, -INFINITY, "has the value -inf ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(a_worker_that_pushes_a_huge_gradient_is_refused_by_name),
        PROCESS_TEST(a_worker_that_pushes_what_is_no_number_is_refused_by_name),
        PROCESS_TEST(a_worker_that_pushes_infinity_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
