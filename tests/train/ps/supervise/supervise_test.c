/* supervise_test.c: a job of real processes, which are a small script here: who is started how, and what becomes of the job when one ends.
 *
 * Each test says in shell what every task does. The supervisor's lines are kept, and each appears as a file `said-N` in the run folder, so
 * that a script can wait for something to have been said. Nothing depends on how long anything takes. */
#include "train/ps/supervise/supervise.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "train/cluster/cluster.h"
#include "train/options/strategy.h"

#define SECOND INT64_C(1000000000)
#define RESULT "printf '%s\\n' '{\"result\": {\"summary\": {\"steps\": 7}, \"table\": \"steps 7\\n\"}}'\n"

/* Before what a test adds: who am I? `wait_for TEXT` waits until the supervisor has said it. */
static const char *const prologue = "#!/bin/sh\n"
                                    "shift\n"
                                    "words=$*\n"
                                    "recover=\n"
                                    "while [ $# -gt 0 ]; do\n"
                                    "    case $1 in\n"
                                    "    --task) task=$2 ;;\n"
                                    "    --spawned) run=$2 ;;\n"
                                    "    --cluster) cluster=$2 ;;\n"
                                    "    --recover) recover=yes ;;\n"
                                    "    esac\n"
                                    "    shift\n"
                                    "done\n"
                                    "echo \"$task $OMP_NUM_THREADS $words\" >>\"$run/started\"\n"
                                    "wait_for() { until grep -qs \"$1\" \"$run/said\"; do sleep 0.01; done; }\n"
                                    "wait_for_progress() { until [ -e \"$run/progressed\" ]; do sleep 0.01; done; }\n"
                                    "forever() { while :; do sleep 0.01; done; }\n";

typedef struct {
    tri__log log; /* first: the sink is this */
    char *folder, *program, *run;
    char said[8192];
    int progresses;
    double last_loss;
    volatile sig_atomic_t stop;
    int stop_at; /* signals by the time that progress is told */
    tri__train_options options;
    tri__run_result result;
} fixture;

static void keep_line(tri__log *log, tri__log_level level, const char *line)
{
    fixture *job = (fixture *)log;
    (void)level;
    size_t used = strlen(job->said);
    snprintf(job->said + used, sizeof job->said - used, "%s\n", line);
    char *path = test_path(job->run, "said");
    test_write(path, job->said, strlen(job->said));
    free(path);
}

static void keep_progress(void *context, const tri__progress *progress)
{
    fixture *job = context;
    job->progresses++;
    job->last_loss = progress->loss;
    job->stop = job->stop_at;
    char *path = test_path(job->run, "progressed");
    test_write(path, "", 0);
    free(path);
}

static void job_init(fixture *job, const char *script)
{
    *job = (fixture){.log = {.write = keep_line}, .folder = test_folder_create()};
    job->program = test_path(job->folder, "task");
    job->run = test_path(job->folder, "run");
    FILE *file = fopen(job->program, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "%s%s", prologue, script) > 0);
    assert_false(fclose(file));
    assert_false(chmod(job->program, 0755));
    bool known;
    tri__train_options_init(&job->options);
    assert_ok(tri__train_options_set(&job->options, "model", "softmax", &known));
    assert_ok(tri__train_options_set(&job->options, "data", "fake:8x8x1:3:50", &known));
    assert_ok(tri__train_options_set(&job->options, "strategy", "ps", &known));
}

static tri_status supervise(fixture *job, int workers, int servers)
{
    static const char *const words[] = {"--data=fake:8x8x1:3:50", "--strategy=ps", NULL};
    const tri__run_request request = {
        .options = &job->options,
        .strategy = &tri__strategy_ps,
        .out = job->run,
        .command = "trireme train softmax",
        .stop = &job->stop,
        .log = &job->log,
        .progress = keep_progress,
        .context = job,
    };
    const tri__supervision supervision = {
        .run = &request,
        .program = job->program,
        .words = words,
        .ps = {.workers = workers, .servers = servers, .timeout = 10 * SECOND, .heartbeat = SECOND},
        .threads = 3,
    };
    return tri__supervise(&supervision, &job->result);
}

static char *read_in_run(const fixture *job, const char *name)
{
    char *path = test_path(job->run, name), *text = test_read(path, NULL);
    free(path);
    return text;
}

static void expect_in_run(const fixture *job, const char *name, const char *wanted)
{
    char *text = read_in_run(job, name);
    if (!strstr(text, wanted))
        fail_msg("%s has no '%s':\n%s", name, wanted, text);
    free(text);
}

