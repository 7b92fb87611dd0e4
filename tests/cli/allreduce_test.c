/* allreduce_test.c: ranks under a real mpirun: the same as replicas, as one worker, and as a run that lost nobody. */
#define _GNU_SOURCE
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/binary.h"
#include "train/checkpoint.h"

#define RUN(folder, ...) test_run(folder, (const char *[]){TEST_BINARY, __VA_ARGS__, NULL})
#define TRAIN            "train", "softmax", "--data", "digits:500", "--eval-every", "end", "--quiet", "--threads", "1"

static bool has_mpirun(void)
{
    test_result result = test_run(NULL, (const char *[]){"sh", "-c", "command -v mpirun", NULL});
    bool there = result.status == 0;
    test_result_fini(&result);
    return there;
}

static tri__checkpoint *newest(const char *here, const char *name)
{
    char *folder = test_path(here, name);
    tri__checkpoint *checkpoint;
    assert_ok(tri__checkpoint_open(folder, NULL, &checkpoint));
    free(folder);
    return checkpoint;
}

/* ‖a − b‖ / ‖a‖ over all tensors. */
static double distance(const char *here, const char *a, const char *b)
{
    tri__checkpoint *one = newest(here, a), *other = newest(here, b);
    double apart = 0, size = 0;
    assert_int_equal(one->state.step, other->state.step);
    assert_int_equal(one->state.position, other->state.position);
    for (size_t i = 0; i < tri__safetensors_count(one->file); i++) {
        const tri__named_tensor *x = tri__safetensors_at(one->file, i), *y = tri__safetensors_at(other->file, i);
        const float *p = x->tensor.data, *q = y->tensor.data;
        for (int64_t k = 0; k < tri_shape_count(x->tensor.shape); k++) {
            apart += (double)(p[k] - q[k]) * (p[k] - q[k]);
            size += (double)p[k] * p[k];
        }
    }
    tri__checkpoint_close(one);
    tri__checkpoint_close(other);
    return sqrt(apart / size);
}

/* 500 examples in steps of 96: the last step of an epoch has 20, so shards are uneven. */
static void ranks_are_replicas_are_one_worker(void **state)
{
    const char *here = *state;
    expect(RUN(here, TRAIN, "--epochs", "5", "--batch", "96", "--out", "one"), 0, "", "");
    expect(RUN(here, TRAIN, "--epochs", "5", "--batch", "48", "--strategy", "mirrored", "--workers", "2", "--out", "replicas"), 0, "", "");
    expect(RUN(here, TRAIN, "--epochs", "5", "--batch", "48", "--strategy", "allreduce", "--workers", "2", "--out", "ranks"), 0,
           "allreduce, batch 48, 1 thread, 2 workers", "");
    assert_true(distance(here, "replicas", "ranks") == 0); /* two floats have one sum */
    assert_true(distance(here, "one", "ranks") < 1e-5);
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

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static pid_t start(const char *here, const char *const *arguments)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid)
        return pid;
    if (chdir(here) || !freopen("out", "w", stdout) || !freopen("err", "w", stderr))
        _exit(127);
    execv(arguments[0], (char *const *)(uintptr_t)arguments);
    _exit(127);
}

static void wait_for_checkpoint(const char *here, const char *name)
{
    char *folder = test_path(here, name);
    tri__checkpoint *checkpoint = NULL;
    for (int i = 0; i < 6000 && !checkpoint; i++) {
        tri_status_free(tri__checkpoint_open(folder, NULL, &checkpoint));
        pause_briefly();
    }
    assert_non_null(checkpoint);
    tri__checkpoint_close(checkpoint);
    free(folder);
}

static bool is_rank(const char *pid, const char *here)
{
    char path[300], line[4096] = "", place[300];
    snprintf(path, sizeof path, "/proc/%.20s/cmdline", pid);
    FILE *file = fopen(path, "r");
    size_t got = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file)
        fclose(file);
    snprintf(path, sizeof path, "/proc/%.20s/cwd", pid);
    ssize_t length = readlink(path, place, sizeof place - 1);
    place[length > 0 ? length : 0] = 0;
    return got && !strcmp(place, here) && memmem(line, got, "--spawned", 10) && !strcmp(line, TEST_BINARY);
}

