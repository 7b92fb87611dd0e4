/* watch_web_test.c: trireme watch RUN --web as a process of its own. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/binary.h"
#include "net/http/client.h"
#include "watch/sample_file.h"

/* Start the binary with these words; its first line of output goes to line. */
static pid_t start(const char *const *arguments, char line[256])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv(TEST_BINARY, (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    close(ends[1]);
    FILE *out = fdopen(ends[0], "r");
    assert_non_null(fgets(line, 256, out));
    fclose(out);
    return child;
}

static int end(pid_t child)
{
    int status = 0;
    kill(child, SIGTERM);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The whole answer of another process; free() it. */
static char *get(unsigned port, const char *path, const char *lines)
{
    tri__loop *loop;
    assert_ok(tri__loop_create(&loop));
    char *answer = http_get(loop, (uint16_t)port, path, lines);
    tri__loop_destroy(loop);
    return answer;
}

static void make_run(const char *folder)
{
    FILE *file = sample_file_begin(folder, "worker-0.csv", "alpha");
    sample_file_add(file, 1000, 7, 100);
    fclose(file);
}

static void a_page_is_served_until_a_signal_comes(void **state)
{
    char line[256];
    unsigned port = 0;
    make_run(*state);
    const pid_t child = start((const char *[]){"trireme", "watch", "--web", *state, NULL}, line);
    assert_int_equal(sscanf(line, "http://127.0.0.1:%u/", &port), 1);
    http_expect(get(port, "/", ""), 200, "<title>Trireme</title>");
    http_expect(get(port, "/metrics", ""), 200, "trireme_step{task=\"worker:0\"} 7\n");
    assert_int_equal(end(child), 143);
}

static void a_token_of_a_file_is_asked_for_on_loopback_too(void **state)
{
    char line[256];
    unsigned port = 0;
    make_run(*state);
    char *token = test_path(*state, "token");
    test_write(token, "0123456789abcdef\n", 17);
    const pid_t child = start((const char *[]){"trireme", "watch", *state, "--web", "--token", token, NULL}, line);
    assert_int_equal(sscanf(line, "http://127.0.0.1:%u/?token=0123456789abcdef", &port), 1);
    http_expect(get(port, "/metrics", ""), 401, "token");
    http_expect(get(port, "/metrics", "Authorization: Bearer 0123456789abcdef\r\n"), 200, "trireme_step");
    end(child);
    free(token);
}

static void beyond_loopback_there_is_always_a_token(void **state)
{
    char line[256], token[64] = "", host[128] = "", lines[128];
    unsigned port = 0;
    make_run(*state);
    const pid_t child = start((const char *[]){"trireme", "watch", *state, "--web", "--bind", "0.0.0.0", "--quiet", NULL}, line);
    assert_int_equal(sscanf(line, "http://%127[^:]:%u/?token=%63[0-9a-f]", host, &port, token), 3);
    assert_int_equal(strlen(token), 32);
    http_expect(get(port, "/", ""), 401, "token");
    snprintf(lines, sizeof lines, "Authorization: Bearer %s\r\n", token);
    http_expect(get(port, "/", lines), 200, "Trireme");
    end(child);
}

static void wrong_calls_are_told_what_to_do(void **state)
{
    make_run(*state);
    char *short_token = test_path(*state, "short");
    test_write(short_token, "abc\n", 4);
    expect(RUN(*state, "watch", "--web"), 2, "", "name its folder");
    expect(RUN(*state, "watch", ".", "--bind", "127.0.0.1"), 2, "", "add --web");
    expect(RUN(*state, "watch", ".", "--web", "--count", "3"), 2, "", "leave out --web or --count");
    expect(RUN(*state, "watch", ".", "--web", "70000"), 2, "", "--web 70000");
    expect(RUN(*state, "watch", ".", "--web", "--token", "short"), 2, "", "can be guessed");
    expect(RUN(*state, "watch", "nowhere", "--web"), 1, "", "no such run folder");
    free(short_token);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_page_is_served_until_a_signal_comes),
        FOLDER_TEST(a_token_of_a_file_is_asked_for_on_loopback_too),
        FOLDER_TEST(beyond_loopback_there_is_always_a_token),
        FOLDER_TEST(wrong_calls_are_told_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
