/* allreduce_test.c: ranks under a real mpirun: the same as replicas, as one worker, and as a run that lost nobody. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/ranks.h"

/* 500 examples in steps of 96: the last step of an epoch has 20, so shards are uneven. */
static void ranks_equal_replicas_and_one_worker_with_a_larger_batch(void **state)
{
    const char *here = *state;
    expect(RUN(here, TRAIN, "--epochs", "5", "--batch", "96", "--out", "one"), 0, "", "");
    expect(RUN(here, TRAIN, "--epochs", "5", "--batch", "48", "--strategy", "mirrored", "--workers", "2", "--out", "replicas"), 0, "", "");
    expect(RUN(here, TRAIN, "--epochs", "5", "--batch", "48", "--strategy", "allreduce", "--workers", "2", "--out", "ranks"), 0,
           "allreduce, batch 48, 1 thread, 2 workers", "");
    assert_true(ranks_distance(here, "replicas", "ranks") == 0); /* two floats have one sum */
    assert_true(ranks_distance(here, "one", "ranks") < 1e-5);
    expect(RUN(here, "watch", "ranks", "--count", "1"), 0, "\nlauncher ", "");
    expect(RUN(here, "train", "--resume", "ranks", "--epochs", "6", "--quiet"), 0, "36 steps, 3,000 examples", "");
}

static void a_failure_of_all_ranks_is_reported_once(void **state)
{
    const char *here = *state;
    expect(RUN(here, TRAIN, "--strategy", "allreduce", "--workers", "2", "--rate", "1e38", "--steps", "200"), 1, "",
           "try a smaller --rate");
    expect(RUN(here, "train", "softmax", "--data", "/nowhere/at/all", "--strategy", "allreduce", "--workers", "2"), 1, "",
           "/nowhere/at/all");
    expect(RUN(here, TRAIN, "--strategy", "allreduce", "--workers", "2", "--sync"), 2, "", "--sync belongs to --strategy ps");
}

static void assert_no_folder(const char *here, const char *name)
{
    char *path = test_path(here, name);
    assert_int_not_equal(access(path, F_OK), 0);
    free(path);
}

#define TWO "--strategy", "allreduce", "--workers", "2", "--steps", "5"

static void a_run_that_never_began_leaves_no_folder(void **state)
{
    const char *here = *state;
    expect(RUN(here, "train", "softmax", "--data", "/nowhere/at/all", TWO, "--out", "a"), 1, "", "/nowhere/at/all");
    assert_no_folder(here, "a");
    expect(test_run(here, (const char *[]){"env", "PATH=/nowhere", TEST_BINARY, TRAIN, TWO, "--out", "a", NULL}), 1, "",
           "mpirun cannot be started");
    assert_no_folder(here, "a");
    expect(RUN(here, TRAIN, TWO, "--out", "a"), 0, "", "");
    expect(RUN(here, TRAIN, TWO, "--out", "a"), 2, "", "a new run needs a new folder (--resume a continues the run in it)");
    expect(RUN(here, "train", "--resume", "a", "--steps", "6", "--quiet"), 0, "6 steps", "");
}

/* ---- failures of one rank ---- */

#define MPIRUN   "mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"
#define LATCH    "sh", "-c", "\"$@\"; echo rank $OMPI_COMM_WORLD_RANK ended with $?", "sh", TEST_BINARY
#define ONE_RANK "-n", "1", LATCH
#define FEW      "--data", "digits:500", "--eval-every", "end", "--quiet", "--threads", "1", "--strategy", "allreduce", "--steps", "5"

/* mpirun ends all ranks when one fails. Here it hears of no failure, so those that end do so because they were told why. Rank 0 says it for
 * all, and only rank 0 fails: if rank 1 did, mpirun could end rank 0 before it has said anything. */
static void expect_both_end(test_result result, int status, const char *why)
{
    char first[40];
    snprintf(first, sizeof first, "rank 0 ended with %d", status);
    assert_non_null(strstr(result.out, first));
    expect(result, 0, "rank 1 ended with 0", why);
}

