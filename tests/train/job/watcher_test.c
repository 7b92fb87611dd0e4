/* watcher_test.c: real processes, which are shell scripts here: their states, their reports, and the states of the job that they make
 * up. */
#include "train/job/watcher.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

#define SECOND  INT64_C(1000000000)
#define FOREVER "while :; do sleep 0.01; done\n"

enum { MOST = 3 };

typedef struct {
    tri__log log; /* first: the sink is this */
    tri__watcher watcher;
    tri__process process[MOST];
    int count;
    char said[4096]; /* to people, "|" behind each line */
    int64_t step;    /* of the last progress */
    int ended, began;
    volatile sig_atomic_t stop;
    tri__watcher_state state_at_end; /* of a process, the last one */
    const char *again;               /* a script for the first process when it has ended; NULL: none */
    int due;                         /* a signal for that one when it is ready; 0: none */
    bool leaves;                     /* the job is over when the first process has begun, and in a hurry when another one has ended */
} fixture;

static void keep_line(tri__log *log, tri__log_level level, const char *line)
{
    fixture *self = (fixture *)log;
    size_t used = strlen(self->said);
    snprintf(self->said + used, sizeof self->said - used, "%s%s|", level >= TRI_LOG_WARNING ? "!" : "", line);
}

static void start(fixture *self, int index, const char *script)
{
    const char *const words[] = {"sh", "-c", script, NULL};
    assert_ok(
        tri__process_start(&self->process[index], &(tri__process_options){.program = "/bin/sh", .words = words, .life = TRI_LIFE_FD_3}));
    assert_int_equal(self->process[index].state, TRI_PROCESS_STARTING);
}

static void on_progress(void *context, const tri__progress *progress)
{
    fixture *self = context;
    self->step = progress->step;
}

static void on_begin(void *context, tri__process *process)
{
    fixture *self = context;
    assert_int_equal(process->state, TRI_PROCESS_READY);
    self->began++;
    if (self->leaves)
        tri__watcher_leave(&self->watcher, 0, 3600 * SECOND);
}

static void on_end(void *context, tri__process *process)
{
    fixture *self = context;
    assert_int_equal(process->state, TRI_PROCESS_REAPED);
    assert_false(tri__process_is_up(process));
    self->ended++;
    self->state_at_end = self->watcher.state;
    if (process != self->process && self->leaves)
        tri__watcher_hurry(&self->watcher);
    if (process != self->process || !self->again)
        return;
    start(self, 0, self->again);
    self->again = NULL;
    if (self->due)
        tri__process_signal_when_ready(process, self->due);
}

static void on_stop_request(void *context, int times)
{
    fixture *self = context;
    if (times == 1)
        tri__watcher_stop(&self->watcher);
    else
        tri__watcher_hurry(&self->watcher);
}

static void init(fixture *self, int count)
{
    *self = (fixture){.log = {.write = keep_line}, .count = count};
    const tri__watcher_options options = {
        .log = &self->log,
        .stop = &self->stop,
        .progress = on_progress,
        .progress_context = self,
        .began = on_begin,
        .ended = on_end,
        .asked = on_stop_request,
        .context = self,
    };
    assert_ok(tri__watcher_init(&self->watcher, &options));
    for (int i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "task:%d", i);
        assert_ok(tri__process_init(&self->process[i], &self->watcher, name));
        assert_int_equal(self->process[i].state, TRI_PROCESS_IDLE);
    }
}

static void fini(fixture *self)
{
    for (int i = 0; i < self->count; i++)
        tri__process_fini(&self->process[i]);
    tri__watcher_fini(&self->watcher);
}

static void watcher_handles_reports_and_shows_other_lines(void **state)
{
    (void)state;
    static fixture self;
    init(&self, 1);
    start(&self, 0,
          "echo hello; echo; echo '{\"began\": true}'; echo '{\"progress\": {\"step\": 7}}'; echo 'trireme: beware' >&2\n"
          "echo '{\"result\": {\"summary\": {\"steps\": 8}, \"table\": \"a table\"}}'; echo '{\"failure\": \"first\"}'\n"
          "echo '{\"failure\": \"second\"}'; echo '{\"failure\": \"of people\"}' >&2; exit 3\n");
    tri__watcher_run(&self.watcher);
    assert_int_equal(self.watcher.state, TRI_WATCHER_OVER);
    assert_int_equal(self.began, 1);
    assert_int_equal(self.step, 7);
    assert_non_null(strstr(self.said, "task:0: hello|"));
    assert_non_null(strstr(self.said, "!task:0: beware|"));
    assert_non_null(strstr(self.said, "task:0: {\"failure\": \"of people\"}|")); /* only standard output has reports */
    assert_string_equal(self.process[0].complaint, "first");
    char how[TRI_EXIT_SIZE];
    assert_string_equal(tri__process_ending_text(&self.process[0], how), "failed: first");
    tri__run_result result = {0};
    assert_ok(tri__watcher_take_result(&self.watcher, "a/folder", &result));
    assert_int_equal(json_integer_value(json_object_get(result.summary, "steps")), 8);
    assert_string_equal(result.table, "a table");
    assert_string_equal(result.folder, "a/folder");
    tri__run_result_fini(&result);
    fini(&self);
}