static void expect_said(const fixture *job, const char *wanted)
{
    if (!strstr(job->said, wanted))
        fail_msg("'%s' was not said, but:\n%s", wanted, job->said);
}

static void job_fini(fixture *job)
{
    tri__run_result_fini(&job->result);
    tri__train_options_fini(&job->options);
    free(job->program);
    free(job->run);
    test_folder_remove(job->folder);
}

static void all_tasks_of_a_supervised_job_start_and_end_by_themselves(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "case $task in\n"
                   "ps:0) echo '{\"progress\": {\"step\": 3, \"steps\": 7, \"loss\": 0.5}}'; echo to people >&2\n" RESULT ";;\n"
                   "esac\n");
    assert_ok(supervise(&job, 2, 2));
    assert_int_equal(job.progresses, 1);
    assert_true(job.last_loss == 0.5);
    assert_int_equal(json_integer_value(json_object_get(job.result.summary, "steps")), 7);
    assert_string_equal(job.result.table, "steps 7\n");
    assert_string_equal(job.result.folder, job.run);
    expect_said(&job, "ps:0: to people");
    expect_in_run(&job, "log/supervisor.txt", "ps:0: to people");
    expect_in_run(&job, "command", "trireme train softmax");
    expect_in_run(&job, "started", "ps:0 1 --task ps:0 --cluster");
    expect_in_run(&job, "started", "--listen-fd 4 --data=fake:8x8x1:3:50 --strategy=ps -- softmax");
    expect_in_run(&job, "started", "ps:1 1 ");
    expect_in_run(&job, "started", "worker:0 3 ");
    expect_in_run(&job, "started", "worker:1 3 ");
    expect_in_run(&job, "started", "evaluator:0 1 ");
    char *path = test_path(job.run, "cluster.yaml");
    tri__cluster cluster;
    assert_ok(tri__cluster_read(path, &cluster));
    assert_true(cluster.servers == 2 && cluster.workers == 2 && cluster.evaluator && tri__cluster_is_loopback(&cluster));
    tri__cluster_fini(&cluster);
    free(path);
    job_fini(&job);
}

static void a_job_continues_without_a_worker_that_was_killed(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "case $task in\n"
                   "ps:0) wait_for 'worker:1 was killed by signal 9'\n" RESULT ";;\n"
                   "worker:1) kill -9 $$ ;;\n"
                   "worker:0) wait_for 'worker:1 was killed' ;;\n"
                   "esac\n");
    assert_ok(supervise(&job, 2, 1));
    expect_said(&job, "worker:1 was killed by signal 9 (Killed); the others go on");
    job_fini(&job);
}

static void a_job_that_has_lost_all_workers_ends(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "case $task in\n"
                   "worker:0) echo '{\"failure\": \"the input is damaged\"}'; exit 1 ;;\n"
                   "worker:1) wait_for 'worker:0 failed: the input is damaged; the others go on'; kill -9 $$ ;;\n"
                   "*) forever ;;\n" /* until it is asked to end */
                   "esac\n");
    assert_fails(supervise(&job, 2, 1), TRI_INTERNAL, "worker:1 was killed by signal 9 (Killed), and no worker is left");
    expect_in_run(&job, "log/supervisor.txt", "worker:0 failed: the input is damaged");
    job_fini(&job);
}

#define PROGRESS(workers) "echo '{\"progress\": {\"step\": 3, \"steps\": 7, \"workers\": " #workers "}}'\n"

static void a_job_whose_own_workers_are_dead_goes_on_with_those_that_joined(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "case $task in\n"
                   "ps:0) until grep -qs 'goes on with 1 that joined' \"$run/said\"; do sleep 0.01\n" PROGRESS(
                       1) "done\n" RESULT ";;\n"
                          "worker:*) wait_for_progress; kill -9 $$ ;;\n"
                          "esac\n");
    assert_ok(supervise(&job, 2, 1));
    job_fini(&job);
}

static void a_job_ends_when_ps_0_knows_no_worker_any_more(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "case $task in\n"
                   "ps:0) while :; do sleep 0.01\n" PROGRESS(0) "done ;;\n"
                                                                "worker:*) wait_for_progress; kill -9 $$ ;;\n"
                                                                "*) forever ;;\n"
                                                                "esac\n");
    assert_fails(supervise(&job, 2, 1), TRI_INTERNAL, "was killed by signal 9 (Killed), and no worker is left");
    job_fini(&job);
}

