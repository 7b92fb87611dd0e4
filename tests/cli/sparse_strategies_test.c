/* sparse_strategies_test.c: sparse models with several workers, as replicas and as ranks under a real mpirun: each learns what one worker
 * with the joint batch learns, and a run goes on under another strategy as if nothing had happened. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/binary_json.h"
#include "cli/ranks.h"

/* 500 examples in steps of 96: the last step of an epoch has 20, so the workers' parts are uneven, and one is empty. */
#define SPARSE(model) "train", model, "--data", "clicks:5000:500", "--eval-every", "end", "--quiet", "--threads", "1"
#define ONE           "--batch", "96", "--deterministic"
#define REPLICAS      "--batch", "32", "--strategy", "mirrored", "--workers", "3"
#define RANKS         "--batch", "32", "--strategy", "allreduce", "--workers", "3"

static void expect_distance(const char *here, const char *a, const char *b, double most)
{
    const double distance = ranks_distance(here, a, b);
    if (!(distance <= most))
        fail_msg("%s and %s are %g apart, at most %g was expected", a, b, distance, most);
}

/* Where the gradients of several rows go through zero, adagrad and adam turn rounding into steps: sgd, momentum and ftrl do not. */
static void workers_learn_what_one_worker_with_the_joint_batch_learns(void **state)
{
    const char *here = *state;
    static const struct {
        const char *model, *words[6];
    } cases[] = {{"sparse-lr", {"--rule", "sgd", "--rate", "0.5"}},
                 {"sparse-lr", {"--rule", "ftrl", "--rate", "0.1", "--l1", "0.001"}},
                 {"sparse-softmax", {"--rule", "momentum", "--l2", "0.01", "--clip", "0.05"}},
                 {"fm", {"--rule", "nesterov", "--rate", "0.05", "--clip", "0.1"}},
                 {"deep-click", {"--rule", "sgd", "--rate", "0.05"}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *w = cases[i].words;
        const char *fill[6];
        for (int k = 0; k < 6; k++)
            fill[k] = w[k] ? w[k] : k % 2 ? "2" : "--epochs"; /* said twice, the last one counts */
        char one[16], replicas[16], ranks[16];
        snprintf(one, sizeof one, "one%zu", i);
        snprintf(replicas, sizeof replicas, "replicas%zu", i);
        snprintf(ranks, sizeof ranks, "ranks%zu", i);
#define WORDS fill[0], fill[1], fill[2], fill[3], fill[4], fill[5]
        expect(RUN(here, SPARSE(cases[i].model), ONE, "--epochs", "2", WORDS, "--out", one), 0, "", "");
        expect(RUN(here, SPARSE(cases[i].model), REPLICAS, "--epochs", "2", WORDS, "--out", replicas), 0, "", "");
        expect(RUN(here, SPARSE(cases[i].model), RANKS, "--epochs", "2", WORDS, "--out", ranks), 0, "", "");
        expect_distance(here, one, replicas, 1e-5);
        expect_distance(here, one, ranks, 1e-5);
        expect_distance(here, replicas, ranks, cases[i].model[0] == 'd' ? 1e-6 : 1e-7);
    }
}

/* A checkpoint of any strategy is one of every other. */
static void a_run_goes_on_under_another_strategy(void **state)
{
    const char *here = *state;
#define MORE(...) "--resume", "run", "--quiet", "--steps", __VA_ARGS__
    expect(RUN(here, SPARSE("sparse-lr"), ONE, "--rule", "momentum", "--steps", "16", "--out", "straight"), 0, "", "");
    expect(RUN(here, SPARSE("sparse-lr"), "--global-batch", "96", "--deterministic", "--rule", "momentum", "--steps", "3", "--out", "run"),
           0, "", "");
    expect(RUN(here, "train", MORE("6", "--strategy", "mirrored", "--workers", "3")), 0, "", "");
    expect(RUN(here, "train", MORE("9", "--strategy", "allreduce", "--workers", "3")), 0, "", "");
    expect(RUN(here, "train", MORE("12", "--strategy", "local", "--workers", "1")), 0, "", "");
    expect(RUN(here, "train", MORE("16", "--strategy", "allreduce", "--workers", "2")), 0, "", "");
    expect_distance(here, "straight", "run", 1e-5);
}

/* Keys get the rows that one worker with the joint batch gives them, with as many left out; a run goes on under any strategy. */
static void growing_tables_are_those_of_one_worker(void **state)
{
    const char *here = *state;
    static const char *const cases[][4] = {{"--table-memory", "50", "--clip", "0.1"}, {"--min-count", "3", "--table-memory", "1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
#define GROWING(...)                                                                                                                       \
    json_of(RUN(here, SPARSE("fm"), "--rule", "momentum", "--rate", "0.05", "--epochs", "2", cases[i][0], cases[i][1], cases[i][2],        \
                cases[i][3], "--checkpoint-every", "2steps", "--json", __VA_ARGS__))
        char name[3][16];
        for (int k = 0; k < 3; k++)
            snprintf(name[k], sizeof name[k], "%s%zu", k == 0 ? "grown" : k == 1 ? "mirrored" : "ranks", i);
        json_t *run[] = {GROWING(ONE, "--out", name[0]), GROWING(REPLICAS, "--out", name[1]), GROWING(RANKS, "--out", name[2])};
        static const char *const figures[] = {"table_rows", "left_out_rare", "left_out_full"};
        for (size_t f = 0; f < 3; f++)
            for (int k = 1; k < 3; k++)
                assert_true(number(run[0], figures[f]) == number(run[k], figures[f]));
        for (int k = 1; k < 3; k++) /* of the examples of all workers */
            assert_true(fabs(number(run[0], "progressive_logloss") - number(run[k], "progressive_logloss")) < 1e-5);
        assert_true((number(run[0], "left_out_rare") > 0) == (i == 1));
        expect_distance(here, name[0], name[1], 1e-5);
        expect_distance(here, name[0], name[2], 1e-5);
        for (int k = 0; k < 3; k++)
            json_decref(run[k]);
    }
    expect(RUN(here, SPARSE("fm"), "--global-batch", "96", "--deterministic", "--rule", "momentum", "--rate", "0.05", "--min-count", "3",
               "--table-memory", "1", "--steps", "3", "--out", "run"),
           0, "", "");
    expect(RUN(here, "train", MORE("6", "--strategy", "mirrored", "--workers", "3")), 0, "", "");
    expect(RUN(here, "train", MORE("9", "--strategy", "allreduce", "--workers", "3")), 0, "", "");
    expect(RUN(here, "train", MORE("12", "--strategy", "local", "--workers", "1")), 0, "", "");
    expect_distance(here, "grown1", "run", 1e-5);
}

/* Stopped and resumed, or not: the same bits. */
static void resuming_with_workers_is_exact(void **state)
{
    const char *here = *state;
    static const char *const strategies[] = {"mirrored", "allreduce"};
    for (int i = 0; i < 2; i++) {
        char whole[24], parts[24];
        snprintf(whole, sizeof whole, "whole%d", i);
        snprintf(parts, sizeof parts, "parts%d", i);
        expect(RUN(here, SPARSE("fm"), "--strategy", strategies[i], "--workers", "2", "--batch", "40", "--rule", "adam", "--steps", "15",
                   "--out", whole),
               0, "", "");
        expect(RUN(here, SPARSE("fm"), "--strategy", strategies[i], "--workers", "2", "--batch", "40", "--rule", "adam", "--steps", "8",
                   "--checkpoint-every", "3steps", "--out", parts),
               0, "", "");
        expect(RUN(here, "train", "--resume", parts, "--steps", "15", "--quiet"), 0, "15 steps", "");
        expect_distance(here, whole, parts, 0);
    }
}

/* A model may have no parameters but tables. */
static void tables_alone_are_a_model(void **state)
{
    const char *here = *state;
    char *path = test_path(here, "bare.model");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("sparse()\ndense(1, bias=no)\nlogistic_loss()\ntrain(rate=0.5, rule=sgd, batch=96, epochs=2)\n", file);
    assert_int_equal(fclose(file), 0);
    free(path);
    expect(RUN(here, SPARSE("./bare.model"), ONE, "--out", "one"), 0, "", "");
    expect(RUN(here, SPARSE("./bare.model"), REPLICAS, "--out", "replicas"), 0, "", "");
    expect(RUN(here, SPARSE("./bare.model"), RANKS, "--out", "ranks"), 0, "", "");
    expect_distance(here, "one", "replicas", 1e-5);
    expect_distance(here, "one", "ranks", 1e-5);
}

/* Every rank has a file of its own, of another length: an epoch is a pass over the longest. */
static void ranks_with_files_of_their_own_train_together(void **state)
{
    const char *here = *state;
    static const char *const write = "mkdir a b; for i in $(seq 50); do echo '-1 1:1 3:0.5'; echo '+1 2:1 4:-0.5'; done > a/d.libsvm;"
                                     "for i in $(seq 28); do echo '-1 1:1 3:0.5'; echo '+1 2:1 6:-0.5'; done > b/d.libsvm";
    expect(test_run(here, (const char *[]){"sh", "-c", write, NULL}), 0, "", "");
#define MPIRUN "mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"
#define RANK(in)                                                                                                                           \
    "-n", "1", "-wdir", in, TEST_BINARY, "train", "sparse-lr", "--data", "d.libsvm", "--strategy", "allreduce", "--shard", "files",        \
        "--threads", "1", "--batch", "10", "--epochs", "2", "--quiet", "--out", "../run"
    expect(test_run(here, (const char *[]){MPIRUN, RANK("a"), ":", RANK("b"), NULL}), 2, "", "give all ranks the same --features N");
    expect(test_run(here, (const char *[]){MPIRUN, RANK("a"), "--features", "8", ":", RANK("b"), "--features", "8", NULL}), 0,
           "20 steps, 400 examples, 2 epochs", "");
    expect(RUN(here, "train", "sparse-lr", "--data", "a", "--strategy", "mirrored", "--workers", "2", "--shard", "files"), 2, "",
           "replicas of one process read the same files");
}

/* What the ranks give each other is told. */
static void ranks_tell_what_they_exchanged(void **state)
{
    const char *here = *state;
    expect(RUN(here, SPARSE("sparse-lr"), RANKS, "--steps", "3"), 0, " sent, ", "");
}

/* A lost rank ends the attempt; the next one goes on from the last checkpoint, and the tables are as if nothing had happened. */
static void a_sparse_run_survives_a_lost_rank(void **state)
{
    const char *here = *state;
    static const char *const words[] = {TEST_BINARY,
                                        "train",
                                        "sparse-lr",
                                        "--data",
                                        "clicks:5000:500",
                                        "--eval-every",
                                        "end",
                                        "--quiet",
                                        "--threads",
                                        "1",
                                        "--strategy",
                                        "allreduce",
                                        "--workers",
                                        "2",
                                        "--batch",
                                        "20",
                                        "--rule",
                                        "momentum",
                                        "--steps",
                                        "3000",
                                        "--checkpoint-every",
                                        "40steps",
                                        "--restarts",
                                        "3",
                                        "--out",
                                        "lost",
                                        NULL};
    const pid_t run = ranks_start(here, words);
    ranks_await_checkpoint(here, "lost", -1);
    const pid_t rank = ranks_find(here);
    assert_true(rank > 0);
    assert_int_equal(kill(rank, SIGKILL), 0);
    assert_int_equal(ranks_end(run), 0);
    expect(RUN(here, SPARSE("sparse-lr"), "--strategy", "mirrored", "--workers", "2", "--batch", "20", "--rule", "momentum", "--steps",
               "3000", "--out", "whole"),
           0, "", "");
    expect_distance(here, "whole", "lost", 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, test_folder_set_up, test_folder_tear_down)

int main(void)
{
    if (!ranks_can_run())
        return 77;
    const struct CMUnitTest tests[] = {
        TEST(workers_learn_what_one_worker_with_the_joint_batch_learns),
        TEST(a_run_goes_on_under_another_strategy),
        TEST(growing_tables_are_those_of_one_worker),
        TEST(resuming_with_workers_is_exact),
        TEST(tables_alone_are_a_model),
        TEST(ranks_with_files_of_their_own_train_together),
        TEST(ranks_tell_what_they_exchanged),
        TEST(a_sparse_run_survives_a_lost_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
