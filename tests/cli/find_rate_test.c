/* find_rate_test.c: train --find-rate, and rates that follow the test loss. */
#include <math.h>
#include <stdlib.h>

#include "cli/binary_json.h"
#include "cli/ranks.h"

#define TRAIN_DIGITS "train", "softmax", "--data", "digits:500", "--quiet", "--threads", "1"

static void a_sweep_suggests_a_rate_and_leaves_its_curve(void **state)
{
    const char *here = *state;
    json_t *found = json_of(RUN(here, TRAIN_DIGITS, "--find-rate", "--steps", "60", "--json", "--out", "sweep"));
    const double suggested = number(found, "suggested_rate");
    assert_true(suggested > 1e-4 && suggested < 1);
    const json_t *points = json_object_get(found, "points");
    assert_true(json_array_size(points) >= 20 && json_array_size(points) <= 60);
    assert_float_equal(number(json_array_get(points, 0), "rate"), 1e-6, 1e-12);
    assert_float_equal(number(json_array_get(points, 0), "loss"), 2.302585, 1e-5); /* ln 10: its weights start at zero */
    json_decref(found);
    expect(SHELL(here, "head -1 sweep/find-rate.csv; grep -c '<svg' sweep/find-rate.svg"), 0, "rate,loss,smoothed\n1\n", "");
    char rate[32];
    snprintf(rate, sizeof rate, "%g", suggested);
    json_t *run = json_of(RUN(here, TRAIN_DIGITS, "--rate", rate, "--epochs", "3", "--json"));
    assert_true(number(run, "test_loss") < 1.5);
    json_decref(run);
}

static void a_sweep_leaves_no_model(void **state)
{
    const char *here = *state;
    expect(RUN(here, "train", "softmax", "--data", "digits:500", "--threads", "1", "--find-rate", "--out", "sweep"), 0, "suggested",
           "rate 1e-06 to 10, 100 steps");
    expect(RUN(here, "eval", "sweep"), 1, "", "no checkpoint");
    expect(RUN(here, "train", "--resume", "sweep", "--steps", "200"), 1, "", "no checkpoint");
    expect(RUN(here, TRAIN_DIGITS, "--init", "sweep"), 1, "", "no checkpoint");
}

static void a_sweep_that_diverges_still_tells_its_curve(void **state)
{
    expect(RUN(*state, TRAIN_DIGITS, "--rule", "momentum", "--find-rate", "--schedule", "sweep:0.001:1e30", "--out", "sweep"), 0,
           "suggested   --rate", "");
}

/* Such numbers overflow in the first loss, at any rate. */
static void a_sweep_whose_first_step_diverges_says_so(void **state)
{
    const char *here = *state;
    expect(SHELL(here, "printf 'a,y\\n3e38,1.5\\n-3e38,2.5\\n' >huge.csv; printf 'input()\\ndense(outputs)\\nmse_loss()\\n' >line.model"),
           0, "", "");
    expect(RUN(here, "train", "line.model", "--data", "huge.csv", "--find-rate", "--quiet", "--out", "sweep"), 1, "", "loss");
}

static void a_sweep_is_no_training(void **state)
{
    const char *here = *state;
    expect(RUN(here, TRAIN_DIGITS, "--find-rate", "--epochs", "2"), 2, "", "leave out --epochs");
    expect(RUN(here, TRAIN_DIGITS, "--find-rate", "--strategy", "ps"), 2, "", "sweeps in one process");
    expect(RUN(here, TRAIN_DIGITS, "--find-rate", "--schedule", "cosine"), 2, "", "a sweep has its own");
    expect(RUN(here, TRAIN_DIGITS, "--find-rate", "--steps", "5"), 2, "", "at least 20");
    expect(RUN(here, TRAIN_DIGITS, "--find-rate", "--checkpoint-every", "5"), 2, "", "leave out --checkpoint-every");
    expect(RUN(here, TRAIN_DIGITS, "--schedule", "sweep:1:0.1", "--steps", "5"), 2, "", "LOW and HIGH are rates");
}

#define PLATEAU TRAIN_DIGITS, "--schedule", "plateau:1:0.5", "--rate", "3", "--rule", "sgd", "--eval-every", "1"

/* So large a rate makes the loss rise and fall: it is cut, and a resumed run knows how often. */
static void a_plateau_cuts_the_rate_and_outlives_a_resume(void **state)
{
    const char *here = *state;
    expect(RUN(here, PLATEAU, "--steps", "30", "--out", "whole"), 0, "", "");
    tri__checkpoint *checkpoint = ranks_newest(here, "whole");
    assert_true(checkpoint->state.cuts > 0);
    tri__checkpoint_close(checkpoint);
    expect(RUN(here, PLATEAU, "--steps", "17", "--out", "begun"), 0, "", "");
    expect(RUN(here, "train", "--resume", "begun", "--steps", "30", "--quiet"), 0, "", "");
    assert_true(ranks_distance(here, "whole", "begun") == 0);
    expect(RUN(here, PLATEAU, "--steps", "30", "--out", "mirrored", "--strategy", "mirrored", "--workers", "2", "--global-batch", "100"), 0,
           "", "");
    assert_true(ranks_distance(here, "whole", "mirrored") < 1e-3);
    expect(RUN(here, PLATEAU, "--strategy", "ps"), 2, "", "it is for --strategy local and mirrored");
    expect(RUN(here, PLATEAU, "--strategy", "allreduce"), 2, "", "it is for --strategy local and mirrored");
    expect(RUN(here, TRAIN_DIGITS, "--schedule", "plateau:2:0.5", "--eval-every", "end"), 2, "", "--schedule plateau goes by evaluations");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_sweep_suggests_a_rate_and_leaves_its_curve),
        FOLDER_TEST(a_sweep_that_diverges_still_tells_its_curve),
        FOLDER_TEST(a_sweep_leaves_no_model),
        FOLDER_TEST(a_sweep_that_diverges_still_tells_its_curve),
        FOLDER_TEST(a_sweep_whose_first_step_diverges_says_so),
        FOLDER_TEST(a_sweep_is_no_training),
        FOLDER_TEST(a_plateau_cuts_the_rate_and_outlives_a_resume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
