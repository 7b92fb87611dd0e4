/* intruder_test.c: a job whose tasks show certificates of one authority, and those that want to take part without: with an expired one, one
 * of another authority, none, plain bytes, silence, and the recorded bytes of a worker that was admitted. They get nothing and change
 * nothing: to the bit, the model is that of a job that nobody disturbed. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/certificate.h"
#include "net/connection/inbox.h"
#include "ps/model.h"
#include "ps/process.h"
#include "store/ps/protocol/message.h"

#define STEPS   600
#define JOB     "train " SOFTMAX "--sync --steps 600 --threads 1 "
#define OURS    "--cert ours.crt --cert-key ours.key --ca authority.crt "
#define ANSWERS 16384 /* bytes: more than a refused handshake is answered with, less than a chunk of parameters */

/* ---- certificates ---- */

static void write_certificate(const char *folder, const char *name, const X509 *certificate, const EVP_PKEY *key)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        fail_msg("out of memory");
    write_pem(path, certificate, key);
    free(path);
}

/* NAME.crt and NAME.key */
static void write_issued(const char *folder, const char *name, const issued *made)
{
    char file[64];
    snprintf(file, sizeof file, "%s.crt", name);
    write_certificate(folder, file, made->certificate, NULL);
    snprintf(file, sizeof file, "%s.key", name);
    write_certificate(folder, file, NULL, made->key);
}

/* ours, stranger's by another authority, and brief, which is good for a few seconds. `both` are the two authorities in one file. */
static issued make_certificates(const char *folder)
{
    issued authority = issue("authority", -DAY, DAY, true, NULL), elsewhere = issue("elsewhere", -DAY, DAY, true, NULL);
    issued ours = issue("ours", -DAY, DAY, false, &authority), stranger = issue("stranger", -DAY, DAY, false, &elsewhere);
    issued brief = issue("brief", -DAY, 6, false, &authority);
    write_issued(folder, "authority", &authority);
    write_issued(folder, "elsewhere", &elsewhere);
    write_issued(folder, "ours", &ours);
    write_issued(folder, "stranger", &stranger);
    write_issued(folder, "brief", &brief);
    char *one = test_path(folder, "authority.crt"), *two = test_path(folder, "elsewhere.crt"), *both = test_path(folder, "both.crt");
    char *first = test_read(one, NULL), *second = test_read(two, NULL), *text = NULL;
    if (asprintf(&text, "%s%s", first, second) < 0)
        fail_msg("out of memory");
    test_write(both, text, strlen(text));
    char *given[] = {one, two, both, first, second, text};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        free(given[i]);
    free_issued(&authority);
    free_issued(&elsewhere);
    free_issued(&ours);
    free_issued(&stranger);
    return brief;
}

/* ---- somebody in between, who listens ---- */

typedef struct {
    int listener, port, behind; /* behind: the port that it hands on to */
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    char *bytes;          /* what the first one to come has said to the server */
    size_t count;
} recorder;

