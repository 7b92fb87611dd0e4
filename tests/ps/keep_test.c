/* keep_test.c: which snapshots of a job are evaluated, and which are kept. */
#include <stdlib.h>

#include "ps/process.h"

/* The loss of softmax falls all the way, so the last snapshot is the best. It is saved twice: as a checkpoint, and as the best. */
static void the_last_snapshot_is_also_saved_as_the_best_if_it_is(void **state)
{
    process job = process_start(*state, "job",
                                "train softmax --data digits:1000 --batch 50 --strategy ps --workers 2 --sync --steps 200 --eval-every 20 "
                                "--keep-best --checkpoint-every 20steps --json --out run");
    json_t *summary = process_end(&job, 0);
    process check = process_start(*state, "check", "eval run/checkpoint/best.safetensors --data digits:1000 --json");
    json_t *best = process_end(&check, 0);
    assert_float_equal(number_of(best, "test_loss"), number_of(summary, "test_loss"), 1e-4);
    json_decref(best);
    json_decref(summary);
}

/* Patience counts evaluations, so a checkpoint that is due at another step must not add one. */
static void a_checkpoint_between_evaluations_is_not_evaluated(void **state)
{
    process job = process_start(*state, "job",
                                "train softmax --data digits:1000 --batch 50 --strategy ps --workers 2 --sync --steps 200 --eval-every 100 "
                                "--checkpoint-every 30steps --json --out run");
    json_decref(process_end(&job, 0));
    char *log = test_path(*state, "run/log/ps-0.txt");
    assert_true(file_says(log, "step 100 "));
    assert_false(file_says(log, "step 30 "));
    assert_true(file_says(log, "step 200 "));
    free(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCESS_TEST(the_last_snapshot_is_also_saved_as_the_best_if_it_is),
        PROCESS_TEST(a_checkpoint_between_evaluations_is_not_evaluated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
