/* supervised_test.c: a process that is started again when it dies, given up when it dies again and again, and ended with its parent. */
#include "cli/process/supervised.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/process/signals.h"
#include "support.h"

typedef struct {
    tri__log log; /* first: the sink is this */
    pthread_mutex_t lock;
    char said[4096]; /* under the lock */
} listener;

static void keep_line(tri__log *log, tri__log_level level, const char *line)
{
    listener *self = (listener *)log;
    (void)level;
    pthread_mutex_lock(&self->lock);
    size_t used = strlen(self->said);
    snprintf(self->said + used, sizeof self->said - used, "%s|", line);
    pthread_mutex_unlock(&self->lock);
}

static bool has_said(listener *self, const char *text)
{
    pthread_mutex_lock(&self->lock);
    bool said = strstr(self->said, text) != NULL;
    pthread_mutex_unlock(&self->lock);
    return said;
}

static tri__supervised *start(listener *self, const char *script)
{
    const char *const words[] = {"/bin/sh", "-c", script, NULL};
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    tri__supervised *supervised;
    *self = (listener){.log = {.write = keep_line}};
    pthread_mutex_init(&self->lock, NULL);
    tri__command_line_add_all(&line, words);
    assert_ok(tri__command_line_check(&line));
    assert_ok(tri__supervised_start("helper", &line, SIGUSR2, &self->log, &supervised));
    assert_null(tri__command_line_words(&line)[0]);
    return supervised;
}

static void a_supervised_process_that_dies_again_and_again_is_given_up(void **state)
{
    (void)state;
    listener self;
    const volatile sig_atomic_t *given_up = tri__signals_note(SIGUSR2);
    tri__supervised *supervised = start(&self, "kill -9 $$");
    while (!*given_up)
        usleep(1000);
    tri__supervised_end(supervised);
    int times = 0;
    for (const char *at = self.said; (at = strstr(at, "helper was killed by signal 9 (Killed); it is started again|")); at++)
        times++;
    assert_int_equal(times, 3);
    assert_true(has_said(&self, "helper was killed by signal 9 (Killed), and is not started a 5th time|"));
}

static void output_of_a_supervised_process_is_logged_and_it_is_not_restarted_after_a_good_end(void **state)
{
    (void)state;
    listener self;
    tri__supervised *supervised = start(&self, "echo hello; echo 'trireme: beware' >&2");
    tri__supervised_end(supervised);
    assert_true(has_said(&self, "helper: hello|") && has_said(&self, "helper: beware|"));
    assert_false(has_said(&self, "again"));
}

static void a_supervised_process_does_not_outlive_its_parent(void **state)
{
    (void)state;
    listener self;
    tri__supervised *supervised = start(&self, "echo $$; while :; do sleep 0.01; done");
    while (!has_said(&self, "|"))
        usleep(1000);
    pid_t pid = (pid_t)strtol(self.said + strlen("helper: "), NULL, 10);
    assert_true(pid > 1 && !kill(pid, 0));
    tri__supervised_end(supervised);
    assert_true(kill(pid, 0));
    assert_false(has_said(&self, "again"));
    tri__supervised_end(NULL);
}

static void supervising_a_program_that_does_not_exist_fails(void **state)
{
    (void)state;
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    tri__supervised *supervised;
    tri__command_line_add(&line, "no-such-program");
    assert_fails(tri__supervised_start("helper", &line, SIGUSR2, NULL, &supervised), TRI_NOT_FOUND, "helper cannot be started");
    assert_null(supervised);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_supervised_process_that_dies_again_and_again_is_given_up),
        cmocka_unit_test(output_of_a_supervised_process_is_logged_and_it_is_not_restarted_after_a_good_end),
        cmocka_unit_test(a_supervised_process_does_not_outlive_its_parent),
        cmocka_unit_test(supervising_a_program_that_does_not_exist_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