static void a_restarted_process_has_no_complaint_from_before(void **state)
{
    (void)state;
    static fixture self;
    init(&self, 1);
    self.again = "exit 0";
    start(&self, 0, "echo '{\"failure\": \"no memory\"}'; exit 1");
    tri__watcher_run(&self.watcher);
    assert_int_equal(self.ended, 2);
    assert_null(self.process[0].complaint);
    assert_true(tri__process_ended_well(&self.process[0]));
    fini(&self);
}

static void a_signal_for_a_starting_process_waits_for_its_first_line(void **state)
{
    (void)state;
    static fixture self;
    init(&self, 1);
    self.again = "trap 'echo heard; exit 0' TERM; echo ready; " FOREVER;
    self.due = SIGTERM;
    start(&self, 0, "exit 1");
    tri__watcher_run(&self.watcher);
    assert_non_null(strstr(self.said, "task:0: heard|"));
    assert_true(tri__process_ended_well(&self.process[0]));
    fini(&self);
}

/* The first request goes to the leader alone, which ends the job: here, by ending itself. */
static void a_request_to_stop_is_sent_to_the_leader_alone(void **state)
{
    (void)state;
    static fixture self;
    init(&self, 2);
    self.stop = 1;
    start(&self, 0, FOREVER);
    start(&self, 1, "exit 0");
    tri__watcher_run(&self.watcher);
    assert_int_equal(self.state_at_end, TRI_WATCHER_STOPPING);
    assert_int_equal(self.process[0].ending.signal, SIGTERM);
    assert_true(tri__process_ended_well(&self.process[1]));
    assert_string_equal(self.said, "");
    fini(&self);
}

static void a_process_that_outlives_the_job_gets_sigterm_and_is_then_killed(void **state)
{
    (void)state;
    static fixture self;
    init(&self, 2);
    self.leaves = true;
    start(&self, 0, "trap '' TERM; echo '{\"began\": true}'\n" FOREVER);
    start(&self, 1, FOREVER);
    tri__watcher_run(&self.watcher);
    assert_int_equal(self.state_at_end, TRI_WATCHER_LEAVING);
    assert_int_equal(self.process[0].ending.signal, SIGKILL);
    assert_int_equal(self.process[1].ending.signal, SIGTERM);
    assert_string_equal(self.said, "!task:0 had not ended by itself when the job was over, and was killed|");
    fini(&self);
}

static void a_failed_job_without_a_leader_asks_all_processes_to_end(void **state)
{
    (void)state;
    static fixture self;
    init(&self, 2);
    start(&self, 0, FOREVER);
    start(&self, 1, FOREVER);
    tri__watcher_fail(&self.watcher, tri_fail(TRI_IO, "the first reason"), 3600 * SECOND);
    tri__watcher_fail(&self.watcher, tri_fail(TRI_IO, "the second reason"), 3600 * SECOND);
    assert_int_equal(self.watcher.state, TRI_WATCHER_FAILING);
    assert_true(tri__watcher_is_ending(&self.watcher));
    tri__watcher_run(&self.watcher);
    assert_int_equal(self.process[0].ending.signal, SIGTERM);
    assert_int_equal(self.process[1].ending.signal, SIGTERM);
    tri__run_result result = {0};
    assert_fails(tri__watcher_take_result(&self.watcher, "a/folder", &result), TRI_IO, "the first reason");
    tri__run_result_fini(&result);
    fini(&self);
}

static void a_second_run_of_a_watcher_begins_without_a_result(void **state)
{
    (void)state;
    static fixture self;
    init(&self, 1);
    start(&self, 0, "echo '{\"result\": {}}'");
    tri__watcher_run(&self.watcher);
    assert_non_null(self.watcher.result);
    start(&self, 0, "exit 1");
    tri__watcher_run(&self.watcher);
    assert_null(self.watcher.result);
    assert_int_equal(self.state_at_end, TRI_WATCHER_RUNNING);
    fini(&self);
}

static void hurry_kills_all_processes_at_once(void **state)
{
    (void)state;
    static fixture self;
    init(&self, 1);
    self.stop = 2;
    start(&self, 0, "trap '' TERM\n" FOREVER);
    tri__watcher_run(&self.watcher);
    assert_int_equal(self.process[0].ending.signal, SIGKILL);
    fini(&self);
}

static void starting_a_program_that_does_not_exist_fails_with_its_name(void **state)
{
    (void)state;
    static fixture self;
    init(&self, 1);
    const char *const words[] = {"no-such-program", NULL};
    assert_fails(tri__process_start(&self.process[0], &(tri__process_options){.program = words[0], .words = words}), TRI_NOT_FOUND,
                 "no-such-program");
    assert_false(tri__process_is_up(&self.process[0]));
    tri__watcher_run(&self.watcher);
    fini(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watcher_handles_reports_and_shows_other_lines),
        cmocka_unit_test(a_restarted_process_has_no_complaint_from_before),
        cmocka_unit_test(a_signal_for_a_starting_process_waits_for_its_first_line),
        cmocka_unit_test(a_request_to_stop_is_sent_to_the_leader_alone),
        cmocka_unit_test(a_process_that_outlives_the_job_gets_sigterm_and_is_then_killed),
        cmocka_unit_test(a_failed_job_without_a_leader_asks_all_processes_to_end),
        cmocka_unit_test(a_second_run_of_a_watcher_begins_without_a_result),
        cmocka_unit_test(hurry_kills_all_processes_at_once),
        cmocka_unit_test(starting_a_program_that_does_not_exist_fails_with_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
