/* stop_test.c: targets and intervals. */
#include "train/options/stop.h"

#include <math.h>

#include "support.h"

static void valid_targets_are_parsed(void **state)
{
    (void)state;
    tri__target target;
    assert_ok(tri__target_parse("loss<=0.35", &target));
    assert_string_equal(target.measure->name, "loss");
    assert_true(tri__target_reached(&target, &(tri__evaluation){.loss = 0.35}));
    assert_false(tri__target_reached(&target, &(tri__evaluation){.loss = 0.36, .accuracy = 1}));
    assert_ok(tri__target_parse(" accuracy >= 98% ", &target));
    assert_string_equal(target.measure->name, "accuracy");
    assert_true(tri__target_reached(&target, &(tri__evaluation){.loss = 9, .accuracy = 0.98}));
    assert_false(tri__target_reached(&target, &(tri__evaluation){.accuracy = 0.97}));
    assert_ok(tri__target_parse("accuracy>.5", &target));
    assert_ok(tri__target_parse("logloss<=0.45", &target));
    assert_true(tri__target_reached(&target, &(tri__evaluation){.loss = 9, .logloss = 0.45}));
    assert_false(tri__target_reached(&target, &(tri__evaluation){.logloss = NAN})); /* there are more classes */
    assert_ok(tri__target_parse("auc>=80%", &target));
    assert_true(tri__target_reached(&target, &(tri__evaluation){.auc = 0.8}));
    assert_false(tri__target_reached(&target, &(tri__evaluation){.accuracy = 1, .auc = 0.7}));
    assert_ok(tri__target_parse("calibration>=0.95", &target));
    assert_true(tri__target_reached(&target, &(tri__evaluation){.calibration = 0.96}));
    assert_false(tri__target_reached(&target, &(tri__evaluation){.calibration = NAN}));
    assert_ok(tri__target_parse("calibration <= 1.05", &target));
    assert_false(tri__target_reached(&target, &(tri__evaluation){.calibration = 1.1}));
    assert_ok(tri__target_parse("mae<=1.5", &target));
    assert_string_equal(target.measure->name, "mae");
    assert_true(tri__target_reached(&target, &(tri__evaluation){.mae = 1.5}));
    assert_ok(tri__target_parse("r2>=0.9", &target));
    assert_false(tri__target_reached(&target, &(tri__evaluation){.r2 = NAN}));
    assert_ok(tri__target_parse("r2>=-5", &target));
    assert_true(tri__target_reached(&target, &(tri__evaluation){.r2 = -4}));
    assert_ok(tri__target_parse("f1>=80%", &target));
    assert_true(tri__target_reached(&target, &(tri__evaluation){.f1 = 0.81}));
    assert_ok(tri__target_parse("progressive_auc>=0.75", &target));
    assert_true(target.progressive);
    assert_string_equal(target.measure->name, "auc");
    assert_false(tri__target_reached(&(tri__target){0}, &(tri__evaluation){0}));
}

static void invalid_targets_are_refused_with_a_reason(void **state)
{
    (void)state;
    tri__target target;
    assert_fails(tri__target_parse("speed>=3", &target), TRI_BAD_CALL, "one of loss, accuracy");
    assert_fails(tri__target_parse("loss>=3", &target), TRI_BAD_CALL, "should fall");
    assert_fails(tri__target_parse("accuracy", &target), TRI_BAD_CALL, "should rise");
    assert_fails(tri__target_parse("accuracy>=98", &target), TRI_BAD_CALL, "98%");
    assert_fails(tri__target_parse("loss<=", &target), TRI_BAD_CALL, "a number");
    assert_fails(tri__target_parse("loss<=0.3x", &target), TRI_BAD_CALL, "a number");
    assert_fails(tri__target_parse("loss<=nan", &target), TRI_BAD_CALL, "a number");
    assert_fails(tri__target_parse("progressive_loss<=1", &target), TRI_BAD_CALL, "progressive_logloss");
    assert_fails(tri__target_parse("progressive_r2>=0.5", &target), TRI_BAD_CALL, "progressive_logloss");
    assert_fails(tri__target_parse("mse>=2", &target), TRI_BAD_CALL, "mse should fall");
    assert_fails(tri__target_parse("progressive_auc<=1", &target), TRI_BAD_CALL, "progressive_auc should rise");
    assert_fails(tri__target_parse("r2>=2", &target), TRI_BAD_CALL, "r2 is at most 1");
    assert_fails(tri__target_parse("calibration=1", &target), TRI_BAD_CALL, ">= or <= must follow");
    assert_fails(tri__target_parse("calibration>=0", &target), TRI_BAD_CALL, "above 0");
    assert_fails(tri__target_parse("loss<=-1", &target), TRI_BAD_CALL, "a number of 0 or more");
}

static void valid_intervals_are_parsed(void **state)
{
    (void)state;
    const unsigned all = 15;
    tri__every every;
    assert_ok(tri__every_parse("x", "60s", all, &every));
    assert_true(every.kind == TRI_EVERY_SECONDS && every.seconds == 60);
    assert_ok(tri__every_parse("x", "5m", all, &every));
    assert_true(every.kind == TRI_EVERY_SECONDS && every.seconds == 300);
    assert_ok(tri__every_parse("x", "500steps", all, &every));
    assert_true(every.kind == TRI_EVERY_STEPS && every.steps == 500);
    assert_ok(tri__every_parse("x", "500", all, &every));
    assert_true(every.kind == TRI_EVERY_STEPS && every.steps == 500);
    assert_ok(tri__every_parse("x", "epoch", all, &every));
    assert_int_equal(every.kind, TRI_EVERY_EPOCH);
    assert_ok(tri__every_parse("x", "never", 1u << TRI_EVERY_NEVER, &every));
    assert_int_equal(every.kind, TRI_EVERY_NEVER);
    assert_fails(tri__every_parse("checkpoint-every", "never", 15, &every), TRI_BAD_CALL, "epoch or end");
    assert_ok(tri__every_parse("x", "end", all, &every));
    assert_int_equal(every.kind, TRI_EVERY_END);
}

static void invalid_intervals_are_refused_with_a_reason(void **state)
{
    (void)state;
    const unsigned timed = 1u << TRI_EVERY_SECONDS | 1u << TRI_EVERY_STEPS | 1u << TRI_EVERY_END;
    tri__every every;
    assert_fails(tri__every_parse("checkpoint-every", "60 parsecs", timed, &every), TRI_BAD_CALL,
                 "--checkpoint-every 60 parsecs: expected a time");
    assert_fails(tri__every_parse("checkpoint-every", "0s", timed, &every), TRI_BAD_CALL, "60s");
    assert_fails(tri__every_parse("checkpoint-every", "epoch", timed, &every), TRI_BAD_CALL, "500steps");
    assert_fails(tri__every_parse("checkpoint-every", "9999999999999999h", timed, &every), TRI_BAD_CALL, "60s");
    assert_fails(tri__every_parse("eval-every", "60s", 7, &every), TRI_BAD_CALL, "epoch or end");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_targets_are_parsed),
        cmocka_unit_test(invalid_targets_are_refused_with_a_reason),
        cmocka_unit_test(valid_intervals_are_parsed),
        cmocka_unit_test(invalid_intervals_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
