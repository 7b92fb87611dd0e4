/* length_test.c: how many steps a run has, and when something is due. */
#include "train/run/length.h"

#include "support.h"

static tri__length settle(tri__train_settings settings, tri__run_state state, int64_t examples, int64_t each)
{
    tri__length length = {0};
    assert_true(tri__length_settle(&length, &settings, &state, examples, each));
    return length;
}

static void an_epoch_is_a_pass_unless_its_steps_were_given(void **state)
{
    (void)state;
    const tri__run_state new = {0};
    tri__length length = settle((tri__train_settings){.epochs = 3}, new, 100, 32);
    assert_true(length.epoch == 4 && length.last_step == 12); /* the last step of an epoch is short */
    length = settle((tri__train_settings){.epochs = 3, .steps_per_epoch = 10}, new, 100, 32);
    assert_true(length.epoch == 10 && length.last_step == 30);
    length = settle((tri__train_settings){.steps = 7}, new, 100, 32);
    assert_true(length.epoch == 4 && length.last_step == 7);
    length = settle((tri__train_settings){.max_steps = 9}, new, 100, 32);
    assert_int_equal(length.last_step, 9);
    length = settle((tri__train_settings){0}, new, 100, 32);
    assert_int_equal(length.last_step, 0);
    assert_false(tri__length_reached(&length, INT64_MAX));
}

/* A run whose workers change goes on with larger or smaller steps: the position tells what is left. */
static void the_position_tells_how_many_steps_of_a_pass_are_left(void **state)
{
    (void)state;
    tri__length length = settle((tri__train_settings){.epochs = 2}, (tri__run_state){.step = 3, .position = 60}, 100, 20);
    assert_true(length.epoch_step == 5 && length.last_step == 10);
    length = settle((tri__train_settings){.epochs = 2}, (tri__run_state){.step = 5, .position = 100}, 100, 50);
    assert_true(length.epoch_step == 5 && length.last_step == 7);
    length = settle((tri__train_settings){.epochs = 1}, (tri__run_state){.step = 10, .position = 200}, 100, 20);
    assert_true(tri__length_reached(&length, 10));
}

/* 3 epochs were made in 15 steps of 20 examples, and half of the fourth. It goes on in steps of 50. */
static void epochs_are_counted_by_examples_whatever_the_size_of_steps(void **state)
{
    (void)state;
    const tri__length length = settle((tri__train_settings){.epochs = 5}, (tri__run_state){.step = 18, .position = 350}, 100, 50);
    assert_true(length.epoch_step == 19 && length.epochs == 4 && length.last_step == 21);
    assert_int_equal(tri__length_epochs(&length, 18), 3);
    assert_true(tri__length_epoch_end(&length, 4) == 19 && tri__length_epoch_end(&length, 5) == 21);
    assert_true(tri__length_epochs(&length, 19) == 4 && tri__length_ends_epoch(&length, 19));
    assert_true(tri__length_epochs(&length, 20) == 4 && !tri__length_ends_epoch(&length, 20));
    assert_int_equal(tri__length_epochs(&length, 21), 5);
}

static void epochs_are_counted_by_examples_whatever_ends_the_run(void **state)
{
    (void)state;
    const tri__run_state half_way = {.step = 18, .position = 350};
    const tri__length length = settle((tri__train_settings){.steps = 30}, half_way, 100, 50);
    assert_true(length.last_step == 30 && length.epoch_step == 19);
    assert_true(tri__length_epochs(&length, 18) == 3 && tri__length_epochs(&length, 21) == 5);
    const tri__length guarded = settle((tri__train_settings){.max_steps = 40, .steps_per_epoch = 10}, half_way, 100, 50);
    assert_true(guarded.last_step == 40 && guarded.epoch == 10); /* its steps per epoch are from a run that had --epochs */
}

/* Two of four workers are lost in the middle: what is left takes twice as many steps. */
static void the_length_is_told_anew_where_steps_become_smaller(void **state)
{
    (void)state;
    assert_int_equal(tri__length_expected(2, 100, 0, 0, 20), 10);
    assert_int_equal(tri__length_expected(2, 100, 5, 100, 10), 15);
    assert_int_equal(tri__length_expected(2, 100, 5, 95, 10), 16); /* a short step counts as one */
    assert_int_equal(tri__length_expected(2, 100, 15, 205, 10), 15);
}

static void more_steps_than_can_be_counted_are_refused(void **state)
{
    (void)state;
    tri__length length = {0};
    const tri__run_state new = {0};
    const tri__train_settings passes = {.epochs = INT64_MAX / 2}, steps = {.epochs = INT64_MAX / 2, .steps_per_epoch = 3};
    assert_false(tri__length_settle(&length, &passes, &new, 100, 20));
    assert_false(tri__length_settle(&length, &steps, &new, 100, 20));
}

static void intervals_can_be_steps_or_epochs(void **state)
{
    (void)state;
    const tri__length length = {.epoch = 4, .epoch_step = 6, .last_step = 14};
    const tri__every steps = {.kind = TRI_EVERY_STEPS, .steps = 5}, epoch = {.kind = TRI_EVERY_EPOCH};
    assert_true(tri__length_due(&length, &steps, 10) && !tri__length_due(&length, &steps, 11));
    assert_true(tri__length_due(&length, &epoch, 10) && tri__length_due(&length, &epoch, 6) && !tri__length_due(&length, &epoch, 8));
    assert_false(tri__length_due(&length, &(tri__every){.kind = TRI_EVERY_END}, 14));
    assert_false(tri__length_due(&length, &(tri__every){.kind = TRI_EVERY_SECONDS, .seconds = 1}, 10));
    assert_true(tri__length_reached(&length, 14) && !tri__length_reached(&length, 13));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_epoch_is_a_pass_unless_its_steps_were_given),
        cmocka_unit_test(the_position_tells_how_many_steps_of_a_pass_are_left),
        cmocka_unit_test(epochs_are_counted_by_examples_whatever_the_size_of_steps),
        cmocka_unit_test(epochs_are_counted_by_examples_whatever_ends_the_run),
        cmocka_unit_test(the_length_is_told_anew_where_steps_become_smaller),
        cmocka_unit_test(more_steps_than_can_be_counted_are_refused),
        cmocka_unit_test(intervals_can_be_steps_or_epochs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