static void the_failure_of_one_rank_ends_all_ranks(void **state)
{
    const char *here = *state;
#define PAIR(...)                                                                                                                          \
    test_run(here, (const char *[]){MPIRUN, ONE_RANK, "train", "softmax", FEW, ":", ONE_RANK, "train", __VA_ARGS__, FEW, NULL})
    expect_both_end(PAIR("lenet"), 2, "rank 1 has another model than rank 0");
    expect_both_end(PAIR("./none.model"), 1, "rank 1: ./none.model");
    expect_both_end(PAIR("softmax", "--init", "nowhere"), 1, "rank 1: --init: nowhere");
    expect_both_end(PAIR("softmax", "--batch", "7"), 2, "rank 1 has another --batch than rank 0");
#undef PAIR
#define PAIR(data)                                                                                                                         \
    test_run(here,                                                                                                                         \
             (const char *[]){MPIRUN, ONE_RANK, "train", "softmax", FEW, ":", ONE_RANK, "train", "softmax", FEW, "--data", data, NULL})
    expect_both_end(PAIR("/nowhere"), 1, "rank 1: '/nowhere'");
    expect_both_end(PAIR("digits:400"), 2, "rank 1 has other data");
    expect_both_end(PAIR("fake:28x28x1:10:500"), 2, "rank 1 has other data: as many examples, but other ones");
#undef PAIR
    expect_both_end(test_run(here, (const char *[]){MPIRUN, ONE_RANK, "train", "softmax", FEW, "--out", "/proc/run", ":", ONE_RANK, "train",
                                                    "softmax", FEW, NULL}),
                    1, "/proc/run");
}

/* Ranks on one host see the folder of rank 0. A rank on another host may see another folder under the same path: its files differ. */
static void ranks_started_by_hand_write_samples_to_the_folder_of_rank_0(void **state)
{
    const char *here = *state;
    expect(test_run(here, (const char *[]){MPIRUN, "-n", "2", TEST_BINARY, "train", "softmax", FEW, "--out", "a", NULL}), 0, "5 steps", "");
    expect(RUN(here, "watch", "a"), 0, "worker:1 ", "");
}

/* Ranks on other hosts may see other folders. */
static void a_rank_that_cannot_find_the_run_to_resume_ends_all_ranks(void **state)
{
    const char *here = *state;
    expect(RUN(here, TRAIN, TWO, "--out", "a"), 0, "", "");
    static const char *const where[][2] = {{"a", "gone"}, {"gone", "a"}};
    for (int i = 0; i < 2; i++) {
        const char *const words[] = {MPIRUN,   ONE_RANK, "train",    "--resume",  where[i][0], "--steps", "9",       "--quiet", ":",
                                     ONE_RANK, "train",  "--resume", where[i][1], "--steps",   "9",       "--quiet", NULL};
        expect_both_end(test_run(here, words), 1, i ? "--resume: gone" : "rank 1: --resume: gone");
    }
}

/* A rank that does not join is awaited for as long as any other. */
static void ranks_that_do_not_start_are_given_up_after_the_timeout(void **state)
{
    const char *here = *state;
    const char *const one_comes[] = {MPIRUN, ONE_RANK, "train", "softmax", FEW, "--timeout", "3s", ":", "-n", "1", "sleep", "90", NULL};
    expect(test_run(here, one_comes), 1, "", "s for the others to start (--timeout)");
}

/* ---- damaged records ---- */

/* 200 lines, in each of which the class is that of the only feature. The lines with these numbers are garbage. */
static void write_lines(const char *here, const int *damaged, int count)
{
    char *path = test_path(here, "a.svm");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 200; i++) {
        bool bad = false;
        for (int k = 0; k < count; k++)
            bad = bad || damaged[k] == i;
        fputs(bad ? "1 garbage:::\n" : i % 2 ? "1 1:0.75 2:0.5\n" : "0 1:0.25 2:0.5\n", file);
    }
    assert_false(fclose(file));
    free(path);
}

