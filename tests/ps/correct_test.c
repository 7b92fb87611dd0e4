/* correct_test.c: what servers and workers compute together is what one process computes alone; all modes do as much as was asked for. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ps/process.h"
#include "tensor/safetensors.h"

/* 300 examples are not a whole number of steps: every epoch ends with an uneven one. */
#define LENET "train lenet --data digits:300 --steps 50 --eval-every 100000 --json "

static tri__safetensors *checkpoint_of(const char *folder, const char *run)
{
    char *path = NULL;
    tri__safetensors *file = NULL;
    assert_true(asprintf(&path, "%s/%s/checkpoint/step-00000050.safetensors", folder, run) > 0);
    assert_ok(tri__safetensors_open(path, &file));
    free(path);
    return file;
}

/* Every tensor, parameters and the rule's state: |a − b| ≤ tolerance · |a|. */
static void compare(const char *folder, const char *run, const char *other, double tolerance)
{
    tri__safetensors *a = checkpoint_of(folder, run), *b = checkpoint_of(folder, other);
    double apart = 0, size = 0;
    assert_int_equal(tri__safetensors_count(a), tri__safetensors_count(b));
    for (size_t i = 0; i < tri__safetensors_count(a); i++) {
        const tri__named_tensor *named = tri__safetensors_at(a, i);
        tri_tensor twin;
        assert_ok(tri__safetensors_find(b, named->name, TRI_F32, named->tensor.shape, &twin));
        const float *x = named->tensor.data, *y = twin.data;
        for (int64_t j = 0; j < tri_shape_count(named->tensor.shape); j++) {
            apart += pow((double)x[j] - (double)y[j], 2);
            size += pow((double)x[j], 2);
        }
    }
    if (sqrt(apart) > tolerance * sqrt(size))
        fail_msg("%s and %s are %g apart, where all is %g", run, other, sqrt(apart), sqrt(size));
    tri__safetensors_close(a);
    tri__safetensors_close(b);
}

static void train(const char *folder, const char *run, const char *words, const char *rule)
{
    process job = process_start(folder, run, LENET "--out %s %s %s", run, words, rule);
    json_t *summary = process_end(&job, 0);
    assert_int_equal(integer_of(summary, "steps"), 50);
    json_decref(summary);
}

static void sync_equals_local(const char *folder, const char *rule)
{
    train(folder, "local", "--batch 48", rule);
    train(folder, "one", "--strategy ps --sync --workers 1 --batch 48", rule);
    train(folder, "three", "--strategy ps --sync --workers 3 --batch 16 --servers 2", rule);
    compare(folder, "local", "one", 1e-5);
    compare(folder, "local", "three", 1e-5);
}

static void sync_equals_local_with_sgd(void **state)
{
    sync_equals_local(*state, "--rule sgd --rate 0.02");
}

static void sync_equals_local_with_momentum(void **state)
{
    sync_equals_local(*state, "--rule momentum --rate 0.002");
}

static void sync_equals_local_with_adam(void **state)
{
    sync_equals_local(*state, "--rule adam --rate 0.0001");
}

static void sync_equals_local_with_clipping(void **state)
{
    sync_equals_local(*state, "--rule sgd --rate 0.02 --clip 0.5");
}

static void sync_is_the_same_bytes_again(void **state)
{
    train(*state, "a", "--strategy ps --sync --workers 3 --batch 16 --servers 2", "--rate 0.01");
    train(*state, "b", "--strategy ps --sync --workers 3 --batch 16 --servers 2", "--rate 0.01");
    compare(*state, "a", "b", 0);
}

static void every_mode_makes_as_many_steps_as_asked(void **state)
{
    static const char *const modes[] = {"--async", "--staleness 1", "--staleness 3", "--sync --combine sum", "--sync --backup 1"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char run[] = {'m', (char)('0' + i), 0}, words[128];
        snprintf(words, sizeof words, "--strategy ps --workers 3 --servers 2 --batch 16 %s", modes[i]);
        train(*state, run, words, "--rate 0.001");
    }
}

static void epochs_are_passes_over_the_set_in_async(void **state)
{
    process job =
        process_start(*state, "job", "train softmax --data digits:1001 --batch 30 --strategy ps --workers 3 --epochs 7 --json --out run");
    json_t *summary = process_end(&job, 0);
    assert_int_equal(integer_of(summary, "examples"), 7 * 1001);
    assert_int_equal(integer_of(summary, "steps"), 7 * 34);
    json_decref(summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(sync_equals_local_with_sgd),
        PROCESS_TEST(sync_equals_local_with_momentum),
        PROCESS_TEST(sync_equals_local_with_adam),
        PROCESS_TEST(sync_equals_local_with_clipping),
        PROCESS_TEST(sync_is_the_same_bytes_again),
        PROCESS_TEST(every_mode_makes_as_many_steps_as_asked),
        PROCESS_TEST(epochs_are_passes_over_the_set_in_async),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
