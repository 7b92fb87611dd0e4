/* ssh_test.c: jobs whose tasks are started by ssh, on the hosts of a cluster file, and supervised from one place. */
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ps/model.h"
#include "ps/process.h"
#include "ps/sshd.h"

#define JOB "train " SOFTMAX "--threads 1 --json --eval-every 100 --checkpoint-every 50steps "

static process start_by_ssh(const char *folder, int servers, const char *words)
{
    char text[256], second[64] = "";
    if (servers > 1)
        snprintf(second, sizeof second, ", \"127.0.0.1:%d\"", free_port());
    snprintf(text, sizeof text, "ps: [\"127.0.0.1:%d\"%s]\nworker: [one, two, three]\n", free_port(), second);
    char *path = test_path(folder, "c.yaml");
    test_write(path, text, strlen(text));
    free(path);
    return process_start(folder, "job", JOB "--out run --cluster c.yaml --ssh ./reach %s", words);
}

/* A task that runs in the test's folder, whoever is its parent; another one than `but`; 0: there is none. */
static pid_t find_task(const char *folder, const char *task, pid_t but)
{
    pid_t found = 0;
    DIR *all = opendir("/proc");
    for (const struct dirent *entry; all && !found && (entry = readdir(all));) {
        char link[300], where[PATH_MAX] = "";
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        snprintf(link, sizeof link, "/proc/%s/cwd", entry->d_name);
        if (pid && pid != but && readlink(link, where, sizeof where - 1) > 0 && !strcmp(where, folder) && process_has_task(pid, task))
            found = pid;
    }
    closedir(all);
    return found;
}

static void tasks_started_by_ssh_give_the_model_of_one_machine(void **state)
{
    process job = start_by_ssh(*state, 2, "--sync --steps 200"),
            calm = process_start(*state, "calm", JOB "--out calm --workers 3 --servers 2 --sync --steps 200");
    json_t *summary = process_end(&job, 0), *here = process_end(&calm, 0);
    assert_true(model_difference(*state, summary, here) == 0);
    expect_books(summary, NULL);
    static const char *const files[] = {"run/log/worker-2.txt", "run/log/ps-1.txt", "run/log/evaluator-0.txt", "run/samples/worker-2.csv"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = test_path(*state, files[i]);
        assert_int_equal(access(path, R_OK), 0);
        free(path);
    }
    json_decref(summary);
    json_decref(here);
}

static void a_killed_server_is_started_again_by_ssh(void **state)
{
    process job = start_by_ssh(*state, 1, "--async --steps 2400");
    process_await_step(&job, STRIKE);
    kill(find_task(*state, "ps:0", 0), SIGKILL);
    process_await(&job, "ps:0 was killed by signal 9 (Killed); it is started again from the last checkpoint");
    json_t *summary = process_end(&job, 0);
    assert_int_equal(integer_of(summary, "steps"), 2400);
    json_decref(summary);
}

/* ssh hands no signal on: the request to end reaches ps:0 all the same, which writes a checkpoint and a summary. */
static void a_job_over_ssh_ends_in_good_order_when_asked(void **state)
{
    process job = start_by_ssh(*state, 1, "--staleness 2 " ENDLESS);
    process_await_step(&job, STRIKE);
    pid_t worker = find_task(*state, "worker:1", 0);
    json_decref(process_finish(&job));
    await_death(worker);
}

static void tasks_over_ssh_do_not_outlive_their_supervisor(void **state)
{
    process job = start_by_ssh(*state, 1, "--async " ENDLESS);
    process_await_step(&job, STRIKE);
    const pid_t tasks[] = {find_task(*state, "ps:0", 0), find_task(*state, "worker:2", 0), find_task(*state, "evaluator:0", 0)};
    process_kill(&job);
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        await_death(tasks[i]);
}

static void a_host_that_ssh_cannot_reach_is_named(void **state)
{
    static const char text[] = "ps: [\"nowhere.invalid:4000\"]\nworker: [nowhere.invalid]\n";
    char *path = test_path(*state, "c.yaml");
    test_write(path, text, sizeof text - 1);
    free(path);
    process job = process_start(*state, "job", "train " SOFTMAX "--steps 10 --cluster c.yaml --out run");
    process_await(&job, "Could not resolve hostname nowhere.invalid");
    process_await(&job, "its host cannot be reached by ssh");
    json_decref(process_end(&job, 1));
}

/* The data appears when the first task is started: tasks find it, and the supervisor, which looked before, did not. */
static void data_that_only_the_hosts_have_is_left_to_the_tasks(void **state)
{
    static const char reach[] = "#!/bin/sh\nmv aside data 2>/dev/null\nexec ./reach \"$@\"\n";
    char *path = test_path(*state, "late"), text[128];
    test_write(path, reach, sizeof reach - 1);
    assert_int_equal(chmod(path, 0755), 0);
    free(path);
    path = test_path(*state, "c.yaml");
    snprintf(text, sizeof text, "ps: [\"127.0.0.1:%d\"]\nworker: [one, two]\n", free_port());
    test_write(path, text, strlen(text));
    free(path);
    process make = process_start(*state, "make", "data make digits --count 600 --out aside");
    json_decref(process_end(&make, 0));
    process job = process_start(*state, "job",
                                "train softmax --data ./data --batch 20 --steps 20 --strategy ps --sync --threads 1 --json --out run "
                                "--cluster c.yaml --ssh ./late");
    process_await(&job, "the data is checked by the tasks, on their hosts; here it was not found: './data'");
    json_t *summary = process_end(&job, 0);
    assert_int_equal(integer_of(summary, "steps"), 20);
    json_decref(summary);
}

static int set_up(void **state)
{
    process_set_up(state);
    sshd_start(*state);
    return 0;
}

static int tear_down(void **state)
{
    sshd_end();
    return process_tear_down(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    if (!sshd_is_installed()) {
        print_message("sshd is not installed (Debian: apt install openssh-server)\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        TEST(tasks_started_by_ssh_give_the_model_of_one_machine),
        TEST(a_killed_server_is_started_again_by_ssh),
        TEST(a_job_over_ssh_ends_in_good_order_when_asked),
        TEST(tasks_over_ssh_do_not_outlive_their_supervisor),
        TEST(a_host_that_ssh_cannot_reach_is_named),
        TEST(data_that_only_the_hosts_have_is_left_to_the_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
