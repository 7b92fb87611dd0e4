/* own_files_test.c: --shard files: each worker reads the files that it finds itself, as many examples as they hold. */
#include <stdlib.h>
#include <string.h>

#include "ps/process.h"

enum { FEATURES = 200 };

static void write_cluster(const char *folder)
{
    char *path = test_path(folder, "c.yaml"), text[256];
    snprintf(text, sizeof text, "ps: [\"127.0.0.1:%d\", \"127.0.0.1:%d\"]\nworker: [a, b]\nevaluator: [c]\n", free_port(), free_port());
    test_write(path, text, strlen(text));
    free(path);
}

/* Rows of five features; most of a row's features are odd where its label is 1. */
static void write_rows(const char *folder, const char *name, int rows, unsigned seed)
{
    char *path = test_path(folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < rows; i++) {
        int odd = 0, feature[5];
        for (int k = 0; k < 5; k++) {
            seed = seed * 1664525 + 1013904223;
            feature[k] = 1 + k * (FEATURES / 5) + (int)(seed >> 16) % (FEATURES / 5);
            odd += feature[k] % 2;
        }
        fprintf(file, "%d %d:1 %d:1 %d:1 %d:1 %d:1\n", odd > 2 ? 1 : -1, feature[0], feature[1], feature[2], feature[3], feature[4]);
    }
    fclose(file);
    free(path);
}

/* Two workers, one of which has three times the other's rows and no whole number of batches. */
static void expect_trains(const char *folder, const char *mode, const char *how)
{
    write_cluster(folder);
    write_rows(folder, "a.libsvm", 3010, 1);
    write_rows(folder, "b.libsvm", 990, 2);
    write_rows(folder, "test.libsvm", 500, 3);
#define OWN "train sparse-lr --features 200 --test test.libsvm --batch 40 --shard files --strategy ps --cluster c.yaml %s %s "
    process tasks[] = {
        process_start(folder, "w0", OWN "--data a.libsvm --task worker:0", mode, how),
        process_start(folder, "w1", OWN "--data b.libsvm --task worker:1", mode, how),
        process_start(folder, "e", OWN "--data b.libsvm --task evaluator:0", mode, how),
        process_start(folder, "p1", OWN "--data a.libsvm --task ps:1", mode, how),
        process_start(folder, "p0", OWN "--data a.libsvm --json --out run --task ps:0", mode, how),
    };
    json_t *summary = process_end(&tasks[4], 0);
    if (!(number_of(summary, "test_auc") > 0.8))
        fail_msg("%s: AUC %g", mode, number_of(summary, "test_auc"));
    expect_books(summary, NULL);
    json_decref(summary);
    for (int i = 0; i < 4; i++)
        json_decref(process_end(&tasks[i], 0));
}

static void sync_workers_with_files_of_their_own_train_one_model(void **state)
{
    expect_trains(*state, "--sync", "--steps 150");
}

static void async_workers_with_files_of_their_own_train_one_model(void **state)
{
    expect_trains(*state, "--async", "--epochs 2");
}

static void bounded_workers_with_files_of_their_own_train_one_model(void **state)
{
    expect_trains(*state, "--staleness 2", "--steps 300");
}

static void make_digits(const char *folder)
{
    process made = process_start(folder, "made", "data make digits --count 1000 --out digits --quiet");
    json_decref(process_end(&made, 0));
}

static void a_dense_model_trains_on_files_of_its_workers(void **state)
{
    make_digits(*state);
    static const char *const modes[] = {"--sync", "--async", "--staleness 1", "--sync --backup 1"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        process job =
            process_start(*state, "job",
                          "train softmax --data ./digits --batch 50 --strategy ps --shard files --workers 2 --servers 2 --epochs 2 "
                          "--json --quiet --eval-every end --out run%zu %s",
                          i, modes[i]);
        json_t *summary = process_end(&job, 0);
        assert_int_equal(integer_of(summary, "examples"), i == 3 ? integer_of(summary, "examples") : 4000);
        json_decref(summary);
    }
}

static void a_job_whose_workers_have_files_of_their_own_goes_on(void **state)
{
    make_digits(*state);
    process job = process_start(*state, "job",
                                "train softmax --data ./digits --batch 50 --strategy ps --shard files --workers 2 --sync --steps 10 --json "
                                "--quiet --out run");
    json_decref(process_end(&job, 0));
    process resumed = process_start(*state, "resumed", "train --resume run --steps 25 --json --quiet");
    json_t *summary = process_end(&resumed, 0);
    assert_int_equal(integer_of(summary, "steps"), 25);
    assert_int_equal(integer_of(summary, "examples"), 2500);
    json_decref(summary);
}

static void a_rate_that_depends_on_the_epoch_is_refused(void **state)
{
    process job = process_start(*state, "job",
                                "train softmax --data digits:1000 --strategy ps --shard files --workers 2 --epochs 2 --schedule cosine");
    process_await(&job, "do not agree how long an epoch is");
    json_decref(process_end(&job, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(sync_workers_with_files_of_their_own_train_one_model),
        PROCESS_TEST(async_workers_with_files_of_their_own_train_one_model),
        PROCESS_TEST(bounded_workers_with_files_of_their_own_train_one_model),
        PROCESS_TEST(a_dense_model_trains_on_files_of_its_workers),
        PROCESS_TEST(a_job_whose_workers_have_files_of_their_own_goes_on),
        PROCESS_TEST(a_rate_that_depends_on_the_epoch_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
