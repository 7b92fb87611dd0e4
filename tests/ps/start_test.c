/* start_test.c: the tasks of a cluster file, each started by hand: in any order, with every mistake that people make. */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text/task.h"
#include "net/connection/inbox.h"
#include "ps/process.h"
#include "store/ps/protocol/message.h"
#include "watch/sample/run_view.h"

#define STEPS "--steps 600 "
#define TASK  "train " SOFTMAX "--cluster c.yaml "

/* Two servers, two workers, an evaluator. */
static int write_cluster(const char *folder)
{
    char *path = test_path(folder, "c.yaml"), text[256];
    int port = free_port();
    snprintf(text, sizeof text, "ps: [\"127.0.0.1:%d\", \"127.0.0.1:%d\"]\nworker: [a, b]\nevaluator: [c]\n", port, free_port());
    test_write(path, text, strlen(text));
    free(path);
    return port;
}

static void end_well(process *tasks, int count)
{
    for (int i = 0; i < count; i++)
        json_decref(process_end(&tasks[i], 0));
}

/* Workers have no run folder, so they send their samples to ps:0. */
static void expect_samples_of_workers(const char *folder)
{
    tri__run_view view;
    int workers = 0;
    char *run = test_path(folder, "run");
    assert_ok(tri__run_view_read(run, &view));
    for (int i = 0; i < view.count; i++)
        workers += tri__task_name_has_role(view.row[i].task, TRI_ROLE_WORKER) && view.row[i].step > 0;
    assert_int_equal(workers, 2);
    tri__run_view_fini(&view);
    free(run);
}

static void workers_may_start_before_their_servers(void **state)
{
    write_cluster(*state);
    process tasks[5] = {
        process_start(*state, "w0", TASK STEPS "--sync --heartbeat 100ms --task worker:0"),
        process_start(*state, "w1", TASK STEPS "--sync --heartbeat 100ms --task worker:1"),
    };
    process_await(&tasks[0], "waiting for ps:0 at 127.0.0.1");
    tasks[2] = process_start(*state, "e", TASK STEPS "--sync --task evaluator:0");
    tasks[3] = process_start(*state, "p1", TASK STEPS "--sync --heartbeat 100ms --task ps:1");
    tasks[4] = process_start(*state, "p0", TASK STEPS "--sync --heartbeat 100ms --json --out run --task ps:0");
    json_t *summary = process_end(&tasks[4], 0);
    assert_int_equal(integer_of(summary, "steps"), 600);
    assert_true(number_of(summary, "test_accuracy") > ACCURATE);
    json_decref(summary);
    end_well(tasks, 4);
    expect_samples_of_workers(*state);
}

/* A job that waits for its last worker, so that there is time to make mistakes. */
static void start_waiting_job(const char *folder, process tasks[4])
{
    write_cluster(folder);
    tasks[0] = process_start(folder, "p0", TASK STEPS "--sync --out run --json --heartbeat 100ms --task ps:0");
    tasks[1] = process_start(folder, "p1", TASK STEPS "--sync --task ps:1");
    tasks[2] = process_start(folder, "e", TASK STEPS "--sync --task evaluator:0");
    tasks[3] = process_start(folder, "w0", TASK STEPS "--sync --task worker:0");
    await_member(folder, "worker:0");
}

static void end_job(const char *folder, process tasks[4])
{
    process last = process_start(folder, "w1", TASK STEPS "--sync --task worker:1");
    json_t *summary = process_end(&tasks[0], 0);
    assert_int_equal(integer_of(summary, "steps"), 600);
    json_decref(summary);
    json_decref(process_end(&last, 0));
    end_well(tasks + 1, 3);
}

static void expect_refusal(process refused, int status, const char *why)
{
    process_await(&refused, why);
    json_decref(process_end(&refused, status));
}

