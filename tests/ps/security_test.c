/* security_test.c: a server with an identity admits only peers that show it; it refuses others, and the job is not disturbed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ps/process.h"

#define TASK "train " SOFTMAX "--cluster c.yaml --sync --steps 300 "

static void write_cluster(const char *folder, const char *host)
{
    char *path = test_path(folder, "c.yaml"), text[256];
    snprintf(text, sizeof text, "ps: [\"%s:%d\"]\nworker: [a, b]\nevaluator: [c]\n", host, free_port());
    test_write(path, text, strlen(text));
    free(path);
}

static void make_key(const char *folder, const char *name)
{
    process keygen = process_start(folder, name, "keygen %s.key", name);
    json_decref(process_end(&keygen, 0));
}

static void a_peer_without_the_identity_is_refused(void **state)
{
    write_cluster(*state, "127.0.0.1");
    make_key(*state, "ours");
    make_key(*state, "theirs");
    process server = process_start(*state, "p0", TASK "--key ours.key --json --out run --task ps:0");
    process evaluator = process_start(*state, "e", TASK "--key ours.key --task evaluator:0");
    process first = process_start(*state, "w0", TASK "--key ours.key --task worker:0");
    await_member(*state, "worker:0");
    process plain = process_start(*state, "plain", TASK "--timeout 2s --heartbeat 500ms --task worker:1");
    process other = process_start(*state, "other", TASK "--timeout 2s --heartbeat 500ms --key theirs.key --task worker:1");
    json_decref(process_end(&plain, 1));
    json_decref(process_end(&other, 1));
    assert_false(file_says(server.log, "worker:1 takes part"));
    process second = process_start(*state, "w1", TASK "--key ours.key --task worker:1");
    json_t *summary = process_end(&server, 0);
    assert_int_equal(integer_of(summary, "steps"), 300);
    json_decref(summary);
    json_decref(process_end(&first, 0));
    json_decref(process_end(&second, 0));
    json_decref(process_end(&evaluator, 0));
}

static void a_server_beyond_loopback_needs_an_identity(void **state)
{
    write_cluster(*state, "0.0.0.0");
    process server = process_start(*state, "p0", TASK "--out run --task ps:0");
    process_await(&server, "trireme keygen FILE");
    json_decref(process_end(&server, 2));
}

static void a_server_listens_only_on_its_own_address(void **state)
{
    write_cluster(*state, "127.0.0.2");
    process server = process_start(*state, "p0", TASK "--out run --task ps:0");
    process_await(&server, "listens on 127.0.0.2:");
    char *path = test_path(*state, "c.yaml"), *text = test_read(path, NULL);
    int port = (int)strtol(strstr(text, "127.0.0.2:") + 10, NULL, 10);
    assert_false(can_connect("127.0.0.1", port));
    assert_true(can_connect("127.0.0.2", port));
    process_kill(&server);
    free(text);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(a_peer_without_the_identity_is_refused),
        PROCESS_TEST(a_server_beyond_loopback_needs_an_identity),
        PROCESS_TEST(a_server_listens_only_on_its_own_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