static void a_killed_server_is_started_again(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "case $task$recover in\n"
                   "ps:1) kill -9 $$ ;;\n"
                   "ps:1yes) touch \"$run/back\" ;;\n"
                   "ps:0) until [ -e \"$run/back\" ]; do sleep 0.01; done\n" RESULT ";;\n"
                   "esac\n");
    assert_ok(supervise(&job, 1, 2));
    expect_said(&job, "ps:1 was killed by signal 9 (Killed); it is started again from the last checkpoint");
    job_fini(&job);
}

static void a_server_that_dies_again_and_again_ends_the_job(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "case $task in ps:0) kill -9 $$ ;; *) forever ;; esac\n");
    assert_fails(supervise(&job, 1, 1), TRI_INTERNAL, "for the 6th time within a minute");
    job_fini(&job);
}

static void a_server_is_restarted_any_number_of_times_while_checkpoints_are_written(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "case $task in\n"
                   "ps:0) before=$(ls \"$run/checkpoint\" | wc -l)\n"
                   "    if [ $before -eq 9 ]; then\n" RESULT "exit; fi\n"
                   "    touch \"$run/checkpoint/step-0000000$((before + 1)).safetensors\"; kill -9 $$ ;;\n"
                   "*) until [ -e \"$run/checkpoint/step-00000009.safetensors\" ]; do sleep 0.01; done ;;\n"
                   "esac\n");
    assert_ok(supervise(&job, 1, 1));
    job_fini(&job);
}

static void a_server_that_fails_by_itself_ends_the_job_with_its_reason(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "case $task in ps:0) echo '{\"failure\": \"the loss is not a number\"}'; exit 1 ;; *) forever ;; esac\n");
    assert_fails(supervise(&job, 1, 1), TRI_INTERNAL, "the loss is not a number");
    job_fini(&job);
    job_init(&job, "case $task in ps:1) exit 2 ;; *) forever ;; esac\n");
    assert_fails(supervise(&job, 1, 2), TRI_BAD_CALL, "ps:1 failed with exit status 2");
    job_fini(&job);
    job_init(&job, "true\n");
    assert_fails(supervise(&job, 1, 1), TRI_INTERNAL, "ps:0 ended without a result");
    job_fini(&job);
}

static void an_evaluator_that_fails_by_itself_is_restarted_three_times_and_then_ends_the_job(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "case $task in evaluator:0) exit 1 ;; *) forever ;; esac\n");
    assert_fails(supervise(&job, 1, 1), TRI_INTERNAL, "evaluator:0 failed with exit status 1");
    char *started = read_in_run(&job, "started");
    int times = 0;
    for (const char *at = started; (at = strstr(at, "evaluator:0 1 ")); at++)
        times++;
    assert_int_equal(times, 4);
    free(started);
    job_fini(&job);
}

static void a_job_continues_without_an_evaluator_that_is_killed_again_and_again(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "case $task in\n"
                   "evaluator:0) kill -9 $$ ;;\n"
                   "ps:0) trap 'told=yes' USR2; echo ready; until [ \"$told\" ]; do sleep 0.01; done\n" RESULT ";;\n"
                   "esac\n");
    assert_ok(supervise(&job, 1, 1));
    expect_said(&job, "evaluator:0 was killed by signal 9 (Killed), and is not started a 5th time: the job goes on without evaluations");
    assert_int_equal(json_integer_value(json_object_get(job.result.summary, "steps")), 7);
    job_fini(&job);
}

static void a_restarted_server_learns_that_there_is_no_evaluator(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "case $task$recover in\n"
                   "evaluator:0) kill -9 $$ ;;\n"
                   "ps:0) trap 'kill -9 $$' USR2; echo ready; forever ;;\n"
                   "ps:0yes) trap 'told=yes' USR2; echo ready; until [ \"$told\" ]; do sleep 0.01; done\n" RESULT ";;\n"
                   "esac\n");
    assert_ok(supervise(&job, 1, 1));
    expect_said(&job, "ps:0 was killed by signal 9 (Killed); it is started again");
    job_fini(&job);
}

