/* epochs_test.c: what people who come from Keras expect of epochs, whatever the strategy: their length, a checkpoint and an evaluation
 * after each, the best checkpoint, and an end when nothing gets better. */
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ranks.h"
#include "train/checkpoint/checkpoint_read.h"

#define EPOCHS                                                                                                                             \
    "train", "softmax", "--data", "digits:500", "--batch", "25", "--rate", "1", "--threads", "1", "--shuffle", "100", "--quiet",           \
        "--steps-per-epoch", "20", "--epochs", "60", "--patience", "2", "--keep-best", "--checkpoint-every", "epoch", "--keep", "100",     \
        "--json"

static int count_checkpoints(const char *here, const char *name)
{
    char *run = test_path(here, name), *folder = test_path(run, "checkpoint");
    DIR *all = opendir(folder);
    int count = 0;
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all));) {
        long step;
        bool one = sscanf(entry->d_name, "step-%ld.safetensors", &step) == 1;
        assert_true(!one || step % 20 == 0);
        count += one;
    }
    closedir(all);
    free(folder);
    free(run);
    return count;
}

static int64_t step_of_best(const char *here, const char *name)
{
    char *run = test_path(here, name), *path = test_path(run, "checkpoint/best.safetensors");
    tri__checkpoint *best;
    assert_ok(tri__checkpoint_open(path, NULL, &best));
    int64_t step = best->state.step;
    tri__checkpoint_close(best);
    free(path);
    free(run);
    return step;
}

static void check(const char *here, test_result result, const char *name)
{
    if (result.status)
        fail_msg("exit %d:\n%s", result.status, result.err);
    json_t *summary = json_loads(result.out, 0, NULL);
    int64_t steps = json_integer_value(json_object_get(summary, "steps"));
    assert_string_equal(json_string_value(json_object_get(summary, "stopped_by")), "patience");
    assert_int_equal(steps % 20, 0);
    assert_int_equal(count_checkpoints(here, name), steps / 20);
    assert_int_equal(step_of_best(here, name), steps - 2 * 20); /* two evaluations without a gain ended it */
    json_decref(summary);
    test_result_fini(&result);
}

static void epochs_behave_as_in_keras_under_every_strategy(void **state)
{
    const char *here = *state;
    check(here, RUN(here, EPOCHS, "--out", "local"), "local");
    check(here, RUN(here, EPOCHS, "--strategy", "mirrored", "--workers", "2", "--out", "mirrored"), "mirrored");
    check(here, RUN(here, EPOCHS, "--strategy", "allreduce", "--workers", "2", "--out", "allreduce"), "allreduce");
    check(here, RUN(here, EPOCHS, "--strategy", "ps", "--sync", "--workers", "2", "--out", "ps"), "ps");
}

int main(void)
{
    if (!ranks_can_run())
        return 77;
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(epochs_behave_as_in_keras_under_every_strategy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