/* In steps of 40 examples, line 35 is among those of the second worker. */
static void damage_that_another_worker_reads_is_reported(void **state)
{
    const char *here = *state;
    const int one[] = {35};
    write_lines(here, one, 1);
#define LINES "train", "softmax", "--data", "a.svm", "--quiet", "--threads", "1", "--batch", "20", "--workers", "2"
    expect(RUN(here, LINES, "--shuffle", "0", "--epochs", "2", "--strategy", "allreduce"), 1, "", "rank 1: a.svm: line 36, column ");
    expect(RUN(here, LINES, "--shuffle", "0", "--epochs", "2", "--strategy", "mirrored"), 1, "", "replica 1: a.svm: line 36, column ");
    expect(RUN(here, LINES, "--shuffle", "0", "--epochs", "2", "--strategy", "allreduce", "--skip-bad", "1"), 0,
           "1 training and 0 test records left out", "left out: a.svm: line 36, column ");
    expect(RUN(here, LINES, "--shuffle", "0", "--epochs", "2", "--strategy", "mirrored", "--skip-bad", "1"), 0,
           "1 training and 0 test records left out", "left out: a.svm: line 36, column ");
}

/* Started again, the ranks would read the same record. */
static void damage_does_not_start_the_ranks_again(void **state)
{
    const char *here = *state;
    const int one[] = {35};
    write_lines(here, one, 1);
    for (int restarts = 0; restarts < 2; restarts++) {
        test_result result =
            RUN(here, LINES, "--shuffle", "0", "--epochs", "2", "--strategy", "allreduce", "--restarts", restarts ? "2" : "0");
        assert_int_equal(result.status, 1);
        assert_non_null(strstr(result.err, "a.svm: line 36, column "));
        assert_null(strstr(result.err, "starting again"));
        assert_null(strstr(result.err, "--restarts"));
        test_result_fini(&result);
    }
}

/* In another order, each of them meets both workers in the course of six epochs. */
static void a_damaged_record_is_counted_once(void **state)
{
    const char *here = *state;
    const int some[] = {3, 50, 51, 120, 199};
    write_lines(here, some, 5);
    expect(RUN(here, LINES, "--epochs", "6", "--strategy", "allreduce", "--skip-bad", "5"), 0, "5 training and 0 test records left out",
           "");
    expect(RUN(here, LINES, "--epochs", "6", "--strategy", "mirrored", "--skip-bad", "5"), 0, "5 training and 0 test records left out", "");
}

/* In one epoch each worker meets fewer than that; the last one comes in the last step. */
static void skip_bad_limits_the_damage_of_all_workers_together(void **state)
{
    const char *here = *state;
    const int some[] = {3, 35, 50, 75, 120, 199};
    write_lines(here, some, 6);
    static const char why[] = "damaged records, more than --skip-bad 5 allows";
    expect(RUN(here, LINES, "--shuffle", "0", "--epochs", "1", "--strategy", "allreduce", "--skip-bad", "5"), 1, "", why);
    expect(RUN(here, LINES, "--shuffle", "0", "--epochs", "9", "--strategy", "allreduce", "--skip-bad", "5"), 1, "", why);
    expect(RUN(here, LINES, "--shuffle", "0", "--epochs", "1", "--strategy", "mirrored", "--skip-bad", "5"), 1, "", why);
    expect(RUN(here, LINES, "--shuffle", "0", "--epochs", "3", "--strategy", "allreduce", "--skip-bad", "6"), 0,
           "6 training and 0 test records left out", "");
}

/* ---- losing ranks ---- */

#define LOST "--steps", "6000", "--batch", "8", "--checkpoint-every", "500steps", "--strategy", "allreduce", "--workers", "2"

static pid_t start_to_be_disturbed(const char *here)
{
    const char *const arguments[] = {TEST_BINARY, TRAIN, LOST, "--restarts", "1", "--out", "a", NULL};
    pid_t run = ranks_start(here, arguments);
    ranks_await_checkpoint(here, "a", -1);
    return run;
}

