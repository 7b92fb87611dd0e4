/* child_test.c: child processes: their lines, their ends, what they inherit, and that signals reach their whole group. */
#define _GNU_SOURCE /* pipe2 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread/clock.h"
#include "net/process/child.h"

static const int64_t PATIENCE = (int64_t)60 * 1000000000;

typedef struct {
    tri__loop *loop;
    tri__child *child;
    char out[65536], err[65536]; /* all lines, "|" behind each */
    size_t longest;
    int lines, status, signal;
    bool ended, destroys_itself;
} watched;

static void on_line(void *context, tri__child *child, bool error, const char *line)
{
    watched *w = context;
    char *to = error ? w->err : w->out;
    size_t length = strlen(line), used = strlen(to);
    assert_false(w->ended);
    w->lines++;
    w->longest = length > w->longest ? length : w->longest;
    if (used + length + 2 < sizeof w->out)
        sprintf(to + used, "%s|", line);
    if (w->destroys_itself) {
        tri__child_destroy(child);
        w->child = NULL;
    }
}

static void on_end(void *context, tri__child *child, int status, int signal)
{
    watched *w = context;
    assert_ptr_equal(child, w->child);
    assert_false(w->ended);
    w->ended = true;
    w->status = status;
    w->signal = signal;
}

static void start(watched *w, const char *script, const char *const *env, const int *fds, int fd_count)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    const tri__child_options options = {
        .path = "/bin/sh", .argv = argv, .env = env, .fds = fds, .fd_count = fd_count, .line = on_line, .ended = on_end, .context = w};
    assert_ok(tri__loop_create(&w->loop));
    assert_ok(tri__child_start(w->loop, &options, &w->child));
}

static void turn_until(watched *w, const bool *done)
{
    int64_t deadline = tri__clock_now() + PATIENCE;
    while (!*done)
        assert_true(tri__loop_turn(w->loop, deadline));
}

static void fini(watched *w)
{
    tri__child_destroy(w->child);
    tri__loop_destroy(w->loop);
}

static void the_lines_and_the_exit_status_of_a_child_are_reported(void **state)
{
    (void)state;
    static watched w;
    w = (watched){0};
    start(&w, "echo one; echo two >&2; printf 'three\\r\\n\\nfour'; exit 7", NULL, NULL, 0);
    turn_until(&w, &w.ended);
    assert_string_equal(w.out, "one|three||four|");
    assert_string_equal(w.err, "two|");
    assert_int_equal(w.status, 7);
    assert_int_equal(w.signal, 0);
    fini(&w);
}

static void long_lines_of_a_child_are_not_cut(void **state)
{
    (void)state;
    static watched w;
    w = (watched){0};
    start(&w, "head -c 60000 /dev/zero | tr '\\0' x; echo; echo end", NULL, NULL, 0);
    turn_until(&w, &w.ended);
    assert_int_equal(w.longest, 60000);
    assert_int_equal(w.lines, 2);
    fini(&w);
}

static void very_long_lines_of_a_child_are_cut_between_characters(void **state)
{
    (void)state;
    static watched w;
    w = (watched){0};
    start(&w, "printf x; yes é | head -n 800000 | tr -d '\\n'; echo; echo end", NULL, NULL, 0);
    turn_until(&w, &w.ended);
    assert_int_equal(w.lines, 3);
    assert_true(w.longest < 1 << 20 && w.longest % 2 == 1); /* cut between two characters, which have two bytes each */
    fini(&w);
}

static void a_child_gets_its_environment_and_descriptors(void **state)
{
    (void)state;
    static watched w;
    w = (watched){0};
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(write(ends[1], "through\n", 8), 8);
    close(ends[1]);
    setenv("TRI_TEST_KEPT", "kept", 1);
    setenv("TRI_TEST_CHANGED", "before", 1);
    const char *const env[] = {"TRI_TEST_CHANGED=after", "TRI_TEST_NEW=new", NULL};
    start(&w, "echo $TRI_TEST_KEPT $TRI_TEST_CHANGED $TRI_TEST_NEW; cat <&3; cat", env, ends, 1); /* and an empty standard input */
    turn_until(&w, &w.ended);
    assert_string_equal(w.out, "kept after new|through|");
    close(ends[0]);
    fini(&w);
}

static void a_signal_reaches_the_whole_process_group_of_a_child(void **state)
{
    (void)state;
    static watched w;
    w = (watched){0};
    start(&w, "sleep 1000 & echo $!; wait", NULL, NULL, 0);
    while (w.lines == 0)
        assert_true(tri__loop_turn(w.loop, tri__clock_now() + PATIENCE));
    tri__child_signal(w.child, SIGTERM);
    turn_until(&w, &w.ended);
    assert_int_equal(w.signal, SIGTERM);
    fini(&w); /* the end came with both outputs closed: so the sleep, which held them, is gone too */
}

static void destroying_a_running_child_kills_it(void **state)
{
    (void)state;
    static watched w;
    w = (watched){0};
    start(&w, "trap '' TERM; echo $$; while :; do sleep 1000; done", NULL, NULL, 0);
    while (w.lines == 0)
        assert_true(tri__loop_turn(w.loop, tri__clock_now() + PATIENCE));
    pid_t pid = (pid_t)strtol(w.out, NULL, 10);
    assert_int_equal(kill(pid, 0), 0);
    fini(&w);
    assert_int_equal(kill(pid, 0), -1);
    assert_int_equal(errno, ESRCH); /* reaped, too */
    assert_false(w.ended);
}

