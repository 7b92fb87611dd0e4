/* signals_test.c: commands that are asked to end by a signal: they end in good order, and their exit status says which signal it was. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ps/process.h"

#define TRAIN "train softmax --data digits:4000 --batch 400 --json --out run --checkpoint-every 20steps " ENDLESS

/* Returns the summary of a run that a signal ended. */
static json_t *expect_stopped(process *job, int status)
{
    json_t *summary = process_end(job, status);
    assert_string_equal(json_string_value(json_object_get(summary, "stopped_by")), "signal");
    return summary;
}

/* Ask a run to end: its last checkpoint is the state in which it ended. */
static void end_run(process *job, int signal, int status)
{
    kill(job->pid, signal);
    json_t *summary = expect_stopped(job, status);
    const char *checkpoint = json_string_value(json_object_get(summary, "checkpoint"));
    assert_non_null(checkpoint);
    const char *step = strstr(checkpoint, "step-");
    assert_non_null(step);
    assert_int_equal(strtoll(step + strlen("step-"), NULL, 10), integer_of(summary, "steps"));
    json_decref(summary);
}

static void interrupt(const char *folder, const char *strategy, int signal, int status)
{
    process job = process_start(folder, "job", TRAIN "%s", strategy);
    await_checkpoint(folder, -1);
    end_run(&job, signal, status);
}

static void a_local_run_exits_130_after_ctrl_c(void **state)
{
    interrupt(*state, "", SIGINT, 130);
}

static void a_local_run_exits_143_after_sigterm(void **state)
{
    interrupt(*state, "", SIGTERM, 143);
}

static void a_lost_connection_ends_a_run_in_good_order(void **state)
{
    interrupt(*state, "", SIGHUP, 129);
}

static void replicas_exit_143_after_sigterm(void **state)
{
    interrupt(*state, "--strategy mirrored --workers 2", SIGTERM, 143);
}

static void a_supervisor_exits_143_after_sigterm(void **state)
{
    interrupt(*state, "--strategy ps --workers 2 --servers 2", SIGTERM, 143);
}

static void a_supervisor_exits_129_after_a_lost_connection(void **state)
{
    interrupt(*state, "--strategy ps --workers 1 --servers 1", SIGHUP, 129);
}

/* Of a job with several processes, the signal reaches the one that leads it, and not the supervisor. */
static void interrupt_leader(const char *folder, const char *mode, int signal, int status)
{
    process job = process_start(folder, "job", TRAIN "--strategy ps --workers 1 --servers 1 %s", mode);
    await_checkpoint(folder, -1);
    kill(process_task(&job, "ps:0", 0), signal);
    json_decref(expect_stopped(&job, status));
}

static void a_sync_job_exits_143_after_sigterm_to_ps_0(void **state)
{
    interrupt_leader(*state, "--sync", SIGTERM, 143);
}

static void an_async_job_exits_130_after_ctrl_c_to_ps_0(void **state)
{
    interrupt_leader(*state, "--async", SIGINT, 130);
}

/* A user who starts it under nohup means it. */
static void an_ignored_sighup_stays_ignored(void **state)
{
    process job = process_start_under(*state, "job", "nohup", TRAIN);
    int64_t step = await_checkpoint(*state, -1);
    kill(job.pid, SIGHUP);
    await_checkpoint(*state, await_checkpoint(*state, step));
    end_run(&job, SIGINT, 130);
}

/* ---- a job whose tasks are started by hand, without a supervisor ---- */

enum { PS_0, PS_1, WORKER_0, EVALUATOR_0, TASKS };

typedef struct {
    const char *folder;
    process task[TASKS];
} job_by_hand;

#define BY_HAND "train softmax --data digits:4000 --batch 400 --strategy ps --cluster cluster.yaml --heartbeat 500ms " ENDLESS

static process start_task(const char *folder, const char *task, const char *options)
{
    char name[32];
    snprintf(name, sizeof name, "%s", task);
    return process_start(folder, name, BY_HAND "--task %s %s%s", task, options, strcmp(task, "ps:0") ? "" : " --out run --json");
}

static void start_job(const char *folder, const char *options, job_by_hand *job)
{
    static const char *const names[TASKS] = {"ps:0", "ps:1", "worker:0", "evaluator:0"};
    char cluster[256];
    int size =
        snprintf(cluster, sizeof cluster, "ps: [\"127.0.0.1:%d\", \"127.0.0.1:%d\"]\nworker: [\"127.0.0.1\"]\nevaluator: [\"127.0.0.1\"]\n",
                 free_port(), free_port());
    char *path = test_path(folder, "cluster.yaml");
    test_write(path, cluster, (size_t)size);
    free(path);
    job->folder = folder;
    for (int i = 0; i < TASKS; i++)
        job->task[i] = start_task(folder, names[i], options);
    process_await_step(&job->task[PS_0], 100);
}

static void ps_0_by_hand_exits_143_after_sigterm(void **state)
{
    job_by_hand job;
    start_job(*state, "--eval-every 100", &job);
    end_run(&job.task[PS_0], SIGTERM, 143);
    for (int i = PS_1; i < TASKS; i++)
        json_decref(process_end(&job.task[i], 0));
}

/* As Slurm and Kubernetes do when a job is cancelled. All of the model is saved, though its servers hear the signal in any order. */
static void signal_all(const char *folder, const char *mode, int signal, int status)
{
    char options[128];
    snprintf(options, sizeof options, "--eval-every 100 --checkpoint-every end %s", mode);
    job_by_hand job;
    start_job(folder, options, &job);
    for (int i = TASKS - 1; i >= 0; i--)
        kill(job.task[i].pid, signal);
    json_decref(expect_stopped(&job.task[PS_0], status));
    assert_true(await_checkpoint(folder, -1) >= 100);
    for (int i = PS_1; i < TASKS; i++)
        json_decref(process_end(&job.task[i], status));
}

