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

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(another_strategy_keeps_the_number_of_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