static void a_request_to_stop_is_sent_to_ps_0_alone(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "case $task in\n"
                   "ps:0) trap 'touch \"$run/over\"; over=yes' TERM; echo '{\"progress\": {\"step\": 1}}'\n"
                   "    until [ \"$over\" ]; do sleep 0.01; done\n" RESULT ";;\n"
                   "*) until [ -e \"$run/over\" ]; do sleep 0.01; done ;;\n"
                   "esac\n");
    job.stop_at = 1;
    assert_ok(supervise(&job, 1, 1));
    assert_int_equal(json_integer_value(json_object_get(job.result.summary, "steps")), 7);
    job_fini(&job);
}

static void a_second_request_to_stop_kills_all_tasks(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "trap '' TERM\n[ $task = ps:0 ] && echo '{\"progress\": {\"step\": 1}}'\nforever\n");
    job.stop_at = 2;
    assert_fails(supervise(&job, 2, 1), TRI_INTERNAL, "killed by a second signal");
    expect_said(&job, "worker:1 had not ended by itself");
    job_fini(&job);
}

static void a_task_that_outlives_the_job_gets_sigterm(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "case $task in ps:0) " RESULT ";; worker:1) forever ;; esac\n");
    assert_ok(supervise(&job, 2, 1));
    assert_string_equal(job.said, ""); /* that is nobody's fault */
    job_fini(&job);
}

static void wrong_options_are_refused_before_a_folder_is_made(void **state)
{
    (void)state;
    fixture job;
    bool known;
    job_init(&job, "exit 1\n");
    assert_ok(tri__train_options_set(&job.options, "data", "/nowhere", &known));
    assert_fails(supervise(&job, 1, 1), TRI_NOT_FOUND, "/nowhere");
    struct stat there;
    assert_true(stat(job.run, &there) && errno == ENOENT);
    job_fini(&job);
}

/* Descriptor 3 of every task is at its end when the supervisor is gone, whatever it died of. */
static void tasks_notice_that_their_supervisor_was_killed(void **state)
{
    (void)state;
    fixture job;
    job_init(&job, "read nothing <&3; mkdir -p \"$run/gone\"; touch \"$run/gone/$task\"\n");
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        tri_status_free(supervise(&job, 2, 1));
        _exit(0);
    }
    static const char *const tasks[] = {"ps:0", "worker:0", "worker:1", "evaluator:0"};
    char *started = test_path(job.run, "started");
    for (int lines = 0; lines < 4;) {
        struct stat there;
        lines = 0;
        if (stat(started, &there)) {
            usleep(10000);
            continue;
        }
        char *text = test_read(started, NULL);
        for (const char *at = text; (at = strchr(at, '\n')); at++)
            lines++;
        free(text);
        usleep(10000);
    }
    assert_false(kill(pid, SIGKILL));
    assert_true(waitpid(pid, NULL, 0) == pid);
    for (int i = 0; i < 4; i++) {
        char name[64], *path;
        snprintf(name, sizeof name, "gone/%s", tasks[i]);
        path = test_path(job.run, name);
        struct stat there;
        while (stat(path, &there))
            usleep(10000);
        free(path);
    }
    free(started);
    job_fini(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_tasks_of_a_supervised_job_start_and_end_by_themselves),
        cmocka_unit_test(a_job_continues_without_a_worker_that_was_killed),
        cmocka_unit_test(a_job_that_has_lost_all_workers_ends),
        cmocka_unit_test(a_job_whose_own_workers_are_dead_goes_on_with_those_that_joined),
        cmocka_unit_test(a_job_ends_when_ps_0_knows_no_worker_any_more),
        cmocka_unit_test(a_killed_server_is_started_again),
        cmocka_unit_test(a_server_that_dies_again_and_again_ends_the_job),
        cmocka_unit_test(a_server_is_restarted_any_number_of_times_while_checkpoints_are_written),
        cmocka_unit_test(a_server_that_fails_by_itself_ends_the_job_with_its_reason),
        cmocka_unit_test(an_evaluator_that_fails_by_itself_is_restarted_three_times_and_then_ends_the_job),
        cmocka_unit_test(a_job_continues_without_an_evaluator_that_is_killed_again_and_again),
        cmocka_unit_test(a_restarted_server_learns_that_there_is_no_evaluator),
        cmocka_unit_test(a_request_to_stop_is_sent_to_ps_0_alone),
        cmocka_unit_test(a_second_request_to_stop_kills_all_tasks),
        cmocka_unit_test(a_task_that_outlives_the_job_gets_sigterm),
        cmocka_unit_test(wrong_options_are_refused_before_a_folder_is_made),
        cmocka_unit_test(tasks_notice_that_their_supervisor_was_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
