/* placed_test.c: a model whose layers are on several tasks learns what one process learns, and ends as other runs do. */
#include <math.h>
#include <signal.h>
#include <string.h>

#include "cli/binary_json.h"
#include "cli/ranks.h"

/* Convolutions on task 0, the first dense layer on task 1, the others where DENSE says. */
#define MODEL(dense)                                                                                                                       \
    "printf 'input(scale=1/255)\\nconv(4, 3)\\nrelu\\nmaxpool(2)\\ndense(24, place=1)\\nrelu\\ndropout(0.3)\\ndense(16, place=" dense      \
    ")\\ntanh\\ndense(classes, place=" dense ")\\nsoftmax_loss\\ntrain(rate=0.05, rule=adam, batch=50)\\n' >m.model"

#define PLAIN  "train", "m.model", "--data", "digits:300", "--quiet", "--threads", "1"
#define PLACED PLAIN, "--strategy", "placed", "--workers"

static void write_model(const char *here, const char *script)
{
    expect(SHELL(here, script), 0, "", "");
}

static void tasks_learn_what_one_process_learns(void **state)
{
    const char *here = *state;
    write_model(here, MODEL("2"));
    json_t *one = json_of(RUN(here, PLAIN, "--epochs", "3", "--json", "--out", "one"));
    json_t *three = json_of(RUN(here, PLACED, "3", "--epochs", "3", "--json", "--out", "three"));
    assert_true(ranks_distance(here, "one", "three") < 1e-5);
    assert_true(fabs(number(one, "test_loss") - number(three, "test_loss")) < 1e-5);
    assert_true(fabs(number(one, "train_loss") - number(three, "train_loss")) < 1e-5);
    assert_true(number(one, "test_accuracy") == number(three, "test_accuracy"));
    assert_true(number(three, "examples") == 900 && number(three, "steps") == 18 && number(three, "workers") == 3);
    const double back_and_forth = 18.0 * 50 * 4 * 13 * 13 * 4; /* what the last pooling gives, and its gradient */
    assert_true(number(json_array_get(json_object_get(three, "worker_stats"), 0), "bytes_sent") >= back_and_forth);
    json_decref(one);
    json_decref(three);
    expect(RUN(here, "eval", "three", "--data", "digits:300"), 0, "accuracy", "");
    expect(SHELL(here, "test -s three/events/worker-0/* && test -s three/log/worker-0.txt && test -s three/samples/worker-1.csv"), 0, "",
           "");
    expect(RUN(here, "watch", "three", "--count", "1"), 0, "\nlauncher ", "");
    assert_int_equal(ranks_pairs(here, "three"), 6); /* 0 and 1, 1 and 2, and 2 tells 0 its results: each from both ends */
    expect(RUN(here, "watch", "three", "--count", "1"), 0, "\nmost bytes: worker:", "");
}

/* Task 1 waits while task 0 evaluates and writes checkpoints. That is waiting for others, so the pauses can be left out of its time. */
static void waiting_for_the_orders_of_task_0_does_not_count_as_compute(void **state)
{
    const char *here = *state;
    write_model(here, MODEL("1"));
    json_t *two = json_of(RUN(here, PLACED, "2", "--steps", "12", "--eval-every", "2", "--json", "--out", "two"));
    const json_t *workers = json_object_get(two, "worker_stats"), *first = json_array_get(workers, 0), *other = json_array_get(workers, 1);
    assert_true(number(other, "seconds") <= number(first, "seconds") + 1e-6);
    assert_true(number(json_object_get(other, "phases"), "peers") > 0);
    json_decref(two);
}

/* Three tasks have parameters and the fourth has none; the bound is well below the norm of most steps. */
static void the_gradient_of_all_tasks_is_clipped_by_its_norm(void **state)
{
    const char *here = *state;
    write_model(here, MODEL("2"));
    expect(RUN(here, PLAIN, "--epochs", "2", "--rule", "sgd", "--out", "free"), 0, "", "");
    expect(RUN(here, PLAIN, "--epochs", "2", "--rule", "sgd", "--clip", "0.2", "--out", "one"), 0, "", "");
    json_t *four = json_of(RUN(here, PLACED, "4", "--epochs", "2", "--rule", "sgd", "--clip", "0.2", "--json", "--out", "four"));
    assert_true(ranks_distance(here, "one", "free") > 1e-3);
    assert_true(ranks_distance(here, "one", "four") < 1e-5);
    assert_true(number(json_object_get(four, "phases"), "update") > 0);
    json_decref(four);
}

static void a_run_goes_on_under_another_strategy(void **state)
{
    const char *here = *state;
    write_model(here, MODEL("0"));
    expect(RUN(here, PLAIN, "--epochs", "3", "--out", "whole"), 0, "", "");
    expect(RUN(here, PLAIN, "--epochs", "1", "--out", "begun"), 0, "", "");
    expect(RUN(here, "train", "--resume", "begun", "--epochs", "2", "--strategy", "placed", "--workers", "2", "--quiet"), 0,
           "strategy     placed", "");
    expect(RUN(here, "train", "--resume", "begun", "--epochs", "3", "--strategy", "local", "--quiet"), 0, "strategy     local", "");
    assert_true(ranks_distance(here, "whole", "begun") < 1e-5);
}

static void a_goal_and_checkpoints_end_tasks_at_the_same_step(void **state)
{
    const char *here = *state;
    write_model(here, MODEL("1"));
    expect(RUN(here, PLACED, "2", "--until", "loss<=2.2", "--eval-every", "2", "--max-steps", "200", "--checkpoint-every", "3steps",
               "--out", "a"),
           0, "(stopped by until)", "");
    expect(RUN(here, PLAIN, "--until", "loss<=2.2", "--eval-every", "2", "--max-steps", "200", "--out", "b"), 0, "(stopped by until)", "");
    assert_true(ranks_distance(here, "a", "b") < 1e-5);
}

