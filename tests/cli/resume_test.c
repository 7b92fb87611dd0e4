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
    expect(RUN(here, "train", "--resume", "a", "--until", "accuracy>=abc"), 2, "", "accuracy>=abc");
    expect(RUN(here, "train", "--resume", "a", "--until", "loss<=100", "--test", "digits:200", "--max-steps", "20", "--quiet"), 0,
           "15 steps", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(another_strategy_keeps_the_number_of_workers),
        FOLDER_TEST(a_target_that_is_reached_ends_a_resumed_run_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