static void a_wrongly_started_task_is_refused_and_the_job_continues(void **state)
{
    process tasks[4];
    start_waiting_job(*state, tasks);
    expect_refusal(process_start(*state, "twice", TASK STEPS "--sync --task worker:0"), 2, "there is a worker:0 already");
    expect_refusal(process_start(*state, "server", TASK STEPS "--sync --task ps:1"), 1, "in use");
    expect_refusal(process_start(*state, "second", TASK STEPS "--sync --task evaluator:0"), 2, "there is an evaluator already");
    expect_refusal(
        process_start(*state, "model", "train lenet --data digits:4000 --batch 400 --strategy ps --cluster c.yaml --task worker:1 " STEPS),
        2, "another model");
    expect_refusal(
        process_start(*state, "batch", "train softmax --data digits:4000 --batch 40 --strategy ps --cluster c.yaml --task worker:1 " STEPS),
        2, "in batches of 40");
    expect_refusal(process_start(*state, "rate", TASK STEPS "--sync --rate 0.25 --task worker:1"), 2, "--rate 0.25 ");
    expect_refusal(process_start(*state, "seed", TASK STEPS "--sync --seed 2 --task worker:1"), 2, "--seed 2 ");
    expect_refusal(process_start(*state, "rule", TASK STEPS "--sync --rule adam --task worker:1"), 2, "--rule adam ");
    expect_refusal(process_start(*state, "data", TASK STEPS "--sync --data fake:28x28x1:10:4000 --task worker:1"), 2,
                   "worker:1 has other examples than ps:0 ");
    expect_refusal(process_start(*state, "mode", TASK STEPS "--async --task worker:1"), 2,
                   "worker:1 was started with --async and 2 servers, and ps:0 with --sync and 2 servers");
    expect_refusal(process_start(*state, "backup", TASK STEPS "--sync --backup 1 --task worker:1"), 2,
                   "worker:1 was started with --sync --backup 1 and 2 servers, and ps:0 with --sync and 2 servers");
    expect_refusal(process_start(*state, "weights", TASK STEPS "--sync --class-weights balanced --task worker:1"), 2,
                   "--class-weights balanced, and the job with --rate");
    end_job(*state, tasks);
}

/* Of another shape, as many of the same shape, fewer of them: whatever it has, what ps:0 was started with is the job. */
static void a_worker_with_other_data_is_refused_though_it_comes_first(void **state)
{
    static const struct {
        const char *data, *told;
    } cases[] = {
        {"fake:14x14x1:10:4000", "worker:1 has another model than the job, or other shapes"},
        {"fake:28x28x1:10:4000", "worker:1 has other examples than ps:0 "},
        {"digits:3000", "worker:1 has 3000 examples in batches of 400, ps:0 has 4000"},
    };
    process tasks[4];
    write_cluster(*state);
    tasks[0] = process_start(*state, "p0", TASK STEPS "--sync --out run --json --heartbeat 100ms --task ps:0");
    tasks[1] = process_start(*state, "p1", TASK STEPS "--sync --task ps:1");
    tasks[2] = process_start(*state, "e", TASK STEPS "--sync --task evaluator:0");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refusal(process_start(*state, "other", TASK STEPS "--sync --data %s --task worker:1", cases[i].data), 2, cases[i].told);
    tasks[3] = process_start(*state, "w0", TASK STEPS "--sync --task worker:0");
    end_job(*state, tasks);
}

static void a_ps_0_without_the_data_trains_what_the_first_worker_has(void **state)
{
    process tasks[4];
    write_cluster(*state);
    tasks[0] = process_start(*state, "p0", TASK STEPS "--sync --out run --json --heartbeat 100ms --data nowhere --task ps:0");
    tasks[1] = process_start(*state, "p1", TASK STEPS "--sync --task ps:1");
    tasks[2] = process_start(*state, "e", TASK STEPS "--sync --task evaluator:0");
    process_await(&tasks[0], "ps:0 does not know the data, and the first worker says what is trained");
    tasks[3] = process_start(*state, "w0", TASK STEPS "--sync --task worker:0");
    end_job(*state, tasks);
}

