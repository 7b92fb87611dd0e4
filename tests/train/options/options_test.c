/* options_test.c: requests by name, as JSON, on resume, and resolved. */
#include "train/options/options.h"

#include <string.h>

#include "support.h"
#include "trireme/dataset.h"

static const tri_model_defaults nothing; /* the model asks for nothing */

static void set(tri__train_options *options, const char *name, const char *text)
{
    bool known = false;
    assert_ok(tri__train_options_set(options, name, text, &known));
    assert_true(known);
}

static void options_survive_writing_to_json_and_reading_back(void **state)
{
    (void)state;
    tri__train_options options, again;
    tri__train_options_init(&options);
    tri__train_options_init(&again);
    set(&options, "model", "lenet");
    set(&options, "rate", "0.1");
    set(&options, "limit-train", "123");
    set(&options, "events", "off");
    json_t *json = tri__train_options_json(&options);
    assert_int_equal(json_object_size(json), 4);
    assert_ok(tri__train_options_read(&again, json));
    assert_string_equal(again.model, "lenet");
    assert_true(again.rate == 0.1);
    assert_int_equal(again.limit_train, 123);
    assert_int_equal(again.events, 0);
    assert_null(again.data);
    json_object_set_new(json, "batch", json_string("many"));
    assert_fails(tri__train_options_read(&again, json), TRI_BAD_DATA, "batch");
    json_decref(json);
    tri__train_options_fini(&options);
    tri__train_options_fini(&again);
    bool known = true;
    assert_ok(tri__train_options_set(&options, "nothing", "1", &known));
    assert_false(known);
}

static void resuming_refuses_to_change_a_fixed_option(void **state)
{
    (void)state;
    tri__train_options kept, given;
    tri__train_options_init(&kept);
    tri__train_options_init(&given);
    set(&kept, "model", "lenet");
    set(&kept, "batch", "64");
    set(&kept, "epochs", "3");
    set(&given, "batch", "64"); /* the same again is fine */
    set(&given, "steps", "1000");
    set(&given, "rate", "0.5");
    assert_ok(tri__train_options_resume(&kept, &given, &nothing));
    assert_int_equal(kept.steps, 1000);
    assert_true(kept.epochs < 0); /* replaced by steps */
    assert_true(kept.rate == 0.5);
    set(&given, "batch", "32");
    assert_fails(tri__train_options_resume(&kept, &given, &nothing), TRI_BAD_CALL, "--batch 32: the run to be resumed has 64");
    tri__train_options_fini(&kept);
    tri__train_options_fini(&given);
}

/* What was not given is the model's, or the standard value. */
static void resuming_compares_with_what_holds_where_an_option_was_not_given(void **state)
{
    (void)state;
    const tri_model_defaults model = {.batch = 20, .rule = {.name = "adam", .average = 0.999F}};
    tri__train_options kept, given;
    tri__train_options_init(&kept);
    tri__train_options_init(&given);
    set(&given, "batch", "20");
    set(&given, "average", "0.999");
    set(&given, "rule", "adam");
    set(&given, "seed", "1");
    assert_ok(tri__train_options_resume(&kept, &given, &model));
    tri__train_options_fini(&kept);
    assert_fails(tri__train_options_resume(&kept, &given, &nothing), TRI_BAD_CALL, "--batch 20: the run to be resumed has 100");
    tri__train_options_fini(&given);
    set(&given, "average", "0.9");
    assert_fails(tri__train_options_resume(&kept, &given, &model), TRI_BAD_CALL, "--average 0.9: the run to be resumed has 0.999");
    tri__train_options_fini(&kept);
    tri__train_options_fini(&given);
}

static void the_same_augment_in_other_words_is_no_change(void **state)
{
    (void)state;
    tri__train_options kept, given;
    tri__train_options_init(&kept);
    tri__train_options_init(&given);
    set(&given, "augment", "none");
    assert_ok(tri__train_options_resume(&kept, &given, &nothing)); /* the run had none */
    set(&kept, "augment", "flip,mixup");
    set(&given, "augment", "mixup:0.20,flip");
    assert_ok(tri__train_options_resume(&kept, &given, &nothing));
    set(&given, "augment", "mixup:0.3,flip");
    assert_fails(tri__train_options_resume(&kept, &given, &nothing), TRI_BAD_CALL, "the run to be resumed has mixup:0.20,flip");
    tri__train_options_fini(&kept);
    tri__train_options_fini(&given);
}

