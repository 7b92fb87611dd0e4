/* resume_test.c: what a resumed run keeps and says. */
#include "cli/binary_json.h"

#define TRAIN "train", "softmax", "--data", "digits:300", "--batch", "10", "--quiet"

static void another_strategy_keeps_the_number_of_workers(void **state)
{
    const char *here = *state;
    expect(RUN(here, TRAIN, "--steps", "2", "--strategy", "mirrored", "--workers", "2", "--out", "a"), 0, "2 workers", "");
    expect(RUN(here, "train", "--resume", "a", "--steps", "4", "--strategy", "ps", "--sync", "--quiet"), 0, "2 workers, 1 server", "");
    expect(RUN(here, "train", "--resume", "a", "--steps", "6", "--strategy", "mirrored"), 0, "2 workers", "each for 2 replicas");
    expect(RUN(here, "train", "--resume", "a", "--steps", "8", "--workers", "1"), 0, "", "batch 10, rate");
    expect(RUN(here, "train", "--resume", "a", "--steps", "9", "--strategy", "local", "--workers", "2"), 2, "", "has one worker");
}

#define FOR_TARGET "--strategy", "ps", "--workers", "2", "--eval-every", "5", "--until"

static void a_target_that_is_reached_ends_a_resumed_run_at_once(void **state)
{
    const char *here = *state;
    expect(RUN(here, TRAIN, FOR_TARGET, "loss<=100", "--max-steps", "50", "--out", "a"), 0, "5 steps", "");
    expect(RUN(here, "train", "--resume", "a", "--quiet"), 0, "", "--resume a: the run has reached --until 'loss<=100' at its step 5;");
    expect(RUN(here, "train", "--resume", "a", "--until", "accuracy>=0.01", "--json"), 0, "\"steps\":5,", "has reached --until 'acc");
    expect(RUN(here, "train", "--resume", "a", "--max-steps", "10"), 0, "", "at its step 5;"); /* the target stays */
    expect(RUN(here, "train", "--resume", "a", "--until", "loss<=0.0001", "--max-steps", "10", "--quiet"), 0, "10 steps", "not reached");
    expect(RUN(here, "train", "--resume", "a", "--until", "loss<=0.00001"), 2, "", "give a larger --max-steps"); /* which stays, too */
    expect(RUN(here, "train", "--resume", "a", "--until", "accuracy>=abc"), 2, "", "accuracy>=abc");
    expect(RUN(here, "train", "--resume", "a", "--until", "loss<=100", "--test", "digits:200", "--max-steps", "20", "--quiet"), 0,
           "15 steps", "");
}

/* 2 epochs of 30 steps are followed by 2 epochs of 15. The rate falls to 0 with the last of them, not before. */
static void the_rate_follows_from_all_steps_where_steps_become_larger(void **state)
{
    const char *here = *state;
    expect(RUN(here, TRAIN, "--epochs", "2", "--schedule", "cosine", "--out", "a"), 0, "60 steps", "");
    expect(SHELL(here, "cp -r a b"), 0, "", "");
    test_result result = RUN(here, "train", "--resume", "a", "--epochs", "4", "--strategy", "mirrored", "--workers", "2");
    assert_non_null(strstr(result.err, "epoch 3 "));
    assert_non_null(strstr(result.err, "epoch 4 "));
    expect(result, 0, "90 steps", "");
    result = RUN(here, "train", "--resume", "b", "--epochs", "4", "--strategy", "ps", "--sync", "--workers", "2");
    assert_non_null(strstr(result.err, "epoch 3 "));
    assert_non_null(strstr(result.err, "epoch 4 "));
    expect(result, 0, "90 steps", "");
    json_t *mirrored = json_of(RUN(here, "eval", "a", "--json", "--quiet")), *ps = json_of(RUN(here, "eval", "b", "--json", "--quiet"));
    assert_float_equal(tri__json_number_of(mirrored, "test_loss"), tri__json_number_of(ps, "test_loss"), 1e-5);
    json_decref(mirrored);
    json_decref(ps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(another_strategy_keeps_the_number_of_workers),
        FOLDER_TEST(a_target_that_is_reached_ends_a_resumed_run_at_once),
        FOLDER_TEST(the_rate_follows_from_all_steps_where_steps_become_larger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
