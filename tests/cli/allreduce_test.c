/* allreduce_test.c: ranks under a real mpirun: the same as replicas, as one worker, and as a run that lost nobody. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ranks.h"

/* 500 examples in steps of 96: the last step of an epoch has 20, so shards are uneven. */
static void ranks_are_replicas_are_one_worker(void **state)
{
    const char *here = *state;
    expect(RUN(here, TRAIN, "--epochs", "5", "--batch", "96", "--out", "one"), 0, "", "");
    expect(RUN(here, TRAIN, "--epochs", "5", "--batch", "48", "--strategy", "mirrored", "--workers", "2", "--out", "replicas"), 0, "", "");
    expect(RUN(here, TRAIN, "--epochs", "5", "--batch", "48", "--strategy", "allreduce", "--workers", "2", "--out", "ranks"), 0,
           "allreduce, batch 48, 1 thread, 2 workers", "");
    assert_true(ranks_distance(here, "replicas", "ranks") == 0); /* two floats have one sum */
    assert_true(ranks_distance(here, "one", "ranks") < 1e-5);
    expect(RUN(here, "train", "--resume", "ranks", "--epochs", "6", "--quiet"), 0, "36 steps, 3,000 examples", "");
}

static void a_failure_is_told_once_by_all(void **state)
{
    const char *here = *state;
    expect(RUN(here, TRAIN, "--strategy", "allreduce", "--workers", "2", "--rate", "1e38", "--steps", "200"), 1, "",
           "try a smaller --rate");
    expect(RUN(here, "train", "softmax", "--data", "/nowhere/at/all", "--strategy", "allreduce", "--workers", "2"), 1, "",
           "/nowhere/at/all");
    expect(RUN(here, TRAIN, "--strategy", "allreduce", "--workers", "2", "--sync"), 2, "", "--sync belongs to --strategy ps");
}

/* ---- losing ranks ---- */

#define LOST "--steps", "6000", "--batch", "8", "--checkpoint-every", "500steps", "--strategy", "allreduce", "--workers", "2"

static void a_run_that_lost_a_rank_ends_as_if_it_had_not(void **state)
{
    const char *here = *state;
    const char *const arguments[] = {TEST_BINARY, TRAIN, LOST, "--restarts", "1", "--out", "a", NULL};
    pid_t run = ranks_start(here, arguments);
    ranks_await_checkpoint(here, "a");
    assert_int_equal(kill(ranks_find(here), SIGKILL), 0);
    assert_int_equal(ranks_end(run), 0);
    ranks_assert_said(here, "starting again from step");
    expect(RUN(here, TRAIN, LOST, "--out", "b"), 0, "", "");
    assert_true(ranks_distance(here, "a", "b") == 0);
}

static void a_rank_that_hangs_is_named(void **state)
{
    const char *here = *state;
    const char *const arguments[] = {
        TEST_BINARY, TRAIN,   "--steps", "100000000", "--strategy", "allreduce",          "--workers", "2", "--timeout",
        "2500ms",    "--out", "a",       "--batch",   "8",          "--checkpoint-every", "50steps",   NULL};
    pid_t run = ranks_start(here, arguments);
    ranks_await_checkpoint(here, "a");
    pid_t rank = ranks_find(here);
    assert_int_equal(kill(rank, SIGSTOP), 0);
    assert_int_equal(ranks_end(run), 1);
    ranks_assert_said(here, "is stopped");
    assert_int_equal(ranks_find(here), 0);
}

static void a_signal_ends_ranks_in_good_order(void **state)
{
    const char *here = *state;
    const char *const arguments[] = {TEST_BINARY, TRAIN,   "--steps", "100000000",          "--strategy", "allreduce", "--workers",
                                     "2",         "--out", "a",       "--checkpoint-every", "50steps",    NULL};
    pid_t run = ranks_start(here, arguments);
    ranks_await_checkpoint(here, "a");
    assert_int_equal(kill(run, SIGINT), 0);
    assert_int_equal(ranks_end(run), 0);
    char *path = test_path(here, "out"), *said = test_read(path, NULL);
    assert_non_null(strstr(said, "stopped by signal"));
    free(said);
    free(path);
}

int main(void)
{
    if (!ranks_can_run())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ranks_are_replicas_are_one_worker, test_folder_set_up, test_folder_tear_down),
        cmocka_unit_test_setup_teardown(a_failure_is_told_once_by_all, test_folder_set_up, test_folder_tear_down),
        cmocka_unit_test_setup_teardown(a_run_that_lost_a_rank_ends_as_if_it_had_not, test_folder_set_up, test_folder_tear_down),
        cmocka_unit_test_setup_teardown(a_rank_that_hangs_is_named, test_folder_set_up, test_folder_tear_down),
        cmocka_unit_test_setup_teardown(a_signal_ends_ranks_in_good_order, test_folder_set_up, test_folder_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