static void resuming_may_change_strategy_workers_and_mode(void **state)
{
    (void)state;
    tri__train_options kept, given;
    tri__train_options_init(&kept);
    tri__train_options_init(&given);
    set(&kept, "strategy", "ps");
    set(&kept, "workers", "3");
    set(&kept, "sync", "on");
    set(&kept, "backup", "1");
    set(&given, "workers", "2");
    assert_ok(tri__train_options_resume(&kept, &given, &nothing));
    assert_true(kept.workers == 2 && kept.sync == 1 && kept.backup == 1);
    set(&given, "staleness", "4"); /* another mode: nothing of the old one stays */
    assert_ok(tri__train_options_resume(&kept, &given, &nothing));
    assert_true(kept.staleness == 4 && kept.sync == TRI_UNSET && kept.backup == TRI_UNSET && kept.workers == 2);
    tri__train_options_fini(&given);
    set(&kept, "timeout", "5s");
    set(&given, "strategy", "allreduce"); /* another strategy: what both have stays */
    assert_ok(tri__train_options_resume(&kept, &given, &nothing));
    assert_true(kept.staleness == TRI_UNSET && kept.workers == 2);
    assert_string_equal(kept.timeout, "5s");
    tri__train_options_fini(&given);
    set(&given, "strategy", "mirrored");
    assert_ok(tri__train_options_resume(&kept, &given, &nothing));
    assert_true(kept.workers == 2 && !kept.timeout);
    tri__train_options_fini(&given);
    set(&given, "strategy", "local"); /* one worker */
    assert_ok(tri__train_options_resume(&kept, &given, &nothing));
    assert_true(kept.workers == TRI_UNSET);
    assert_string_equal(kept.strategy, "local");
    tri__train_options_fini(&kept);
    tri__train_options_fini(&given);
}

static void a_global_batch_is_divided_among_the_workers(void **state)
{
    (void)state;
    tri__train_options options;
    tri__train_options_init(&options);
    tri__train_settings settings;
    set(&options, "strategy", "ps");
    set(&options, "workers", "3");
    set(&options, "global-batch", "96");
    assert_ok(tri__train_settings_resolve(&options, &(tri_model_defaults){0}, &settings));
    assert_int_equal(settings.batch, 32);
    assert_int_equal(settings.workers, 3);
    set(&options, "global-batch", "100");
    assert_fails(tri__train_settings_resolve(&options, &(tri_model_defaults){0}, &settings), TRI_BAD_CALL, "over 3 workers (102 would)");
    set(&options, "accumulate", "2");
    assert_fails(tri__train_settings_resolve(&options, &(tri_model_defaults){0}, &settings), TRI_BAD_CALL,
                 "over 3 workers with 2 batches each (--accumulate) (102 would)");
    tri__train_options_fini(&options);
}

static void settings_hold_what_augment_says(void **state)
{
    (void)state;
    tri__train_options options;
    tri__train_options_init(&options);
    tri__train_settings settings;
    assert_ok(tri__train_settings_resolve(&options, &(tri_model_defaults){0}, &settings));
    assert_false(tri__augment_is_on(&settings.augment));
    set(&options, "augment", "flip,mixup:0.5");
    assert_ok(tri__train_settings_resolve(&options, &(tri_model_defaults){0}, &settings));
    assert_true(settings.augment.flip && !settings.augment.crop && settings.augment.mixup == 0.5);
    set(&options, "augment", "melt");
    assert_fails(tri__train_settings_resolve(&options, &(tri_model_defaults){0}, &settings), TRI_BAD_CALL, "melt");
    tri__train_options_fini(&options);
}

static void options_not_given_come_from_the_model(void **state)
{
    (void)state;
    const tri_model_defaults model = {
        .rate = 0.2f, .rule = {.name = "momentum", .set = {{"momentum", 0.8f}, {"l2", 0.1f}}}, .batch = 50, .epochs = 4};
    tri__train_options options;
    tri__train_options_init(&options);
    tri__train_settings settings;
    assert_ok(tri__train_settings_resolve(&options, &model, &settings));
    assert_int_equal(settings.batch, 50);
    assert_int_equal(settings.epochs, 4);
    assert_float_equal(settings.schedule.rate, 0.2, 1e-7);
    assert_string_equal(settings.rule.name, "momentum");
    assert_float_equal(tri_rule_value(&settings.rule, "momentum"), 0.8, 1e-7);
    assert_float_equal(tri_rule_value(&settings.rule, "l2"), 0.1, 1e-7);
    assert_true(settings.shuffle == TRI_SHUFFLE_ALL);
    assert_int_equal(settings.seed, 1);
    assert_int_equal(settings.evaluate.kind, TRI_EVERY_EPOCH);
    set(&options, "shuffle", "0");
    set(&options, "until", "loss<=1");
    set(&options, "rate", "0");
    assert_ok(tri__train_settings_resolve(&options, &model, &settings));
    assert_int_equal(settings.shuffle, 0);
    assert_int_equal(settings.epochs, 0);
    assert_int_equal(settings.evaluate.steps, 100);
    assert_float_equal(settings.schedule.rate, 0, 0);
    tri__train_options_fini(&options);
}