#define LONG_RUN TEST_BINARY, PLACED, "2", "--steps", "100000000", "--checkpoint-every", "20steps", "--eval-every", "end", "--out", "a"

static void a_signal_ends_tasks_with_a_checkpoint(void **state)
{
    const char *here = *state;
    write_model(here, MODEL("1"));
    pid_t run = ranks_start(here, (const char *const[]){LONG_RUN, NULL});
    ranks_await_checkpoint(here, "a", -1);
    assert_int_equal(kill(run, SIGINT), 0);
    assert_int_equal(ranks_end(run), 130);
    ranks_await_none(here);
    tri__checkpoint_close(ranks_newest(here, "a"));
}

static void a_run_that_lost_a_task_is_started_again(void **state)
{
    const char *here = *state;
    write_model(here, MODEL("1"));
    const char *const arguments[] = {
        TEST_BINARY,  PLACED, "2",     "--steps", "1000", "--checkpoint-every", "20steps", "--eval-every", "end",
        "--restarts", "1",    "--out", "a",       NULL};
    pid_t run = ranks_start(here, arguments);
    ranks_await_checkpoint(here, "a", -1);
    assert_int_equal(kill(ranks_find(here), SIGKILL), 0);
    assert_int_equal(ranks_end(run), 0);
    ranks_assert_said(here, "starting again from step");
    expect(RUN(here, PLAIN, "--steps", "1000", "--eval-every", "end", "--out", "b"), 0, "", "");
    assert_true(ranks_distance(here, "a", "b") < 1e-3); /* thousands of steps of adam carry roundings further */
}

static void a_run_that_lost_a_task_for_good_says_how_it_goes_on(void **state)
{
    const char *here = *state;
    write_model(here, MODEL("1"));
    pid_t run = ranks_start(here, (const char *const[]){LONG_RUN, NULL});
    ranks_await_checkpoint(here, "a", -1);
    assert_int_equal(kill(ranks_find(here), SIGKILL), 0);
    assert_int_equal(ranks_end(run), 1);
    ranks_assert_said(here, ". --resume a goes on from step ");
    ranks_assert_said(here, "; --restarts N starts again by itself");
}

/* Long before the timeout, so that there is time to let it go on. */
static void a_task_that_is_stopped_is_named_and_may_go_on(void **state)
{
    const char *here = *state;
    write_model(here, MODEL("1"));
    pid_t run = ranks_start(here, (const char *const[]){LONG_RUN, "--timeout", "16s", NULL});
    ranks_await_checkpoint(here, "a", -1);
    pid_t stopped = ranks_find(here);
    assert_int_equal(kill(stopped, SIGSTOP), 0);
    ranks_await_said(here, ") is stopped");
    assert_int_equal(kill(stopped, SIGCONT), 0);
    ranks_assert_said(here, ", and will for");
    ranks_await_checkpoint(here, "a", ranks_await_checkpoint(here, "a", -1));
    assert_int_equal(kill(run, SIGINT), 0);
    assert_int_equal(ranks_end(run), 130);
}

static void what_cannot_be_placed_is_refused_in_words(void **state)
{
    const char *here = *state;
    write_model(here, MODEL("1"));
    expect(RUN(here, PLAIN, "--strategy", "mirrored", "--workers", "2"), 2, "",
           "m.model:5:1: place=1: every worker of this strategy computes");
    expect(RUN(here, PLAIN, "--strategy", "allreduce", "--workers", "2"), 2, "", "m.model:5:1: place=1");
    expect(RUN(here, PLACED, "1"), 2, "", "is placed on /job:worker/task:1, and the last of 1 task is /job:worker/task:0");
    expect(RUN(here, PLACED, "2", "--global-batch", "100"), 2, "", "--global-batch: all tasks");
    expect(RUN(here, PLACED, "2", "--shard", "files"), 2, "", "--shard: all tasks");
    expect(RUN(here, PLACED, "2", "--rate", "1e38", "--steps", "99"), 1, "", "try a smaller --rate");
    expect(RUN(here, "train", "softmax", "--data", "digits:300", "--strategy", "placed", "--workers", "2"), 2, "",
           "no line of softmax has a place");
    write_model(here, "printf 'sparse()\\ndense(1, place=1)\\nlogistic_loss\\n' >s.model");
    expect(RUN(here, "train", "s.model", "--data", "clicks:1000:300", "--strategy", "placed", "--workers", "2"), 1, "",
           "tables of sparse features, which cannot be placed");
}

int main(void)
{
    if (!ranks_can_run())
        return 77;
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(tasks_learn_what_one_process_learns),
        FOLDER_TEST(waiting_for_the_orders_of_task_0_does_not_count_as_compute),
        FOLDER_TEST(the_gradient_of_all_tasks_is_clipped_by_its_norm),
        FOLDER_TEST(a_run_goes_on_under_another_strategy),
        FOLDER_TEST(a_goal_and_checkpoints_end_tasks_at_the_same_step),
        FOLDER_TEST(a_signal_ends_tasks_with_a_checkpoint),
        FOLDER_TEST(a_run_that_lost_a_task_is_started_again),
        FOLDER_TEST(a_run_that_lost_a_task_for_good_says_how_it_goes_on),
        FOLDER_TEST(a_task_that_is_stopped_is_named_and_may_go_on),
        FOLDER_TEST(what_cannot_be_placed_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
