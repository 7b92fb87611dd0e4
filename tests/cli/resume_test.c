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

/* 6 steps of 20 examples, then steps of 10: the first epoch of 300 examples ends with step 24, the second with step 54. */
static void evaluations_every_epoch_fall_on_its_end_where_steps_become_smaller(void **state)
{
    const char *here = *state;
    expect(RUN(here, TRAIN, "--steps", "6", "--strategy", "ps", "--sync", "--workers", "2", "--out", "a"), 0, "6 steps", "");
    expect(RUN(here, "train", "--resume", "a", "--workers", "1", "--epochs", "2"), 0, "54 steps", "continuing a at step 6");
    expect(SHELL(here, "cut -d, -f2-4 a/marks.csv"), 0, "evaluation,evaluator:0,24", "");
    expect(SHELL(here, "grep -c evaluation a/marks.csv"), 0, "3\n", ""); /* at 6, 24 and 54 */
}

static void expect_one_line(test_result result, const char *line)
{
    const char *end = strchr(result.err, '\n');
    if (!end || end[1])
        fail_msg("not one line:\n%s", result.err);
    expect(result, 2, "", line);
}

static void a_job_that_cannot_be_resumed_says_so_in_one_line(void **state)
{
    const char *here = *state;
    expect(RUN(here, TRAIN, "--steps", "40", "--strategy", "ps", "--workers", "2", "--out", "a"), 0, "40 steps", "");
    expect_one_line(RUN(here, "train", "--resume", "a"), "--resume a: the run has made its 40 steps; give a larger --epochs or --steps");
    expect_one_line(RUN(here, "train", "--resume", "a", "--epochs", "1"), "has done 1.333 epochs already");
    expect_one_line(RUN(here, "train", "--resume", "a", "--steps", "50", "--servers", "1000"), "1000 servers for 7856 parameters");
    expect(RUN(here, "train", "--resume", "a", "--steps", "50", "--test", "digts:9"), 1, "", "trireme: --test: 'digts:9' is neither");
}

static void a_resumed_run_may_be_told_what_its_model_or_the_standard_says(void **state)
{
    const char *here = *state;
    expect(SHELL(here, "printf 'train(average=0.9, batch=20)\ninput()\ndense(classes)\nsoftmax_loss()\n' >m.model"), 0, "", "");
    expect(RUN(here, "train", "m.model", "--data", "digits:300", "--steps", "2", "--quiet", "--out", "a"), 0, "2 steps", "");
    expect(
        RUN(here, "train", "--resume", "a", "--steps", "4", "--average", "0.9", "--batch", "20", "--seed", "1", "--rule", "sgd", "--quiet"),
        0, "4 steps", "");
    expect(RUN(here, "train", "--resume", "a", "--steps", "6", "--average", "0.8"), 2, "", "--average 0.8: the run to be resumed has 0.9,");
    expect(RUN(here, "train", "--resume", "a", "--steps", "6", "--seed", "2"), 2, "", "--seed 2: the run to be resumed has 1,");
}

/* A folder in the place of the checkpoint of step 20 makes its write fail, as a full disk would. Another thread writes it, so the failure
 * is found when step 30's is due. */
static void a_checkpoint_that_fails_does_not_cost_the_next_one(void **state)
{
    const char *here = *state;
    expect(RUN(here, TRAIN, "--steps", "10", "--strategy", "mirrored", "--workers", "2", "--out", "a"), 0, "10 steps", "");
    expect(SHELL(here, "mkdir -p a/checkpoint/step-00000020.safetensors/full"), 0, "", "");
    expect(RUN(here, "train", "--resume", "a", "--steps", "35", "--checkpoint-every", "10steps"), 0, "35 steps",
           "no checkpoint at step 20: a/checkpoint/step-00000020.safetensors: cannot write");
    expect(SHELL(here, "cut -d, -f2-4 a/marks.csv"), 0, "checkpoint,worker:0,30", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(another_strategy_keeps_the_number_of_workers),
        FOLDER_TEST(a_target_that_is_reached_ends_a_resumed_run_at_once),
        FOLDER_TEST(the_rate_follows_from_all_steps_where_steps_become_larger),
        FOLDER_TEST(evaluations_every_epoch_fall_on_its_end_where_steps_become_smaller),
        FOLDER_TEST(a_job_that_cannot_be_resumed_says_so_in_one_line),
        FOLDER_TEST(a_resumed_run_may_be_told_what_its_model_or_the_standard_says),
        FOLDER_TEST(a_checkpoint_that_fails_does_not_cost_the_next_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