/* Bytes of a stranger at a server's port. */
static int knock(int port, const void *bytes, size_t size)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) || (size && send(fd, bytes, size, MSG_NOSIGNAL) < 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

static void foreign_bytes_on_the_port_of_a_server_change_nothing(void **state)
{
    enum { FLOOD = 3000 };
    static int held[FLOOD];
    process tasks[4];
    start_waiting_job(*state, tasks);
    char *text = NULL, *path = test_path(*state, "c.yaml");
    text = test_read(path, NULL);
    int port = (int)strtol(strstr(text, "127.0.0.1:") + 10, NULL, 10);
    static const char noise[] = "GET / HTTP/1.1\r\nHost: example\r\n\r\n\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377";
    for (int i = 0; i < FLOOD; i++) {
        held[i] = knock(port, noise, i % 3 ? (size_t)(i % 40) : 0);
        if (i >= 500 && held[i - 500] >= 0)
            close(held[i - 500]); /* so many at once */
    }
    end_job(*state, tasks);
    for (int i = FLOOD - 500; i < FLOOD; i++)
        if (held[i] >= 0)
            close(held[i]);
    free(text);
    free(path);
}

static void a_worker_of_another_version_is_refused(void **state)
{
    static const char hello[] = "{\"protocol\": 999999, \"role\": \"worker\", \"task\": 1, \"incarnation\": 5}";
    process tasks[4];
    start_waiting_job(*state, tasks);
    char *path = test_path(*state, "c.yaml"), *text = test_read(path, NULL), *log = test_path(*state, "run/log/ps-0.txt");
    int port = (int)strtol(strstr(text, "127.0.0.1:") + 10, NULL, 10);
    tri__frame frame = {.type = TRI_MSG_HELLO, .size = sizeof hello - 1};
    uint8_t bytes[TRI_HEAD_SIZE + sizeof hello];
    tri__head_write(&frame, bytes);
    memcpy(bytes + TRI_HEAD_SIZE, hello, sizeof hello - 1);
    int fd = knock(port, bytes, TRI_HEAD_SIZE + sizeof hello - 1);
    assert_true(fd >= 0);
    await_text(log, "all tasks need the same version");
    close(fd);
    end_job(*state, tasks);
    free(text);
    free(path);
    free(log);
}

static void more_servers_than_the_model_has_parts_are_refused_before_any_starts(void **state)
{
    process job = process_start(*state, "job", "train " SOFTMAX STEPS "--servers 600 --workers 1 --out run");
    process_await(&job, "600 servers for 7856 parameters");
    json_decref(process_end(&job, 2));
    char *run = test_path(*state, "run");
    assert_int_equal(access(run, F_OK), -1);
    free(run);
}

static void no_task_outlives_a_killed_supervisor(void **state)
{
    process job = process_start(*state, "job", "train " SOFTMAX "--steps 1000000 --workers 2 --servers 2 --out run --eval-every 100");
    process_await_step(&job, STRIKE);
    pid_t pids[16];
    int count = process_tasks(&job, pids, 16);
    assert_int_equal(count, 5);
    process_kill(&job);
    for (int i = 0; i < count; i++)
        await_death(pids[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(workers_may_start_before_their_servers),
        PROCESS_TEST(a_wrongly_started_task_is_refused_and_the_job_continues),
        PROCESS_TEST(a_worker_with_other_data_is_refused_though_it_comes_first),
        PROCESS_TEST(a_ps_0_without_the_data_trains_what_the_first_worker_has),
        PROCESS_TEST(foreign_bytes_on_the_port_of_a_server_change_nothing),
        PROCESS_TEST(a_worker_of_another_version_is_refused),
        PROCESS_TEST(more_servers_than_the_model_has_parts_are_refused_before_any_starts),
        PROCESS_TEST(no_task_outlives_a_killed_supervisor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