static json_t *summary_of(const char *here, const char *name)
{
    char *folder = test_path(here, name), *path = test_path(folder, "summary.json"), *text = test_read(path, NULL);
    json_t *summary = json_loads(text, 0, NULL);
    assert_non_null(summary);
    free(text);
    free(path);
    free(folder);
    return summary;
}

static int64_t count_of(const json_t *object, const char *key)
{
    const json_t *count = json_object_get(object, key);
    assert_true(json_is_integer(count));
    return json_integer_value(count);
}

/* What each rank did after the restart, and what was made before it, are the examples of a run that lost nobody. */
static void assert_restarted_books(const char *here, const char *name, const char *undisturbed)
{
    json_t *summary = summary_of(here, name), *whole = summary_of(here, undisturbed);
    const json_t *rows = json_object_get(summary, "worker_stats");
    int64_t examples = count_of(summary, "examples_before");
    assert_true(examples > 0);
    assert_int_equal(json_array_size(rows), 2);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        assert_true(count_of(row, "since_step") > 0);
        assert_int_equal(count_of(row, "since_step") + count_of(row, "steps"), count_of(summary, "steps"));
        examples += count_of(row, "examples");
    }
    assert_int_equal(examples, count_of(summary, "examples"));
    assert_int_equal(examples, count_of(whole, "examples"));
    assert_int_equal(count_of(whole, "examples_before"), 0);
    json_decref(summary);
    json_decref(whole);
}

static void a_run_that_lost_a_rank_gives_the_same_result(void **state)
{
    const char *here = *state;
    pid_t run = start_to_be_disturbed(here);
    assert_int_equal(kill(ranks_find(here), SIGKILL), 0);
    assert_int_equal(ranks_end(run), 0);
    ranks_assert_said(here, "starting again from step");
    expect(RUN(here, TRAIN, LOST, "--out", "b"), 0, "", "");
    assert_true(ranks_distance(here, "a", "b") == 0);
    assert_restarted_books(here, "a", "b");
}

/* mpirun itself says nothing then. */
static void a_run_whose_mpirun_is_terminated_is_restarted(void **state)
{
    const char *here = *state;
    pid_t run = start_to_be_disturbed(here);
    assert_int_equal(kill(ranks_mpirun(here), SIGTERM), 0);
    assert_int_equal(ranks_end(run), 0);
    ranks_assert_said(here, "mpirun ended with exit status 1 and said nothing, as it does when somebody sends it SIGTERM");
    ranks_assert_said(here, "starting again from step");
}

static void a_rank_that_hangs_is_named(void **state)
{
    const char *here = *state;
    const char *const arguments[] = {
        TEST_BINARY, TRAIN,   "--steps", "100000000", "--strategy", "allreduce",          "--workers", "2", "--timeout",
        "2500ms",    "--out", "a",       "--batch",   "8",          "--checkpoint-every", "50steps",   NULL};
    pid_t run = ranks_start(here, arguments);
    ranks_await_checkpoint(here, "a", -1);
    pid_t rank = ranks_find(here);
    assert_int_equal(kill(rank, SIGSTOP), 0);
    assert_int_equal(ranks_end(run), 1);
    ranks_assert_said(here, "is stopped");
    assert_int_equal(ranks_find(here), 0);
}

/* As a scheduler does it: all of them, for longer than the timeout. */
static void ranks_continue_after_all_were_stopped_for_longer_than_the_timeout(void **state)
{
    const char *here = *state;
    const char *const arguments[] = {TEST_BINARY, TRAIN,    "--steps", "100000000", "--strategy",         "allreduce", "--workers", "2",
                                     "--timeout", "2500ms", "--out",   "a",         "--checkpoint-every", "50steps",   NULL};
    pid_t run = ranks_start(here, arguments);
    ranks_await_checkpoint(here, "a", -1);
    ranks_signal(here, SIGSTOP);
    nanosleep(&(struct timespec){.tv_sec = 3}, NULL);
    ranks_signal(here, SIGCONT);
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL); /* in which the watchers look at what they find */
    assert_int_equal(kill(run, SIGINT), 0);
    assert_int_equal(ranks_end(run), 130);
}