static int connect_to(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address)) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool send_all(int fd, const char *bytes, size_t count)
{
    while (count) {
        ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

static void keep(recorder *r, const char *bytes, size_t count)
{
    pthread_mutex_lock(&r->lock);
    r->bytes = realloc(r->bytes, r->count + count);
    memcpy(r->bytes + r->count, bytes, count);
    r->count += count;
    pthread_mutex_unlock(&r->lock);
}

/* Between the worker and the server, until one of them ends. */
static void hand_on(recorder *r, int worker, int server)
{
    static char bytes[1 << 16];
    struct pollfd ends[2] = {{.fd = worker, .events = POLLIN}, {.fd = server, .events = POLLIN}};
    while (poll(ends, 2, -1) > 0)
        for (int i = 0; i < 2; i++) {
            if (!ends[i].revents)
                continue;
            ssize_t count = recv(ends[i].fd, bytes, sizeof bytes, 0);
            if (count <= 0 || !send_all(ends[!i].fd, bytes, (size_t)count))
                return;
            if (i == 0)
                keep(r, bytes, (size_t)count);
        }
}

static void *record(void *context)
{
    recorder *r = context;
    for (int worker; (worker = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0; close(worker)) {
        int server = connect_to(r->behind);
        if (server < 0)
            continue;
        hand_on(r, worker, server);
        close(server);
    }
    return NULL;
}

static recorder *start_recorder(int behind)
{
    recorder *r = calloc(1, sizeof *r);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    r->behind = behind;
    r->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(r->listener >= 0 && !bind(r->listener, (struct sockaddr *)&address, size) && !listen(r->listener, 8) &&
                !getsockname(r->listener, (struct sockaddr *)&address, &size));
    r->port = ntohs(address.sin_port);
    pthread_mutex_init(&r->lock, NULL);
    assert_false(pthread_create(&r->thread, NULL, record, r));
    return r;
}

static void end_recorder(recorder *r)
{
    shutdown(r->listener, SHUT_RDWR);
    pthread_join(r->thread, NULL);
    close(r->listener);
    pthread_mutex_destroy(&r->lock);
    free(r->bytes);
    free(r);
}

/* ---- intruders ---- */

/* Say something to the server, and hear it out: it ends the conversation, and has told nothing of the model. */
static void say(int port, const char *bytes, size_t count)
{
    int fd = connect_to(port);
    assert_true(fd >= 0);
    send_all(fd, bytes, count); /* it may end it before all is said */
    char answer[ANSWERS];
    size_t heard = 0;
    for (ssize_t got; heard < sizeof answer && (got = recv(fd, answer + heard, sizeof answer - heard, 0)) > 0;)
        heard += (size_t)got;
    assert_true(heard < sizeof answer);
    close(fd);
}

static void replay(recorder *r, int port)
{
    pthread_mutex_lock(&r->lock);
    size_t count = r->count;
    char *bytes = malloc(count);
    memcpy(bytes, r->bytes, count);
    pthread_mutex_unlock(&r->lock);
    assert_true(count > 1 << 20); /* gradients are in it */
    say(port, bytes, count);
    free(bytes);
}

static void say_plain_bytes(int port)
{
    static const char hello[] = "{\"protocol\": 2, \"role\": \"worker\", \"task\": 1, \"incarnation\": 5}";
    const tri__frame frame = {.type = TRI_MSG_HELLO, .size = sizeof hello - 1};
    uint8_t bytes[TRI_HEAD_SIZE + sizeof hello];
    tri__head_write(&frame, bytes);
    memcpy(bytes + TRI_HEAD_SIZE, hello, sizeof hello - 1);
    say(port, (const char *)bytes, TRI_HEAD_SIZE + sizeof hello - 1);
}

/* A worker that is told why, and gives up. */
static void intrude(const char *folder, const char *name, const char *shown, const char *why)
{
    process worker = process_start(folder, name, JOB "--cluster c.yaml --task worker:1 %s", shown);
    process_await(&worker, why);
    json_decref(process_end(&worker, 1));
}

static void intrude_in_every_way(const char *folder, int port)
{
    intrude(folder, "stranger", "--cert stranger.crt --cert-key stranger.key --ca both.crt", "refused our certificate");
    intrude(folder, "wary", "--cert stranger.crt --cert-key stranger.key --ca elsewhere.crt", "our authority (--ca) has not signed");
    intrude(folder, "keyed", "--key own.key", "shows another certificate than ours");
    intrude(folder, "plain", "--timeout 2s --heartbeat 500ms", "it hung up on our hello (all tasks need the same --key, or none)");
    say_plain_bytes(port);
}

static void write_clusters(const char *folder, int port, int recorded)
{
    char *path = test_path(folder, "c.yaml"), *by_way = test_path(folder, "recorded.yaml"), text[128];
    snprintf(text, sizeof text, "ps: [\"127.0.0.1:%d\"]\nworker: [a, b]\n", port);
    test_write(path, text, strlen(text));
    snprintf(text, sizeof text, "ps: [\"127.0.0.1:%d\"]\nworker: [a, b]\n", recorded);
    test_write(by_way, text, strlen(text));
    free(path);
    free(by_way);
}

/* Its certificate is good when it starts, before the server is there, and no longer when it shows it. */
static process start_with_brief_certificate(const char *folder, issued *brief)
{
    process late = process_start(folder, "late",
                                 JOB "--cluster c.yaml --task worker:1 --heartbeat 100ms --cert brief.crt --cert-key brief.key "
                                     "--ca authority.crt");
    process_await(&late, "waiting for ps:0");
    while (X509_cmp_current_time(X509_get0_notAfter(brief->certificate)) > 0)
        usleep(20000);
    free_issued(brief);
    return late;
}

static void peers_without_a_valid_certificate_are_refused_and_do_not_change_the_model(void **state)
{
    const char *folder = *state;
    int port = free_port();
    recorder *r = start_recorder(port);
    issued brief = make_certificates(folder);
    write_clusters(folder, port, r->port);
    process keygen = process_start(folder, "keygen", "keygen own.key");
    json_decref(process_end(&keygen, 0));
    process late = start_with_brief_certificate(folder, &brief);

    process server = process_start(folder, "p0", JOB OURS "--cluster c.yaml --json --eval-every 100 --out run --task ps:0");
    process_await(&late, "says that our certificate has expired");
    json_decref(process_end(&late, 1));
    process first = process_start(folder, "w0", JOB OURS "--cluster recorded.yaml --task worker:0");
    await_member(folder, "worker:0");
    int silent = connect_to(port); /* in the middle of a handshake, for all of the job */
    intrude_in_every_way(folder, port);
    assert_false(file_says(server.log, "worker:1 takes part"));

    process second = process_start(folder, "w1", JOB OURS "--cluster c.yaml --task worker:1");
    process_await_step(&server, STRIKE);
    replay(r, port);
    kill(second.pid, SIGSTOP); /* so that the job is not over before all have tried */
    intrude_in_every_way(folder, port);
    replay(r, port);
    kill(second.pid, SIGCONT);
    json_t *summary = process_end(&server, 0);
    json_decref(process_end(&first, 0));
    json_decref(process_end(&second, 0));
    close(silent);
    end_recorder(r);

    process calm = process_start(folder, "calm", JOB "--workers 2 --json --out calm");
    json_t *undisturbed = process_end(&calm, 0);
    assert_int_equal(integer_of(summary, "steps"), STEPS);
    assert_true(model_difference(folder, summary, undisturbed) == 0);
    char *log = test_path(folder, "run/log/ps-0.txt");
    assert_true(file_says(log, "shows a certificate that has expired"));
    assert_true(file_says(log, "our authority (--ca) has not signed"));
    assert_true(file_says(log, "speaks no TLS (is it started with --insecure?)"));
    free(log);
    json_decref(undisturbed);
    json_decref(summary);
}

/* Until the server ends the conversation. */
static void beat(int fd)
{
    const tri__frame frame = tri__message_encode(&(tri__message){.type = TRI_MSG_BEAT});
    struct pollfd end = {.fd = fd, .events = POLLIN};
    uint8_t bytes[TRI_HEAD_SIZE];
    tri__head_write(&frame, bytes);
    while (send_all(fd, (const char *)bytes, sizeof bytes) && poll(&end, 1, 100) == 0)
        continue;
}

/* In clear there is nothing to show, and a place is kept for who says hello: not for ever, and not for who says anything else. */
static void a_connection_without_a_valid_hello_is_closed(void **state)
{
    process job = process_start(*state, "job",
                                "train " SOFTMAX "--sync --workers 1 --steps 100000000 --eval-every 100 --timeout 2s "
                                "--heartbeat 100ms --json --out run");
    char *address = job_address(*state), byte;
    int port = (int)strtol(strchr(address, ':') + 1, NULL, 10), silent = connect_to(port), beating = connect_to(port);
    beat(beating);
    assert_int_equal(read(silent, &byte, 1), 0); /* until then it waits */
    close(silent);
    close(beating);
    process_await_step(&job, process_step(&job) + 1);
    kill(job.pid, SIGINT);
    json_decref(process_end(&job, 130));
    free(address);
}

/* Some stand and say nothing, many come, say nonsense and are thrown out: no deadline has to pass until the first ones must go, and the log
 * stays small. */
static void strangers_in_clear_use_up_neither_connections_nor_the_log(void **state)
{
    enum { IDLE = 200, NOISY = 500 };
    process job = process_start(*state, "job", "train " SOFTMAX ENDLESS "--sync --workers 1 --timeout 600s --json --out run");
    process_await_step(&job, STRIKE);
    char *address = job_address(*state), *log = test_path(*state, "run/log/ps-0.txt"), byte;
    int port = (int)strtol(strchr(address, ':') + 1, NULL, 10), idle[IDLE];
    for (int i = 0; i < IDLE; i++)
        idle[i] = connect_to(port);
    assert_int_equal(read(idle[0], &byte, 1), 0); /* until then it waits */
    for (int i = 0; i < NOISY; i++)
        say_plain_bytes(port);
    process joiner = process_start(*state, "joiner", "train " SOFTMAX ENDLESS "--join %s", address);
    await_member(*state, "worker:1");
    json_decref(process_finish(&job));
    json_decref(process_end(&joiner, 0));
    assert_true(file_says(log, " more"));
    char *text = test_read(log, NULL);
    int lines = 0;
    for (const char *at = text; (at = strstr(at, "was turned away: ")); at++)
        lines++;
    for (const char *at = text; (at = strstr(at, "stranger: ")); at++)
        lines++;
    assert_in_range(lines, 100, 100 + 60);
    for (int i = 0; i < IDLE; i++)
        close(idle[i]);
    free(text);
    free(log);
    free(address);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(peers_without_a_valid_certificate_are_refused_and_do_not_change_the_model),
        PROCESS_TEST(a_connection_without_a_valid_hello_is_closed),
        PROCESS_TEST(strangers_in_clear_use_up_neither_connections_nor_the_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