static void a_signal_to_all_tasks_of_an_async_job_saves_the_model(void **state)
{
    signal_all(*state, "--async", SIGTERM, 143);
}

static void a_signal_to_all_tasks_of_a_sync_job_saves_the_model(void **state)
{
    signal_all(*state, "--sync", SIGINT, 130);
}

static void a_lost_connection_of_all_tasks_with_replicas_saves_the_model(void **state)
{
    signal_all(*state, "--replicas 2", SIGHUP, 129);
}

/* A node that is drained: ps:1 is started again elsewhere, and goes on with the part that it left behind. */
static void a_server_that_is_asked_to_end_leaves_a_checkpoint(void **state)
{
    static const char options[] = "--eval-every 100 --checkpoint-every end";
    job_by_hand job;
    start_job(*state, options, &job);
    kill(job.task[PS_1].pid, SIGTERM);
    json_decref(process_end(&job.task[PS_1], 143));
    int64_t kept = await_checkpoint(*state, -1);
    assert_true(kept >= 100);
    job.task[PS_1] = start_task(*state, "ps:1", options);
    process_await_step(&job.task[PS_0], kept + 1000);
    end_run(&job.task[PS_0], SIGTERM, 143);
    for (int i = PS_1; i < TASKS; i++)
        json_decref(process_end(&job.task[i], 0));
}

static void a_failed_job_fails_in_every_task(void **state)
{
    job_by_hand job;
    start_job(*state, "--eval-every 100 --timeout 3s", &job);
    process_kill(&job.task[PS_1]);
    for (int i = 0; i < TASKS; i++)
        if (i != PS_1)
            json_decref(process_end(&job.task[i], 1));
}

static int count_files(const char *folder)
{
    DIR *open = opendir(folder);
    int count = 0;
    assert_non_null(open);
    for (const struct dirent *entry; (entry = readdir(open));)
        count += entry->d_name[0] != '.';
    closedir(open);
    return count;
}

/* Until the folder is there under its temporary name. */
static void await_making(const char *folder, const process *maker)
{
    char name[64];
    snprintf(name, sizeof name, "data.tmp-%d", (int)maker->pid);
    char *path = test_path(folder, name);
    while (access(path, F_OK))
        assert_false(process_has_ended(maker));
    free(path);
}

static void an_interrupted_data_make_leaves_nothing(void **state)
{
    static const char *const kinds[] = {"images", "digits", "clicks"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        process maker = process_start(*state, "make", "data make %s --count 100000000 --out data", kinds[i]);
        await_making(*state, &maker);
        kill(maker.pid, SIGINT);
        json_decref(process_end(&maker, 130));
        assert_int_equal(count_files(*state), 2); /* make.out and make.err */
    }
}

static void write_examples(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 100000; i++)
        fprintf(file, "%d 1:%d 2:%d\n", i % 2, i % 7, i % 5);
    assert_int_equal(fclose(file), 0);
}

/* The file is mapped into memory, and the kernel reports the loss by SIGBUS. The checkpoint of before stays. */
static void a_data_file_that_becomes_shorter_is_named(void **state)
{
    const char *folder = *state;
    static const char *const strategies[] = {"local", "mirrored --workers 2"};
    char *path = test_path(folder, "a.svm"), *errors = test_path(folder, "job.err");
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        write_examples(path);
        process job = process_start(folder, "job",
                                    "train sparse-lr --data a.svm --features 10 --json --out run-%d --checkpoint-every 20steps " ENDLESS
                                    "--strategy %s",
                                    (int)i, strategies[i]);
        char first[32];
        snprintf(first, sizeof first, "run-%d/checkpoint", (int)i);
        char *checkpoint = test_path(folder, first);
        while (access(checkpoint, F_OK))
            assert_false(process_has_ended(&job));
        assert_int_equal(truncate(path, 0), 0);
        json_decref(process_end(&job, 1));
        char *said = test_read(errors, NULL);
        assert_non_null(strstr(said, "a.svm: a part that was there is gone"));
        free(said);
        free(checkpoint);
    }
    free(errors);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(a_local_run_exits_130_after_ctrl_c),
        PROCESS_TEST(a_local_run_exits_143_after_sigterm),
        PROCESS_TEST(a_lost_connection_ends_a_run_in_good_order),
        PROCESS_TEST(replicas_exit_143_after_sigterm),
        PROCESS_TEST(a_supervisor_exits_143_after_sigterm),
        PROCESS_TEST(a_supervisor_exits_129_after_a_lost_connection),
        PROCESS_TEST(a_sync_job_exits_143_after_sigterm_to_ps_0),
        PROCESS_TEST(an_async_job_exits_130_after_ctrl_c_to_ps_0),
        PROCESS_TEST(an_ignored_sighup_stays_ignored),
        PROCESS_TEST(ps_0_by_hand_exits_143_after_sigterm),
        PROCESS_TEST(a_signal_to_all_tasks_of_an_async_job_saves_the_model),
        PROCESS_TEST(a_signal_to_all_tasks_of_a_sync_job_saves_the_model),
        PROCESS_TEST(a_lost_connection_of_all_tasks_with_replicas_saves_the_model),
        PROCESS_TEST(a_server_that_is_asked_to_end_leaves_a_checkpoint),
        PROCESS_TEST(a_failed_job_fails_in_every_task),
        PROCESS_TEST(an_interrupted_data_make_leaves_nothing),
        PROCESS_TEST(a_data_file_that_becomes_shorter_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