static void a_signal_ends_ranks_in_good_order(void **state)
{
    const char *here = *state;
    const char *const arguments[] = {TEST_BINARY, TRAIN,   "--steps", "100000000",          "--strategy", "allreduce", "--workers",
                                     "2",         "--out", "a",       "--checkpoint-every", "50steps",    NULL};
    pid_t run = ranks_start(here, arguments);
    ranks_await_checkpoint(here, "a", -1);
    assert_int_equal(kill(run, SIGINT), 0);
    assert_int_equal(ranks_end(run), 130);
    char *path = test_path(here, "out"), *said = test_read(path, NULL);
    assert_non_null(strstr(said, "stopped by signal"));
    free(said);
    free(path);
}

/* Quiet ones, too, who write nothing that could find no reader. */
static void ranks_do_not_outlive_their_launcher(void **state)
{
    const char *here = *state;
    const char *const arguments[] = {TEST_BINARY, TRAIN,   "--steps", "100000000",          "--strategy", "allreduce", "--workers",
                                     "2",         "--out", "a",       "--checkpoint-every", "50steps",    NULL};
    pid_t run = ranks_start(here, arguments);
    ranks_await_checkpoint(here, "a", -1);
    assert_int_equal(kill(run, SIGKILL), 0);
    assert_int_equal(ranks_end(run), -1);
    ranks_await_none(here);
    tri__checkpoint_close(ranks_newest(here, "a"));
}

/* However early: mpirun and the ranks may not be there yet. */
static void a_signal_before_training_begins_ends_the_ranks(void **state)
{
    const char *here = *state;
    const char *const arguments[] = {TEST_BINARY, TRAIN,        "--steps", "100000000", "--strategy", "allreduce", "--workers",
                                     "2",         "--restarts", "2",       "--out",     "a",          NULL};
    pid_t run = ranks_start(here, arguments);
    char *log = test_path(here, "a/log/launcher.txt");
    while (access(log, F_OK)) /* mpirun is started next */
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_int_equal(kill(run, SIGINT), 0);
    assert_int_equal(kill(run, SIGINT), 0); /* as by a wrapper: the same one */
    assert_int_equal(ranks_end(run), 130);
    ranks_assert_said(here, "stopped before training began");
    assert_int_equal(ranks_find(here), 0);
    assert_no_folder(here, "a");
    free(log);
}

int main(void)
{
    if (!ranks_can_run())
        return 77;
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(ranks_equal_replicas_and_one_worker_with_a_larger_batch),
        FOLDER_TEST(a_failure_of_all_ranks_is_reported_once),
        FOLDER_TEST(a_run_that_never_began_leaves_no_folder),
        FOLDER_TEST(the_failure_of_one_rank_ends_all_ranks),
        FOLDER_TEST(ranks_started_by_hand_write_samples_to_the_folder_of_rank_0),
        FOLDER_TEST(a_rank_that_cannot_find_the_run_to_resume_ends_all_ranks),
        FOLDER_TEST(ranks_that_do_not_start_are_given_up_after_the_timeout),
        FOLDER_TEST(damage_that_another_worker_reads_is_reported),
        FOLDER_TEST(damage_does_not_start_the_ranks_again),
        FOLDER_TEST(a_damaged_record_is_counted_once),
        FOLDER_TEST(skip_bad_limits_the_damage_of_all_workers_together),
        FOLDER_TEST(a_run_that_lost_a_rank_gives_the_same_result),
        FOLDER_TEST(a_run_whose_mpirun_is_terminated_is_restarted),
        FOLDER_TEST(a_rank_that_hangs_is_named),
        FOLDER_TEST(ranks_continue_after_all_were_stopped_for_longer_than_the_timeout),
        FOLDER_TEST(a_signal_ends_ranks_in_good_order),
        FOLDER_TEST(ranks_do_not_outlive_their_launcher),
        FOLDER_TEST(a_signal_before_training_begins_ends_the_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