/* A rank of the run in the folder here; 0: there is none. */
static pid_t find_rank(const char *here)
{
    DIR *all = opendir("/proc");
    pid_t found = 0;
    for (struct dirent *entry; (entry = readdir(all));)
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && is_rank(entry->d_name, here))
            found = (pid_t)atoi(entry->d_name);
    closedir(all);
    return found;
}

static int end_of(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void assert_said(const char *here, const char *text)
{
    char *path = test_path(here, "err"), *said = test_read(path, NULL);
    if (!strstr(said, text))
        fail_msg("said:\n%s", said);
    free(said);
    free(path);
}

#define LOST "--steps", "6000", "--batch", "8", "--checkpoint-every", "500steps", "--strategy", "allreduce", "--workers", "2"

static void a_run_that_lost_a_rank_ends_as_if_it_had_not(void **state)
{
    const char *here = *state;
    const char *const arguments[] = {TEST_BINARY, TRAIN, LOST, "--restarts", "1", "--out", "a", NULL};
    pid_t run = start(here, arguments);
    wait_for_checkpoint(here, "a");
    assert_int_equal(kill(find_rank(here), SIGKILL), 0);
    assert_int_equal(end_of(run), 0);
    assert_said(here, "starting again from step");
    expect(RUN(here, TRAIN, LOST, "--out", "b"), 0, "", "");
    assert_true(distance(here, "a", "b") == 0);
}

static void a_rank_that_hangs_is_named(void **state)
{
    const char *here = *state;
    const char *const arguments[] = {
        TEST_BINARY, TRAIN,   "--steps", "100000000", "--strategy", "allreduce",          "--workers", "2", "--timeout",
        "2500ms",    "--out", "a",       "--batch",   "8",          "--checkpoint-every", "50steps",   NULL};
    pid_t run = start(here, arguments);
    wait_for_checkpoint(here, "a");
    pid_t rank = find_rank(here);
    assert_int_equal(kill(rank, SIGSTOP), 0);
    assert_int_equal(end_of(run), 1);
    assert_said(here, "is stopped");
    assert_int_equal(find_rank(here), 0);
}

static void a_signal_ends_ranks_in_good_order(void **state)
{
    const char *here = *state;
    const char *const arguments[] = {TEST_BINARY, TRAIN,   "--steps", "100000000",          "--strategy", "allreduce", "--workers",
                                     "2",         "--out", "a",       "--checkpoint-every", "50steps",    NULL};
    pid_t run = start(here, arguments);
    wait_for_checkpoint(here, "a");
    assert_int_equal(kill(run, SIGINT), 0);
    assert_int_equal(end_of(run), 0);
    char *path = test_path(here, "out"), *said = test_read(path, NULL);
    assert_non_null(strstr(said, "stopped by signal"));
    free(said);
    free(path);
}

int main(void)
{
    /* Of the ranks, what sanitizers say of Open MPI is left out: it is not instrumented, and leaks in modules that are gone at the end. */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    setenv("TSAN_OPTIONS", "suppressions=" TEST_SOURCE "/tests/openmpi.supp", 1);
    if (!has_mpirun()) {
        print_message("mpirun is not installed (Debian: apt install openmpi-bin): nothing is tested\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ranks_are_replicas_are_one_worker, test_folder_set_up, test_folder_tear_down),
        cmocka_unit_test_setup_teardown(a_failure_is_told_once_by_all, test_folder_set_up, test_folder_tear_down),
        cmocka_unit_test_setup_teardown(a_run_that_lost_a_rank_ends_as_if_it_had_not, test_folder_set_up, test_folder_tear_down),
        cmocka_unit_test_setup_teardown(a_rank_that_hangs_is_named, test_folder_set_up, test_folder_tear_down),
        cmocka_unit_test_setup_teardown(a_signal_ends_ranks_in_good_order, test_folder_set_up, test_folder_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
