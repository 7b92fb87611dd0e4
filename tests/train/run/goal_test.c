/* goal_test.c: what evaluations mean for a run, and how it ends. */
#include "train/run/goal.h"

#include <math.h>

#include "support.h"

static const tri__goal_state begun = {.best_loss = NAN};

static tri__target until(const char *text)
{
    tri__target target;
    assert_ok(tri__target_parse(text, &target));
    return target;
}

static tri__goal_state after(const tri__train_settings *settings, tri__goal_state before, double loss, double accuracy)
{
    return tri__goal_check(settings, before, &(tri__evaluation){.loss = loss, .accuracy = accuracy});
}

static void the_lowest_loss_is_the_best(void **state)
{
    (void)state;
    const tri__train_settings none = {0};
    tri__goal_state goal = after(&none, begun, 2, 0.1);
    assert_true(goal.better && goal.best_loss == 2 && goal.without_gain == 0);
    goal = after(&none, goal, 2, 0.9); /* as good is not better */
    assert_true(!goal.better && goal.best_loss == 2 && goal.without_gain == 1);
    goal = after(&none, goal, 3, 0.9);
    assert_true(!goal.better && goal.without_gain == 2);
    goal = after(&none, goal, 1, 0.9);
    assert_true(goal.better && goal.best_loss == 1 && goal.without_gain == 0);
    assert_int_equal(goal.ending, TRI_RUN_GOING); /* nobody asked for more */
}

static void patience_ends_a_run_without_gain(void **state)
{
    (void)state;
    const tri__train_settings patient = {.patience = 2};
    tri__goal_state goal = after(&patient, begun, 1, 0);
    goal = after(&patient, goal, 1, 0);
    assert_int_equal(goal.ending, TRI_RUN_GOING);
    assert_int_equal(after(&patient, goal, 1, 0).ending, TRI_RUN_PATIENCE);
    assert_int_equal(after(&patient, goal, 0.5, 0).ending, TRI_RUN_GOING);
    goal.ending = TRI_RUN_SIGNAL; /* what ended it before stays the reason */
    assert_int_equal(after(&patient, goal, 1, 0).ending, TRI_RUN_SIGNAL);
}

static void a_reached_goal_is_the_reason_for_the_end(void **state)
{
    (void)state;
    const tri__train_settings loss = {.target = until("loss<=0.5"), .patience = 1};
    tri__goal_state goal = after(&loss, begun, 0.6, 1);
    assert_int_equal(goal.ending, TRI_RUN_GOING);
    assert_int_equal(after(&loss, goal, 0.5, 0).ending, TRI_RUN_UNTIL);
    goal.ending = TRI_RUN_MAX_STEPS; /* by the evaluation after the last step */
    assert_int_equal(after(&loss, goal, 0.4, 0).ending, TRI_RUN_UNTIL);
    const tri__train_settings accuracy = {.target = until("accuracy>=0.9")};
    assert_int_equal(after(&accuracy, begun, 9, 0.9).ending, TRI_RUN_UNTIL);
    assert_int_equal(after(&accuracy, begun, 0, 0.8).ending, TRI_RUN_GOING);
}

static void a_loss_that_is_not_a_number_reaches_no_goal(void **state)
{
    (void)state;
    const tri__train_settings settings = {.target = until("loss<=0.5"), .patience = 2};
    tri__goal_state goal = after(&settings, after(&settings, begun, 1, 0), NAN, 0);
    assert_true(!goal.better && goal.best_loss == 1 && goal.without_gain == 1 && goal.ending == TRI_RUN_GOING);
}

static void every_ending_has_a_name(void **state)
{
    (void)state;
    assert_null(tri__run_ending_name(TRI_RUN_GOING));
    assert_string_equal(tri__run_ending_name(tri__run_ending_by_length(&(tri__train_settings){.epochs = 2})), "epochs");
    assert_string_equal(tri__run_ending_name(tri__run_ending_by_length(&(tri__train_settings){.steps = 2})), "steps");
    assert_string_equal(tri__run_ending_name(tri__run_ending_by_length(&(tri__train_settings){.max_steps = 2})), "max_steps");
    for (tri__run_ending ending = TRI_RUN_EPOCHS; ending <= TRI_RUN_ERROR; ending++)
        assert_non_null(tri__run_ending_name(ending));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_loss_is_the_best),
        cmocka_unit_test(patience_ends_a_run_without_gain),
        cmocka_unit_test(a_reached_goal_is_the_reason_for_the_end),
        cmocka_unit_test(a_loss_that_is_not_a_number_reaches_no_goal),
        cmocka_unit_test(every_ending_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