static void rule_numbers_come_from_the_command_line_then_the_model_then_the_rule(void **state)
{
    (void)state;
    const tri_model_defaults model = {.rule = {.name = "adam", .set = {{"beta1", 0.5f}, {"epsilon", 0.25f}}}};
    tri__train_options options;
    tri__train_options_init(&options);
    tri__train_settings settings;
    set(&options, "epsilon", "0.125");
    assert_ok(tri__train_settings_resolve(&options, &model, &settings));
    assert_true(tri_rule_value(&settings.rule, "beta1") == 0.5f);
    assert_true(tri_rule_value(&settings.rule, "beta2") == 0.999f);
    assert_true(tri_rule_value(&settings.rule, "epsilon") == 0.125f);
    tri__train_options_fini(&options);
    set(&options, "rule", "adam"); /* the model's own rule, by name */
    assert_ok(tri__train_settings_resolve(&options, &model, &settings));
    assert_true(tri_rule_value(&settings.rule, "epsilon") == 0.25f);
    tri__train_options_fini(&options);
}

/* An epsilon that suits one rule does not suit another. */
static void numbers_of_the_model_are_for_the_rule_of_the_model(void **state)
{
    (void)state;
    const tri_model_defaults models[] = {
        {.rule = {.name = "adam", .set = {{"beta1", 0.5f}, {"epsilon", 0.25f}, {"l2", 0.1f}}}},
        {.rule = {.set = {{"l2", 0.1f}}}}, /* of sgd, which is not named */
    };
    tri__train_options options;
    tri__train_options_init(&options);
    tri__train_settings settings;
    set(&options, "rule", "adagrad");
    for (int i = 0; i < 2; i++) {
        assert_ok(tri__train_settings_resolve(&options, &models[i], &settings));
        assert_string_equal(settings.rule.name, "adagrad");
        assert_true(tri_rule_value(&settings.rule, "epsilon") == 1e-8f);
        assert_true(tri_rule_value(&settings.rule, "l2") == 0);
    }
    set(&options, "epsilon", "0.5");
    assert_ok(tri__train_settings_resolve(&options, &models[0], &settings));
    assert_true(tri_rule_value(&settings.rule, "epsilon") == 0.5f);
    tri__train_options_fini(&options);
    set(&options, "rule", "sgd");
    assert_ok(tri__train_settings_resolve(&options, &models[1], &settings));
    assert_true(tri_rule_value(&settings.rule, "l2") == 0.1f);
    tri__train_options_fini(&options);
}

static void expect_refusal(const char *a, const char *a_value, const char *b, const char *b_value, const char *message)
{
    tri__train_options options;
    tri__train_options_init(&options);
    set(&options, a, a_value);
    set(&options, b, b_value);
    tri__train_settings settings;
    assert_fails(tri__train_settings_resolve(&options, &(tri_model_defaults){0}, &settings), TRI_BAD_CALL, message);
    tri__train_options_fini(&options);
}

static void contradictory_options_are_refused_with_a_reason(void **state)
{
    (void)state;
    expect_refusal("epochs", "1", "steps", "2", "--epochs and --steps both");
    expect_refusal("steps", "1", "until", "loss<=1", "--steps and --until both");
    expect_refusal("steps", "1", "max-steps", "3", "--max-steps guards --until");
    expect_refusal("rule", "adam", "momentum", "0.5", "the rule is adam");
    expect_refusal("rule", "sgd", "epsilon", "0.5", "--epsilon belongs to --rule adagrad, adam or adamw, and the rule is sgd");
    expect_refusal("rule", "adam", "ftrl-beta", "0.5", "--ftrl-beta belongs to --rule ftrl");
    expect_refusal("until", "loss<=1", "eval-every", "end", "checked by evaluations");
    expect_refusal("batch", "10", "global-batch", "30", "--batch is for one worker");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_survive_writing_to_json_and_reading_back),
        cmocka_unit_test(resuming_refuses_to_change_a_fixed_option),
        cmocka_unit_test(resuming_compares_with_what_holds_where_an_option_was_not_given),
        cmocka_unit_test(the_same_augment_in_other_words_is_no_change),
        cmocka_unit_test(resuming_may_change_strategy_workers_and_mode),
        cmocka_unit_test(a_global_batch_is_divided_among_the_workers),
        cmocka_unit_test(settings_hold_what_augment_says),
        cmocka_unit_test(options_not_given_come_from_the_model),
        cmocka_unit_test(rule_numbers_come_from_the_command_line_then_the_model_then_the_rule),
        cmocka_unit_test(numbers_of_the_model_are_for_the_rule_of_the_model),
        cmocka_unit_test(contradictory_options_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