static void a_line_handler_may_destroy_its_child(void **state)
{
    (void)state;
    static watched w;
    w = (watched){.destroys_itself = true};
    start(&w, "echo one; echo two; sleep 1000", NULL, NULL, 0);
    while (w.lines == 0)
        assert_true(tri__loop_turn(w.loop, tri__clock_now() + PATIENCE));
    tri__loop_turn(w.loop, 0);
    assert_int_equal(w.lines, 1);
    fini(&w);
}

/* The child leaves a process behind that holds its output: its end is reported all the same. */
static void a_grandchild_that_holds_the_output_does_not_delay_the_end_of_a_child(void **state)
{
    (void)state;
    static watched w;
    w = (watched){0};
    start(&w, "sleep 1000 & echo $!; exit 3", NULL, NULL, 0);
    turn_until(&w, &w.ended);
    assert_int_equal(w.status, 3);
    kill(atoi(w.out), SIGKILL);
    fini(&w);
}

static void starting_a_missing_program_fails(void **state)
{
    (void)state;
    tri__loop *loop = NULL;
    tri__child *child = NULL;
    const char *argv[] = {"nothing", NULL};
    const tri__child_options options = {.path = "/no/such/program", .argv = argv, .line = on_line, .ended = on_end};
    assert_ok(tri__loop_create(&loop));
    assert_fails(tri__child_start(loop, &options, &child), TRI_NOT_FOUND, "/no/such/program");
    assert_null(child);
    tri__child_destroy(NULL);
    tri__loop_destroy(loop);
}

static void a_child_may_stay_in_our_group_and_run_elsewhere(void **state)
{
    (void)state;
    static watched w;
    w = (watched){0};
    char *folder = test_folder_create(), expected[512];
    const char *argv[] = {"sh", "-c", "pwd -P; ps -o pgid= -p $$", NULL};
    const tri__child_options options = {
        .path = "/bin/sh", .argv = argv, .folder = folder, .in_group = true, .line = on_line, .ended = on_end, .context = &w};
    char *real = realpath(folder, NULL);
    assert_ok(tri__loop_create(&w.loop));
    assert_ok(tri__child_start(w.loop, &options, &w.child));
    turn_until(&w, &w.ended);
    assert_non_null(real);
    snprintf(expected, sizeof expected, "%s|", real);
    assert_memory_equal(w.out, expected, strlen(expected));
    assert_int_equal(strtol(w.out + strlen(expected), NULL, 10), getpgrp());
    free(real);
    fini(&w);
    test_folder_remove(folder);
}

static void a_child_in_our_group_is_killed_alone(void **state)
{
    (void)state;
    static watched w;
    w = (watched){0};
    const char *argv[] = {"sh", "-c", "sleep 100 & echo $!; wait", NULL};
    const tri__child_options options = {.path = "/bin/sh", .argv = argv, .in_group = true, .line = on_line, .ended = on_end, .context = &w};
    assert_ok(tri__loop_create(&w.loop));
    assert_ok(tri__child_start(w.loop, &options, &w.child));
    while (!w.lines)
        tri__loop_turn(w.loop, tri__clock_now() + PATIENCE);
    tri__child_signal(w.child, SIGKILL);
    turn_until(&w, &w.ended);
    assert_int_equal(w.signal, SIGKILL);
    assert_false(kill((pid_t)strtol(w.out, NULL, 10), SIGKILL)); /* it is still there: this process is, too */
    fini(&w);
}

static tri_status run_script(watched *w, const char *script, int64_t patience, tri__child_end *end)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    const tri__child_options options = {.path = "/bin/sh", .argv = argv, .line = on_line, .context = w};
    return tri__child_run(&options, patience, end);
}

static void a_child_that_is_run_to_its_end_tells_its_lines_and_its_status(void **state)
{
    (void)state;
    static watched w;
    w = (watched){0};
    tri__child_end end;
    assert_ok(run_script(&w, "echo one; echo two >&2; exit 7", PATIENCE, &end));
    assert_string_equal(w.out, "one|");
    assert_string_equal(w.err, "two|");
    assert_true(end.in_time);
    assert_int_equal(end.status, 7);
    assert_int_equal(end.signal, 0);
}

static void a_child_that_does_not_end_in_time_is_killed(void **state)
{
    (void)state;
    static watched w;
    w = (watched){0};
    tri__child_end end;
    assert_ok(run_script(&w, "sleep 100", 1, &end));
    assert_false(end.in_time);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lines_and_the_exit_status_of_a_child_are_reported),
        cmocka_unit_test(long_lines_of_a_child_are_not_cut),
        cmocka_unit_test(very_long_lines_of_a_child_are_cut_between_characters),
        cmocka_unit_test(a_child_gets_its_environment_and_descriptors),
        cmocka_unit_test(a_signal_reaches_the_whole_process_group_of_a_child),
        cmocka_unit_test(destroying_a_running_child_kills_it),
        cmocka_unit_test(a_line_handler_may_destroy_its_child),
        cmocka_unit_test(a_grandchild_that_holds_the_output_does_not_delay_the_end_of_a_child),
        cmocka_unit_test(starting_a_missing_program_fails),
        cmocka_unit_test(a_child_may_stay_in_our_group_and_run_elsewhere),
        cmocka_unit_test(a_child_in_our_group_is_killed_alone),
        cmocka_unit_test(a_child_that_is_run_to_its_end_tells_its_lines_and_its_status),
        cmocka_unit_test(a_child_that_does_not_end_in_time_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
